//! The two sums of attention: products of a query with many rows, and weighted sums of rows.

use crate::dense::dot;
use crate::simd::{LANES, Simd};

/// `out[j] = q · row(j)`; all rows as long as `q`.
#[inline(always)]
pub(super) fn dots<'a, S: Simd>(
    simd: S,
    q: &[f32],
    row: impl Fn(usize) -> &'a [f32],
    out: &mut [f32],
) {
    let (blocks, rest) = out.as_chunks_mut::<8>();
    let mut j = 0;
    for out in blocks {
        let mut sums = [simd.fold(simd.splat(0.0)); 8];
        if S::SUMS >= 4 {
            dots_of_rows::<S, 4>(simd, q, &row, j, &mut sums);
        } else {
            dots_of_rows::<S, 2>(simd, q, &row, j, &mut sums);
        }
        simd.sum8(&sums, out);
        j += 8;
    }
    for (i, out) in rest.iter_mut().enumerate() {
        *out = dot(simd, q, row(j + i));
    }
}

/// The products of rows `j..j + 8` with the query, `R` rows at a time, summed down to eight lanes.
#[inline(always)]
fn dots_of_rows<'a, S: Simd, const R: usize>(
    simd: S,
    q: &[f32],
    row: &impl Fn(usize) -> &'a [f32],
    j: usize,
    out: &mut [S::H; 8],
) {
    let (q_chunks, q_rest) = q.as_chunks::<LANES>();
    for (group, out) in out.as_chunks_mut::<R>().0.iter_mut().enumerate() {
        let mut rows = [&[][..]; R];
        for i in 0..R {
            rows[i] = &row(j + group * R + i)[..q.len()];
        }
        let mut sums = [simd.splat(0.0); R];
        for (c, q) in q_chunks.iter().enumerate() {
            let q = simd.load(q);
            for i in 0..R {
                sums[i] = simd.add(sums[i], simd.mul(q, simd.load(&rows[i].as_chunks().0[c])));
            }
        }
        if !q_rest.is_empty() {
            let q = simd.load_part(q_rest, 0.0);
            for i in 0..R {
                let key = simd.load_part(rows[i].as_chunks::<LANES>().1, 0.0);
                sums[i] = simd.add(sums[i], simd.mul(q, key));
            }
        }
        for i in 0..R {
            out[i] = simd.fold(sums[i]);
        }
    }
}

/// `out += Σ_j weights[j] · row(j)`, in the order of j; all rows as long as `out`.
#[inline(always)]
pub(super) fn add_weighted<'a, S: Simd>(
    simd: S,
    weights: &[f32],
    row: impl Fn(usize) -> &'a [f32],
    out: &mut [f32],
) {
    let mut first = 0;
    while S::SUMS >= 4 && out.len() - first >= 4 * LANES {
        add_columns::<S, 4>(simd, weights, &row, first, out);
        first += 4 * LANES;
    }
    while S::SUMS < 4 && out.len() - first >= 2 * LANES {
        add_columns::<S, 2>(simd, weights, &row, first, out);
        first += 2 * LANES;
    }
    while out.len() - first >= LANES {
        add_columns::<S, 1>(simd, weights, &row, first, out);
        first += LANES;
    }
    for out in out[first..].chunks_mut(LANES) {
        let mut sum = simd.load_part(out, 0.0);
        for (j, &weight) in weights.iter().enumerate() {
            let row = simd.load_part(&row(j)[first..first + out.len()], 0.0);
            sum = simd.add(sum, simd.mul(simd.splat(weight), row));
        }
        simd.store_part(sum, out);
        first += out.len();
    }
}

/// [`add_weighted`] for `V` vectors of columns from column `first` on, summed in registers.
#[inline(always)]
fn add_columns<'a, S: Simd, const V: usize>(
    simd: S,
    weights: &[f32],
    row: &impl Fn(usize) -> &'a [f32],
    first: usize,
    out: &mut [f32],
) {
    let out = out[first..first + V * LANES].as_chunks_mut::<LANES>().0;
    let mut sums = [simd.splat(0.0); V];
    for i in 0..V {
        sums[i] = simd.load(&out[i]);
    }
    for (j, &weight) in weights.iter().enumerate() {
        let row = row(j)[first..first + V * LANES].as_chunks::<LANES>().0;
        let weight = simd.splat(weight);
        for i in 0..V {
            sums[i] = simd.add(sums[i], simd.mul(weight, simd.load(&row[i])));
        }
    }
    for i in 0..V {
        simd.store(sums[i], &mut out[i]);
    }
}
