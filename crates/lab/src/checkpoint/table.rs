//! Sorted tables in LevelDB's format: reading and writing.
//!
//! A file is data blocks, an (empty) meta index block, an index block and a footer of 48 bytes:
//! two block handles (offset and size as varints) padded to 40 bytes, and a magic number. A block
//! is entries, restart offsets (u32 each), their count, then a trailer of a compression byte and
//! the masked CRC32C of block and byte. An entry is `shared, unshared, value length` as varints,
//! the rest of the key, and the value: keys share a prefix with the key before.

use crate::checkpoint::mask;
use crate::checkpoint::protobuf::{put_varint, varint};

const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
const FOOTER: usize = 48;
const TRAILER: usize = 5;

/// Longest key, and most bytes of all keys: shared prefixes let a small file name huge keys.
const MAX_KEY: usize = 4096;
const MAX_KEYS_TOTAL: usize = 64 << 20;
/// Snappy makes at most 64 bytes out of 3.
const MAX_SNAPPY_RATIO: usize = 22;

/// A key and its value.
pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// All entries of a table, in order.
pub(crate) fn read(file: &[u8]) -> Result<Vec<Row>, String> {
    let Some((_, footer)) = file.split_last_chunk::<FOOTER>() else {
        return Err(format!(
            "{} bytes, expected an index of at least {FOOTER}",
            file.len()
        ));
    };
    let (handles, magic) = footer.split_at(40);
    if magic != MAGIC.to_le_bytes() {
        return Err(
            "the footer is not that of a TensorFlow V2 index; is the file complete?".into(),
        );
    }
    let mut handles = handles;
    let meta = Handle::read(&mut handles).ok_or("the footer is damaged")?;
    let index = Handle::read(&mut handles).ok_or("the footer is damaged")?;
    block(file, meta)?;

    let mut places = Vec::new();
    entries(&block(file, index)?, |_, mut value| {
        places.push(Handle::read(&mut value).ok_or("a block handle is damaged")?);
        Ok(())
    })?;
    let mut table: Vec<Row> = Vec::new();
    let (mut keys, mut read_to) = (0usize, 0);
    for place in places {
        // In order and without overlap: else a small file could name one block many times.
        if place.offset < read_to {
            return Err(format!("block at {} overlaps the one before", place.offset));
        }
        read_to = place.offset.saturating_add(place.size);
        entries(&block(file, place)?, |key, value| {
            keys += key.len();
            if keys > MAX_KEYS_TOTAL {
                return Err("the names are implausibly long".into());
            }
            if table.last().is_some_and(|(last, _)| last[..] >= *key) {
                return Err(format!(
                    "{:?} is out of order",
                    String::from_utf8_lossy(key)
                ));
            }
            table.push((key.to_vec(), value.to_vec()));
            Ok(())
        })?;
    }
    Ok(table)
}

#[derive(Clone, Copy, Debug)]
struct Handle {
    offset: usize,
    size: usize,
}

impl Handle {
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let offset = usize::try_from(varint(bytes)?).ok()?;
        let size = usize::try_from(varint(bytes)?).ok()?;
        Some(Self { offset, size })
    }

    fn put(self, out: &mut Vec<u8>) {
        put_varint(out, self.offset as u64);
        put_varint(out, self.size as u64);
    }
}

/// The contents of a block, check sum verified, unpacked.
fn block(file: &[u8], Handle { offset, size }: Handle) -> Result<Vec<u8>, String> {
    let end = size
        .checked_add(TRAILER)
        .and_then(|size| offset.checked_add(size));
    let Some(bytes) = end.and_then(|end| file.get(offset..end)) else {
        return Err(format!(
            "block of {size} bytes at {offset} is outside the file"
        ));
    };
    let Some((summed, stored)) = bytes.split_last_chunk::<4>() else {
        return Err(format!("block at {offset} is too short"));
    };
    let (stored, found) = (u32::from_le_bytes(*stored), mask(crc32c::crc32c(summed)));
    if stored != found {
        return Err(format!(
            "check sum of the block at {offset} is {found:08x}, expected {stored:08x}; the file \
             is damaged"
        ));
    }
    let (contents, compression) = summed.split_at(size);
    match compression {
        [0] => Ok(contents.to_vec()),
        [1] => {
            let damaged = |error| format!("block at {offset}: {error}");
            let len = snap::raw::decompress_len(contents).map_err(damaged)?;
            if len > size.saturating_mul(MAX_SNAPPY_RATIO) + 64 {
                return Err(format!("block at {offset} cannot unpack to {len} bytes"));
            }
            snap::raw::Decoder::new()
                .decompress_vec(contents)
                .map_err(damaged)
        }
        other => Err(format!(
            "block at {offset} has compression {other:?}, expected 0 or 1"
        )),
    }
}

/// Calls `visit` with each key and value of a block.
fn entries(
    block: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let damaged = || "an entry is damaged".to_owned();
    let (_, count) = block.split_last_chunk::<4>().ok_or_else(damaged)?;
    let restarts = (u32::from_le_bytes(*count) as usize)
        .checked_add(1)
        .ok_or_else(damaged)?;
    let restarts = restarts.checked_mul(4).ok_or_else(damaged)?;
    let end = block.len().checked_sub(restarts).ok_or_else(damaged)?;
    let mut rest = &block[..end];
    let mut key = Vec::new();
    while !rest.is_empty() {
        let mut number = || varint(&mut rest).and_then(|n| usize::try_from(n).ok());
        let (Some(shared), Some(unshared), Some(value)) = (number(), number(), number()) else {
            return Err(damaged());
        };
        let (suffix, after) = rest.split_at_checked(unshared).ok_or_else(damaged)?;
        let (value, after) = after.split_at_checked(value).ok_or_else(damaged)?;
        if shared > key.len() || shared + unshared > MAX_KEY {
            return Err(damaged());
        }
        key.truncate(shared);
        key.extend_from_slice(suffix);
        visit(&key, value)?;
        rest = after;
    }
    Ok(())
}

/// Entries between restart points, as LevelDB has it.
const RESTART: usize = 16;
/// A data block is closed when it has grown to this.
const BLOCK: usize = 4096;

/// The bytes of a table with these entries, which must be sorted by key.
pub(crate) fn write<'a>(
    sorted: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    snappy: bool,
) -> Vec<u8> {
    let mut file = Vec::new();
    let (mut data, mut index) = (BlockBuilder::default(), BlockBuilder::default());
    let mut last: Vec<u8> = Vec::new();
    for (key, value) in sorted {
        if data.bytes.len() >= BLOCK {
            // Any key from the last of the block up to the next serves; the last is simplest.
            index.add(&last, &std::mem::take(&mut data).close(&mut file, snappy));
        }
        data.add(key, value);
        last = key.to_vec();
    }
    if !data.bytes.is_empty() {
        index.add(&last, &data.close(&mut file, snappy));
    }
    let mut footer = BlockBuilder::default().close(&mut file, false);
    footer.extend_from_slice(&index.close(&mut file, snappy));
    footer.resize(FOOTER - 8, 0);
    file.extend_from_slice(&footer);
    file.extend_from_slice(&MAGIC.to_le_bytes());
    file
}

#[derive(Default)]
struct BlockBuilder {
    bytes: Vec<u8>,
    restarts: Vec<u32>,
    entries: usize,
    key: Vec<u8>,
}

impl BlockBuilder {
    fn add(&mut self, key: &[u8], value: &[u8]) {
        let restart = self.entries.is_multiple_of(RESTART);
        if restart {
            self.restarts.push(self.bytes.len() as u32);
        }
        let same = self.key.iter().zip(key).take_while(|(a, b)| a == b).count();
        let shared = if restart { 0 } else { same };
        put_varint(&mut self.bytes, shared as u64);
        put_varint(&mut self.bytes, (key.len() - shared) as u64);
        put_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value);
        self.key = key.to_vec();
        self.entries += 1;
    }

    /// Appends the block to `file` and gives its handle.
    fn close(mut self, file: &mut Vec<u8>, snappy: bool) -> Vec<u8> {
        if self.restarts.is_empty() {
            self.restarts.push(0);
        }
        for restart in &self.restarts {
            self.bytes.extend_from_slice(&restart.to_le_bytes());
        }
        self.bytes
            .extend_from_slice(&(self.restarts.len() as u32).to_le_bytes());
        let packed = if snappy {
            snap::raw::Encoder::new().compress_vec(&self.bytes).ok()
        } else {
            None
        };
        let (contents, compression) = match packed {
            Some(packed) => (packed, 1),
            None => (self.bytes, 0),
        };
        let handle = Handle {
            offset: file.len(),
            size: contents.len(),
        };
        file.extend_from_slice(&contents);
        file.push(compression);
        let sum = mask(crc32c::crc32c(&file[handle.offset..]));
        file.extend_from_slice(&sum.to_le_bytes());
        let mut place = Vec::new();
        handle.put(&mut place);
        place
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
