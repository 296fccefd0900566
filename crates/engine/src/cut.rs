//! Several texts translated as one.
//!
//! Lines are translated by themselves, so texts can be lines of one document, whose sentences the
//! engine puts into common batches: `texts.join("\n")` is translated, and
//! [`Translation::cut`] gives each text its own translation back.

use crate::{Sentence, Translation};

impl Translation {
    /// Cuts the translation of texts that were joined by line breaks at these line breaks;
    /// `lengths` are the texts' bytes. Ranges of sentences are relative to their own text.
    ///
    /// A sentence ends with its line, and what follows the last one of a line is copied byte for
    /// byte: a line break is as far behind it in the translation as in the source. `None` when the
    /// translation is not one of texts with these lengths.
    #[must_use]
    pub fn cut(&self, lengths: &[usize]) -> Option<Vec<Self>> {
        let mut sentences = self.sentences.iter().peekable();
        let mut translations = Vec::with_capacity(lengths.len());
        let (mut source, mut target) = (0, 0);
        // Where source and target last were in step.
        let mut step = (0, 0);
        for (number, length) in lengths.iter().enumerate() {
            let source_end = source + length;
            let mut own = Vec::new();
            while let Some(sentence) = sentences.next_if(|one| one.source.start < source_end) {
                step = (sentence.source.end, sentence.target.end);
                own.push(Sentence {
                    source: within(&sentence.source, source)?,
                    target: within(&sentence.target, target)?,
                    ..sentence.clone()
                });
            }
            let target_end = step.1 + source_end.checked_sub(step.0)?;
            let text = self.text.get(target..target_end)?.to_owned();
            translations.push(Self {
                text,
                sentences: own,
            });
            // The line break between two texts belongs to neither.
            let rest = self.text.get(target_end..)?;
            let last = number + 1 == lengths.len();
            if !(if last {
                rest.is_empty()
            } else {
                rest.starts_with('\n')
            }) {
                return None;
            }
            (source, target) = (source_end + 1, target_end + 1);
        }
        sentences.next().is_none().then_some(translations)
    }
}

fn within(range: &std::ops::Range<usize>, start: usize) -> Option<std::ops::Range<usize>> {
    Some(range.start.checked_sub(start)?..range.end.checked_sub(start)?)
}

#[cfg(test)]
mod tests {
    use crate::{Sentence, Translation};

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
    fn every_text_gets_its_own_lines_and_sentences() {
        let document = Translation {
            text: " First.\n\nSecond. 2nd\t\n\r\n--\nThird".to_owned(),
            sentences: vec![
                sentence(1..7, 1..7),
                sentence(9..15, 9..16),
                sentence(15..18, 17..20),
                sentence(25..28, 27..32),
            ],
        };
        let texts = [" 甲乙\n\n丙丁丙\t", "\r", "--", "丁"];
        let lengths = texts.map(str::len);
        assert_eq!(texts.join("\n").len(), 28);
        let translations = document.cut(&lengths).unwrap();
        let found: Vec<_> = translations.iter().map(|one| &one.text[..]).collect();
        assert_eq!(found, [" First.\n\nSecond. 2nd\t", "\r", "--", "Third"]);
        let counts: Vec<_> = translations.iter().map(|one| one.sentences.len()).collect();
        assert_eq!(counts, [3, 0, 0, 1]);
        assert_eq!(translations[0].sentences, document.sentences[..3]);
        assert_eq!(translations[3].sentences, [sentence(0..3, 0..5)]);
    }

    #[test]
    fn one_text_is_the_document() {
        let document = Translation {
            text: " A\n".to_owned(),
            sentences: vec![sentence(1..4, 1..2)],
        };
        assert_eq!(document.cut(&[5]).unwrap()[0], document);
        assert_eq!(Translation::default().cut(&[0]).unwrap().len(), 1);
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let document = |text: &str, sentences| Translation {
            text: text.to_owned(),
            sentences,
        };
        assert!(document("one", vec![]).cut(&[1, 1]).is_none());
        assert!(document("a\nb\nc", vec![]).cut(&[1, 1]).is_none());
        let across = vec![sentence(0..3, 0..7)];
        assert!(document("one\ntwo", across).cut(&[1, 1]).is_none());
        let shifted = vec![sentence(0..1, 4..7), sentence(2..3, 4..7)];
        assert!(document("one\ntwo", shifted).cut(&[1, 1]).is_none());
        let too_many = vec![sentence(0..1, 0..1), sentence(9..10, 1..1)];
        assert!(document("a", too_many).cut(&[1]).is_none());
    }
}
