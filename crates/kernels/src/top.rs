//! The largest numbers of a row, and what turns its numbers into log-probabilities, in one pass: the
//! row need not exist as a whole.
//!
//! The exponentials of a row must be taken of differences to about its maximum, which is not known
//! before the end. They are taken of differences to a number that at first is the maximum of the
//! first sixteen and is raised when a number exceeds it by more than [`RISE`].

use crate::Kernels;
use crate::exp::exp_term;
use crate::isa::Task;
use crate::simd::scalar::Scalar;
use crate::simd::{LANES, Simd};

/// Exponentials are of numbers up to this: e^32 times the longest row is far below the largest f32.
const RISE: f32 = 32.0;

/// The largest numbers of the part of a row that has been seen, and the sum of the exponentials of
/// all of that part.
#[derive(Clone, Debug)]
pub struct Top {
    count: usize,
    excluded: Vec<u32>,
    /// Place and number, largest first.
    best: Vec<(u32, f32)>,
    /// Only numbers above this can enter `best`.
    least: f32,
    /// What is subtracted before the exponential.
    shift: f32,
    /// `Σ exp(x - shift)` over places that are equal modulo sixteen.
    sum: [f32; LANES],
}

impl Default for Top {
    fn default() -> Self {
        Self {
            count: 1,
            excluded: Vec::new(),
            best: Vec::new(),
            least: f32::NEG_INFINITY,
            shift: f32::MIN,
            sum: [0.0; LANES],
        }
    }
}

impl Top {
    /// Begins a row, of which the `count` largest numbers are wanted, at least one. Those at places in
    /// `excluded` are no candidates, but count in the sum.
    pub fn start(&mut self, count: usize, excluded: impl IntoIterator<Item = u32>) {
        self.count = count.max(1);
        self.excluded.clear();
        self.excluded.extend(excluded);
        self.best.clear();
        self.best.reserve(self.count);
        self.least = f32::NEG_INFINITY;
        self.shift = f32::MIN;
        self.sum = [0.0; LANES];
    }

    /// How many numbers are wanted.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Places and numbers, the largest first, the lower place first when equal; without NaN and -inf.
    #[must_use]
    pub fn best(&self) -> &[(u32, f32)] {
        &self.best
    }

    /// Gives the places other names, as when the row was a selection of a longer one. The order stays.
    pub fn rename(&mut self, name: impl Fn(u32) -> u32) {
        for (place, _) in &mut self.best {
            *place = name(*place);
        }
    }

    /// `(shift, ln Σ exp(x - shift))`, so that `log_softmax(x) = (x - shift) - ln_sum`.
    #[must_use]
    pub fn log_sum_exp(&self) -> (f32, f32) {
        (self.shift, libm::logf(Scalar.sum(self.sum)))
    }

    /// Takes the next `P` times sixteen numbers, which begin at place `first`; -inf where there are
    /// fewer. In any groups the same result.
    #[inline(always)]
    pub(crate) fn take<S: Simd, const P: usize>(&mut self, simd: S, x: [S::F; P], first: usize) {
        let least = simd.splat(self.least);
        let mut some_enter = false;
        for x in x {
            some_enter |= simd.any_greater(x, least);
        }
        let mut sum = simd.load(&self.sum);
        for (p, x) in x.into_iter().enumerate() {
            if some_enter
                && simd.any_greater(x, simd.splat(self.least))
                && let Some(shift) = self.enter(&simd.to_array(x), first + p * LANES)
            {
                let factor = exp_term(simd, simd.splat(self.shift - shift));
                sum = simd.mul(sum, factor);
                self.shift = shift;
            }
            sum = simd.add(sum, exp_term(simd, simd.sub(x, simd.splat(self.shift))));
        }
        simd.store(sum, &mut self.sum);
    }

    /// Keeps the largest of what is in `best` and of `values`; the new shift when it has to change.
    /// What makes it change is larger than `least`: nothing in `best` exceeds the shift by so much.
    #[inline(never)]
    fn enter(&mut self, values: &[f32; LANES], first: usize) -> Option<f32> {
        let mut max = self.shift;
        let mut larger = 0u32;
        for (lane, &value) in values.iter().enumerate() {
            larger |= u32::from(value > self.least) << lane;
        }
        while larger != 0 {
            let lane = larger.trailing_zeros() as usize % LANES;
            larger &= larger - 1;
            let (place, value) = ((first + lane) as u32, values[lane]);
            max = if value > max { value } else { max };
            if value > self.least && !self.excluded.contains(&place) {
                self.best.truncate(self.count - 1);
                let after = self.best.iter().rposition(|&(_, other)| other >= value);
                self.best.insert(after.map_or(0, |i| i + 1), (place, value));
                if let Some(&(_, least)) = self.best.get(self.count - 1) {
                    self.least = least;
                }
            }
        }
        (max > self.shift + RISE).then_some(max)
    }
}

impl Kernels {
    /// Gives all numbers of a row to `top`, which has been started.
    pub fn top_of_row(self, row: &[f32], top: &mut Top) {
        self.run(Row { row, top });
    }
}

struct Row<'a> {
    row: &'a [f32],
    top: &'a mut Top,
}

impl Task for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (chunks, rest) = self.row.as_chunks::<LANES>();
        for (number, x) in chunks.iter().enumerate() {
            self.top.take(simd, [simd.load(x)], number * LANES);
        }
        if !rest.is_empty() {
            let x = simd.load_part(rest, f32::NEG_INFINITY);
            self.top.take(simd, [x], chunks.len() * LANES);
        }
    }
}
