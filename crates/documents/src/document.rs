//! A file with its format.

use std::borrow::Cow;
use std::io::{Seek, Write};

use csanmt::markup::TaggedText;

#[cfg(feature = "packages")]
use crate::archived::Archived;
use crate::encoding::{self, Encoding};
use crate::passage::{Count, Sink, Units};
use crate::rewrite::{Rewriter, Work};
use crate::subtitles::{self, Dialect};
use crate::{DocumentError, Format, Observe, Settings, TranslateUnits, json, lines, marked, table};

/// Where a translated file goes.
pub trait Output: Write + Seek {}

impl<T: Write + Seek + ?Sized> Output for T {}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Units that were translated.
    pub units: usize,
    /// Units with a sentence that reached the length limit.
    pub truncated: usize,
}

/// A file that is ready to be translated. It is read again for every use: what is in memory is the
/// file and its text, not its units.
#[derive(Debug)]
pub struct Document<'b> {
    format: Format,
    settings: Settings,
    content: Content<'b>,
}

#[derive(Debug)]
enum Content<'b> {
    Text(Cow<'b, str>, Encoding),
    #[cfg(feature = "packages")]
    Archive(Archived<'b>),
}

impl<'b> Document<'b> {
    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// When they are too many or no text.
    pub fn open(
        format: Format,
        bytes: &'b [u8],
        settings: &Settings,
    ) -> Result<Self, DocumentError> {
        let (found, limit) = (bytes.len() as u64, settings.limits.file);
        if found > limit {
            return Err(DocumentError::Limit {
                what: "the size of the file".to_owned(),
                found,
                limit,
            });
        }
        let content = match format {
            #[cfg(feature = "packages")]
            Format::Docx | Format::Pptx | Format::Xlsx | Format::Epub => {
                Content::Archive(Archived::open(format, bytes, &settings.limits)?)
            }
            _ => {
                let (text, encoding) = encoding::decode(bytes)?;
                Content::Text(text, encoding)
            }
        };
        Ok(Self {
            format,
            settings: settings.clone(),
            content,
        })
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The texts of the file, in order.
    ///
    /// # Errors
    /// When the file is broken.
    pub fn units(&self) -> Result<Vec<TaggedText>, DocumentError> {
        let mut units = Units::default();
        match &self.content {
            Content::Text(text, _) => self.read(text, &mut units)?,
            #[cfg(feature = "packages")]
            Content::Archive(archive) => archive.read(&mut units)?,
        }
        Ok(units.0)
    }

    /// Writes the file with its texts translated. Progress counts the sentences of the whole file;
    /// while these are still being counted, it is 0 of 0.
    ///
    /// # Errors
    /// When the file is broken, which is found out before anything is translated; when writing
    /// fails; [`DocumentError::Cancelled`] when `observe` breaks. What was written by then is a
    /// part of the result.
    pub fn translate(
        &self,
        translator: &dyn TranslateUnits,
        output: &mut dyn Output,
        observe: &mut Observe<'_>,
    ) -> Result<Summary, DocumentError> {
        let mut count = Count::new(translator, observe);
        match &self.content {
            Content::Text(text, _) => self.read(text, &mut count)?,
            #[cfg(feature = "packages")]
            Content::Archive(archive) => archive.read(&mut count)?,
        }
        let sentences = count.sentences();
        let mut work = Work::new(translator, sentences, observe);
        match &self.content {
            Content::Text(text, encoding) => {
                encoding.begin(output).map_err(DocumentError::Write)?;
                let mut write = |text: &str| {
                    let written = encoding.write(text, output);
                    written.map_err(DocumentError::Write)
                };
                let mut rewriter = Rewriter::new(&mut work, &mut write);
                self.read(text, &mut rewriter)?;
                rewriter.flush()?;
            }
            #[cfg(feature = "packages")]
            Content::Archive(archive) => archive.translate(&mut work, output)?,
        }
        output.flush().map_err(DocumentError::Write)?;
        Ok(work.finish())
    }

    fn read<'s>(&self, text: &'s str, sink: &mut dyn Sink<'s>) -> Result<(), DocumentError> {
        match self.format {
            Format::Srt => subtitles::read(text, Dialect::SubRip, sink),
            Format::WebVtt => subtitles::read(text, Dialect::WebVtt, sink),
            Format::Json => json::read(text, sink),
            Format::Markdown => marked::read(text, csanmt::Format::Markdown, sink),
            Format::Html => marked::read(text, csanmt::Format::Html, sink),
            Format::Csv => table::read(text, &self.settings, sink),
            _ => lines::read(text, sink),
        }
    }
}
