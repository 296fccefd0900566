//! A translator of no language, and archives.
#![allow(dead_code, reason = "each test file uses a part")]

use std::io::{Cursor, Write as _};
use std::ops::ControlFlow;

use csanmt::Error;
use csanmt::markup::{Piece, TaggedText};
use csanmt_documents::{
    Document, DocumentError, Format, Limits, Settings, TranslateUnits, Translated,
};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Copies units, or puts signs into their text.
pub(crate) struct Copying {
    pub(crate) change: bool,
}

impl TranslateUnits for Copying {
    fn sentences(&self, _: &TaggedText) -> usize {
        1
    }

    fn translate(
        &self,
        units: &[TaggedText],
        _: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, Error> {
        let translated = |unit: &TaggedText| Translated {
            text: if self.change {
                changed(unit)
            } else {
                unit.clone()
            },
            truncated: false,
        };
        Ok(units.iter().map(translated).collect())
    }
}

/// The same elements around other text.
fn changed(unit: &TaggedText) -> TaggedText {
    let mut text = TaggedText::builder();
    let mut kept = false;
    for piece in unit.pieces() {
        match piece {
            Piece::Text(piece) if kept => _ = text.keep(piece),
            Piece::Text(piece) => text.text(&format!("a {piece} <b>&\"")),
            Piece::Open(element) => {
                kept = unit.is_kept(element)
                    && unit.range(element).is_some_and(|range| !range.is_empty());
                if !kept {
                    text.open();
                }
            }
            Piece::Close(_) if kept => kept = false,
            Piece::Close(_) => text.close(),
        }
    }
    text.build()
}

/// Small enough that a bomb costs nothing.
pub(crate) fn settings() -> Settings {
    Settings::default().with_limits(Limits::default().with_unpacked(1 << 20, 4 << 20))
}

/// The file with its texts copied or changed.
pub(crate) fn rewritten(
    format: Format,
    bytes: &[u8],
    settings: &Settings,
    change: bool,
) -> Result<Vec<u8>, DocumentError> {
    let document = Document::open(format, bytes, settings)?;
    let mut output = Cursor::new(Vec::new());
    let mut silent = |_| ControlFlow::Continue(());
    document.translate(&Copying { change }, &mut output, &mut silent)?;
    Ok(output.into_inner())
}

/// Copies must be the file; changed texts must leave a file that can be read, with as many units.
pub(crate) fn check_text_format(format: Format, bytes: &[u8], settings: &Settings) {
    let _ = Format::detect("file", bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        let _ = rewritten(format, bytes, settings, true);
        return;
    };
    let Ok(copy) = rewritten(format, bytes, settings, false) else {
        return;
    };
    if text.contains('\0') {
        // It may be taken for UTF-16, and what is changed in it for UTF-8.
        return;
    }
    assert_eq!(copy, bytes, "what is not translated stays");
    let changed = rewritten(format, bytes, settings, true).expect("readable");
    let units = |bytes: &[u8]| {
        let document = Document::open(format, bytes, settings).expect("readable");
        document.units().expect("readable").len()
    };
    assert_eq!(units(&changed), units(bytes), "every unit is still there");
}

pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .expect("memory");
        writer.write_all(bytes).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}
