//! What a tensor is: name, element type, shape, place.

use std::fmt;
use std::ops::Range;

use safetensors::Dtype;

/// Element types that occur in model files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum ElementType {
    /// Signed byte: quantised weights.
    I8,
    /// IEEE half, little-endian: tables that are only looked up.
    F16,
    /// IEEE single, little-endian.
    F32,
    /// Signed word, little-endian: sums of quantised weights.
    I32,
    /// Byte: texts.
    U8,
}

impl ElementType {
    /// Size of one element.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 => 2,
            Self::F32 | Self::I32 => 4,
        }
    }

    pub(crate) fn from_safetensors(dtype: Dtype) -> Option<Self> {
        Some(match dtype {
            Dtype::I8 => Self::I8,
            Dtype::F16 => Self::F16,
            Dtype::F32 => Self::F32,
            Dtype::I32 => Self::I32,
            Dtype::U8 => Self::U8,
            _ => return None,
        })
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I8 => "I8",
            Self::F16 => "F16",
            Self::F32 => "F32",
            Self::I32 => "I32",
            Self::U8 => "U8",
        })
    }
}

/// A tensor that a file should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Name in the file.
    pub name: String,
    /// Element type.
    pub dtype: ElementType,
    /// Lengths of the axes, outermost first.
    pub shape: Vec<usize>,
}

impl TensorSpec {
    /// Bytes of the tensor, `None` on overflow.
    #[must_use]
    pub fn bytes(&self) -> Option<usize> {
        let elements = self
            .shape
            .iter()
            .try_fold(1usize, |n, &axis| n.checked_mul(axis))?;
        elements.checked_mul(self.dtype.bytes())
    }
}

/// A tensor that a file does hold.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TensorInfo {
    /// Name in the file.
    pub name: String,
    /// Element type.
    pub dtype: ElementType,
    /// Lengths of the axes, outermost first.
    pub shape: Vec<usize>,
    /// Where its bytes are, from the start of the file.
    pub range: Range<usize>,
}

impl TensorInfo {
    /// Number of elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.range.len() / self.dtype.bytes()
    }
}
