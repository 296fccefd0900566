//! Translators of no language, and archives.

use std::cell::Cell;
use std::io::{Cursor, Read as _, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use csanmt::Error;
use csanmt::markup::{Piece, TaggedText};
use csanmt_documents::{TranslateUnits, Translated};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Puts every stretch of Chinese into brackets.
pub(crate) struct Marking;

impl TranslateUnits for Marking {
    fn sentences(&self, _: &TaggedText) -> usize {
        1
    }

    fn translate(
        &self,
        units: &[TaggedText],
        observe: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, Error> {
        let mut translations = Vec::new();
        for unit in units {
            if observe(translations.len()).is_break() {
                return Err(Error::Cancelled);
            }
            let mut text = TaggedText::builder();
            for piece in unit.pieces() {
                match piece {
                    Piece::Text(piece) if piece.is_ascii() => text.text(piece),
                    Piece::Text(piece) => text.text(&format!("[{piece}]")),
                    Piece::Open(_) => _ = text.open(),
                    Piece::Close(_) => text.close(),
                }
            }
            translations.push(Translated {
                text: text.build(),
                truncated: false,
            });
        }
        Ok(translations)
    }
}

/// As [`Marking`], and remembers the most bytes that it got together.
#[derive(Default)]
pub(crate) struct Widest {
    pub(crate) bytes: Cell<usize>,
}

impl TranslateUnits for Widest {
    fn sentences(&self, unit: &TaggedText) -> usize {
        Marking.sentences(unit)
    }

    fn translate(
        &self,
        units: &[TaggedText],
        observe: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, Error> {
        let bytes = units.iter().map(|unit| unit.text().len()).sum();
        self.bytes.set(self.bytes.get().max(bytes));
        Marking.translate(units, observe)
    }
}

/// Counts what is written.
#[derive(Default)]
pub(crate) struct Nowhere {
    pub(crate) written: u64,
}

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.written += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Nowhere {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Ok(self.written)
    }
}

pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn part(archive: &[u8], name: &str) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut bytes = Vec::new();
    archive
        .by_name(name)
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}
