//! The bytes of a model file, wherever they live.

use std::fmt;
use std::sync::Arc;

/// The bytes of a whole model file: a memory map, an [`AlignedBytes`], a static.
///
/// `as_ref` must return the same slice every time. The start should be aligned to 64 bytes;
/// 4 bytes are required.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A byte buffer of fixed length whose first byte is aligned to 64 bytes.
///
/// For places without memory maps: filled from a download or a file, then shared.
pub struct AlignedBytes {
    /// `len + ALIGNMENT - 1` bytes; never resized, so that `start` stays right.
    buffer: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// Alignment of the first byte.
    pub const ALIGNMENT: usize = 64;

    /// `len` zero bytes.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let buffer = vec![0; len.saturating_add(Self::ALIGNMENT - 1)];
        let start = buffer.as_ptr().addr().wrapping_neg() % Self::ALIGNMENT;
        Self { buffer, start, len }
    }

    /// `len` zero bytes, or `None` where memory does not suffice: for lengths from outside.
    #[must_use]
    pub fn try_new(len: usize) -> Option<Self> {
        let total = len.checked_add(Self::ALIGNMENT - 1)?;
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(total).ok()?;
        buffer.resize(total, 0);
        let start = buffer.as_ptr().addr().wrapping_neg() % Self::ALIGNMENT;
        Some(Self { buffer, start, len })
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.len]
    }
}

impl AsMut<[u8]> for AlignedBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.start..self.start + self.len]
    }
}

impl From<&[u8]> for AlignedBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut aligned = Self::new(bytes.len());
        aligned.as_mut().copy_from_slice(bytes);
        aligned
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignedBytes")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::AlignedBytes;

    #[test]
    fn first_byte_is_aligned_and_all_bytes_are_kept() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let content: Vec<u8> = (0..len).map(|i| i as u8).collect();
            for aligned in [AlignedBytes::from(&content[..]), {
                let mut bytes = AlignedBytes::try_new(len).unwrap();
                bytes.as_mut().copy_from_slice(&content);
                bytes
            }] {
                assert_eq!(aligned.as_ref().as_ptr().addr() % 64, 0);
                assert_eq!(aligned.as_ref(), content);
                assert_eq!(aligned.is_empty(), len == 0);
            }
        }
    }

    #[test]
    fn absurd_length_is_refused() {
        assert!(AlignedBytes::try_new(usize::MAX).is_none());
        assert!(AlignedBytes::try_new(usize::MAX / 2).is_none());
    }
}
