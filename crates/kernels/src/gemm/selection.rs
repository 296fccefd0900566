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
