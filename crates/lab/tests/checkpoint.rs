//! Checkpoints written here and read back, whole and damaged.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use csanmt_lab::checkpoint::{Checkpoint, CheckpointWriter, Compression, DataType, WriteOptions};
use proptest::prelude::*;

fn sample(dir: &Path, options: WriteOptions) -> PathBuf {
    let mut writer = CheckpointWriter::create(dir, "model.ckpt-3", options).unwrap();
    for i in 0..40u8 {
        let data: Vec<f32> = (0..6).map(|k| f32::from(i) + k as f32 / 8.0).collect();
        writer
            .float(&format!("scope/variable_{i}"), &[2, 3], &data)
            .unwrap();
    }
    writer.float("scope/nothing", &[0, 3], &[]).unwrap();
    writer.scalar("global_step", -7).unwrap();
    writer.finish().unwrap()
}

fn all(
    checkpoint: &mut Checkpoint,
) -> Result<Vec<Vec<f32>>, csanmt_lab::checkpoint::CheckpointError> {
    let read = |i| {
        let mut data = Vec::new();
        checkpoint.read(&format!("scope/variable_{i}"), &[2, 3], &mut data)?;
        Ok(data)
    };
    (0..40).map(read).collect()
}

#[test]
fn what_is_written_is_read() {
    for compression in [Compression::None, Compression::Snappy] {
        for shards in [1, 2, 5] {
            let dir = tempfile::tempdir().unwrap();
            sample(
                dir.path(),
                WriteOptions {
                    shards,
                    compression,
                },
            );
            let mut checkpoint = Checkpoint::open(dir.path()).unwrap();
            assert_eq!(checkpoint.entries().len(), 42);
            let data = all(&mut checkpoint).unwrap();
            assert_eq!(data[39][1], 39.125);
            assert_eq!(checkpoint.scalar("global_step").unwrap(), Some(-7));
            assert_eq!(checkpoint.scalar("scope/variable_1").unwrap(), None);
            let mut nothing = vec![1.0];
            checkpoint
                .read("scope/nothing", &[0, 3], &mut nothing)
                .unwrap();
            assert!(nothing.is_empty());
        }
    }
}

#[test]
fn another_type_is_named() {
    let dir = tempfile::tempdir().unwrap();
    sample(dir.path(), WriteOptions::default());
    let mut checkpoint = Checkpoint::open(dir.path()).unwrap();
    let entry = checkpoint
        .entries()
        .find(|(name, _)| *name == "global_step")
        .unwrap()
        .1;
    assert_eq!(entry.dtype, DataType::INT64);
    let error = checkpoint
        .read("global_step", &[], &mut Vec::new())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "variable global_step: is int64, expected float32"
    );
}

#[test]
fn the_original_reads_what_is_written_here() {
    // The golden fixtures are from TensorFlow's own writer: an index written from their entries
    // must hold the same rows.
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden/fixtures/f_trained_slots/tf_ckpts");
    let mut original = Checkpoint::open(&fixture).unwrap();
    let entries: Vec<_> = original
        .entries()
        .map(|(name, entry)| (name.to_owned(), entry.clone()))
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let mut writer =
        CheckpointWriter::create(dir.path(), "ckpt-0", WriteOptions::default()).unwrap();
    for (name, entry) in &entries {
        if entry.dtype == DataType::INT64 {
            writer
                .scalar(name, original.scalar(name).unwrap().unwrap())
                .unwrap();
        } else {
            let shape: Vec<usize> = entry.shape.iter().map(|&axis| axis as usize).collect();
            let mut data = Vec::new();
            original.read(name, &shape, &mut data).unwrap();
            writer.float(name, &shape, &data).unwrap();
        }
    }
    writer.finish().unwrap();
    for file in ["ckpt-0.data-00000-of-00001", "checkpoint"] {
        let read = |dir: &Path| std::fs::read(dir.join(file)).unwrap();
        assert!(
            read(dir.path()) == read(&fixture),
            "{file} is the same byte for byte"
        );
    }
    let copy = Checkpoint::open(dir.path()).unwrap();
    let copied: Vec<_> = copy
        .entries()
        .map(|(name, entry)| (name.to_owned(), entry.clone()))
        .collect();
    assert_eq!(copied, entries);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever happens to index or shard: an error, or the right numbers.
    #[test]
    fn damage_never_gives_wrong_numbers(
        in_index: bool,
        snappy: bool,
        place: prop::sample::Index,
        cut: bool,
        value: u8,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let compression = if snappy { Compression::Snappy } else { Compression::None };
        let prefix = sample(dir.path(), WriteOptions { shards: 1, compression });
        let expected = all(&mut Checkpoint::open(dir.path()).unwrap()).unwrap();
        let suffix = if in_index { "index" } else { "data-00000-of-00001" };
        let path = PathBuf::from(format!("{}.{suffix}", prefix.display()));
        let mut bytes = std::fs::read(&path).unwrap();
        let at = place.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = value }
        std::fs::write(&path, bytes).unwrap();
        if let Ok(found) = Checkpoint::open(dir.path()).and_then(|mut checkpoint| all(&mut checkpoint)) {
            prop_assert_eq!(found, expected);
        }
    }
}
