//! Sentences that the length limit cut short, told on standard error where the output is text alone.

use csanmt::Translation;

/// How many sentences there were, and how many of them were cut short.
#[derive(Default)]
pub(super) struct Truncation {
    sentences: usize,
    truncated: usize,
}

impl Truncation {
    pub(super) fn count(&mut self, translation: &Translation) {
        let sentences = &translation.sentences;
        self.sentences += sentences.len();
        self.truncated += sentences.iter().filter(|one| one.truncated).count();
    }

    /// What there is to tell, nothing when all sentences are whole.
    fn message(&self) -> Option<String> {
        let Self {
            sentences,
            truncated,
        } = self;
        (*truncated > 0).then(|| {
            format!("the length limit cut {truncated} of {sentences} sentences short, --jsonl tells which")
        })
    }

    pub(super) fn report(&self) {
        if let Some(message) = self.message() {
            eprintln!("csanmt: {message}");
        }
    }
}

#[cfg(test)]
mod tests {
    use csanmt::{Sentence, Translation};

    use super::Truncation;

    #[test]
    fn a3_sentences_that_are_cut_short_are_told() {
        let mut truncation = Truncation::default();
        let sentence = |truncated| Sentence {
            truncated,
            ..Sentence::default()
        };
        truncation.count(&Translation {
            text: String::new(),
            sentences: vec![sentence(false)],
        });
        assert_eq!(truncation.message(), None);
        truncation.count(&Translation {
            text: String::new(),
            sentences: vec![sentence(true), sentence(false)],
        });
        let message = truncation.message().unwrap();
        assert!(message.contains("1 of 3 sentences"), "{message}");
    }
}
