//! A narrower residual stream: the least important channels are taken out of every table, layer
//! norm and matrix.

use std::collections::BTreeMap;

use csanmt_format::layout::{Role, variables};

use super::PruneError;
use crate::weights::Weights;

/// Keeps the `hidden` most important channels of the residual stream. Heads keep their size, so
/// the new width must be a multiple of it, and no layer may have more heads than then fit; other
/// widths stay.
///
/// Layer norms average over all channels, so unlike heads and neurons no channel is without
/// effect: the model must be trained afterwards.
///
/// # Errors
/// When the width is impossible or a layer has too many heads.
pub(crate) fn keep_channels(weights: &Weights, hidden: usize) -> Result<Weights, PruneError> {
    let old = weights.config();
    let (found, head) = (old.hidden_size, old.head_size());
    if hidden == found {
        return Ok(weights.clone());
    }
    if hidden == 0 || hidden > found || !hidden.is_multiple_of(head) {
        return Err(PruneError::Hidden {
            asked: hidden,
            found,
            head,
        });
    }
    let mut config = old.clone();
    (config.hidden_size, config.num_heads) = (hidden, hidden / head);
    config.widths = Some(old.all_widths());
    config
        .validate()
        .map_err(crate::weights::WeightsError::from)?;
    let kept = best_channels(weights, hidden);
    let mut tensors = BTreeMap::new();
    for (before, after) in variables(old).into_iter().zip(variables(&config)) {
        // All other widths are the same, so an axis that changed is the residual stream.
        let axes = before.shape.iter().zip(&after.shape);
        let narrowed: Vec<bool> = axes.map(|(before, after)| before != after).collect();
        let mut values = select(
            weights.tensor(&before.name),
            &before.shape,
            &narrowed,
            &kept,
        );
        if matches!(before.role, Role::OutputTable | Role::RowTable) {
            // Embeddings are multiplied with √H and logits are sums over H.
            let factor = (found as f32 / hidden as f32).sqrt();
            values.iter_mut().for_each(|value| *value *= factor);
        }
        tensors.insert(before.name, values);
    }
    Ok(weights.with_tensors(config, tensors)?)
}

/// Channels by the magnitude of the weights that read them, every matrix counting the same.
fn best_channels(weights: &Weights, count: usize) -> Vec<usize> {
    let hidden = weights.config().hidden_size;
    let mut ratings = vec![0f64; hidden];
    for variable in variables(weights.config()) {
        let values = weights.tensor(&variable.name);
        let squares: Vec<f64> = match (variable.role, &variable.shape[..]) {
            // Rows are the inputs; layers that write to the stream have other inputs.
            (Role::Linear, &[inputs, outputs]) if inputs == hidden && reads(&variable.name) => {
                let rows = values.chunks_exact(outputs);
                rows.map(|row| row.iter().map(|&w| f64::from(w).powi(2)).sum())
                    .collect()
            }
            (Role::OutputTable | Role::RowTable, _) => {
                let mut squares = vec![0f64; hidden];
                for row in values.chunks_exact(hidden) {
                    for (square, &w) in squares.iter_mut().zip(row) {
                        *square += f64::from(w).powi(2);
                    }
                }
                squares
            }
            _ => continue,
        };
        let sum = squares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        for (rating, square) in ratings.iter_mut().zip(squares) {
            *rating += square / sum;
        }
    }
    let mut channels: Vec<usize> = (0..hidden).collect();
    channels.sort_by(|&a, &b| ratings[b].total_cmp(&ratings[a]).then(a.cmp(&b)));
    channels.truncate(count);
    channels.sort_unstable();
    channels
}

/// Whether the inputs of a linear layer are the residual stream. The others may be as wide.
fn reads(name: &str) -> bool {
    !name.contains("output_transform") && !name.contains("output_layer")
}

/// The kept numbers along every axis that is narrowed.
fn select(values: &[f32], shape: &[usize], narrowed: &[bool], kept: &[usize]) -> Vec<f32> {
    let (rows, columns) = match *shape {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => (1, values.len()),
    };
    let numbers = |len: usize, narrow: bool| -> Vec<usize> {
        if narrow {
            kept.to_vec()
        } else {
            (0..len).collect()
        }
    };
    let narrow_rows = narrowed.len() == 2 && narrowed[0];
    let narrow_columns = narrowed.last() == Some(&true);
    let columns_kept = numbers(columns, narrow_columns);
    numbers(rows, narrow_rows)
        .into_iter()
        .flat_map(|row| {
            let row = &values[row * columns..(row + 1) * columns];
            columns_kept.iter().map(move |&column| row[column])
        })
        .collect()
}
