//! Writing a model file front to back in bounded memory.

use std::io::Write;

use crate::error::WriteError;
use crate::plan::{ModelPlan, PADDING, Text};
use crate::tensor::TensorSpec;

/// Writes the tensors of a [`ModelPlan`] in its order, in pieces of any size.
#[derive(Debug)]
pub struct ModelWriter<'a, W> {
    out: W,
    /// Everything that is still due; texts are written by [`Self::finish`].
    due: std::vec::IntoIter<TensorSpec>,
    current: Option<TensorSpec>,
    /// Bytes written of `current`.
    written: usize,
    texts: Vec<Text<'a>>,
}

impl<'a, W: Write> ModelWriter<'a, W> {
    /// Writes the header.
    ///
    /// # Errors
    /// When the plan is too large or `out` fails.
    pub fn new(plan: ModelPlan<'a>, mut out: W) -> Result<Self, WriteError> {
        let mut tensors = plan.tensors()?;
        out.write_all(&plan.header(&tensors)?)?;
        let texts = plan.into_texts();
        tensors.truncate(tensors.len() - texts.len());
        let mut writer = Self {
            out,
            due: tensors.into_iter(),
            current: None,
            written: 0,
            texts,
        };
        writer.advance()?;
        Ok(writer)
    }

    /// Writes the next bytes of tensor `name`, which must be the one that is due.
    ///
    /// # Errors
    /// When another tensor is due, it gets more bytes than planned, or the output fails.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        let expected = match &self.current {
            Some(spec) if spec.name == name => spec.bytes().unwrap_or(usize::MAX),
            current => {
                let expected = current
                    .as_ref()
                    .map_or("the end", |spec| &spec.name)
                    .to_owned();
                return Err(WriteError::Order {
                    expected,
                    found: name.to_owned(),
                });
            }
        };
        let found = self.written.saturating_add(bytes.len());
        if found > expected {
            return Err(WriteError::Size {
                name: name.to_owned(),
                expected,
                found,
            });
        }
        self.out.write_all(bytes)?;
        self.written = found;
        if found == expected {
            self.advance()
        } else {
            Ok(())
        }
    }

    /// Writes the texts and gives the output back, flushed.
    ///
    /// # Errors
    /// When a tensor is incomplete or the output fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if let Some(spec) = &self.current {
            return Err(WriteError::Incomplete {
                name: spec.name.clone(),
                expected: spec.bytes().unwrap_or(usize::MAX),
                found: self.written,
            });
        }
        for text in &self.texts {
            self.out.write_all(&text.stored)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    /// Makes the next tensor with bytes the one that is due.
    fn advance(&mut self) -> Result<(), WriteError> {
        self.written = 0;
        loop {
            self.current = self.due.next();
            match &self.current {
                Some(spec) if spec.name == PADDING => {
                    let zeros = [0; 4];
                    let len = spec.bytes().unwrap_or(0).min(zeros.len());
                    self.out.write_all(&zeros[..len])?;
                }
                Some(spec) if spec.bytes() == Some(0) => {}
                _ => return Ok(()),
            }
        }
    }
}
