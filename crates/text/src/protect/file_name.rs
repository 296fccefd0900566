//! Names of files in Chinese: `报告_2024(最终版).docx`.
//!
//! Chinese has no spaces, so that the words before a name look like a part of it. It is taken for a
//! name only where something shows where it begins: a quotation mark that is closed behind it, or
//! the beginning of a field, and then a mark in it that no sentence has.

use super::{Kind, window};
use crate::script::is_han;

/// Longest name.
const MAX_BYTES: usize = 160;

/// Extensions of files that people write about.
pub(super) const EXTENSIONS: [&str; 30] = [
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt", "csv", "md", "json", "xml", "html",
    "js", "ts", "py", "rs", "jpg", "jpeg", "png", "gif", "svg", "mp3", "mp4", "zip", "rar", "7z",
    "exe", "apk", "log",
];

const QUOTES: [(char, char); 7] = [
    ('“', '”'),
    ('"', '"'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('【', '】'),
];

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let first = text[at..].chars().next()?;
    if !is_han(first) && !first.is_ascii_alphanumeric() {
        return None;
    }
    let before = text[..at].chars().next_back();
    let quoted = before.and_then(|c| QUOTES.iter().find(|(open, _)| *open == c));
    let begins = before.is_none_or(|c| c.is_whitespace() || matches!(c, '：' | ':'));
    if quoted.is_none() && !begins {
        return None;
    }
    let rest = window(text, at, MAX_BYTES);
    let in_name = |c: char| c.is_alphanumeric() || "_-.()（）+~·".contains(c);
    let len = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
    let name = &rest[..len];
    let (stem, extension) = name.rsplit_once('.')?;
    let known = EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str());
    if !known || !stem.contains(is_han) {
        return None;
    }
    let clear = match quoted {
        Some((_, close)) => rest[len..].starts_with(*close),
        None => stem.contains(['_', '(', '（', '-']),
    };
    clear.then_some((at + len, Kind::Path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_names_of_files_in_chinese() {
        for (text, name) in [
            (
                "文件名：报告_2024-03-15(最终版).docx",
                Some("报告_2024-03-15(最终版).docx"),
            ),
            ("请打开“年度报告.docx”。", Some("年度报告.docx")),
            ("《图表1.xlsx》", Some("图表1.xlsx")),
            ("请打开年度报告.docx", None),
            ("提示：请打开报告.docx", None),
            ("“报告.docx在哪里”", None),
        ] {
            let spans = crate::protect::spans(text);
            let found = spans
                .iter()
                .find(|span| span.kind == Kind::Path)
                .map(|span| &text[span.range.clone()]);
            assert_eq!(found, name, "{text}");
        }
    }
}
