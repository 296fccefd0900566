//! Typed views into a model file that keep the file alive.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};

use bytemuck::AnyBitPattern;

use crate::bytes::SharedBytes;

/// A tensor's elements where they lie in the file: no copy, cheap to clone, `'static`.
pub struct Slab<T> {
    bytes: SharedBytes,
    range: Range<usize>,
    element: PhantomData<T>,
}

impl<T: AnyBitPattern> Slab<T> {
    /// `None` unless `range` lies inside `bytes`, is aligned for `T` and holds whole elements.
    pub(crate) fn new(bytes: SharedBytes, range: Range<usize>) -> Option<Self> {
        let whole: &[u8] = (*bytes).as_ref();
        let part = whole.get(range.clone())?;
        bytemuck::try_cast_slice::<u8, T>(part).ok()?;
        Some(Self {
            bytes,
            range,
            element: PhantomData,
        })
    }
}

impl<T: AnyBitPattern> Deref for Slab<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let whole: &[u8] = (*self.bytes).as_ref();
        bytemuck::cast_slice(&whole[self.range.clone()])
    }
}

impl<T> Clone for Slab<T> {
    fn clone(&self) -> Self {
        Self {
            bytes: self.bytes.clone(),
            range: self.range.clone(),
            element: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Slab<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slab")
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

/// A tensor's bytes where they lie in the file; `Clone`, `'static`.
#[derive(Clone, Debug)]
pub struct Blob(pub(crate) Slab<u8>);

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Deref for Blob {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Slab;
    use crate::bytes::AlignedBytes;

    #[test]
    fn construction_checks_range_alignment_and_size() {
        let bytes: crate::SharedBytes = Arc::new(AlignedBytes::new(64));
        assert_eq!(Slab::<f32>::new(bytes.clone(), 4..16).unwrap().len(), 3);
        assert!(Slab::<f32>::new(bytes.clone(), 0..68).is_none(), "outside");
        assert!(
            Slab::<f32>::new(bytes.clone(), 2..6).is_none(),
            "misaligned"
        );
        assert!(
            Slab::<f32>::new(bytes.clone(), 0..6).is_none(),
            "half an element"
        );
        assert!(Slab::<i8>::new(bytes, 3..6).is_some());
    }
}
