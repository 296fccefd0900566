//! Which licences dependencies may have, and which of them may be there twice.

use std::collections::BTreeMap;

use serde_json::Value;

/// All of them let the program be given away under MIT or Apache-2.0, with their notices.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates of which others ask for different versions; whatever is not here is there once.
const SEVERAL: &[&str] = &[
    "base64",
    "getrandom",
    "hashbrown",
    "r-efi",
    "rand",
    "rand_core",
    "syn",
    "thiserror",
    "thiserror-impl",
];

/// What is wrong with the packages of the whole dependency graph.
pub(crate) fn complaints(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let mut complaints = Vec::new();
    let mut versions = BTreeMap::<&str, Vec<&str>>::new();
    for package in packages {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        versions
            .entry(text("name"))
            .or_default()
            .push(text("version"));
        let licence = text("license");
        if !is_allowed(licence) {
            complaints.push(format!(
                "{} has the licence {licence:?}, which is not among those of {}",
                text("name"),
                file!()
            ));
        }
    }
    for (name, versions) in versions {
        if versions.len() > 1 && !SEVERAL.contains(&name) {
            complaints.push(format!("{name} is there in {}", versions.join(" and ")));
        }
    }
    complaints
}

/// Reads an SPDX expression. `/` is an old way to write `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = any(&mut words);
    // Nothing may be left over, such as a second closing bracket.
    allowed && words.next().is_none()
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn any(words: &mut Words<'_>) -> bool {
    let mut allowed = all(words);
    while words.next_if_eq(&"OR").is_some() {
        allowed |= all(words);
    }
    allowed
}

fn all(words: &mut Words<'_>) -> bool {
    let mut allowed = one(words);
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words);
    }
    allowed
}

fn one(words: &mut Words<'_>) -> bool {
    match words.next() {
        Some("(") => any(words) & (words.next() == Some(")")),
        Some(name) => {
            // An exception only adds permissions.
            if words.next_if_eq(&"WITH").is_some() {
                words.next();
            }
            ALLOWED.contains(&name)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{complaints, is_allowed};

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        for allowed in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "MIT OR GPL-3.0 AND GPL-2.0",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR Zlib) AND GPL-3.0",
            "MIT)",
            "(MIT",
            "MIT AND",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }

    #[test]
    fn a_licence_and_a_second_version_that_nobody_allowed_are_told() {
        let package =
            |name, version, licence| json!({"name": name, "version": version, "license": licence});
        let metadata = json!({"packages": [
            package("good", "1.0.0", "MIT"),
            package("syn", "2.0.0", "MIT"),
            package("syn", "3.0.0", "MIT"),
            package("twice", "1.0.0", "MIT"),
            package("twice", "2.0.0", "MIT"),
            package("bad", "1.0.0", "GPL-3.0"),
            {"name": "none", "version": "1.0.0", "license": null},
        ]});
        let complaints = complaints(&metadata);
        let starts: Vec<&str> = complaints
            .iter()
            .filter_map(|one| one.split(' ').next())
            .collect();
        assert_eq!(starts, ["bad", "none", "twice"]);
    }
}
