//! Which parts of a book have text.

use crate::package::Package;
use crate::xml::{Kind, Token, Tokens, decode_reference};
use crate::{DocumentError, encoding};

/// How a part is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKind {
    Page,
    Titles,
}

const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Whether an archive says that it is a book.
pub(crate) fn is_book(package: &Package<'_>) -> bool {
    package.has(CONTAINER)
        || package
            .part("mimetype")
            .is_ok_and(|part| part.is_some_and(|bytes| bytes.starts_with(b"application/epub+zip")))
}

/// The parts with text, in the order of the manifest.
pub(crate) fn parts(package: &Package<'_>) -> Result<Vec<(String, PartKind)>, DocumentError> {
    let mut found = Vec::new();
    let mut roots = Vec::new();
    each_tag(package, CONTAINER, &mut |token| {
        if token.local_name() == "rootfile" {
            roots.extend(
                token
                    .attribute("full-path")
                    .and_then(|path| resolve("", path)),
            );
        }
    })?;
    for root in &roots {
        each_tag(package, root, &mut |token| {
            if token.local_name() != "item" {
                return;
            }
            let kind = match token.attribute("media-type") {
                Some("application/xhtml+xml") => PartKind::Page,
                Some("application/x-dtbncx+xml") => PartKind::Titles,
                _ => return,
            };
            let path = token.attribute("href").and_then(|href| resolve(root, href));
            if let Some(path) = path.filter(|path| package.has(path)) {
                found.push((path, kind));
            }
        })?;
    }
    if roots.is_empty() || found.is_empty() {
        return Err(DocumentError::Missing {
            format: "epub",
            part: "a list of pages".to_owned(),
        });
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    refuse_encrypted(package, &found)?;
    Ok(found)
}

/// Fonts may be scrambled, pages must not be.
fn refuse_encrypted(
    package: &Package<'_>,
    parts: &[(String, PartKind)],
) -> Result<(), DocumentError> {
    if !package.has(ENCRYPTION) {
        return Ok(());
    }
    let mut encrypted = None;
    each_tag(package, ENCRYPTION, &mut |token| {
        if token.local_name() == "CipherReference" {
            let path = token.attribute("URI").and_then(|path| resolve("", path));
            if let Some(path) = path.filter(|path| parts.iter().any(|(part, _)| part == path)) {
                encrypted.get_or_insert(path);
            }
        }
    })?;
    match encrypted {
        None => Ok(()),
        Some(path) => Err(DocumentError::Encrypted {
            found: format!("{path} is protected"),
        }),
    }
}

fn each_tag(
    package: &Package<'_>,
    part: &str,
    visit: &mut dyn FnMut(&Token<'_>),
) -> Result<(), DocumentError> {
    let bytes = package.part(part)?.ok_or_else(|| DocumentError::Missing {
        format: "epub",
        part: part.to_owned(),
    })?;
    let (text, _) = encoding::decode(&bytes)?;
    let mut tokens = Tokens::new(&text, part);
    while let Some(token) = tokens.next()? {
        if matches!(token.kind, Kind::Start | Kind::Empty) {
            visit(&token);
        }
    }
    Ok(())
}

/// The name in the archive of what `href`, as it stands in the file `base`, refers to; `None` when
/// it leads elsewhere.
fn resolve(base: &str, href: &str) -> Option<String> {
    let href = unescape(href);
    let href = href.split(['#', '?']).next()?;
    if href.contains("://") {
        return None;
    }
    let folder = match base.rsplit_once('/') {
        Some((folder, _)) if !href.starts_with('/') => folder,
        _ => "",
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    percent_decoded(&parts.join("/"))
}

/// Character references of an attribute.
fn unescape(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = rest.find(';').map_or(1, |end| end + 1);
        match decode_reference(&rest[..length]) {
            Some(char) => out.push(char),
            None => out.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    out + rest
}

fn percent_decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after
            .first_chunk::<2>()
            .filter(|_| *first == b'%')
            .and_then(|digits| {
                let digits = std::str::from_utf8(digits).ok()?;
                u8::from_str_radix(digits, 16).ok()
            });
        match code {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn references_are_names_in_the_archive() {
        let cases = [
            (
                "OEBPS/content.opf",
                "text/ch1.xhtml",
                Some("OEBPS/text/ch1.xhtml"),
            ),
            ("OEBPS/content.opf", "../ch%201.xhtml#a", Some("ch 1.xhtml")),
            ("content.opf", "a&amp;b.xhtml", Some("a&b.xhtml")),
            ("a/b/c.opf", "/x.xhtml", Some("x.xhtml")),
            ("content.opf", "%E7%AB%A0.xhtml", Some("章.xhtml")),
            ("content.opf", "../../x", None),
            ("content.opf", "http://x/y", None),
            ("content.opf", "100%.xhtml", Some("100%.xhtml")),
        ];
        for (base, href, expected) in cases {
            assert_eq!(resolve(base, href).as_deref(), expected, "{href}");
        }
    }
}
