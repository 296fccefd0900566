//! Some outputs of a packed matrix, packed anew, so that a product computes only those.

use super::{PANEL, PackedWeights, STEP_BYTES};
use crate::Buffer;

/// Bytes of one output in a step of four inputs.
const GROUP: usize = STEP_BYTES / PANEL;

/// Chosen outputs of a matrix. It is filled again and again and keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    data: Buffer<i8>,
    scale: Vec<f32>,
    colsum: Vec<i32>,
    k: usize,
}

impl Selection {
    /// Copies the given outputs of `w`, in their order.
    ///
    /// # Panics
    /// If `w` has no such output.
    pub fn choose(&mut self, w: PackedWeights<'_>, outputs: &[u32]) {
        let steps = w.k.div_ceil(GROUP);
        self.k = w.k;
        self.scale.clear();
        self.colsum.clear();
        self.data
            .resize(PackedWeights::packed_len(outputs.len(), w.k));
        let panels = self.data.chunks_exact_mut((steps * STEP_BYTES).max(1));
        for (panel, outputs) in panels.zip(outputs.chunks(PANEL)) {
            if outputs.len() < PANEL {
                panel.fill(0);
            }
            for (place, &output) in outputs.iter().enumerate() {
                let output = output as usize;
                self.scale.push(w.scale[output]);
                self.colsum.push(w.colsum[output]);
                let from = &w.data[w.packed_index(output, 0)..];
                let from = from.as_chunks::<GROUP>().0.iter().step_by(PANEL);
                let to = &mut panel[place * GROUP..];
                let to = to.as_chunks_mut::<GROUP>().0.iter_mut().step_by(PANEL);
                to.zip(from).for_each(|(to, from)| *to = *from);
            }
        }
    }

    /// The chosen outputs as a matrix of their own.
    #[must_use]
    pub fn weights(&self) -> PackedWeights<'_> {
        PackedWeights {
            data: &self.data,
            n: self.scale.len(),
            k: self.k,
            scale: &self.scale,
            colsum: &self.colsum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Selection;
    use crate::{Epilogue, Kernels, PackedWeights, QuantizedRows};

    #[test]
    fn chosen_outputs_are_those_of_the_whole_product() {
        let kernels = Kernels::detect();
        let mut selection = Selection::default();
        // More and fewer outputs than before, whole panels and parts of one, k of every remainder.
        for (n, k) in [(40, 7), (100, 64), (17, 33), (16, 4)] {
            let mut data = vec![0i8; PackedWeights::packed_len(n, k)];
            let scale: Vec<f32> = (0..n).map(|i| 0.01 + i as f32 / 900.0).collect();
            let mut colsum = vec![0; n];
            for i in 0..n * k {
                let weights = PackedWeights::new(&data, n, k, &scale, &colsum).unwrap();
                let at = weights.packed_index(i / k, i % k);
                data[at] = ((i * 89 + 31) % 255) as u8 as i8 ^ i8::MIN.wrapping_add(1);
                data[at] = data[at].max(-127);
                colsum[i / k] += i32::from(data[at]);
            }
            let weights = PackedWeights::new(&data, n, k, &scale, &colsum).unwrap();
            let x: Vec<f32> = (0..3 * k).map(|i| (i as f32 * 0.37).sin()).collect();
            let mut a = QuantizedRows::default();
            kernels.quantize_rows(&x, k, &mut a);
            let product = |weights: PackedWeights<'_>| {
                let mut out = vec![0.0; 3 * weights.n()];
                kernels.linear_i8(&a, weights, Epilogue::Store { bias: None }, &mut out);
                out
            };
            let all = product(weights);
            for step in [1, 3, 16] {
                let outputs: Vec<u32> = (0..n as u32).rev().step_by(step).collect();
                selection.choose(weights, &outputs);
                let some = product(selection.weights());
                for row in 0..3 {
                    let expected = outputs.iter().map(|&output| all[row * n + output as usize]);
                    let found = some[row * outputs.len()..][..outputs.len()].iter();
                    assert!(found.copied().eq(expected), "{n} x {k}, every {step}th");
                }
            }
        }
    }
}
