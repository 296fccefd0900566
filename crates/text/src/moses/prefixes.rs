//! Words after which a full stop does not end a sentence.

/// The abbreviations of one language, sorted for look-up.
#[derive(Debug, Clone)]
pub(crate) struct Prefixes {
    always: Vec<&'static str>,
    before_digits: Vec<&'static str>,
}

impl Prefixes {
    /// The list for a two-letter code; English for every other language, as sacremoses has it for
    /// codes it does not know. (Its lists for languages no model reads are not carried here.)
    pub(crate) fn new(language: &str) -> Self {
        let list = match language {
            "es" => include_str!("../../data/nonbreaking_prefix.es"),
            "fr" => include_str!("../../data/nonbreaking_prefix.fr"),
            "zh" => include_str!("../../data/nonbreaking_prefix.zh"),
            _ => include_str!("../../data/nonbreaking_prefix.en"),
        };
        let (mut always, mut before_digits) = (Vec::new(), Vec::new());
        for line in list.lines() {
            match line.strip_suffix(" #NUMERIC_ONLY#") {
                Some(prefix) => before_digits.push(prefix),
                None => always.push(line),
            }
        }
        always.sort_unstable();
        before_digits.sort_unstable();
        Self {
            always,
            before_digits,
        }
    }

    /// Whether `word.` keeps its stop whatever follows.
    pub(crate) fn always(&self, word: &str) -> bool {
        self.always.binary_search(&word).is_ok() && !self.before_digits(word)
    }

    /// Whether `word.` keeps its stop before a number.
    pub(crate) fn before_digits(&self, word: &str) -> bool {
        self.before_digits.binary_search(&word).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_each_list() {
        let english = Prefixes::new("en");
        assert!(english.always("Mr") && !english.always("No") && english.before_digits("No"));
        assert!(!english.always("mr"));
        assert!(Prefixes::new("fr").always("av"));
        assert!(Prefixes::new("es").always("Sra"));
        assert!(Prefixes::new("xx").always("Mr"));
        assert!(Prefixes::new("zh").before_digits("Nr"));
    }
}
