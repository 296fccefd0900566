//! Vocabularies and merge rules, read as the engine will read them.

use std::io;
use std::path::{Path, PathBuf};

use csanmt_text::{Bpe, TextError, Vocabulary};

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
        let usual = size.saturating_sub(1);
        let (lines, tokens) = match Vocabulary::parse(&bytes, size) {
            Ok(vocabulary) => {
                let lines = vocabulary.len();
                let ids = (0..lines).filter_map(|id| u32::try_from(id).ok());
                let named = |id: &u32| vocabulary.token(*id).is_some_and(|token| !token.is_empty());
                (lines, ids.filter(named).count())
            }
            Err(TextError::TooManyTokens { lines, .. }) => (lines, lines),
            Err(source) => return Err(ConvertError::BrokenText { path, source }),
        };
        if lines > size || tokens == 0 || 2 * tokens < usual {
            let message = format!(
                "{tokens} tokens, expected {usual} for {size} table rows; use the vocabulary that \
                 belongs to the model"
            );
            return Err(ConvertError::Text { path, message });
        }
        if lines != usual {
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
        if bytes.trim_ascii().is_empty() {
            let message = "is empty, expected BPE codes: two symbols a line".to_owned();
            return Err(ConvertError::Text { path, message });
        }
        match Bpe::parse(&bytes) {
            Ok(_) => Ok(bytes),
            Err(source) => Err(ConvertError::BrokenText { path, source }),
        }
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
