//! Several texts at once: over the threads, and together in one matrix on each.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread;

use anyhow::Result;
use csanmt::{Options, Translation, Translator};

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

    /// The original decodes the pieces of one text together, and no others.
    fn translate_share(&self, texts: &[&str]) -> Result<Vec<Translation>> {
        if self.options.raw {
            let translate = |text: &&str| Ok(self.translator.translate(text, &self.options)?);
            return texts.iter().map(translate).collect();
        }
        let job = self.translator.texts_job(texts, &self.options)?;
        let mut job = job.for_throughput();
        while !job.is_done() {
            job.advance_with(&mut |_| ControlFlow::Continue(()))?;
        }
        Ok(job.finish())
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

#[cfg(test)]
mod tests {
    use super::shares;

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
}
