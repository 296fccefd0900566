//! Model files and TensorFlow checkpoints.

use std::path::Path;
use std::sync::LazyLock;

use csanmt::{AlignedBytes, Options, Translator};
use csanmt_fuzz::fuzz;
use csanmt_lab::checkpoint::{Checkpoint, CheckpointWriter, WriteOptions};
use csanmt_lab::{ConvertOptions, convert};
use csanmt_model::Shortlist;

/// A small model as a model file.
static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/fixtures/a_zh2en");
    let to = folder.path().join("model");
    convert(&from, &to, &ConvertOptions::default()).expect("a model");
    std::fs::read(to).expect("a file")
});

#[test]
fn shortlist() {
    let seeds: [&[u8]; 2] = [b"1 2 3\n4\n\n5 6\n", b"\n\n\n\n"];
    let words = ["0", "8", "9", " ", "\n", "4294967296", "-1"];
    fuzz("shortlist", &seeds, &words, |bytes| {
        let _ = Shortlist::parse(bytes, 3, 9);
    });
}

#[test]
fn model_file() {
    // The header is where the meaning is; what follows are numbers.
    let length = u64::from_le_bytes(MODEL[..8].try_into().expect("eight bytes"));
    let header = 8 + usize::try_from(length).expect("a length");
    let words = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "-1",
        "0",
        "18446744073709551615",
        "\"I8\"",
        "\"F32\"",
        "data_offsets",
        "csanmt.config",
    ];
    fuzz("model_file", &[&MODEL[..header]], &words, |bytes| {
        let file = [bytes, &MODEL[header..]].concat();
        let aligned = AlignedBytes::from(&file[..]);
        if let Ok(translator) = Translator::from_bytes(aligned) {
            let _ = translator.translate("我们今天去学校。", &Options::default());
        }
    });
}

#[test]
fn checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = {
        let mut writer = CheckpointWriter::create(folder.path(), "ckpt", WriteOptions::default())
            .expect("a writer");
        writer
            .float("a/kernel", &[2, 3], &[1.0; 6])
            .expect("a variable");
        writer.float("a/bias", &[3], &[2.0; 3]).expect("a variable");
        writer.scalar("global_step", 7).expect("a variable");
        writer.finish().expect("a checkpoint")
    };
    let index = prefix.with_extension("index");
    let seed = std::fs::read(&index).expect("an index");
    fuzz(
        "checkpoint",
        &[&seed],
        &["\0", "\u{1}", "a/kernel", "\u{7f}"],
        |bytes| {
            std::fs::write(&index, bytes).expect("an index");
            if let Ok(mut checkpoint) = Checkpoint::open_prefix(&prefix) {
                let names: Vec<String> = checkpoint
                    .entries()
                    .map(|(name, _)| name.to_owned())
                    .collect();
                for name in names {
                    let _ = checkpoint.scalar(&name);
                }
            }
        },
    );
}
