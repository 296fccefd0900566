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
        let rows = x.len() / self.output.outputs;
        self.input.relu(input, rows, hidden);
        input.set(hidden, self.input.outputs, None);
        self.output.add_to(input, x);
    }
}
