//! A translation that somebody has begun.

use std::borrow::Cow;

use csanmt_model::{Beginning, SearchResult};
use csanmt_text::{narrow, rephrase};

use crate::sentence::Query;
use crate::shared::Shared;
use crate::{Guard, Options};

/// A sentence whose translation begins with given text.
#[derive(Debug)]
pub(crate) struct Completion {
    prefix: String,
    /// The ways in which the prefix may be written in tokens.
    beginnings: Vec<Beginning>,
    /// The best of them, and what was found.
    chosen: usize,
    pub(crate) result: SearchResult,
}

impl Completion {
    /// `None` when nothing is given, or when there is nothing to translate in the sentence.
    pub(crate) fn new(sentence: &str, prefix: &str, shared: &Shared) -> Option<Self> {
        let nothing = prefix.trim().is_empty() || !sentence.chars().any(char::is_alphabetic);
        if nothing || shared.source.encode(sentence).is_empty() {
            return None;
        }
        let ways = shared.target_encoder().beginnings(prefix).into_iter();
        let beginnings = ways.map(|(tokens, next)| Beginning { tokens, next });
        Some(Self {
            prefix: prefix.to_owned(),
            beginnings: beginnings.collect(),
            chosen: 0,
            result: SearchResult::default(),
        })
    }

    /// What the model should translate, once for each way.
    pub(crate) fn queries(&self, sentence: &str, options: &Options, shared: &Shared) -> Vec<Query> {
        let read: Cow<'_, str> = if options.raw || !shared.reads_chinese {
            Cow::Borrowed(sentence)
        } else {
            let simplified = shared.simplifier.simplify(&narrow(sentence));
            if options.guards.has(Guard::Wording) {
                Cow::Owned(rephrase(&simplified).into_owned())
            } else {
                Cow::Owned(simplified)
            }
        };
        let ids = shared.source.encode(&read);
        let query = |beginning: &Beginning| Query {
            ids: ids.clone(),
            all: false,
            beginning: Some(beginning.clone()),
        };
        self.beginnings.iter().map(query).collect()
    }

    /// Takes the results of all queries, of which the best counts.
    pub(crate) fn take(&mut self, results: &mut dyn Iterator<Item = SearchResult>) {
        let rank = |result: &SearchResult| {
            let best = result.hypotheses.first();
            best.map_or((false, f32::NEG_INFINITY), |best| {
                (best.finished, best.score)
            })
        };
        for (way, result) in results.take(self.beginnings.len()).enumerate() {
            let (own, others) = (rank(&result), rank(&self.result));
            let better = own.0.cmp(&others.0).then(own.1.total_cmp(&others.1));
            if way == 0 || better.is_gt() {
                self.chosen = way;
                self.result = result;
            }
        }
    }

    fn beginning(&self) -> &Beginning {
        &self.beginnings[self.chosen]
    }

    /// The text of a hypothesis: what was given as it was given, and how it goes on.
    pub(crate) fn text(&self, ids: &[u32], shared: &Shared) -> String {
        let text = shared.target.decode(ids);
        if text.starts_with(self.prefix.trim_start()) {
            return self.with_given_start(&text);
        }
        // Tokens do not tell spaces and quotes exactly, nor characters that no token has.
        let given = ids.get(..self.beginning().tokens.len()).unwrap_or(ids);
        let given = shared.target.decode(given);
        let rest = text.strip_prefix(given.trim_end()).unwrap_or_default();
        let prefix = &self.prefix;
        match self.open_word() {
            // The rest begins with the half-written word, or with the end of it.
            Some(word) => {
                let rest = rest.trim_start();
                let mut ends = word.char_indices().map(|(at, _)| &word[at..]);
                let rest = ends.find_map(|end| rest.strip_prefix(end));
                format!("{prefix}{}", rest.unwrap_or_default())
            }
            None if prefix.ends_with(char::is_whitespace) => {
                format!("{prefix}{}", rest.trim_start())
            }
            None => format!("{prefix}{rest}"),
        }
    }

    /// `text` with the white space before what was given.
    fn with_given_start(&self, text: &str) -> String {
        let start = self.prefix.len() - self.prefix.trim_start().len();
        format!("{}{text}", &self.prefix[..start])
    }

    /// The part of the half-written word that no token was fixed for.
    fn open_word(&self) -> Option<&str> {
        if self.beginning().next.is_empty() {
            return None;
        }
        let start = self
            .prefix
            .char_indices()
            .rev()
            .take_while(|(_, c)| c.is_alphanumeric())
            .last()?
            .0;
        Some(&self.prefix[start..])
    }
}
