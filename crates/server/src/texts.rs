//! The translator's side of [`Translate`]: several texts as one document, see
//! [`csanmt::Translation::cut`]. Many short texts are as quick as one long one that way.

use std::ops::ControlFlow;

use csanmt::markup::{TaggedJob, TaggedText};
use csanmt::{Error, Job, Options, Translation, Translator};

use crate::{Pace, Translate, Work};

/// Longer lines are not looked through for unknown tokens.
const LONGEST_TRACE_BYTES: usize = 300;

impl Translate for Translator {
    fn start(
        &self,
        texts: Vec<String>,
        options: &Options,
        pace: Pace,
    ) -> Result<Box<dyn Work>, Error> {
        let job = self.job(&texts.join("\n"), options)?;
        Ok(Box::new(Texts {
            job: match pace {
                Pace::Steps => job,
                Pace::Whole => job.for_throughput(),
            },
            shapes: texts.iter().map(|text| Shape::of(text)).collect(),
        }))
    }

    fn start_tagged(
        &self,
        units: Vec<TaggedText>,
        options: &Options,
    ) -> Result<Box<dyn Work>, Error> {
        Ok(Box::new(Tagged(self.tagged_job(units, options)?)))
    }

    fn languages(&self) -> (String, String) {
        let config = self.config();
        (config.src_lang.clone(), config.tgt_lang.clone())
    }

    fn unknown(&self, text: &str) -> Option<f64> {
        // Segmenting a short text takes some microseconds.
        let line = text.lines().find(|line| !csanmt::is_blank(line))?;
        if line.len() > LONGEST_TRACE_BYTES {
            return None;
        }
        let ids = self.trace(line).ids;
        // The vocabulary's last row.
        let unknown = u32::try_from(self.config().src_vocab_size)
            .ok()?
            .checked_sub(1)?;
        let found = ids.iter().filter(|&&id| id == unknown).count();
        (!ids.is_empty()).then(|| found as f64 / ids.len() as f64)
    }
}

struct Texts {
    job: Job,
    shapes: Vec<Shape>,
}

/// What is needed to find a text's translation in that of the document.
struct Shape {
    bytes: usize,
    lines: usize,
}

impl Shape {
    fn of(text: &str) -> Self {
        Self {
            bytes: text.len(),
            lines: text.split('\n').count(),
        }
    }
}

impl Work for Texts {
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        self.job.advance_with(&mut |_| observe()).map(drop)
    }

    fn is_done(&self) -> bool {
        self.job.is_done()
    }

    fn sentences_done(&self) -> usize {
        self.job.progress().sentences_done
    }

    fn so_far(&self) -> Vec<String> {
        prefixes(&self.job.text_so_far(), &self.shapes)
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        let lengths: Vec<usize> = self.shapes.iter().map(|shape| shape.bytes).collect();
        // Nothing when the lines do not fit, which the caller takes for a failure.
        self.job.finish().cut(&lengths).unwrap_or_default()
    }
}

struct Tagged(TaggedJob);

impl Work for Tagged {
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        self.0.advance_with(&mut |_| observe()).map(drop)
    }

    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn sentences_done(&self) -> usize {
        self.0.progress().sentences_done
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        Vec::new()
    }

    fn finish_tagged(self: Box<Self>) -> Vec<TaggedText> {
        self.0.finish()
    }
}

/// The lines of each text in the beginning of a document's translation.
fn prefixes(document: &str, shapes: &[Shape]) -> Vec<String> {
    let mut lines = document.split('\n');
    let mut found = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let own: Vec<&str> = lines.by_ref().take(shape.lines).collect();
        found.push(own.join("\n"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Shape, prefixes};

    #[test]
    fn j9_the_beginning_of_a_document_is_that_of_its_texts() {
        let shapes = ["甲\n乙", "", "丙", "丁"].map(Shape::of);
        assert_eq!(prefixes("", &shapes), ["", "", "", ""]);
        assert_eq!(prefixes("A\n", &shapes), ["A\n", "", "", ""]);
        assert_eq!(prefixes("A\nB\n\nC", &shapes), ["A\nB", "", "C", ""]);
        assert_eq!(prefixes("A\nB\n\nC\nD", &shapes), ["A\nB", "", "C", "D"]);
    }
}
