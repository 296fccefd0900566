//! A translator of no language, for tests.

use std::ops::ControlFlow;

use csanmt::markup::{Piece, TaggedText};

use crate::passage::Sink;
use crate::rewrite::{Rewriter, Work, silent};
use crate::{DocumentError, TranslateUnits, Translated};

/// Puts every stretch of text through a function.
pub(crate) struct Fake<F>(pub(crate) F);

impl<F: Fn(&str) -> String> TranslateUnits for Fake<F> {
    fn sentences(&self, _: &TaggedText) -> usize {
        1
    }

    fn window(&self) -> usize {
        64
    }

    fn translate(
        &self,
        units: &[TaggedText],
        observe: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, csanmt::Error> {
        let mut translations = Vec::new();
        for unit in units {
            if observe(translations.len()).is_break() {
                return Err(csanmt::Error::Cancelled);
            }
            let mut builder = TaggedText::builder();
            let mut kept = false;
            for piece in unit.pieces() {
                match piece {
                    Piece::Text(text) if kept => {
                        builder.keep(text);
                    }
                    Piece::Text(text) => builder.text(&(self.0)(text)),
                    Piece::Open(element) => {
                        kept = unit.is_kept(element);
                        if !kept {
                            builder.open();
                        }
                    }
                    Piece::Close(_) if kept => kept = false,
                    Piece::Close(_) => builder.close(),
                }
            }
            translations.push(Translated {
                text: builder.build(),
                truncated: false,
            });
        }
        Ok(translations)
    }
}

/// A text with its passages put through a function.
pub(crate) fn rewritten(
    text: &str,
    read: impl for<'a> Fn(&'a str, &mut dyn Sink<'a>) -> Result<(), DocumentError>,
    translate: impl Fn(&str) -> String,
) -> String {
    let fake = Fake(translate);
    let mut observe = silent;
    let mut work = Work::new(&fake, 0, &mut observe);
    let mut out = String::new();
    let mut output = |text: &str| {
        out.push_str(text);
        Ok(())
    };
    let mut rewriter = Rewriter::new(&mut work, &mut output);
    read(text, &mut rewriter).unwrap();
    rewriter.flush().unwrap();
    drop(rewriter);
    out
}

/// Every line backwards.
pub(crate) fn upside_down(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| line.chars().rev().collect())
        .collect();
    lines.join("\n")
}

/// An archive of these parts.
#[cfg(feature = "packages")]
pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;

    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
