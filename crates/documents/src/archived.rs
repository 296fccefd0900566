//! Documents that are archives: which parts are read, and how.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::office::{self, Dialect};
use crate::package::Package;
use crate::passage::{Passage, Sink};
use crate::rewrite::{Rewriter, Work};
use crate::xml::{Kind, Tokens};
use crate::{DocumentError, Format, Limits, Output, book, encoding};

/// An archive with its parts that have text.
#[derive(Debug)]
pub(crate) struct Archived<'b> {
    package: Package<'b>,
    parts: Vec<Part>,
    /// A part that has to come first.
    first: Option<&'static str>,
    /// Texts that other parts refer to.
    fixed: HashSet<String>,
}

#[derive(Debug)]
struct Part {
    name: String,
    kind: PartKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Office(Dialect),
    Page,
    Titles,
}

/// Lists the types of the parts of an office document.
const CONTENT_TYPES: &str = "[Content_Types].xml";

/// Parts with text by the end of their content type, which all begin alike.
const OFFICE_PARTS: [(&str, Format, Dialect); 18] = [
    (
        "wordprocessingml.document.main+xml",
        Format::Docx,
        Dialect::Word,
    ),
    (
        "wordprocessingml.template.main+xml",
        Format::Docx,
        Dialect::Word,
    ),
    (
        "word.document.macroEnabled.main+xml",
        Format::Docx,
        Dialect::Word,
    ),
    ("wordprocessingml.header+xml", Format::Docx, Dialect::Word),
    ("wordprocessingml.footer+xml", Format::Docx, Dialect::Word),
    (
        "wordprocessingml.footnotes+xml",
        Format::Docx,
        Dialect::Word,
    ),
    ("wordprocessingml.endnotes+xml", Format::Docx, Dialect::Word),
    ("wordprocessingml.comments+xml", Format::Docx, Dialect::Word),
    ("presentationml.slide+xml", Format::Pptx, Dialect::Drawing),
    (
        "presentationml.notesSlide+xml",
        Format::Pptx,
        Dialect::Drawing,
    ),
    ("drawingml.diagramData+xml", Format::Pptx, Dialect::Drawing),
    (
        "ms-office.drawingml.diagramDrawing+xml",
        Format::Pptx,
        Dialect::Drawing,
    ),
    ("drawingml.diagramData+xml", Format::Docx, Dialect::Drawing),
    (
        "ms-office.drawingml.diagramDrawing+xml",
        Format::Docx,
        Dialect::Drawing,
    ),
    ("drawingml.chart+xml", Format::Pptx, Dialect::Drawing),
    ("drawingml.chart+xml", Format::Docx, Dialect::Drawing),
    (
        "spreadsheetml.sharedStrings+xml",
        Format::Xlsx,
        Dialect::Sheet,
    ),
    ("spreadsheetml.worksheet+xml", Format::Xlsx, Dialect::Sheet),
];

/// The parts by which a format is known.
const MAIN_PARTS: [(&str, Format); 7] = [
    ("wordprocessingml.document.main+xml", Format::Docx),
    ("wordprocessingml.template.main+xml", Format::Docx),
    ("word.document.macroEnabled.main+xml", Format::Docx),
    ("presentationml.presentation.main+xml", Format::Pptx),
    ("presentationml.slideshow.main+xml", Format::Pptx),
    ("spreadsheetml.sheet.main+xml", Format::Xlsx),
    ("spreadsheetml.template.main+xml", Format::Xlsx),
];

/// The format of an archive; `None` when it is none of those that are read.
pub(crate) fn detect(bytes: &[u8]) -> Result<Option<Format>, DocumentError> {
    let package = Package::open(bytes, &Limits::default())?;
    if book::is_book(&package) {
        return Ok(Some(Format::Epub));
    }
    if !package.has(CONTENT_TYPES) {
        return Ok(None);
    }
    let types = content_types(&package)?;
    let format = types.iter().find_map(|(_, kind)| {
        let main = MAIN_PARTS.iter().find(|(end, _)| kind.ends_with(end));
        main.map(|(_, format)| *format)
    });
    Ok(format)
}

impl<'b> Archived<'b> {
    pub(crate) fn open(
        format: Format,
        bytes: &'b [u8],
        limits: &Limits,
    ) -> Result<Self, DocumentError> {
        let package = Package::open(bytes, limits)?;
        let mut fixed = HashSet::new();
        let parts = if format == Format::Epub {
            let parts = book::parts(&package)?.into_iter();
            parts
                .map(|(name, kind)| Part {
                    name,
                    kind: match kind {
                        book::PartKind::Page => PartKind::Page,
                        book::PartKind::Titles => PartKind::Titles,
                    },
                })
                .collect()
        } else {
            if format == Format::Xlsx {
                fixed = column_names(&package)?;
            }
            office_parts(format, &package)?
        };
        Ok(Self {
            package,
            parts,
            first: (format == Format::Epub).then_some("mimetype"),
            fixed,
        })
    }

    /// Hands the parts to `visit`, each as often as it has levels of text.
    pub(crate) fn read<S: for<'a> Sink<'a>>(&self, sink: &mut S) -> Result<(), DocumentError> {
        for part in &self.parts {
            let Some(bytes) = self.package.part(&part.name)? else {
                continue;
            };
            let (text, _) = encoding::decode(&bytes)?;
            for level in (0..=part.levels(&text)?).rev() {
                self.read_part(part, &text, level, sink)?;
            }
        }
        Ok(())
    }

    fn read_part<'a>(
        &self,
        part: &Part,
        text: &'a str,
        level: usize,
        sink: &mut dyn Sink<'a>,
    ) -> Result<(), DocumentError> {
        let mut filter = Unfixed {
            sink,
            fixed: &self.fixed,
        };
        match part.kind {
            PartKind::Office(dialect) => {
                office::read(text, &part.name, dialect, level, &mut filter)
            }
            PartKind::Page => book::read_page(text, &part.name, &mut filter),
            PartKind::Titles => book::read_titles(text, &part.name, &mut filter),
        }
    }

    /// Writes the archive with its texts translated.
    pub(crate) fn translate(
        &self,
        work: &mut Work<'_>,
        output: &mut dyn Output,
    ) -> Result<(), DocumentError> {
        let find = |name: &str| self.parts.iter().find(|part| part.name == name);
        let mut rewrite = |name: &str, bytes: &[u8]| {
            let Some(part) = find(name) else {
                return Ok(bytes.to_vec());
            };
            let (mut text, encoding) = encoding::decode(bytes)?;
            for level in (0..=part.levels(&text)?).rev() {
                let mut translated = String::with_capacity(text.len());
                let mut write = |piece: &str| {
                    translated.push_str(piece);
                    Ok(())
                };
                let mut rewriter = Rewriter::new(work, &mut write);
                self.read_part(part, &text, level, &mut rewriter)?;
                rewriter.flush()?;
                drop(rewriter);
                text = Cow::Owned(translated);
            }
            let mut written = Vec::with_capacity(text.len());
            encoding.begin(&mut written).map_err(DocumentError::Write)?;
            encoding
                .write(&text, &mut written)
                .map_err(DocumentError::Write)?;
            Ok(written)
        };
        self.package
            .rewrite(output, self.first, &mut rewrite, &|name| {
                find(name).is_some()
            })
    }
}

impl Part {
    /// Levels of text in text besides the lowest.
    fn levels(&self, text: &str) -> Result<usize, DocumentError> {
        match self.kind {
            PartKind::Office(dialect @ Dialect::Word) if text.contains("txbxContent") => {
                office::levels(text, &self.name, dialect)
            }
            _ => Ok(0),
        }
    }
}

/// Names and types of the parts that the list of types names.
fn content_types(package: &Package<'_>) -> Result<Vec<(String, String)>, DocumentError> {
    let Some(bytes) = package.part(CONTENT_TYPES)? else {
        return Ok(Vec::new());
    };
    let (text, _) = encoding::decode(&bytes)?;
    let mut tokens = Tokens::new(&text, CONTENT_TYPES);
    let mut types = Vec::new();
    while let Some(token) = tokens.next()? {
        let tag = matches!(token.kind, Kind::Start | Kind::Empty);
        if tag && token.local_name() == "Override" {
            let name = token.attribute("PartName").unwrap_or_default();
            let kind = token.attribute("ContentType").unwrap_or_default();
            types.push((name.trim_start_matches('/').to_owned(), kind.to_owned()));
        }
    }
    Ok(types)
}

fn office_parts(format: Format, package: &Package<'_>) -> Result<Vec<Part>, DocumentError> {
    let types = content_types(package)?;
    let is_format = types.iter().any(|(_, kind)| {
        MAIN_PARTS
            .iter()
            .any(|(end, other)| *other == format && kind.ends_with(end))
    });
    if !is_format {
        return Err(DocumentError::Missing {
            format: format.name(),
            part: "its main part".to_owned(),
        });
    }
    let parts = types.into_iter().filter_map(|(name, kind)| {
        let known = OFFICE_PARTS
            .iter()
            .find(|(end, other, _)| *other == format && kind.ends_with(end))?;
        let kind = PartKind::Office(known.2);
        package.has(&name).then_some(Part { name, kind })
    });
    Ok(parts.collect())
}

/// Titles of table columns: a workbook whose cells say something else is called damaged.
fn column_names(package: &Package<'_>) -> Result<HashSet<String>, DocumentError> {
    let mut names = HashSet::new();
    for part in package
        .names()
        .filter(|name| name.starts_with("xl/tables/"))
    {
        let Some(bytes) = package.part(part)? else {
            continue;
        };
        let (text, _) = encoding::decode(&bytes)?;
        let mut tokens = Tokens::new(&text, part);
        while let Some(token) = tokens.next()? {
            if token.local_name() == "tableColumn" {
                names.extend(token.attribute("name").map(str::to_owned));
            }
        }
    }
    Ok(names)
}

/// Copies passages whose text is fixed.
struct Unfixed<'s, 'a> {
    sink: &'s mut dyn Sink<'a>,
    fixed: &'s HashSet<String>,
}

impl<'a> Sink<'a> for Unfixed<'_, 'a> {
    fn copy(&mut self, text: &'a str) -> Result<(), DocumentError> {
        self.sink.copy(text)
    }

    fn passage(&mut self, passage: Passage<'a>) -> Result<(), DocumentError> {
        if self.fixed.contains(passage.unit.text()) {
            return self.sink.copy(passage.source);
        }
        self.sink.passage(passage)
    }
}
