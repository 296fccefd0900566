//! Vocabularies and merge rules.

use std::io;
use std::path::{Path, PathBuf};

use super::error::ConvertError;

/// Reads and checks the text files of a model directory.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    dir: &'a Path,
    /// What looked unusual.
    pub(crate) notes: Vec<String>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(dir: &'a Path) -> Self {
        Self {
            dir,
            notes: Vec::new(),
        }
    }

    /// A vocabulary for a table of `size` rows: one token a line; the last row stands for unknown
    /// words, so `size` − 1 lines are usual.
    pub(crate) fn vocabulary(
        &mut self,
        name: &str,
        key: &'static str,
        size: usize,
    ) -> Result<Vec<u8>, ConvertError> {
        let (path, bytes) = self.read(name, key)?;
        let text = std::str::from_utf8(&bytes).map_err(|error| not_utf8(&path, error))?;
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n').count();
        if text.trim().is_empty() || lines > size {
            let lines = if text.trim().is_empty() { 0 } else { lines };
            let message = format!(
                "{lines} tokens, expected {} for {size} table rows",
                size - 1
            );
            return Err(ConvertError::Text { path, message });
        }
        if lines + 1 != size {
            let usual = size - 1;
            self.notes.push(format!(
                "{name} has {lines} tokens for {size} rows, {usual} are usual"
            ));
        }
        Ok(bytes)
    }

    /// Merge rules.
    pub(crate) fn merges(
        &mut self,
        name: &str,
        key: &'static str,
    ) -> Result<Vec<u8>, ConvertError> {
        let (path, bytes) = self.read(name, key)?;
        std::str::from_utf8(&bytes).map_err(|error| not_utf8(&path, error))?;
        Ok(bytes)
    }

    fn read(&self, name: &str, key: &'static str) -> Result<(PathBuf, Vec<u8>), ConvertError> {
        let path = self.dir.join(name);
        match super::read_limited(&path) {
            Ok(bytes) => Ok((path, bytes)),
            Err(ConvertError::Io { path, source }) if source.kind() == io::ErrorKind::NotFound => {
                Err(ConvertError::MissingFile { path, key })
            }
            Err(error) => Err(error),
        }
    }
}

fn not_utf8(path: &Path, error: std::str::Utf8Error) -> ConvertError {
    let message = format!("not UTF-8 text: {error}");
    ConvertError::Text {
        path: path.to_owned(),
        message,
    }
}
