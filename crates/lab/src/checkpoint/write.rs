//! Writing checkpoints that TensorFlow's `Saver` restores.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::checkpoint::bundle::{DataType, Entry, Header};
use crate::checkpoint::error::CheckpointError;
use crate::checkpoint::{mask, state, table};

/// Compression of the index blocks; the data is never compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// As TensorFlow writes them.
    #[default]
    None,
    /// As TensorFlow also reads them.
    Snappy,
}

/// How a checkpoint is laid out.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Data files; variables go to them in turn.
    pub shards: u64,
    /// Of the index.
    pub compression: Compression,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            shards: 1,
            compression: Compression::None,
        }
    }
}

/// Writes variables one by one, and the index at the end.
#[derive(Debug)]
pub struct CheckpointWriter {
    dir: PathBuf,
    name: String,
    options: WriteOptions,
    shards: Vec<(BufWriter<File>, u64)>,
    entries: BTreeMap<String, Entry>,
}

impl CheckpointWriter {
    /// Makes `DIR` and the data files of checkpoint `name` (as `ckpt-0`) in it.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn create(dir: &Path, name: &str, options: WriteOptions) -> Result<Self, CheckpointError> {
        let failed = |path: &Path, source| CheckpointError::Io {
            path: path.to_owned(),
            source,
        };
        std::fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
        let count = options.shards.clamp(1, 99_999);
        let options = WriteOptions {
            shards: count,
            ..options
        };
        let mut shards = Vec::new();
        for shard in 0..count {
            let path = state::shard(&dir.join(name), shard, count);
            let file = File::create(&path).map_err(|error| failed(&path, error))?;
            shards.push((BufWriter::new(file), 0));
        }
        let entries = BTreeMap::new();
        Ok(Self {
            dir: dir.to_owned(),
            name: name.to_owned(),
            options,
            shards,
            entries,
        })
    }

    /// Adds a float32 variable.
    ///
    /// # Errors
    /// When the shape does not fit, the name was used before, or the file cannot be written.
    pub fn float(
        &mut self,
        name: &str,
        shape: &[usize],
        data: &[f32],
    ) -> Result<(), CheckpointError> {
        if cfg!(target_endian = "big") {
            let swapped: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
            return self.add(name, DataType::FLOAT, shape, &swapped);
        }
        self.add(name, DataType::FLOAT, shape, bytemuck::cast_slice(data))
    }

    /// Adds an int64 scalar, such as `global_step`.
    ///
    /// # Errors
    /// When the name was used before or the file cannot be written.
    pub fn scalar(&mut self, name: &str, value: i64) -> Result<(), CheckpointError> {
        self.add(name, DataType::INT64, &[], &value.to_le_bytes())
    }

    fn add(
        &mut self,
        name: &str,
        dtype: DataType,
        shape: &[usize],
        bytes: &[u8],
    ) -> Result<(), CheckpointError> {
        let shard = self.entries.len() % self.shards.len();
        let (out, end) = &mut self.shards[shard];
        let entry = Entry {
            dtype,
            shape: shape.iter().map(|&axis| axis as u64).collect(),
            shard: shard as u64,
            offset: *end,
            size: bytes.len() as u64,
            crc: mask(crc32c::crc32c(bytes)),
            sliced: false,
        };
        entry
            .check_size()
            .map_err(|message| CheckpointError::variable(name, message))?;
        if name.is_empty() || self.entries.contains_key(name) {
            return Err(CheckpointError::variable(name, "the name is used already"));
        }
        out.write_all(bytes).map_err(|source| CheckpointError::Io {
            path: state::shard(
                &self.dir.join(&self.name),
                shard as u64,
                self.options.shards,
            ),
            source,
        })?;
        *end += entry.size;
        self.entries.insert(name.to_owned(), entry);
        Ok(())
    }

    /// Writes the index and the state file, and gives the checkpoint's prefix.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(mut self) -> Result<PathBuf, CheckpointError> {
        let prefix = self.dir.join(&self.name);
        let failed = |path: PathBuf| move |source: io::Error| CheckpointError::Io { path, source };
        for (shard, (out, _)) in self.shards.iter_mut().enumerate() {
            out.flush().map_err(failed(state::shard(
                &prefix,
                shard as u64,
                self.options.shards,
            )))?;
        }
        let header = Header {
            shards: self.options.shards,
            big_endian: false,
            min_consumer: 0,
        };
        let mut rows = vec![(Vec::new(), header.bytes())];
        for (name, entry) in &self.entries {
            rows.push((name.clone().into_bytes(), entry.bytes()));
        }
        let snappy = self.options.compression == Compression::Snappy;
        let index = table::write(
            rows.iter().map(|(key, value)| (&key[..], &value[..])),
            snappy,
        );
        let path = state::index(&prefix);
        std::fs::write(&path, index).map_err(failed(path))?;
        let name = &self.name;
        let lines =
            format!("model_checkpoint_path: \"{name}\"\nall_model_checkpoint_paths: \"{name}\"\n");
        let path = self.dir.join("checkpoint");
        std::fs::write(&path, lines).map_err(failed(path))?;
        Ok(prefix)
    }
}
