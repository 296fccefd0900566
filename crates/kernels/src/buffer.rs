//! Numbers that begin with a cache line.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// Bytes from which a buffer counts as large.
const LARGE: usize = 16 << 10;

/// Bytes that a large buffer begins with.
const GENEROUS: usize = 256 << 10;

/// A buffer to be used again: it grows and keeps its memory. Its first number lies at the start of a
/// cache line, so that rows of whole lines are read and written without touching their neighbours'
/// (vectors that straddle two lines cost twice).
#[derive(Default)]
pub struct Buffer<T> {
    /// As long as the buffer has ever been, from its first number on.
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
        let capacity = self.memory.capacity().saturating_sub(Self::LINE);
        if len > capacity {
            // Twice as large at least, so that a buffer that grows step by step is not moved at
            // each; to a coarse size, so that steps that differ little need no new memory.
            let grain = len.next_power_of_two() / 8;
            let coarse = len.next_multiple_of(grain.max(Self::LINE));
            let room = coarse.max(2 * capacity).max(Self::least_room(len)) + Self::LINE;
            // Where it lies if there is room behind it, which leaves no hole in the heap.
            self.memory.reserve_exact(room - self.memory.len());
            let start = self.memory.as_ptr().align_offset(LINE).min(Self::LINE);
            if start != self.start {
                let numbers = self.start..self.start + self.len;
                self.reach(start + self.len);
                self.memory.copy_within(numbers, start);
                self.start = start;
            }
        }
        self.reach(self.start + len);
        self.len = len;
    }

    /// Large buffers ask for more than they need where the system gives no page before it is
    /// written: then they hardly ever move, and leave no holes in the heap.
    const fn least_room(len: usize) -> usize {
        if cfg!(target_family = "wasm") || len * size_of::<T>() < LARGE {
            len
        } else {
            GENEROUS / size_of::<T>()
        }
    }

    /// Fills the memory up to `end`. What lies behind has not been touched yet, so that the system
    /// need not have given it.
    fn reach(&mut self, end: usize) {
        if self.memory.len() < end {
            self.memory.resize(end, T::default());
        }
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
            places.insert((buffer.memory.capacity(), buffer.as_ptr()));
        }
        assert!(places.len() < 40, "{} moves", places.len());
    }
}
