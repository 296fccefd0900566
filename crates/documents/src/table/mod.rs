//! Tables (csv, tsv): chosen columns are translated; quotes, separators and line ends stay.

mod field;

use csanmt::markup::TaggedText;

use self::field::{Field, Reader};
use crate::passage::{Passage, Sink};
use crate::settings::{Column, Settings};
use crate::{DocumentError, line_of};

/// Column names that an error quotes.
const NAMED: usize = 20;

/// Reads rows and hands out the fields of the chosen columns.
pub(crate) fn read<'a>(
    text: &'a str,
    settings: &Settings,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let delimiter = settings.delimiter.unwrap_or_else(|| guess_delimiter(text));
    let mut reader = Reader::new(text, delimiter);
    let mut row = Vec::new();
    reader.row(&mut row).map_err(|at| unclosed(text, at))?;
    let columns = columns(&row, settings)?;
    let has_header = settings
        .columns
        .iter()
        .any(|column| matches!(column, Column::Name(_)));
    let mut copied = 0;
    if has_header {
        row.clear();
        reader.row(&mut row).map_err(|at| unclosed(text, at))?;
    }
    while !row.is_empty() {
        for &column in &columns {
            if let Some(field) = row.get(column) {
                sink.copy(&text[copied..field.start])?;
                sink.passage(passage(field, delimiter))?;
                copied = field.start + field.raw.len();
            }
        }
        row.clear();
        reader.row(&mut row).map_err(|at| unclosed(text, at))?;
    }
    sink.copy(&text[copied..])
}

fn unclosed(text: &str, at: usize) -> DocumentError {
    DocumentError::Syntax {
        format: "CSV",
        line: line_of(text, at),
        reason: "the quotation mark that begins here is never closed".to_owned(),
    }
}

/// The most frequent of the usual ones in the first line, outside quotes.
fn guess_delimiter(text: &str) -> u8 {
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0), (b'|', 0)];
    let mut quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            byte => {
                for (delimiter, count) in &mut counts {
                    *count += usize::from(*delimiter == byte);
                }
            }
        }
    }
    // Of equals the first.
    let best = counts.iter().rev().max_by_key(|(_, count)| *count);
    best.map_or(b',', |(delimiter, _)| *delimiter)
}

/// The chosen columns as increasing indices.
fn columns(header: &[Field<'_>], settings: &Settings) -> Result<Vec<usize>, DocumentError> {
    let missing = |reason: String| {
        let names: Vec<String> = header
            .iter()
            .take(NAMED)
            .map(|field| format!("“{}”", field.text()))
            .collect();
        let more = if header.len() > NAMED { ", …" } else { "" };
        let count = header.len();
        let s = if count == 1 { "" } else { "s" };
        DocumentError::Column {
            reason,
            found: format!("{count} column{s}: {}{more}", names.join(", ")),
        }
    };
    if settings.columns.is_empty() {
        return Err(missing("name the columns to translate".to_owned()));
    }
    let mut columns = Vec::new();
    for column in &settings.columns {
        columns.push(match column {
            Column::Number(number) => number
                .checked_sub(1)
                .filter(|index| *index < header.len())
                .ok_or_else(|| missing(format!("there is no column {number}")))?,
            Column::Name(name) => header
                .iter()
                .position(|field| field.text().trim() == name.trim())
                .ok_or_else(|| missing(format!("no column is called “{name}”")))?,
        });
    }
    columns.sort_unstable();
    columns.dedup();
    Ok(columns)
}

fn passage<'a>(field: &Field<'a>, delimiter: u8) -> Passage<'a> {
    let quoted = field.is_quoted();
    Passage {
        source: field.raw,
        unit: TaggedText::plain(field.text()),
        write: Box::new(move |translation, out| {
            let text = translation.text();
            let special = |c: char| matches!(c, '"' | '\r' | '\n') || c == char::from(delimiter);
            if quoted || text.contains(special) {
                out.push('"');
                out.push_str(&text.replace('"', "\"\""));
                out.push('"');
            } else {
                out.push_str(text);
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::DocumentError;
    use crate::passage::{Sink, Units};
    use crate::settings::{Column, Settings};
    use crate::testing::rewritten;

    fn by_number(number: usize) -> Settings {
        Settings::default().with_columns(vec![Column::Number(number)])
    }

    fn by_name(name: &str) -> Settings {
        Settings::default().with_columns(vec![Column::Name(name.to_owned())])
    }

    fn table(text: &str, settings: &Settings, f: impl Fn(&str) -> String) -> String {
        fn reader<'s>(
            settings: &'s Settings,
        ) -> impl for<'a> Fn(&'a str, &mut dyn Sink<'a>) -> Result<(), DocumentError> + use<'s>
        {
            move |text, sink| read(text, settings, sink)
        }
        rewritten(text, reader(settings), f)
    }

    const TABLE: &str =
        "编号,\"名 称\",备注\r\n001,\"苹果, \"\"红\"\"\",\"x\"\r\n002,梨,\n\n003\n004,\"两\n行\",z";

    #[test]
    fn n1_only_the_chosen_column_changes() {
        let out = table(TABLE, &by_name("名 称"), |text| format!("[{text}]"));
        assert_eq!(
            out,
            "编号,\"名 称\",备注\r\n001,\"[苹果, \"\"红\"\"]\",\"x\"\r\n002,[梨],\n\n003\n004,\"[两\n行]\",z"
        );
        assert_eq!(table(TABLE, &by_name("名 称"), str::to_owned), TABLE);
        let out = table("a\t一\nb\t二\n", &by_number(2), |text| {
            format!("{text},\t\"")
        });
        assert_eq!(out, "a\t\"一,\t\"\"\"\nb\t\"二,\t\"\"\"\n");
    }

    #[test]
    fn quotes_come_with_what_needs_them() {
        let out = table("一,x\n二;,y\n", &by_number(1), |text| {
            text.replace('一', "one, two")
        });
        assert_eq!(out, "\"one, two\",x\n二;,y\n");
        let out = table("一;x\n", &by_number(1), |_| "one, two".to_owned());
        assert_eq!(out, "one, two;x\n");
    }

    #[test]
    fn a_missing_column_is_told_with_those_that_are_there() {
        for settings in [
            by_name("价格"),
            by_number(4),
            by_number(0),
            Settings::default(),
        ] {
            let error = read(TABLE, &settings, &mut Units::default()).unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains("3 columns: “编号”, “名 称”, “备注”"),
                "{message}"
            );
        }
    }

    #[test]
    fn an_open_quotation_is_refused() {
        let error = read("a\n\"b\nc", &by_number(1), &mut Units::default()).unwrap_err();
        assert!(error.to_string().starts_with("CSV, line 2: "), "{error}");
    }
}
