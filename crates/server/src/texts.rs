//! The translator's side of [`Translate`]: several texts as one document.
//!
//! Lines are translated by themselves, so texts can be lines of one document, whose sentences the
//! engine puts into common batches. Many short texts are as quick as one long one that way.

use std::ops::ControlFlow;

use csanmt::{Error, Job, Options, Sentence, Translation, Translator};

use crate::{Translate, Work};

impl Translate for Translator {
    fn start(&self, texts: Vec<String>, options: &Options) -> Result<Box<dyn Work>, Error> {
        Ok(Box::new(Texts {
            job: self.job(&texts.join("\n"), options)?,
            lengths: texts.iter().map(String::len).collect(),
        }))
    }
}

struct Texts {
    job: Job,
    /// Bytes of each text.
    lengths: Vec<usize>,
}

impl Work for Texts {
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        self.job.advance_with(&mut |_| observe()).map(drop)
    }

    fn is_done(&self) -> bool {
        self.job.is_done()
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        cut(&self.job.finish(), &self.lengths)
    }
}

/// Cuts the translation of a document at the line breaks between its texts. A sentence ends with
/// its line, and what follows the last one of a line is copied byte for byte: a line break is as
/// far behind it in the translation as in the source.
fn cut(document: &Translation, lengths: &[usize]) -> Vec<Translation> {
    let mut sentences = document.sentences.iter().peekable();
    let mut translations = Vec::with_capacity(lengths.len());
    let (mut source, mut target) = (0, 0);
    // Where source and target last were in step.
    let mut step = (0, 0);
    for length in lengths {
        let source_end = source + length;
        let mut own = Vec::new();
        while let Some(sentence) = sentences.next_if(|one| one.source.start < source_end) {
            step = (sentence.source.end, sentence.target.end);
            own.push(Sentence {
                source: sentence.source.start - source..sentence.source.end - source,
                target: sentence.target.start - target..sentence.target.end - target,
                ..sentence.clone()
            });
        }
        let target_end = step.1 + (source_end - step.0);
        let text = document.text.get(target..target_end).unwrap_or_default();
        translations.push(Translation {
            text: text.to_owned(),
            sentences: own,
        });
        // The line break between two texts belongs to neither.
        (source, target) = (source_end + 1, target_end + 1);
    }
    translations
}

#[cfg(test)]
mod tests {
    use csanmt::{Sentence, Translation};

    use super::cut;

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
        let translations = cut(&document, &lengths);
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
        assert_eq!(cut(&document, &[5]), [document]);
    }
}
