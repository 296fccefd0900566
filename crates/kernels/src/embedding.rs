//! Rows of int8 embedding tables.

use crate::gemm::PANEL;
use crate::isa::Task;
use crate::simd::{LANES, Simd};
use crate::{Kernels, PackedWeights};

impl Kernels {
    /// `out += row · scale`, one row of a row-major int8 table.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn dequantize_row(self, row: &[i8], scale: f32, out: &mut [f32]) {
        assert_eq!(
            row.len(),
            out.len(),
            "embedding row and output differ in length"
        );
        self.run(AddRow { row, scale, out });
    }

    /// `out += row n of a packed table · its scale · factor`: the embedding side of a table that is
    /// stored as output weights.
    ///
    /// # Panics
    /// If `n` is not an output or `out` is not `k` long.
    pub fn dequantize_packed_row(
        self,
        table: PackedWeights<'_>,
        n: usize,
        factor: f32,
        out: &mut [f32],
    ) {
        assert!(n < table.n(), "row {n} of a table of {}", table.n());
        assert_eq!(
            out.len(),
            table.k(),
            "embedding row and output differ in length"
        );
        let scale = table.scale()[n] * factor;
        let first = table.packed_index(n, 0);
        let weights = table.data().get(first..).unwrap_or_default();
        let mut groups = weights.as_chunks::<4>().0.iter().step_by(PANEL);
        let add = |(out, &w): (&mut f32, &i8)| *out += f32::from(w) * scale;
        let (outs, rest) = out.as_chunks_mut::<4>();
        for (out, group) in outs.iter_mut().zip(groups.by_ref()) {
            out.iter_mut().zip(group).for_each(add);
        }
        if let Some(group) = groups.next() {
            rest.iter_mut().zip(group).for_each(add);
        }
    }
}

struct AddRow<'a> {
    row: &'a [i8],
    scale: f32,
    out: &'a mut [f32],
}

impl Task for AddRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let scale = simd.splat(self.scale);
        let (rows, row_rest) = self.row.as_chunks::<LANES>();
        let (outs, out_rest) = self.out.as_chunks_mut::<LANES>();
        for (row, out) in rows.iter().zip(outs) {
            let row = simd.mul(simd.to_f32(simd.load_i8(row)), scale);
            simd.store(simd.add(simd.load(out), row), out);
        }
        for (&w, out) in row_rest.iter().zip(out_rest) {
            *out += f32::from(w) * self.scale;
        }
    }
}
