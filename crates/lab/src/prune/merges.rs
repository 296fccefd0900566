//! Merge rules of a trimmed vocabulary: a rule whose product is gone would make unknown tokens of
//! characters that are there.

use std::collections::{HashMap, HashSet};

/// Marks the end of a word in merge rules.
const END: &str = "</w>";

/// The rules that the kept tokens are made by.
pub(super) struct Merges<'c> {
    header: Option<&'c str>,
    rules: Vec<(&'c str, &'c str)>,
    ranks: HashMap<(&'c str, &'c str), usize>,
    used: HashSet<usize>,
}

impl<'c> Merges<'c> {
    /// Reads a file of rules; lines that are none are left out, as parsing the file names them.
    pub(super) fn parse(text: &'c str) -> Self {
        let header = text.lines().next().filter(|l| l.starts_with("#version:"));
        let lines = text.lines().skip(usize::from(header.is_some()));
        let rules: Vec<_> = lines.filter_map(|l| l.trim().split_once(' ')).collect();
        let mut ranks = HashMap::new();
        for (rank, &rule) in rules.iter().enumerate() {
            ranks.entry(rule).or_insert(rank);
        }
        Self {
            header,
            rules,
            ranks,
            used: HashSet::new(),
        }
    }

    /// Version 0.1 has the end mark as a symbol of its own, later ones behind the last character.
    fn end_is_a_symbol(&self) -> bool {
        self.header
            .is_none_or(|line| line.trim_end().ends_with("0.1"))
    }

    /// Keeps the rules that make a token, and gives the tokens that they make on the way. Those
    /// are what other words with its characters may end as.
    pub(super) fn keep(&mut self, token: &str) -> Vec<String> {
        let (_, ranks) = self.merge(token, false);
        let mut made = Vec::new();
        for rank in ranks {
            if self.used.insert(rank) {
                let (left, right) = self.rules[rank];
                made.extend(as_token(&format!("{left}{right}")));
            }
        }
        made
    }

    /// What the characters of a token become by the kept rules alone.
    pub(super) fn pieces(&self, token: &str) -> Vec<String> {
        let (mut symbols, _) = self.merge(token, true);
        if symbols.last().is_some_and(|last| last == END) {
            symbols.pop();
            if let Some(last) = symbols.last_mut() {
                last.push_str(END);
            }
        }
        symbols
            .iter()
            .filter_map(|symbol| as_token(symbol))
            .collect()
    }

    /// Symbols of a token after merging, and the ranks of the rules that merged.
    fn merge(&self, token: &str, only_used: bool) -> (Vec<String>, Vec<usize>) {
        let inner = token.strip_suffix("@@");
        let mut symbols: Vec<String> = inner.unwrap_or(token).chars().map(String::from).collect();
        if inner.is_none() {
            match symbols.last_mut() {
                Some(last) if !self.end_is_a_symbol() => last.push_str(END),
                _ => symbols.push(END.to_owned()),
            }
        }
        let mut ranks = Vec::new();
        loop {
            let rank = |pair: &[String]| {
                let rank = self.ranks.get(&(&pair[0][..], &pair[1][..])).copied();
                rank.filter(|rank| !only_used || self.used.contains(rank))
            };
            let Some(rank) = symbols.windows(2).filter_map(rank).min() else {
                return (symbols, ranks);
            };
            ranks.push(rank);
            let (left, right) = self.rules[rank];
            let mut joined: Vec<String> = Vec::with_capacity(symbols.len());
            let mut rest = symbols.into_iter().peekable();
            while let Some(symbol) = rest.next() {
                if symbol == left && rest.peek().is_some_and(|next| next == right) {
                    rest.next();
                    joined.push(format!("{left}{right}"));
                } else {
                    joined.push(symbol);
                }
            }
            symbols = joined;
        }
    }

    /// The file with the rules that were kept, in their order.
    pub(super) fn text(&self) -> String {
        let mut text = self
            .header
            .map_or(String::new(), |line| format!("{line}\n"));
        let rules = self.rules.iter().enumerate();
        let kept: Vec<_> = rules.filter(|(rank, _)| self.used.contains(rank)).collect();
        if kept.is_empty() {
            // A file without rules is refused; this one never applies.
            text.push_str("\u{1} \u{1}\n");
        }
        for (_, (left, right)) in kept {
            text.push_str(&format!("{left} {right}\n"));
        }
        text
    }
}

/// A symbol as it stands in vocabularies.
fn as_token(symbol: &str) -> Option<String> {
    match symbol.strip_suffix(END) {
        Some("") => None,
        Some(last) => Some(last.to_owned()),
        None => Some(format!("{symbol}@@")),
    }
}

#[cfg(test)]
mod tests {
    use super::Merges;

    const RULES: &str = "#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\nt o</w>\nth in\n";

    #[test]
    fn the_rules_of_kept_tokens_stay_and_what_they_make_on_the_way_is_named() {
        let mut merges = Merges::parse(RULES);
        assert_eq!(merges.keep("the"), ["th@@", "the"]);
        assert_eq!(merges.keep("thin@@"), ["in@@", "thin@@"]);
        assert!(merges.keep("x@@").is_empty());
        assert_eq!(merges.pieces("thing"), ["thin@@", "g"]);
        assert_eq!(merges.pieces("to@@"), ["t@@", "o@@"]);
        assert_eq!(merges.text(), "#version: 0.2\nt h\nth e</w>\ni n\nth in\n");
    }

    #[test]
    fn a_file_without_rules_stays_a_file_of_rules() {
        let merges = Merges::parse(RULES);
        let text = merges.text();
        let bpe = csanmt_text::Bpe::parse(text.as_bytes()).unwrap();
        assert_eq!(bpe.tokens("the"), ["t@@", "h@@", "e"]);
    }

    #[test]
    fn the_end_mark_of_version_0_1_is_a_symbol() {
        let mut merges = Merges::parse("o </w>\nt o</w>\nt o\n");
        assert_eq!(merges.keep("to"), ["o", "to"]);
        assert_eq!(merges.pieces("too"), ["t@@", "o@@", "o"]);
        assert_eq!(merges.text(), "o </w>\nt o</w>\n");
    }
}
