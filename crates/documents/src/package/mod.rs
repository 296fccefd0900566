//! Files that are ZIP archives: some parts are translated, all others are copied as they are
//! stored.

mod entry_name;

use std::collections::HashSet;
use std::io::{Cursor, Read, Write as _};

use zip::result::ZipError;
use zip::{ZipArchive, ZipWriter};

use crate::{DocumentError, Limits, Output};

/// Gets the name and the bytes of a part and gives those to write.
pub(crate) type Rewrite<'r> = dyn FnMut(&str, &[u8]) -> Result<Vec<u8>, DocumentError> + 'r;

/// Parts up to this size may be compressed as well as they like.
const FREE_RATIO: u64 = 1 << 20;

/// An archive whose list of contents was checked.
#[derive(Debug, Clone)]
pub(crate) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    entries: Vec<Entry>,
    limits: Limits,
}

/// What the list of contents says of a part.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// As declared; reading finds out.
    size: u64,
}

impl<'b> Package<'b> {
    /// Reads and checks the list of contents.
    pub(crate) fn open(bytes: &'b [u8], limits: &Limits) -> Result<Self, DocumentError> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        within(
            "the number of entries",
            archive.len() as u64,
            limits.entries,
        )?;
        let (mut entries, mut names) = (Vec::new(), HashSet::new());
        let mut total = 0_u64;
        for i in 0..archive.len() {
            let file = archive.by_index_raw(i).map_err(damaged)?;
            let name = file.name().map_err(damaged)?.into_owned();
            if let Some(reason) = entry_name::objection(&name) {
                return Err(DocumentError::EntryName { name, reason });
            }
            if file.is_symlink() {
                let reason = "it is a link";
                return Err(DocumentError::EntryName { name, reason });
            }
            if file.encrypted() {
                return Err(DocumentError::Encrypted {
                    found: format!("{name} needs a password"),
                });
            }
            let (size, packed) = (file.size(), file.compressed_size());
            total = total.saturating_add(size);
            within(&format!("the unpacked size of {name}"), size, limits.part)?;
            if size > FREE_RATIO && size / packed.max(1) > limits.ratio {
                return Err(DocumentError::Limit {
                    what: format!("the compression of {name}"),
                    found: size / packed.max(1),
                    limit: limits.ratio,
                });
            }
            // Names that differ in case only are one file for some readers.
            if !names.insert(name.to_lowercase()) {
                let reason = "there is another of this name";
                return Err(DocumentError::EntryName { name, reason });
            }
            entries.push(Entry { name, size });
        }
        if archive.has_duplicate_names() {
            return Err(DocumentError::Archive {
                reason: "two entries have the same name".to_owned(),
            });
        }
        within("the unpacked size of the archive", total, limits.archive)?;
        Ok(Self {
            archive,
            entries,
            limits: *limits,
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names().any(|other| other == name)
    }

    /// Unpacks a part; `None` when there is none of this name.
    pub(crate) fn part(&self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let index = self.entries.iter().position(|entry| entry.name == name);
        index.map(|index| self.unpack(index)).transpose()
    }

    fn unpack(&self, index: usize) -> Result<Vec<u8>, DocumentError> {
        let Entry { name, size } = &self.entries[index];
        let broken = |reason: String| DocumentError::Archive {
            reason: format!("{name}: {reason}"),
        };
        // A handle of its own: the list of contents is shared.
        let mut archive = self.archive.clone();
        let file = archive
            .by_index(index)
            .map_err(|error| broken(error.to_string()))?;
        let mut bytes = Vec::new();
        // One byte more than declared shows that the declaration was wrong.
        let most = self.limits.part.min(*size);
        let read = file.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| broken(error.to_string()))?;
        if bytes.len() as u64 != *size {
            return Err(broken(format!(
                "its size is not the {size} bytes that it declares"
            )));
        }
        Ok(bytes)
    }

    /// Writes the archive again: parts that `rewrite` changes are replaced, all others
    /// keep their compressed bytes. `first` names a part that comes first and uncompressed.
    pub(crate) fn rewrite(
        &self,
        output: &mut dyn Output,
        first: Option<&str>,
        rewrite: &mut Rewrite<'_>,
        is_rewritten: &dyn Fn(&str) -> bool,
    ) -> Result<(), DocumentError> {
        let mut archive = self.archive.clone();
        let mut writer = ZipWriter::new(output);
        writer
            .set_raw_comment(archive.comment().into())
            .map_err(write_failed)?;
        let first = first.and_then(|name| self.entries.iter().position(|e| e.name == name));
        let rest = (0..self.entries.len()).filter(|&index| Some(index) != first);
        for index in first.into_iter().chain(rest) {
            let name = &self.entries[index].name;
            if Some(index) == first {
                let bytes = self.unpack(index)?;
                let options = zip::write::SimpleFileOptions::default()
                    .compression_method(zip::CompressionMethod::Stored);
                let options = match archive
                    .by_index_raw(index)
                    .map_err(damaged)?
                    .last_modified()
                {
                    Some(time) => options.last_modified_time(time),
                    None => options,
                };
                writer
                    .start_file(name.as_str(), options)
                    .map_err(write_failed)?;
                writer.write_all(&bytes).map_err(DocumentError::Write)?;
            } else if is_rewritten(name) {
                let old = self.unpack(index)?;
                let bytes = rewrite(name, &old)?;
                if bytes == old {
                    let file = archive.by_index_raw(index).map_err(damaged)?;
                    writer.raw_copy_file(file).map_err(write_failed)?;
                    continue;
                }
                let file = archive.by_index_raw(index).map_err(damaged)?;
                let options = file
                    .options()
                    .large_file(bytes.len() as u64 >= u64::from(u32::MAX));
                drop(file);
                writer
                    .start_file(name.as_str(), options)
                    .map_err(write_failed)?;
                writer.write_all(&bytes).map_err(DocumentError::Write)?;
            } else {
                let file = archive.by_index_raw(index).map_err(damaged)?;
                writer.raw_copy_file(file).map_err(write_failed)?;
            }
        }
        writer.finish().map_err(write_failed)?;
        Ok(())
    }
}

fn within(what: &str, found: u64, limit: u64) -> Result<(), DocumentError> {
    if found <= limit {
        return Ok(());
    }
    Err(DocumentError::Limit {
        what: what.to_owned(),
        found,
        limit,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn damaged(error: ZipError) -> DocumentError {
    DocumentError::Archive {
        reason: error.to_string(),
    }
}

fn write_failed(error: ZipError) -> DocumentError {
    match error {
        ZipError::Io(error) => DocumentError::Write(error),
        other => damaged(other),
    }
}

#[cfg(test)]
mod tests;
