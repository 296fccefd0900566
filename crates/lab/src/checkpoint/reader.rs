//! Reading checkpoints, every byte checked.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::checkpoint::bundle::{CONSUMER, DataType, Entry, Header};
use crate::checkpoint::error::CheckpointError;
use crate::checkpoint::{mask, state, table};
use crate::regular_file;

/// Larger indexes are not plausible: one of 600 variables with slots has 150 kB.
const MAX_INDEX: u64 = 64 << 20;

/// An opened checkpoint: its index, and the shards as they are needed.
#[derive(Debug)]
pub struct Checkpoint {
    prefix: PathBuf,
    shards: u64,
    index_crc: u32,
    entries: BTreeMap<String, Entry>,
    /// The shard read last, and its length.
    open: Option<(u64, File, u64)>,
}

impl Checkpoint {
    /// Opens the newest checkpoint of a directory, as its state file names it.
    ///
    /// # Errors
    /// When the index is missing, damaged, or of another kind.
    pub fn open(dir: &Path) -> Result<Self, CheckpointError> {
        Self::open_prefix(&state::prefix(dir)?)
    }

    /// Opens `PREFIX.index`.
    ///
    /// # Errors
    /// When the index is missing, damaged, or of another kind.
    pub fn open_prefix(prefix: &Path) -> Result<Self, CheckpointError> {
        let path = state::index(prefix);
        let io = |source| CheckpointError::Io {
            path: path.clone(),
            source,
        };
        let broken = |message: String| CheckpointError::Index {
            path: path.clone(),
            message,
        };
        let file = regular_file::open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => CheckpointError::MissingIndex { path: path.clone() },
            _ => io(source),
        })?;
        let mut bytes = Vec::new();
        file.take(MAX_INDEX + 1)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        if bytes.len() as u64 > MAX_INDEX {
            return Err(broken(format!(
                "larger than {MAX_INDEX} bytes: not an index"
            )));
        }

        let mut table = table::read(&bytes).map_err(broken)?.into_iter();
        let header = match table.next() {
            Some((key, value)) if key.is_empty() => Header::read(&value).ok(),
            _ => None,
        };
        let header =
            header.ok_or_else(|| broken("the header entry is missing or damaged".into()))?;
        if header.big_endian {
            return Err(broken("big-endian data, expected little-endian".into()));
        }
        if header.min_consumer > CONSUMER {
            let version = header.min_consumer;
            return Err(broken(format!(
                "needs a reader of version {version}, this is {CONSUMER}"
            )));
        }
        if !(1..=99_999).contains(&header.shards) {
            return Err(broken(format!(
                "{} data shards, expected 1 to 99999",
                header.shards
            )));
        }
        let mut entries = BTreeMap::new();
        for (key, value) in table {
            // Slices of partitioned variables have binary keys; none can be a model variable.
            if let Ok(name) = String::from_utf8(key) {
                let entry = Entry::read(&value)
                    .map_err(|_| CheckpointError::variable(&name, "its index entry is damaged"))?;
                entries.insert(name, entry);
            }
        }
        Ok(Self {
            prefix: prefix.to_owned(),
            shards: header.shards,
            index_crc: crc32c::crc32c(&bytes),
            entries,
            open: None,
        })
    }

    /// The path without `.index`.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The index and the data files.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let shards = (0..self.shards).map(|shard| state::shard(&self.prefix, shard, self.shards));
        std::iter::once(state::index(&self.prefix)).chain(shards)
    }

    /// CRC32C of the index, which holds the check sums of all data.
    #[must_use]
    pub fn index_crc(&self) -> u32 {
        self.index_crc
    }

    /// All entries by name.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(name, entry)| (&name[..], entry))
    }

    /// Checks that float32 variables of these names and shapes exist, each whole in its shard.
    ///
    /// # Errors
    /// [`CheckpointError::Variables`] with everything that is missing or does not fit; or the first
    /// variable, by name, whose data is not there.
    pub fn check<'v>(
        &self,
        expected: impl Iterator<Item = (&'v str, &'v [usize])>,
    ) -> Result<(), CheckpointError> {
        let expected: BTreeMap<&str, &[usize]> = expected.collect();
        let (mut missing, mut wrong) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        for (name, shape) in expected {
            match self.entries.get(name) {
                None => missing.push(format!("{name} {shape:?}")),
                Some(entry) => {
                    wrong.extend(misfit(entry, shape).map(|misfit| format!("{name}: {misfit}")));
                    found.push((name, entry));
                }
            }
        }
        if !missing.is_empty() || !wrong.is_empty() {
            return Err(CheckpointError::Variables { missing, wrong });
        }
        let mut lengths = BTreeMap::new();
        for (name, entry) in found {
            let path = self.shard_path(name, entry.shard)?;
            let len = match lengths.get(&entry.shard) {
                Some(&len) => len,
                None => open_shard(name, &path)?.1,
            };
            lengths.insert(entry.shard, len);
            check_range(name, entry, &path, len)?;
        }
        Ok(())
    }

    /// Reads a float32 variable into `data`, which is resized; its old contents are freed first
    /// when they do not suffice.
    ///
    /// # Errors
    /// When it is missing, of another type or shape, outside its shard, or damaged.
    pub fn read(
        &mut self,
        name: &str,
        shape: &[usize],
        data: &mut Vec<f32>,
    ) -> Result<(), CheckpointError> {
        let entry = self.float_entry(name, shape)?;
        let elements = usize::try_from(entry.size / 4)
            .map_err(|_| CheckpointError::variable(name, "too large for this machine"))?;
        let reader = self.locate(name, &entry)?;
        if data.capacity() < elements {
            *data = Vec::new();
            data.try_reserve_exact(elements).map_err(|_| {
                CheckpointError::variable(name, format!("no memory for {} bytes", entry.size))
            })?;
        }
        data.resize(elements, 0.0);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(data);
        let failed = |error: io::Error| CheckpointError::variable(name, error.to_string());
        reader.read_exact(bytes).map_err(failed)?;
        check_sum(name, crc32c::crc32c(bytes), entry.crc)?;
        if cfg!(target_endian = "big") {
            for value in data {
                *value = f32::from_bits(value.to_bits().swap_bytes());
            }
        }
        Ok(())
    }

    /// Passes the bytes of a float32 variable to `sink` in pieces. The check sum is known only at
    /// the end: on an error forget what was passed.
    ///
    /// # Errors
    /// As [`Self::read`], or what `sink` returns.
    pub fn copy<E: From<CheckpointError>>(
        &mut self,
        name: &str,
        shape: &[usize],
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let entry = self.float_entry(name, shape)?;
        let reader = self.locate(name, &entry)?;
        let mut buffer = vec![0; 1 << 16];
        let (mut left, mut crc) = (entry.size, 0);
        while left > 0 {
            let len = left.min(buffer.len() as u64) as usize;
            let piece = &mut buffer[..len];
            reader
                .read_exact(piece)
                .map_err(|error| CheckpointError::variable(name, error.to_string()))?;
            crc = crc32c::crc32c_append(crc, piece);
            sink(piece)?;
            left -= len as u64;
        }
        Ok(check_sum(name, crc, entry.crc)?)
    }

    /// An int64 scalar such as `global_step`; `None` when there is none.
    ///
    /// # Errors
    /// When it is outside its shard or damaged.
    pub fn scalar(&mut self, name: &str) -> Result<Option<i64>, CheckpointError> {
        let Some(entry) = self.entries.get(name).cloned() else {
            return Ok(None);
        };
        if entry.dtype != DataType::INT64 || !entry.shape.is_empty() || entry.sliced {
            return Ok(None);
        }
        entry
            .check_size()
            .map_err(|message| CheckpointError::variable(name, message))?;
        let mut bytes = [0; 8];
        self.locate(name, &entry)?
            .read_exact(&mut bytes)
            .map_err(|error| CheckpointError::variable(name, error.to_string()))?;
        check_sum(name, crc32c::crc32c(&bytes), entry.crc)?;
        Ok(Some(i64::from_le_bytes(bytes)))
    }

    fn float_entry(&self, name: &str, shape: &[usize]) -> Result<Entry, CheckpointError> {
        let Some(entry) = self.entries.get(name) else {
            let missing = vec![format!("{name} {shape:?}")];
            return Err(CheckpointError::Variables {
                missing,
                wrong: Vec::new(),
            });
        };
        match misfit(entry, shape) {
            Some(message) => Err(CheckpointError::variable(name, message)),
            None => Ok(entry.clone()),
        }
    }

    fn shard_path(&self, name: &str, shard: u64) -> Result<PathBuf, CheckpointError> {
        if shard >= self.shards {
            let message = format!("in shard {shard}, but there are {}", self.shards);
            return Err(CheckpointError::variable(name, message));
        }
        Ok(state::shard(&self.prefix, shard, self.shards))
    }

    /// The shard of `entry`, positioned at its first byte; all its bytes are within the file.
    fn locate(&mut self, name: &str, entry: &Entry) -> Result<&mut File, CheckpointError> {
        let path = self.shard_path(name, entry.shard)?;
        let (file, len) = match self.open.take() {
            Some((shard, file, len)) if shard == entry.shard => (file, len),
            _ => open_shard(name, &path)?,
        };
        check_range(name, entry, &path, len)?;
        let (_, file, _) = self.open.insert((entry.shard, file, len));
        file.seek(SeekFrom::Start(entry.offset))
            .map_err(|source| CheckpointError::Io { path, source })?;
        Ok(file)
    }
}

/// A data file and its length.
fn open_shard(name: &str, path: &Path) -> Result<(File, u64), CheckpointError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => CheckpointError::MissingShard {
            variable: name.to_owned(),
            path: path.to_owned(),
        },
        _ => CheckpointError::Io {
            path: path.to_owned(),
            source,
        },
    };
    let file = regular_file::open(path).map_err(failed)?;
    let len = file.metadata().map_err(failed)?.len();
    Ok((file, len))
}

/// Checks that the bytes of `entry` lie within its file of `len` bytes.
fn check_range(name: &str, entry: &Entry, path: &Path, len: u64) -> Result<(), CheckpointError> {
    let (offset, size) = (entry.offset, entry.size);
    if offset.checked_add(size).is_some_and(|end| end <= len) {
        return Ok(());
    }
    let path = path.display();
    let message =
        format!("{size} bytes at {offset} of {path}, which has only {len}; the file is truncated");
    Err(CheckpointError::variable(name, message))
}

/// What keeps `entry` from being a float32 variable of `shape`.
fn misfit(entry: &Entry, shape: &[usize]) -> Option<String> {
    if entry.sliced {
        return Some("is partitioned into slices, expected a whole variable".into());
    }
    if entry.dtype != DataType::FLOAT {
        return Some(format!("is {}, expected {}", entry.dtype, DataType::FLOAT));
    }
    if !entry
        .shape
        .iter()
        .copied()
        .eq(shape.iter().map(|&axis| axis as u64))
    {
        return Some(format!("has shape {:?}, expected {shape:?}", entry.shape));
    }
    entry.check_size().err()
}

fn check_sum(name: &str, crc: u32, stored: u32) -> Result<(), CheckpointError> {
    let found = mask(crc);
    if found == stored {
        return Ok(());
    }
    let message = format!("check sum {found:08x}, expected {stored:08x}; the data is damaged");
    Err(CheckpointError::variable(name, message))
}
