//! Names that an office document or a book has no reason to use.

/// What is wrong with the name of an entry. Nothing is unpacked to disk here, but whoever gets the
/// translated file may do so.
pub(super) fn objection(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    if name.is_empty() {
        Some("it is empty")
    } else if name.starts_with(['/', '\\']) || drive {
        Some("it is not inside the archive")
    } else if name.split(['/', '\\']).any(|part| part == "..") {
        Some("it leads out of the archive")
    } else if name.contains('\0') {
        Some("it has a NUL")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::objection;

    #[test]
    fn names_lead_nowhere_else() {
        for name in [
            "mimetype",
            "OEBPS/章 1.xhtml",
            "a/b/",
            "a..b/c",
            "...",
            "[Content_Types].xml",
        ] {
            assert_eq!(objection(name), None, "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "\\\\host\\x",
            "C:\\x",
            "c:x",
            "../x",
            "a/../../x",
            "a\\..\\x",
            "..",
            "a\0",
        ] {
            assert!(objection(name).is_some(), "{name}");
        }
    }
}
