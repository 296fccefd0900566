//! Several texts at once: over the threads, and together in one matrix on each.

use std::num::NonZero;
use std::thread;

use anyhow::Result;
use csanmt::{Format, Options, Sentence, Translation, Translator};

use super::crew;

/// Texts that one thread gets together.
const TEXTS_PER_THREAD: usize = 64;
/// Bytes after which a thread has enough, so that results appear steadily.
const BYTES_PER_THREAD: usize = 32 << 10;

/// A translator with its options and threads.
pub(crate) struct Batch {
    translator: Translator,
    options: Options,
    threads: NonZero<usize>,
}

impl Batch {
    pub(crate) fn new(translator: Translator, options: Options, threads: NonZero<usize>) -> Self {
        Self {
            translator,
            options,
            threads,
        }
    }

    /// The same with other options.
    pub(crate) fn with_options(&self, options: Options) -> Self {
        Self {
            translator: self.translator.clone(),
            options,
            threads: self.threads,
        }
    }

    /// Texts that are worth waiting for.
    pub(crate) fn most_texts(&self) -> usize {
        self.threads.get() * TEXTS_PER_THREAD
    }

    /// Bytes that are worth waiting for.
    pub(crate) fn most_bytes(&self) -> usize {
        self.threads.get() * BYTES_PER_THREAD
    }

    /// One translation a text, in order.
    pub(crate) fn translate(&self, texts: &[&str]) -> Result<Vec<Translation>> {
        let shares = shares(texts, self.threads.get());
        if let [only] = shares[..] {
            return self.translate_share(only);
        }
        let results = crew::share_out(shares.len(), thread::Builder::new, |number| {
            self.translate_share(shares[number])
        })?;
        let mut translations = Vec::with_capacity(texts.len());
        for result in results {
            translations.extend(result?);
        }
        Ok(translations)
    }

    /// Lines are translated by themselves, so texts can be lines of one document, which the engine
    /// batches. The original pipeline and markup languages know no lines.
    fn translate_share(&self, texts: &[&str]) -> Result<Vec<Translation>> {
        let lines = self.options.format == Format::Text && !self.options.wrapped_lines;
        if texts.len() > 1 && !self.options.raw && lines {
            let document = self
                .translator
                .translate(&texts.join("\n"), &self.options)?;
            if let Some(translations) = cut(&document, texts) {
                return Ok(translations);
            }
        }
        texts
            .iter()
            .map(|text| Ok(self.translator.translate(text, &self.options)?))
            .collect()
    }
}

/// Cuts the texts into at most `count` runs of about the same number of bytes.
fn shares<'a, 't>(texts: &'a [&'t str], count: usize) -> Vec<&'a [&'t str]> {
    let total: usize = texts.iter().map(|text| text.len()).sum();
    let mut shares = Vec::with_capacity(count);
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.len();
        // The n-th cut is where n / count of all bytes lie before it.
        if shares.len() + 1 < count && bytes * count >= total * (shares.len() + 1) {
            shares.push(&texts[start..=index]);
            start = index + 1;
        }
    }
    if start < texts.len() || shares.is_empty() {
        shares.push(&texts[start..]);
    }
    shares
}

/// Cuts the translation of `texts` joined by line breaks; `None` when its lines do not fit.
fn cut(document: &Translation, texts: &[&str]) -> Option<Vec<Translation>> {
    let mut lines = document.text.split('\n');
    let mut sentences = document.sentences.iter().peekable();
    let (mut source, mut target) = (0, 0);
    let mut translations = Vec::with_capacity(texts.len());
    for text in texts {
        let mut target_len = lines.next()?.len();
        for _ in text.matches('\n') {
            target_len += 1 + lines.next()?.len();
        }
        let (source_end, target_end) = (source + text.len(), target + target_len);
        let mut own = Vec::new();
        while let Some(sentence) = sentences.next_if(|sentence| sentence.source.start < source_end)
        {
            let Sentence {
                source: from,
                target: to,
                ..
            } = sentence;
            if from.end > source_end || to.start < target || to.end > target_end {
                return None;
            }
            own.push(Sentence {
                source: from.start - source..from.end - source,
                target: to.start - target..to.end - target,
                ..sentence.clone()
            });
        }
        translations.push(Translation {
            text: document.text.get(target..target_end)?.to_owned(),
            sentences: own,
        });
        // The line break between two texts belongs to neither.
        (source, target) = (source_end + 1, target_end + 1);
    }
    (lines.next().is_none() && sentences.next().is_none()).then_some(translations)
}

#[cfg(test)]
mod tests {
    use csanmt::{Sentence, Translation};

    use super::{cut, shares};

    fn sentence(source: std::ops::Range<usize>, target: std::ops::Range<usize>) -> Sentence {
        Sentence {
            source,
            target,
            truncated: false,
            hypotheses: Vec::new(),
            ..Default::default()
        }
    }

    #[test]
    fn shares_are_even_in_order_and_complete() {
        let texts = ["aaaa", "bb", "cc", "dddd", "eeee"];
        assert_eq!(shares(&texts, 1), [&texts[..]]);
        assert_eq!(shares(&texts, 2), [&texts[..3], &texts[3..]]);
        for count in 1..10 {
            let shares = shares(&texts, count);
            assert!(shares.len() <= count);
            assert!(shares.iter().all(|share| !share.is_empty()));
            assert_eq!(shares.concat(), texts);
        }
    }

    #[test]
    fn shares_of_empty_texts_and_of_none() {
        assert_eq!(shares(&["", "", ""], 2).concat(), ["", "", ""]);
        assert_eq!(shares(&[], 2), [&[] as &[&str]]);
        assert_eq!(shares(&["a"], 4), [&["a"]]);
    }

    #[test]
    fn cuts_at_the_texts_own_lines() {
        let texts = ["甲。\n乙", "", "丙"];
        let document = Translation {
            text: "First.\nSecond\n\nThird".to_owned(),
            sentences: vec![
                sentence(0..6, 0..6),
                sentence(7..10, 7..13),
                sentence(12..15, 15..20),
            ],
        };
        let translations = cut(&document, &texts).unwrap();
        let lines: Vec<_> = translations.iter().map(|t| &t.text[..]).collect();
        assert_eq!(lines, ["First.\nSecond", "", "Third"]);
        assert_eq!(
            translations[0].sentences,
            [sentence(0..6, 0..6), sentence(7..10, 7..13)]
        );
        assert_eq!(translations[1].sentences, []);
        assert_eq!(translations[2].sentences, [sentence(0..3, 0..5)]);
    }

    #[test]
    fn refuses_lines_and_sentences_that_do_not_fit() {
        let document = |text: &str, sentences| Translation {
            text: text.to_owned(),
            sentences,
        };
        assert!(cut(&document("one", vec![]), &["a", "b"]).is_none());
        assert!(cut(&document("one\ntwo\nthree", vec![]), &["a", "b"]).is_none());
        let across = vec![sentence(0..3, 0..7)];
        assert!(cut(&document("one\ntwo", across), &["a", "b"]).is_none());
        let shifted = vec![sentence(0..1, 4..7)];
        assert!(cut(&document("one\ntwo", shifted), &["a", "b"]).is_none());
    }
}
