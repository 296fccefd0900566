//! The product of which only the largest results of each row are wanted, and the sum of their
//! exponentials: the output layer. Nothing is stored, so that the exponentials of some outputs are
//! computed while the weights of the next ones arrive.

use super::blocked::{Finish, Sums, product};
use super::{PANEL, PackedWeights};
use crate::isa::Task;
use crate::simd::Simd;
use crate::{Kernels, QuantizedRows, Top};

impl Kernels {
    /// Gives the outputs `a · wᵀ` of each row to its `Top`, which has been started.
    ///
    /// # Panics
    /// If `a` has another k than `w`, or `tops` are not as many as its rows.
    pub fn top_of_product(self, a: &QuantizedRows, w: PackedWeights<'_>, tops: &mut [Top]) {
        assert_eq!(
            (a.k(), a.rows()),
            (w.k, tops.len()),
            "activations have other columns and rows than the weights and `tops` expect"
        );
        self.run(TopOfProduct { a, w, tops });
    }
}

struct TopOfProduct<'a> {
    a: &'a QuantizedRows,
    w: PackedWeights<'a>,
    tops: &'a mut [Top],
}

impl Task for TopOfProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        product(simd, self.a, self.w, Tops(self.tops));
    }
}

struct Tops<'a>(&'a mut [Top]);

impl Finish for Tops<'_> {
    #[inline(always)]
    fn bias(&self) -> Option<&[f32]> {
        None
    }

    /// The padding of a panel is -inf, see [`super::Panel::EMPTY`].
    #[inline(always)]
    fn finish<S: Simd>(&mut self, simd: S, sums: Sums<'_>) {
        const STRIP: usize = 2 * PANEL;
        match sums.columns.outputs {
            STRIP => self.take::<S, 2, false>(simd, sums),
            ..=PANEL => self.take::<S, 1, true>(simd, sums),
            _ => self.take::<S, 2, true>(simd, sums),
        }
    }
}

impl Tops<'_> {
    #[inline(always)]
    fn take<S: Simd, const P: usize, const PADDED: bool>(&mut self, simd: S, sums: Sums<'_>) {
        let (first, columns) = (sums.first_row, sums.columns);
        let panels: [_; P] = std::array::from_fn(|p| columns.dequantize(simd, p));
        for (r, top) in self.0[first..][..sums.rows()].iter_mut().enumerate() {
            columns.prefetch(simd, first + r);
            let (zero, scale) = sums.row(simd, r);
            let y = std::array::from_fn(|p| {
                let acc = &sums.acc[p][r];
                if PADDED {
                    panels[p].row(simd, acc, zero, scale)
                } else {
                    panels[p].row_without_bias(simd, acc, zero, scale)
                }
            });
            top.take::<S, P>(simd, y, columns.first);
        }
    }
}
