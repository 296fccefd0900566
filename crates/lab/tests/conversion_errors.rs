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
        messages.push(convert(dir, &path, &options).unwrap_err().to_string());
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
    contains(&error.to_string(), &[bad, "[2, 5]", "not finite"]);
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
fn a_target_that_cannot_be_written_is_named() {
    let dir = support::fixtures_dir().join("b_absolute_unshared");
    let error = convert(
        &dir,
        Path::new("/nowhere/model.safetensors"),
        &ConvertOptions::default(),
    );
    contains(
        &error.unwrap_err().to_string(),
        &["/nowhere/model.safetensors"],
    );
}
