//! The largest logits of a row, and what turns logits into log-probabilities.
//!
//! The row is cut into blocks and the maximum of each is kept. At least `count` numbers reach the
//! count-th largest of these maxima, so that only blocks reaching it need a second look: of a
//! vocabulary of thousands, little more than `count` blocks.

use crate::Kernels;
use crate::isa::Task;
use crate::simd::{LANES, Simd, WIDE};
use crate::softmax::{max_of, sum_exp};

/// Most blocks of a row.
const BLOCKS: usize = 128;
/// Most block maxima to order; for more, every block is looked at.
const MOST: usize = 32;

impl Kernels {
    /// [`Self::log_sum_exp`] of a row, and its `count` largest numbers with their places, largest
    /// first, the lower place first when equal. Places in `excluded` and NaN are left out of `best`,
    /// but not of the sum.
    pub fn log_sum_exp_top(
        self,
        row: &[f32],
        count: usize,
        excluded: &[u32],
        best: &mut Vec<(u32, f32)>,
    ) -> (f32, f32) {
        best.clear();
        let (max, sum) = self.run(Top {
            row,
            count,
            excluded,
            best,
        });
        (max, libm::logf(sum))
    }
}

struct Top<'a> {
    row: &'a [f32],
    count: usize,
    excluded: &'a [u32],
    best: &'a mut Vec<(u32, f32)>,
}

impl Task for Top<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (f32, f32) {
        let Top {
            row,
            count,
            excluded,
            best,
        } = self;
        let block_len = row
            .len()
            .div_ceil(BLOCKS)
            .next_multiple_of(WIDE * LANES)
            .max(WIDE * LANES);
        let mut maxima = [f32::NEG_INFINITY; BLOCKS];
        let mut max = f32::NEG_INFINITY;
        for (block, maximum) in row.chunks(block_len).zip(&mut maxima) {
            *maximum = max_of(simd, block);
            max = if *maximum > max { *maximum } else { max };
        }
        // An excluded number may be the maximum of its block.
        let least = nth_largest(&maxima, count + excluded.len());
        for (number, block) in row.chunks(block_len).enumerate() {
            if maxima[number] >= least {
                for (chunk, values) in block.chunks(LANES).enumerate() {
                    let x = simd.load_part(values, f32::NEG_INFINITY);
                    // Without NaN.
                    let x = simd.max(x, simd.splat(f32::NEG_INFINITY));
                    if simd.max_lane(x) >= least {
                        let first = number * block_len + chunk * LANES;
                        insert(values, first, count, excluded, best);
                    }
                }
            }
        }
        let max = max + 0.0;
        (max, sum_exp(simd, row, max))
    }
}

/// Keeps the `count` largest of what is in `best` and of `values`, whose places start at `first`.
fn insert(
    values: &[f32],
    first: usize,
    count: usize,
    excluded: &[u32],
    best: &mut Vec<(u32, f32)>,
) {
    for (place, &value) in (first as u32..).zip(values) {
        let enters = best.len() < count || best.last().is_some_and(|&(_, last)| value > last);
        if enters && !value.is_nan() && !excluded.contains(&place) {
            let rank = best.partition_point(|&(_, other)| other >= value);
            best.truncate(count - 1);
            best.insert(rank, (place, value));
        }
    }
}

/// The n-th largest number, -inf if there are fewer.
fn nth_largest(numbers: &[f32; BLOCKS], n: usize) -> f32 {
    if n == 0 || n > MOST {
        return f32::NEG_INFINITY;
    }
    let mut largest = [f32::NEG_INFINITY; MOST];
    for &number in numbers {
        if number > largest[n - 1] {
            let mut rank = n - 1;
            while rank > 0 && largest[rank - 1] < number {
                largest[rank] = largest[rank - 1];
                rank -= 1;
            }
            largest[rank] = number;
        }
    }
    largest[n - 1]
}
