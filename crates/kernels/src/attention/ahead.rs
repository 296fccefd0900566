//! Fetching keys and values while other queries attend to theirs.

use super::Attention;
use crate::Kernels;
use crate::isa::Task;
use crate::simd::{LANES, Simd};

impl Kernels {
    /// Begins to load the keys and values that a query of `width` numbers will attend to soon: the
    /// hypotheses of a batch have more of them together than the L2 cache holds.
    ///
    /// # Panics
    /// If the rows are not within keys and values.
    pub fn fetch_memory(self, attention: &Attention<'_>, width: usize) {
        self.run(Fetch { attention, width });
    }
}

struct Fetch<'a> {
    attention: &'a Attention<'a>,
    width: usize,
}

impl Task for Fetch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        // Elsewhere there is no such instruction.
        if !cfg!(target_arch = "x86_64") {
            return;
        }
        let Attention {
            heads,
            keys,
            values,
            stride,
            head_stride,
            rows,
            ..
        } = *self.attention;
        let d = self.width / heads;
        for h in 0..heads {
            for j in 0..rows.len() {
                for data in [keys, values] {
                    let row = &data[rows.row(j) * stride + h * head_stride..][..d];
                    // A line of the cache has as many numbers as a vector.
                    for line in row.chunks(LANES) {
                        simd.prefetch_l2(line.as_ptr().cast());
                    }
                }
            }
        }
    }
}
