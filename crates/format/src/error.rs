//! What can be wrong with a model file.

use std::fmt;

use crate::tensor::ElementType;

/// Why a model file cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// A weight that is kept apart lies outside its matrix.
    #[error(
        "tensor {name} names output and input {found:?}, outside {outputs} outputs and {inputs} inputs"
    )]
    PeakPlace {
        /// The tensor.
        name: String,
        /// Output and input.
        found: [i32; 2],
        /// Outputs of the layer.
        outputs: usize,
        /// Inputs of the layer.
        inputs: usize,
    },
    /// The safetensors header or the length of the file is wrong.
    #[error("not a complete model file: {0}; fetch or convert it again")]
    Header(String),
    /// A metadata entry is missing: a safetensors file from elsewhere.
    #[error("not a csanmt model: metadata {key} is missing; make one with `csanmt convert`")]
    MissingMetadata {
        /// The entry.
        key: &'static str,
    },
    /// A metadata entry cannot be read.
    #[error("metadata {key} is broken: {message}")]
    Metadata {
        /// The entry.
        key: &'static str,
        /// What is wrong.
        message: String,
    },
    /// The file is of another version.
    #[error(
        "model file version {found:?} is unknown, expected {expected:?}; update csanmt or convert \
         the model again"
    )]
    Version {
        /// In the file.
        found: String,
        /// Known here.
        expected: &'static str,
    },
    /// A field of the configuration is out of range.
    #[error("configuration: {field} is {found}, expected {expected}")]
    Config {
        /// The field.
        field: &'static str,
        /// What it may be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// Tensors are missing.
    #[error("tensors are missing: {}", .0.join(", "))]
    MissingTensors(Vec<String>),
    /// A tensor is missing.
    #[error("tensor {name} is missing, expected {expected} {}", Shape(.shape))]
    MissingTensor {
        /// The tensor.
        name: String,
        /// Expected type.
        expected: ElementType,
        /// Expected shape; empty when any will do.
        shape: Vec<usize>,
    },
    /// A tensor has a type that no model file uses.
    #[error("tensor {name} has element type {found}, expected I8, F32, I32 or U8")]
    UnknownElementType {
        /// The tensor.
        name: String,
        /// As the header has it.
        found: String,
    },
    /// A tensor has another type than its part in the model needs.
    #[error("tensor {name} has element type {found}, expected {expected}")]
    WrongElementType {
        /// The tensor.
        name: String,
        /// Needed.
        expected: ElementType,
        /// In the file.
        found: ElementType,
    },
    /// A tensor has another shape than the configuration says.
    #[error("tensor {name} has shape {}, expected {}", Shape(.found), Shape(.expected))]
    WrongShape {
        /// The tensor.
        name: String,
        /// By the configuration.
        expected: Vec<usize>,
        /// In the file.
        found: Vec<usize>,
    },
    /// A tensor's bytes do not lie at a multiple of its element size.
    #[error(
        "tensor {name} is misaligned for {dtype}: it starts at byte {offset}; load the file into \
         memory aligned to 64 bytes, or convert it again"
    )]
    Misaligned {
        /// The tensor.
        name: String,
        /// Its type.
        dtype: ElementType,
        /// Its offset in the file.
        offset: usize,
    },
    /// A text tensor cannot be unpacked.
    #[error("text {name} is broken: {message}")]
    Text {
        /// The tensor.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A number of the file is beyond what this machine can address.
    #[error("tensor {name} with shape {} is too large", Shape(.shape))]
    TooLarge {
        /// The tensor.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
    },
}

impl FormatError {
    pub(crate) fn config(
        field: &'static str,
        expected: impl Into<String>,
        found: &(impl ToString + ?Sized),
    ) -> Self {
        Self::Config {
            field,
            expected: expected.into(),
            found: found.to_string(),
        }
    }
}

/// Why a model file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The plan itself is not a valid model.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A tensor came out of the planned order.
    #[error("tensor {found} was written where {expected} was due")]
    Order {
        /// Next in the plan.
        expected: String,
        /// Written.
        found: String,
    },
    /// More bytes than planned.
    #[error("tensor {name} has {expected} bytes, {found} were written")]
    Size {
        /// The tensor.
        name: String,
        /// Planned.
        expected: usize,
        /// Written, at least.
        found: usize,
    },
    /// The file was finished too early.
    #[error("tensor {name} is incomplete: {found} of {expected} bytes were written")]
    Incomplete {
        /// The tensor.
        name: String,
        /// Planned.
        expected: usize,
        /// Written.
        found: usize,
    },
    /// The output failed.
    #[error("cannot write the model file: {0}")]
    Io(#[from] std::io::Error),
}

/// A shape as `[2, 3]`.
struct Shape<'a>(&'a [usize]);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
