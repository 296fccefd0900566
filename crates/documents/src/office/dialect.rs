//! What the elements are called.

use crate::xml::Token;

/// Which of the office formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// WordprocessingML.
    Word,
    /// DrawingML, in slides, diagrams and charts.
    Drawing,
    /// SpreadsheetML.
    Sheet,
}

/// Ends of the names of the namespace, in the transitional and the strict standard.
const NAMESPACES: [(Dialect, [&str; 2]); 3] = [
    (
        Dialect::Word,
        ["/wordprocessingml/2006/main", "/wordprocessingml/main"],
    ),
    (
        Dialect::Drawing,
        ["/drawingml/2006/main", "/drawingml/main"],
    ),
    (
        Dialect::Sheet,
        ["/spreadsheetml/2006/main", "/spreadsheetml/main"],
    ),
];

/// Names of elements in one part, with the prefix that it uses.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) dialect: Dialect,
    /// With its colon; empty for the default namespace.
    pub(super) prefix: String,
}

impl Names {
    /// Reads the prefix from the root of a part.
    pub(super) fn new(root: &Token<'_>, dialect: Dialect) -> Self {
        let ends = NAMESPACES.iter().find(|(other, _)| *other == dialect);
        let ends = ends.map_or(["", ""], |(_, ends)| *ends);
        let declared = root
            .attributes()
            .filter(|(_, value)| ends.iter().any(|end| value.ends_with(end)))
            .find_map(|(key, _)| match key.strip_prefix("xmlns") {
                Some("") => Some(String::new()),
                Some(prefix) => Some(format!("{}:", prefix.strip_prefix(':')?)),
                None => None,
            });
        let usual = match dialect {
            Dialect::Word => "w:",
            Dialect::Drawing => "a:",
            Dialect::Sheet => "",
        };
        Self {
            dialect,
            prefix: declared.unwrap_or_else(|| usual.to_owned()),
        }
    }

    /// Whether an element's name is `local` in the namespace of the part.
    pub(super) fn is(&self, name: &str, local: &str) -> bool {
        self.local(name) == Some(local)
    }

    /// The name without the prefix of the part; `None` for other namespaces.
    pub(super) fn local<'n>(&self, name: &'n str) -> Option<&'n str> {
        let local = name.strip_prefix(self.prefix.as_str())?;
        (!local.contains(':')).then_some(local)
    }

    pub(super) fn is_paragraph(&self, name: &str) -> bool {
        match self.dialect {
            Dialect::Word | Dialect::Drawing => self.is(name, "p"),
            Dialect::Sheet => self.is(name, "si") || self.is(name, "is"),
        }
    }

    /// The content of a text box, which has paragraphs inside a run of another.
    pub(super) fn is_box(&self, name: &str) -> bool {
        self.dialect == Dialect::Word && self.is(name, "txbxContent")
    }

    pub(super) fn paragraph_properties(&self) -> &'static str {
        "pPr"
    }

    pub(super) fn is_run(&self, name: &str) -> bool {
        self.is(name, "r")
    }

    pub(super) fn is_run_properties(&self, name: &str) -> bool {
        self.is(name, "rPr")
    }

    pub(super) fn is_text(&self, name: &str) -> bool {
        self.is(name, "t")
    }

    /// Elements whose children are as those of a paragraph.
    pub(super) fn is_container(&self, name: &str) -> bool {
        let containers: &[&str] = match self.dialect {
            Dialect::Word => &[
                "hyperlink",
                "ins",
                "moveTo",
                "smartTag",
                "customXml",
                "fldSimple",
                "bdo",
                "dir",
            ],
            Dialect::Drawing | Dialect::Sheet => &[],
        };
        self.local(name)
            .is_some_and(|local| containers.contains(&local))
    }

    /// Ends of lines and jumps to the next tab stop: sentences do not go across them.
    pub(super) fn is_break(&self, name: &str) -> bool {
        let breaks: &[&str] = match self.dialect {
            Dialect::Word => &["br", "cr", "tab", "ptab"],
            Dialect::Drawing => &["br"],
            Dialect::Sheet => &[],
        };
        self.local(name)
            .is_some_and(|local| breaks.contains(&local))
    }

    /// What belongs to the text as it was: where its pages ended, how it is pronounced.
    pub(super) fn is_layout_hint(&self, name: &str) -> bool {
        match self.dialect {
            Dialect::Word => self.is(name, "lastRenderedPageBreak"),
            Dialect::Drawing => false,
            Dialect::Sheet => self.is(name, "rPh"),
        }
    }
}
