//! Numbers that begin with a cache line.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// A buffer to be used again: it grows and keeps its memory. Its first number lies at the start of a
/// cache line, so that rows of whole lines are read and written without touching their neighbours'
/// (vectors that straddle two lines cost twice).
#[derive(Default)]
pub struct Buffer<T> {
    memory: Vec<T>,
    /// The first number; the ones before it only fill up a cache line.
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Buffer<T> {
    /// Numbers in a line.
    const LINE: usize = LINE / size_of::<T>();

    /// Makes it `len` long. The numbers up to the old length stay; new ones have any value, often an
    /// earlier one: whoever asks for them is about to write them.
    pub fn resize(&mut self, len: usize) {
        let capacity = self.memory.len().saturating_sub(Self::LINE);
        if len > capacity {
            // By half at least, so that a buffer that grows step by step is not copied at each; to
            // a coarse size, so that steps that differ little need no new memory.
            let grain = len.next_power_of_two() / 8;
            let coarse = len.next_multiple_of(grain.max(Self::LINE));
            let room = coarse.max(capacity + capacity / 2) + Self::LINE;
            let mut memory = vec![T::default(); room];
            let start = memory.as_ptr().align_offset(LINE).min(Self::LINE);
            memory[start..start + self.len].copy_from_slice(self);
            (self.memory, self.start) = (memory, start);
        }
        self.len = len;
    }

    /// Holds just these numbers.
    pub fn copy_from(&mut self, numbers: &[T]) {
        self.resize(numbers.len());
        self.copy_from_slice(numbers);
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

impl<T: Copy + Default> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.copy_from(self);
        clone
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::Buffer;

    #[test]
    fn numbers_stay_and_lie_on_a_line() {
        let mut buffer = Buffer::default();
        assert!(buffer.is_empty());
        for len in [3, 17, 16, 1000, 5, 1001, 4000] {
            let kept = buffer.to_vec();
            buffer.resize(len);
            let common = kept.len().min(len);
            assert_eq!(buffer[..common], kept[..common]);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            for (i, number) in buffer.iter_mut().enumerate() {
                *number = (len + i) as f32;
            }
        }
        let clone = buffer.clone();
        assert_eq!(clone[..], buffer[..]);
        assert_eq!(clone.as_ptr() as usize % 64, 0);
    }

    #[test]
    fn growing_step_by_step_moves_rarely() {
        let mut buffer = Buffer::<u8>::default();
        let mut places = std::collections::BTreeSet::new();
        for len in 0..100_000 {
            buffer.resize(len);
            places.insert((buffer.memory.len(), buffer.as_ptr()));
        }
        assert!(places.len() < 40, "{} moves", places.len());
    }
}
