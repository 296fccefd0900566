//! The text that lists the licences.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A piece of somebody's work in an artefact.
pub(super) struct Component {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression.
    pub(super) licence: String,
    pub(super) authors: String,
    pub(super) repository: String,
    /// Its licence texts as it has them; none when it came without.
    pub(super) texts: Vec<String>,
}

impl Component {
    fn label(&self) -> String {
        format!("{} {} ({})", self.name, self.version, self.licence)
    }

    /// The licences that the expression names. `/` is an old way to write `OR`.
    fn licences(&self) -> impl Iterator<Item = &str> {
        self.licence
            .split(|c: char| c.is_whitespace() || "()/".contains(c))
            .filter(|word| !matches!(*word, "" | "OR" | "AND" | "WITH"))
    }
}

/// Licences that must go along as a text, and by what words a text is one of them. Words that two
/// have stand with the more special one first.
const RECOGNISED: &[(&str, &str)] = &[
    ("Apache-2.0", "Apache License Version 2.0, January 2004"),
    (
        "MIT",
        "free of charge, to any person obtaining a copy of this software and associated \
         documentation files",
    ),
    ("BSD-3-Clause", "Neither the name of"),
    (
        "BSD-2-Clause",
        "Redistribution and use in source and binary forms, with or without modification",
    ),
    ("Unicode-3.0", "UNICODE LICENSE V3"),
    (
        "Zlib",
        "Altered source versions must be plainly marked as such",
    ),
];

const RULE: &str =
    "================================================================================";

/// One licence text with the labels of all that it applies to.
struct Entry {
    text: String,
    labels: Vec<String>,
}

/// The whole text: a header, the notice of the data, then every distinct text once, in the order of
/// the components.
pub(super) fn compose(artefact: &str, data: &str, components: &[Component]) -> String {
    let mut entries = Entries::default();
    for component in components {
        for text in &component.texts {
            entries.add(text, component);
        }
    }
    let bare: Vec<&Component> = components
        .iter()
        .filter(|component| component.texts.is_empty())
        .collect();
    let standards = standard_texts(components);
    for component in &bare {
        for text in component.licences().filter_map(|name| standards.get(name)) {
            entries.add(text, component);
        }
    }

    let mut document = format!(
        "Licences of what is in {artefact}\n\n\
         The code of csanmt is offered under MIT or Apache-2.0, at your choice; the weights of its\n\
         default model, where they come with it, under CC BY-SA 4.0\n\
         (https://creativecommons.org/licenses/by-sa/4.0/). It contains data and code of others. Their\n\
         licences follow: first that of the data, then every text once, after the list of what it\n\
         applies to.\n\n{RULE}\nData\n\n{}\n",
        data.trim_end()
    );
    if !bare.is_empty() {
        let _ = write!(
            document,
            "\n{RULE}\nCode that came without a licence text: who it is by and where it is. The standard\n\
             text of the licence it names is among those below.\n\n"
        );
        for component in bare {
            let mut line = vec![component.label()];
            line.extend([component.authors.clone(), component.repository.clone()]);
            line.retain(|part| !part.is_empty());
            let _ = writeln!(document, "  {}", line.join(", "));
        }
    }
    for Entry { text, labels } in entries.in_order {
        let _ = writeln!(document, "\n{RULE}");
        for label in labels {
            let _ = writeln!(document, "  {label}");
        }
        let _ = writeln!(document, "\n{text}");
    }
    document
}

#[derive(Default)]
struct Entries {
    in_order: Vec<Entry>,
    /// Where a text is, by its words.
    places: BTreeMap<String, usize>,
}

impl Entries {
    fn add(&mut self, text: &str, component: &Component) {
        let place = *self.places.entry(words(text)).or_insert_with(|| {
            self.in_order.push(Entry {
                text: text.to_owned(),
                labels: Vec::new(),
            });
            self.in_order.len() - 1
        });
        let labels = &mut self.in_order[place].labels;
        let label = component.label();
        if labels.last() != Some(&label) {
            labels.push(label);
        }
    }
}

/// The text of each licence that most components have, without the names of whom it is from: it is
/// for components of other people.
fn standard_texts(components: &[Component]) -> BTreeMap<&'static str, String> {
    let mut candidates = BTreeMap::<&str, BTreeMap<String, (usize, String)>>::new();
    for text in components.iter().flat_map(|component| &component.texts) {
        let Some(name) = recognise(text) else {
            continue;
        };
        let text = without_holders(text);
        let (count, _) = candidates
            .entry(name)
            .or_default()
            .entry(words(&text))
            .or_insert((0, text));
        *count += 1;
    }
    candidates
        .into_iter()
        .filter_map(|(name, texts)| {
            let (_, text) = texts.into_values().max_by_key(|(count, _)| *count)?;
            Some((name, text))
        })
        .collect()
}

fn recognise(text: &str) -> Option<&'static str> {
    let text = words(text);
    RECOGNISED
        .iter()
        .find(|(_, mark)| text.contains(mark))
        .map(|(name, _)| *name)
}

/// The text without lines such as `Copyright (c) 2020 Somebody`; the licences' own sentences that
/// begin with the word stay.
fn without_holders(text: &str) -> String {
    let is_holder = |line: &&str| {
        let rest = line.trim_start().strip_prefix("Copyright ");
        rest.is_some_and(|rest| rest.starts_with(['(', '©', '1', '2']))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_holder(line)).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// What makes two texts the same: their words, not their line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Component, compose, recognise, without_holders};

    const MIT: &str = "Permission is hereby granted, free of charge, to any person obtaining a copy\n\
        of this software and associated documentation files";
    const APACHE: &str =
        "  Apache License\n  Version 2.0, January 2004\n\n  Copyright [yyyy] [name]";

    fn component(name: &str, licence: &str, texts: &[&str]) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
            authors: String::new(),
            repository: String::new(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    #[test]
    fn a_text_is_there_once_for_all_that_it_applies_to() {
        let wrapped = MIT.replace(' ', "\n");
        let components = [
            component("a", "MIT", &[MIT]),
            component("b", "Apache-2.0", &[APACHE]),
            component("c", "MIT", &[&wrapped, MIT]),
        ];
        let document = compose("a test", "the data\n\n", &components);
        assert!(document.starts_with("Licences of what is in a test\n"));
        assert!(document.contains("\nthe data\n"));
        assert!(document.contains(&format!(
            "=\n  a 1.0.0 (MIT)\n  c 1.0.0 (MIT)\n\n{MIT}\n\n="
        )));
        assert!(document.ends_with(&format!("=\n  b 1.0.0 (Apache-2.0)\n\n{APACHE}\n")));
        assert!(!document.contains("without a licence text"));
    }

    #[test]
    fn what_has_no_text_gets_that_of_others_without_their_names() {
        let of = |holder: &str| format!("Copyright (c) {holder}\n\n{MIT}");
        let components = [
            component("a", "MIT", &[&of("A"), "Something else"]),
            component("b", "MIT", &[&of("B")]),
            component("c", "Zlib", &["about d, in other words"]),
            Component {
                authors: "D, E".to_owned(),
                repository: "https://example.org/d".to_owned(),
                ..component("d", "(MIT/Zlib) AND Apache-2.0 WITH x", &[])
            },
        ];
        let document = compose("a test", "", &components);
        let label = "d 1.0.0 ((MIT/Zlib) AND Apache-2.0 WITH x)";
        assert!(document.contains(&format!("  {label}, D, E, https://example.org/d\n")));
        assert!(document.ends_with(&format!("=\n  {label}\n\n{MIT}\n")));
        assert_eq!(document.matches(label).count(), 2);
    }

    #[test]
    fn only_lines_that_name_holders_are_left_out() {
        let text = "Copyright 2020 A\n  Copyright © B\nCopyright holders may\n[x]\n";
        assert_eq!(without_holders(text), "Copyright holders may\n[x]");
        assert_eq!(without_holders(APACHE), APACHE);
    }

    #[test]
    fn licences_are_known_by_their_words() {
        assert_eq!(recognise(MIT), Some("MIT"));
        assert_eq!(recognise(APACHE), Some("Apache-2.0"));
        assert_eq!(recognise("Do what you like."), None);
    }
}
