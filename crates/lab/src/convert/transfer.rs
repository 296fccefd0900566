//! The variables on their way from the checkpoint to the model file.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use csanmt_format::int8::{Order, PackError, pack, quantize_row, take_peaks};
use csanmt_format::layout::{Role, Variable};
use csanmt_format::{ElementType, ModelWriter, TensorSpec, WriteError};

use super::SCOPE;
use super::error::ConvertError;
use crate::checkpoint::Checkpoint;

/// Bytes of numbers as the file has them.
fn little_endian<T, const N: usize>(
    values: impl IntoIterator<Item = T>,
    bytes: impl Fn(T) -> [u8; N],
) -> Vec<u8> {
    values.into_iter().flat_map(bytes).collect()
}

/// Carries variables from the checkpoint to the model file.
pub(crate) struct Transfer<'a, W> {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) writer: ModelWriter<'a, W>,
    /// The variable at hand.
    pub(crate) buffer: Vec<f32>,
    pub(crate) out: &'a Path,
}

impl<W: Write> Transfer<'_, W> {
    /// Everything f32, byte by byte.
    pub(crate) fn float(&mut self, variable: &Variable) -> Result<(), ConvertError> {
        let Self {
            checkpoint,
            writer,
            out,
            ..
        } = self;
        let name = format!("{SCOPE}{}", variable.name);
        checkpoint.copy(&name, &variable.shape, |bytes| {
            writer
                .write(&variable.name, bytes)
                .map_err(|error| ConvertError::writing(out.to_path_buf(), error))
        })
    }

    /// Matrices and tables as int8 first, then the rest, each companion in its place. `stored`
    /// lists the tensors of every variable.
    pub(crate) fn int8(
        &mut self,
        variables: &[Variable],
        stored: &[Vec<TensorSpec>],
    ) -> Result<(), ConvertError> {
        let mut companions: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for variable in variables {
            match variable.role {
                Role::Linear | Role::OutputTable => self.matrix(variable, &mut companions)?,
                Role::RowTable => self.rows(variable, &mut companions)?,
                Role::Bias | Role::Norm | Role::RelativeTable => {}
            }
        }
        self.buffer = Vec::new();
        for (variable, stored) in variables.iter().zip(stored) {
            if stored[0].dtype == ElementType::F32 {
                self.float(variable)?;
            }
            for companion in &stored[1..] {
                let bytes = companions.remove(&companion.name).unwrap_or_default();
                self.writer
                    .write(&companion.name, &bytes)
                    .map_err(self.writing())?;
            }
        }
        Ok(())
    }

    fn matrix(
        &mut self,
        variable: &Variable,
        companions: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), ConvertError> {
        let Variable {
            name, shape, role, ..
        } = variable;
        let Some((k, n)) = variable.matrix_size() else {
            return Ok(());
        };
        self.checkpoint
            .read(&format!("{SCOPE}{name}"), shape, &mut self.buffer)?;
        let (order, peaks) = if *role == Role::Linear {
            (Order::InOut, take_peaks(&mut self.buffer, n))
        } else {
            (Order::OutIn, Vec::new())
        };
        let writer = &mut self.writer;
        let packed = pack(&self.buffer, k, n, order, |panel| {
            writer.write(name, bytemuck::cast_slice(panel))
        });
        let packed = packed.map_err(|error| match error {
            PackError::NotFinite(at) => ConvertError::NotFinite {
                name: format!("{SCOPE}{name}"),
                place: match order {
                    Order::InOut => [at.input, at.output],
                    Order::OutIn => [at.output, at.input],
                },
            },
            PackError::Sink(error) => ConvertError::writing(self.out.to_owned(), error),
        })?;
        let mut keep = |suffix: &str, bytes: Vec<u8>| {
            companions.insert(format!("{name}{suffix}"), bytes);
        };
        keep(".scale", little_endian(packed.scale, f32::to_le_bytes));
        keep(".colsum", little_endian(packed.colsum, i32::to_le_bytes));
        let places = peaks
            .iter()
            .flat_map(|peak| [peak.output as i32, peak.input as i32]);
        keep(".peak_place", little_endian(places, i32::to_le_bytes));
        let weights = peaks.iter().map(|peak| peak.weight);
        keep(".peak", little_endian(weights, f32::to_le_bytes));
        Ok(())
    }

    fn rows(
        &mut self,
        variable: &Variable,
        companions: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), ConvertError> {
        let Variable { name, shape, .. } = variable;
        self.checkpoint
            .read(&format!("{SCOPE}{name}"), shape, &mut self.buffer)?;
        let (vocab, hidden) = (shape[0], shape[1]);
        let mut quantized = vec![0i8; hidden];
        let mut scale = Vec::with_capacity(4 * vocab);
        for (row, values) in self.buffer.chunks_exact(hidden).enumerate() {
            let step =
                quantize_row(values, &mut quantized).map_err(|at| ConvertError::NotFinite {
                    name: format!("{SCOPE}{name}"),
                    place: [row, at.input],
                })?;
            scale.extend_from_slice(&step.to_le_bytes());
            let bytes = bytemuck::cast_slice(&quantized);
            self.writer.write(name, bytes).map_err(self.writing())?;
        }
        companions.insert(format!("{name}.scale"), scale);
        Ok(())
    }

    fn writing(&self) -> impl FnOnce(WriteError) -> ConvertError + use<W> {
        let path = self.out.to_owned();
        |error| ConvertError::writing(path, error)
    }
}
