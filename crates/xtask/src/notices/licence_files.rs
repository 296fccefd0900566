//! The licence texts in a package's folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What a name begins with when it is a licence or belongs to one, in capitals.
const BEGINNINGS: &[&str] = &[
    "LICENSE",
    "LICENCE",
    "UNLICENSE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
];

/// A file with such an ending is not a text, whatever it is called.
const SOURCES: &[&str] = &["rs", "toml", "json", "py", "c", "h"];

/// All licence texts of a package in the order of their paths: those at the top, the one that the
/// manifest names, and those among the sources, where they are about code that came from somewhere
/// else. Tests and examples are not compiled into anything.
pub(super) fn read(folder: &Path, named: Option<&Path>) -> Result<Vec<String>> {
    let mut paths = BTreeSet::new();
    collect(folder, Place::Top, &mut paths)?;
    paths.extend(named.map(|path| folder.join(path)));
    let mut texts = Vec::new();
    for path in paths {
        let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = tidy(&String::from_utf8_lossy(&content));
        if !text.is_empty() {
            texts.push(text);
        }
    }
    Ok(texts)
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The package's folder, of whose folders only the sources count.
    Top,
    Sources,
    /// A folder of licences, which may have any names.
    Licences,
}

fn collect(folder: &Path, place: Place, paths: &mut BTreeSet<PathBuf>) -> Result<()> {
    let context = || format!("cannot list {}", folder.display());
    for entry in fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let is_licence =
            place == Place::Licences || BEGINNINGS.iter().any(|begin| name.starts_with(begin));
        if path.is_dir() {
            if is_licence {
                collect(&path, Place::Licences, paths)?;
            } else if place == Place::Sources || name == "SRC" {
                collect(&path, Place::Sources, paths)?;
            }
        } else if is_licence && !is_source(&path) {
            paths.insert(path);
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    SOURCES
        .iter()
        .any(|source| ending.eq_ignore_ascii_case(source))
}

/// The text without what only editors and systems differ in.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim_end)
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{read, tidy};

    #[test]
    fn finds_licences_where_they_are_about_compiled_code() {
        let folder = std::env::temp_dir().join(format!("csanmt-licences-{}", std::process::id()));
        for path in [
            "Copying.txt",
            "LICENSE-MIT",
            "LICENSES/Zlib.txt",
            "README.md",
            "docs/terms.txt",
            "license.rs",
            "src/lib.rs",
            "src/vendored/deep/LICENCE",
            "src/license/mod.rs",
            "tests/LICENSE",
            "unlicense",
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        fs::write(folder.join("NOTICE"), "\n").unwrap();
        let found = read(&folder, Some(Path::new("docs/terms.txt"))).unwrap();
        assert_eq!(
            found,
            [
                "Copying.txt",
                "LICENSE-MIT",
                "Zlib.txt",
                "terms.txt",
                "LICENCE",
                "unlicense"
            ]
        );
        assert!(read(&folder, Some(Path::new("absent"))).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn texts_keep_their_lines_and_their_indents() {
        assert_eq!(tidy("\u{feff}\r\n  a \r\n\r\n\tb\r\n\r\n"), "  a\n\n\tb");
    }
}
