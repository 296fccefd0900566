//! The two-layer perceptron of encoder, decoder and embedding augmentation.

use csanmt_format::{FormatError, ModelFile};
use csanmt_kernels::Buffer;

use crate::activation::Activation;
use crate::linear::Linear;

/// `FFN(y) = relu(y W1 + b1) W2 + b2`.
#[derive(Debug)]
pub(crate) struct FeedForward {
    input: Linear,
    output: Linear,
}

impl FeedForward {
    /// Loads `SCOPE/input_layer/linear` `[size, inner]` and `SCOPE/output_layer/linear` `[inner, size]`.
    pub(crate) fn load(
        file: &ModelFile,
        scope: &str,
        size: usize,
        inner: usize,
    ) -> Result<Self, FormatError> {
        Ok(Self {
            input: Linear::load(file, &format!("{scope}/input_layer/linear"), size, inner)?,
            output: Linear::load(file, &format!("{scope}/output_layer/linear"), inner, size)?,
        })
    }

    /// `x += FFN(input)`; `x` is `[rows, size]`, `hidden` is scratch.
    pub(crate) fn add_to(&self, input: &mut Activation, x: &mut [f32], hidden: &mut Buffer<f32>) {
        self.hidden(input, x.len() / self.output.outputs, hidden);
        input.set(hidden, self.inner(), None);
        self.output.add_to(input, x);
    }

    /// `hidden = relu(input W1 + b1)`, `[rows, inner]`.
    pub(crate) fn hidden(&self, input: &Activation, rows: usize, hidden: &mut Buffer<f32>) {
        self.input.relu(input, rows, hidden);
    }

    /// `x += hidden W2 + b2`, with what the first rounding of `hidden` leaves; both arguments before
    /// `x` are scratch.
    pub(crate) fn add_output_precisely(
        &self,
        input: &mut Activation,
        hidden: &mut [f32],
        x: &mut [f32],
    ) {
        input.set(hidden, self.inner(), None);
        self.output.add_to(input, x);
        if input.subtract_from(hidden) {
            input.set(hidden, self.inner(), None);
            self.output.add_product_to(input, x);
        }
    }

    /// Width of the hidden layer.
    pub(crate) fn inner(&self) -> usize {
        self.input.outputs
    }
}
