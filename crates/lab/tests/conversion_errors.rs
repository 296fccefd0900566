//! Damaged and incomplete model directories: the message says what and where, nothing is written.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::path::{Path, PathBuf};

use csanmt_lab::checkpoint::{Checkpoint, CheckpointWriter, WriteOptions};
use csanmt_lab::{ConvertOptions, convert};

const SHARD: &str = "tf_ckpts/ckpt-0.data-00000-of-00001";
const INDEX: &str = "tf_ckpts/ckpt-0.index";

/// Converts a copy of a fixture after `damage`; gives the message.
fn message_after(damage: impl Fn(&Path)) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::copy_fixture("a_zh2en", temporary.path());
    damage(&dir);
    failure(&dir)
}

/// Both conversions fail with the same kind of message and leave nothing.
fn failure(dir: &Path) -> String {
    let target = tempfile::tempdir().unwrap();
    let path = target.path().join("model.safetensors");
    let mut messages = Vec::new();
    for f32 in [true, false] {
        let options = ConvertOptions {
            f32,
            ..Default::default()
        };
        messages.push(support::chain(&convert(dir, &path, &options).unwrap_err()));
        assert_eq!(
            std::fs::read_dir(target.path()).unwrap().count(),
            0,
            "nothing stays"
        );
    }
    assert_eq!(messages[0], messages[1]);
    messages.remove(0)
}

fn contains(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

fn edit(path: PathBuf, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

/// Writes the checkpoint again, each variable as `change` returns it.
fn rewrite(
    dir: &Path,
    change: impl Fn(&str, Vec<usize>, Vec<f32>) -> Option<(Vec<usize>, Vec<f32>)>,
) {
    let ckpts = dir.join("tf_ckpts");
    let mut old = Checkpoint::open(&ckpts).unwrap();
    let entries: Vec<(String, Vec<usize>)> = old
        .entries()
        .map(|(name, entry)| {
            (
                name.to_owned(),
                entry.shape.iter().map(|&n| n as usize).collect(),
            )
        })
        .collect();
    let mut variables = Vec::new();
    for (name, shape) in entries {
        let mut data = Vec::new();
        old.read(&name, &shape, &mut data).unwrap();
        variables.push((name, shape, data));
    }
    let mut new = CheckpointWriter::create(&ckpts, "ckpt-0", WriteOptions::default()).unwrap();
    for (name, shape, data) in variables {
        if let Some((shape, data)) = change(&name, shape, data) {
            new.float(&name, &shape, &data).unwrap();
        }
    }
    new.finish().unwrap();
}

#[test]
fn missing_variables_are_all_listed() {
    let gone = [
        "NmtModel/encoder/layer_1/ffn_layer/input_layer/linear/bias",
        "NmtModel/decoder/layer_norm/layer_norm_scale",
    ];
    let message = message_after(|dir| {
        rewrite(dir, |name, shape, data| {
            (!gone.contains(&name)).then_some((shape, data))
        });
    });
    contains(&message, &gone);
    assert_eq!(message.matches("missing:").count(), 2);
}

#[test]
fn misshaped_variable_is_named_with_both_shapes() {
    let bad = "NmtModel/encoder/layer_0/encoder_self_attention/output_transform/matrix";
    let message = message_after(|dir| {
        rewrite(dir, |name, shape, data| {
            Some(if name == bad {
                (vec![16, 64], data)
            } else {
                (shape, data)
            })
        });
    });
    contains(&message, &[bad, "[16, 64]", "[32, 32]"]);
}

#[test]
fn infinite_weight_is_named_when_quantised() {
    let bad = "NmtModel/encoder/layer_0/encoder_self_attention/output_transform/matrix";
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::copy_fixture("a_zh2en", temporary.path());
    rewrite(&dir, |name, shape, mut data| {
        if name == bad {
            data[32 * 2 + 5] = f32::INFINITY;
        }
        Some((shape, data))
    });
    let path = temporary.path().join("model.safetensors");
    let error = convert(&dir, &path, &ConvertOptions::default()).unwrap_err();
    contains(&support::chain(&error), &[bad, "[2, 5]", "not finite"]);
    assert!(!path.exists());
}

#[test]
fn truncated_shard_names_a_variable() {
    for keep in [0, 1, 1000, 300_000] {
        let message = message_after(|dir| edit(dir.join(SHARD), |bytes| bytes.truncate(keep)));
        contains(
            &message,
            &["variable NmtModel/", "truncated", "data-00000-of-00001"],
        );
    }
}

#[test]
fn flipped_bits_in_the_shard_name_the_variable() {
    let dir = support::fixtures_dir().join("a_zh2en");
    let checkpoint = Checkpoint::open(&dir.join("tf_ckpts")).unwrap();
    let entries: Vec<_> = checkpoint.entries().collect();
    for (name, entry) in entries.iter().step_by(17) {
        for at in [entry.offset, entry.offset + entry.size - 1] {
            let message = message_after(|dir| {
                edit(dir.join(SHARD), |bytes| bytes[at as usize] ^= 0x10);
            });
            contains(
                &message,
                &[&format!("variable {name}:"), "check sum", "damaged"],
            );
        }
    }
}

#[test]
fn flipped_bit_in_the_index_is_found() {
    let len = std::fs::metadata(support::fixtures_dir().join("a_zh2en").join(INDEX))
        .unwrap()
        .len();
    for at in (0..len as usize - 48).step_by(509) {
        let message = message_after(|dir| edit(dir.join(INDEX), |bytes| bytes[at] ^= 1));
        contains(&message, &["ckpt-0.index"]);
    }
}

#[test]
fn truncated_index_is_found() {
    for keep in [0, 47, 48, 3000] {
        let message = message_after(|dir| edit(dir.join(INDEX), |bytes| bytes.truncate(keep)));
        contains(&message, &["ckpt-0.index"]);
    }
}

#[test]
fn missing_files_are_named() {
    let remove = |name: &'static str| {
        message_after(move |dir| std::fs::remove_file(dir.join(name)).unwrap())
    };
    contains(
        &remove(SHARD),
        &["data-00000-of-00001", "missing", "variable NmtModel/"],
    );
    contains(&remove(INDEX), &["ckpt-0.index"]);
    contains(&remove("configuration.json"), &["configuration.json"]);
    contains(
        &remove("src_vocab.txt"),
        &["src_vocab.txt is missing", "dataset.src_vocab.file"],
    );
    contains(
        &remove("trg_vocab.txt"),
        &["trg_vocab.txt is missing", "dataset.trg_vocab.file"],
    );
    contains(
        &remove("bpe.zh"),
        &["bpe.zh is missing", "preprocessor.src_bpe.file"],
    );
}

#[test]
fn one_missing_shard_of_several_is_named() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("model");
    let options = WriteOptions {
        shards: 3,
        ..Default::default()
    };
    support::write_model(&dir, &support::small_config(), options, false);
    std::fs::remove_file(dir.join("tf_ckpts/ckpt-9.data-00001-of-00003")).unwrap();
    contains(
        &failure(&dir),
        &[
            "ckpt-9.data-00001-of-00003",
            "missing",
            "variable NmtModel/",
        ],
    );
}

#[test]
fn without_a_state_file_the_first_checkpoint_is_taken() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::copy_fixture("b_absolute_unshared", temporary.path());
    std::fs::remove_file(dir.join("tf_ckpts/checkpoint")).unwrap();
    let path = temporary.path().join("model.safetensors");
    convert(&dir, &path, &ConvertOptions::default()).unwrap();
}

#[test]
fn broken_configuration_says_where() {
    let replaced = |from: &'static str, to: &'static str| {
        message_after(move |dir| {
            edit(dir.join("configuration.json"), |bytes| {
                let text = String::from_utf8(bytes.clone()).unwrap();
                assert!(text.contains(from));
                *bytes = text.replacen(from, to, 1).into_bytes();
            });
        })
    };
    contains(
        &replaced("{", ""),
        &["configuration.json", "not valid JSON", "line 2"],
    );
    contains(
        &replaced("\"hidden_size\": 32", "\"hidden_size\": \"32\""),
        &["model.hidden_size"],
    );
    contains(
        &replaced("\"hidden_size\": 32", "\"hidden_size\": 64"),
        &["NmtModel/encoder_input_bias: has shape [32], expected [64]"],
    );
    contains(
        &replaced("\"num_heads\": 4", "\"num_heads\": 5"),
        &["num_heads is 5"],
    );
}

#[test]
fn texts_that_do_not_fit_are_named() {
    let message = message_after(|dir| {
        edit(dir.join("src_vocab.txt"), |bytes| {
            bytes.extend(b"a\nb\nc\n")
        })
    });
    contains(&message, &["src_vocab.txt", "tokens, expected"]);
    let message = message_after(|dir| edit(dir.join("trg_vocab.txt"), Vec::clear));
    contains(&message, &["trg_vocab.txt", "0 tokens"]);
    let message = message_after(|dir| edit(dir.join("bpe.zh"), |bytes| bytes[30] = 0xff));
    contains(&message, &["bpe.zh", "not UTF-8"]);
}

#[test]
fn unusable_merge_rules_are_refused() {
    let codes = |codes: &'static str| {
        message_after(move |dir| std::fs::write(dir.join("bpe.zh"), codes).unwrap())
    };
    contains(&codes(""), &["bpe.zh", "empty", "BPE codes"]);
    contains(&codes("\n \n"), &["bpe.zh", "empty"]);
    contains(&codes("#version: 0.2\n"), &["bpe.zh", "line 2"]);
    contains(
        &codes("#version: 0.2\na b\na b c\n"),
        &["bpe.zh", "line 3", "a b c"],
    );
    contains(&codes("#version: 7\na b\n"), &["bpe.zh", "version \"7\""]);
}

#[test]
fn a_vocabulary_of_less_than_half_the_rows_is_refused_with_both_numbers() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("model");
    let config = support::small_config();
    support::write_model(&dir, &config, WriteOptions::default(), false);
    let lines = |count| (0..count).map(|i| format!("w{i}\n")).collect::<String>();
    // 21 rows: 20 tokens are usual.
    std::fs::write(dir.join("src.txt"), lines(9)).unwrap();
    contains(
        &failure(&dir),
        &["src.txt", "9 tokens, expected 20 for 21 table rows"],
    );
    std::fs::write(dir.join("src.txt"), "\n".repeat(20)).unwrap();
    contains(&failure(&dir), &["src.txt", "0 tokens, expected 20"]);
    std::fs::write(dir.join("src.txt"), lines(10)).unwrap();
    let path = temporary.path().join("model.safetensors");
    let report = convert(&dir, &path, &ConvertOptions::default()).unwrap();
    assert_eq!(
        report.notes,
        ["src.txt has 10 tokens for 21 rows, 20 are usual"]
    );
}

#[test]
fn languages_without_rules_are_noted_and_what_is_no_code_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("model");
    let path = temporary.path().join("model.safetensors");
    let mut config = support::small_config();
    for (source, target, sides) in [("en", "fr", 0), ("xx", "fr", 1), ("en", "deu", 1)] {
        (config.src_lang, config.tgt_lang) = (source.into(), target.into());
        support::write_model(&dir, &config, WriteOptions::default(), false);
        let report = convert(&dir, &path, &ConvertOptions::default()).unwrap();
        assert_eq!(report.notes.len(), sides, "{:?}", report.notes);
        assert!(
            report
                .notes
                .iter()
                .all(|note| note.contains("has no rules of its own"))
        );
        csanmt::Translator::open(&path).unwrap();
    }
    for code in ["z", "zhcn", "zh-CN", "ZH", "12", ""] {
        (config.src_lang, config.tgt_lang) = (code.into(), "fr".into());
        support::write_model(&dir, &config, WriteOptions::default(), false);
        contains(
            &failure(&dir),
            &["preprocessor.src_lang", "expected a language code"],
        );
    }
}

#[test]
fn an_unusable_dictionary_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = support::fixtures_dir().join("a_zh2en");
    let path = temporary.path().join("model.safetensors");
    let options = ConvertOptions {
        dictionary: Some(b"a word list"),
        ..Default::default()
    };
    let error = convert(&dir, &path, &options).unwrap_err();
    contains(&support::chain(&error), &["segmentation dictionary"]);
    assert!(!path.exists());
}

#[test]
fn what_is_no_model_directory_is_told_what_it_needs() {
    let temporary = tempfile::tempdir().unwrap();
    let needs = "MODEL_DIR needs configuration.json, the vocabularies, the BPE codes and tf_ckpts/";
    contains(
        &failure(temporary.path()),
        &["has no configuration.json", needs],
    );
    contains(
        &failure(&temporary.path().join("gone")),
        &["gone does not exist", needs],
    );
    let file = temporary.path().join("file");
    std::fs::write(&file, "").unwrap();
    contains(&failure(&file), &["is not a folder", needs]);
    let message = message_after(|dir| std::fs::remove_dir_all(dir.join("tf_ckpts")).unwrap());
    contains(&message, &["has no tf_ckpts/", needs]);
}

#[test]
fn a_missing_index_says_what_a_checkpoint_is() {
    let message = message_after(|dir| std::fs::remove_file(dir.join(INDEX)).unwrap());
    contains(&message, &["ckpt-0.index is missing", ".data files"]);
}

const INPUTS: [&str; 7] = [
    "configuration.json",
    "src_vocab.txt",
    "trg_vocab.txt",
    "bpe.zh",
    "tf_ckpts/checkpoint",
    INDEX,
    SHARD,
];

#[test]
fn folders_in_the_place_of_inputs_are_named() {
    for input in INPUTS {
        let message = message_after(|dir| {
            std::fs::remove_file(dir.join(input)).unwrap();
            std::fs::create_dir(dir.join(input)).unwrap();
        });
        contains(
            &message,
            &[input, "this is a folder, expected a regular file"],
        );
    }
}

#[cfg(unix)]
#[test]
fn pipes_in_the_place_of_inputs_are_named_without_waiting() {
    for input in INPUTS {
        let message = message_after(|dir| {
            std::fs::remove_file(dir.join(input)).unwrap();
            support::make_pipe(&dir.join(input));
        });
        contains(
            &message,
            &[input, "this is a pipe, expected a regular file"],
        );
    }
}

#[test]
fn causes_are_told_once() {
    let temporary = tempfile::tempdir().unwrap();
    let missing = temporary.path().join("gone");
    let inspected = support::chain(&csanmt_lab::inspect(&missing).unwrap_err());
    let evaluated = support::chain(&csanmt_lab::evaluate::read_pairs(&missing).unwrap_err());
    for message in [inspected, evaluated] {
        let cause = std::fs::File::open(&missing).unwrap_err();
        assert_eq!(message, format!("{}: {cause}", missing.display()));
    }
    std::fs::write(&missing, "no model").unwrap();
    let message = support::chain(&csanmt_lab::inspect(&missing).unwrap_err());
    assert_eq!(message.matches("not a complete model file").count(), 1);

    let repeated = [
        message_after(|dir| edit(dir.join("bpe.zh"), |bytes| bytes[30] = 0xff)),
        message_after(|dir| edit(dir.join(SHARD), |bytes| bytes.truncate(1000))),
        message_after(|dir| edit(dir.join(INDEX), |bytes| bytes.truncate(47))),
        message_after(|dir| std::fs::remove_file(dir.join("src_vocab.txt")).unwrap()),
        message_after(|dir| std::fs::write(dir.join("configuration.json"), "{").unwrap()),
    ];
    for message in repeated {
        let parts: Vec<&str> = message.split(": ").collect();
        for (i, part) in parts.iter().enumerate() {
            assert!(!parts[i + 1..].contains(part), "{part:?} twice: {message}");
        }
    }
}
