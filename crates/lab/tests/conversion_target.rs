//! Which files a conversion replaces: nothing but a regular file that is no input.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::path::Path;

use csanmt_lab::{ConvertOptions, convert};

const FIXTURE: &str = "b_absolute_unshared";

/// The message of a conversion to `out`, which must fail.
fn refusal(dir: &Path, out: &Path) -> String {
    let error = convert(dir, out, &ConvertOptions::default()).unwrap_err();
    support::chain(&error)
}

fn succeed(dir: &Path, out: &Path) {
    convert(dir, out, &ConvertOptions::default()).unwrap();
    csanmt::Translator::open(out).unwrap();
}

fn contains(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// All files of a model directory.
fn contents(dir: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in [dir.to_owned(), dir.join("tf_ckpts")] {
        for name in names(&folder) {
            let path = folder.join(name);
            if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                files.push((path, bytes));
            }
        }
    }
    files
}

#[test]
fn standard_output_and_names_of_folders_are_refused() {
    let dir = support::fixtures_dir().join(FIXTURE);
    let temporary = tempfile::tempdir().unwrap();
    contains(
        &refusal(&dir, Path::new("-")),
        &["standard output is not supported: give a file name"],
    );
    contains(
        &refusal(&dir, temporary.path()),
        &["this is a folder, expected a regular file"],
    );
    contains(
        &refusal(&dir, &temporary.path().join("new/")),
        &["give a file name"],
    );
    contains(&refusal(&dir, Path::new("")), &["give a file name"]);
    contains(
        &refusal(&dir, &temporary.path().join("gone/model")),
        &["gone/model", "the folder", "does not exist"],
    );
    assert!(names(temporary.path()).is_empty());
}

#[test]
fn a_model_directory_is_never_written_over() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::copy_fixture(FIXTURE, temporary.path());
    let before = contents(&dir);
    let named = [
        "configuration.json",
        "src_vocab.txt",
        "trg_vocab.txt",
        "bpe.zh",
    ];
    let inputs = before.iter().filter(|(path, _)| {
        path.parent().unwrap().ends_with("tf_ckpts")
            || named.iter().any(|name| path.ends_with(name))
    });
    let mut count = 0;
    for (path, _) in inputs {
        count += 1;
        contains(&refusal(&dir, path), &["a part of the model to convert"]);
        // The same file on another way.
        let detour = dir
            .join("tf_ckpts/..")
            .join(path.strip_prefix(&dir).unwrap());
        contains(&refusal(&dir, &detour), &["a part of the model to convert"]);
    }
    assert!(count >= 7);
    assert!(contents(&dir) == before, "the directory is as it was");
}

#[test]
fn a_checkpoint_outside_its_folder_is_an_input_too() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::copy_fixture(FIXTURE, temporary.path());
    let state = "model_checkpoint_path: \"../../elsewhere/ckpt-0\"\n";
    let elsewhere = temporary.path().join("elsewhere");
    std::fs::rename(dir.join("tf_ckpts"), &elsewhere).unwrap();
    std::fs::create_dir(dir.join("tf_ckpts")).unwrap();
    std::fs::write(dir.join("tf_ckpts/checkpoint"), state).unwrap();
    for name in ["ckpt-0.index", "ckpt-0.data-00000-of-00001"] {
        let message = refusal(&dir, &elsewhere.join(name));
        contains(&message, &["a part of the model to convert"]);
    }
    succeed(&dir, &temporary.path().join("model"));
}

#[test]
fn a_failed_conversion_leaves_the_old_file() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::copy_fixture(FIXTURE, temporary.path());
    let out = temporary.path().join("model");
    succeed(&dir, &out);
    let good = std::fs::read(&out).unwrap();
    let configuration = std::fs::read_to_string(dir.join("configuration.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&configuration).unwrap();
    let codes = json["preprocessor"]["src_bpe"]["file"].as_str().unwrap();
    std::fs::write(dir.join(codes), "").unwrap();
    contains(&refusal(&dir, &out), &[codes, "empty"]);
    assert!(std::fs::read(&out).unwrap() == good);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn pipes_and_sockets_are_refused_and_stay() {
        let dir = support::fixtures_dir().join(FIXTURE);
        let temporary = tempfile::tempdir().unwrap();
        let (pipe, socket) = (temporary.path().join("p"), temporary.path().join("s"));
        support::make_pipe(&pipe);
        let _listener = UnixListener::bind(&socket).unwrap();
        let link = temporary.path().join("link");
        symlink("p", &link).unwrap();
        contains(&refusal(&dir, &pipe), &["this is a pipe"]);
        contains(&refusal(&dir, &socket), &["this is a socket"]);
        contains(&refusal(&dir, &link), &["this is a pipe"]);
        assert_eq!(names(temporary.path()), ["link", "p", "s"]);
        let kind = |path: &Path| std::fs::symlink_metadata(path).unwrap().file_type();
        assert!(kind(&pipe).is_fifo() && kind(&socket).is_socket() && kind(&link).is_symlink());
    }

    #[test]
    fn of_a_link_the_file_that_it_names_is_written() {
        let dir = support::fixtures_dir().join(FIXTURE);
        let temporary = tempfile::tempdir().unwrap();
        let models = temporary.path().join("models");
        std::fs::create_dir(&models).unwrap();
        std::fs::write(models.join("old"), "old").unwrap();
        for (link, to) in [("to_old", "models/old"), ("to_new", "models/new")] {
            let link = temporary.path().join(link);
            symlink(to, &link).unwrap();
            let chained = link.with_extension("chained");
            symlink(link.file_name().unwrap(), &chained).unwrap();
            for name in [&chained, &link] {
                succeed(&dir, name);
                assert!(name.is_symlink());
            }
            assert!(temporary.path().join(to).metadata().unwrap().len() > 1000);
        }
        assert_eq!(names(&models), ["new", "old"]);
    }

    #[test]
    fn links_in_a_circle_are_refused() {
        let dir = support::fixtures_dir().join(FIXTURE);
        let temporary = tempfile::tempdir().unwrap();
        let link = temporary.path().join("link");
        symlink("link", &link).unwrap();
        assert!(refusal(&dir, &link).contains("link"));
        assert!(link.is_symlink());
    }

    #[test]
    fn inputs_are_recognised_behind_links() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = support::copy_fixture(FIXTURE, temporary.path());
        let before = contents(&dir);
        let index = dir.join("tf_ckpts/ckpt-0.index");
        let (soft, hard) = (temporary.path().join("soft"), temporary.path().join("hard"));
        symlink(&index, &soft).unwrap();
        std::fs::hard_link(&index, &hard).unwrap();
        for out in [&soft, &hard] {
            contains(&refusal(&dir, out), &["a part of the model to convert"]);
        }
        assert!(soft.is_symlink() && contents(&dir) == before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn partial_files_of_killed_conversions_go_with_the_next_one() {
    let dir = support::fixtures_dir().join(FIXTURE);
    let temporary = tempfile::tempdir().unwrap();
    // Linux numbers no process so high.
    for name in [".model.99999999-0.partial", ".other.99999999-0.partial"] {
        std::fs::write(temporary.path().join(name), "half").unwrap();
    }
    let running = format!(".model.{}-5.partial", std::process::id());
    std::fs::write(temporary.path().join(&running), "half").unwrap();
    succeed(&dir, &temporary.path().join("model"));
    let mut expected = [".other.99999999-0.partial", "model", &running];
    expected.sort_unstable();
    assert_eq!(names(temporary.path()), expected);
}
