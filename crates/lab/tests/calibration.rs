//! Calibration of int8: clipping and equalisation change nothing but the rounding errors, and
//! those for the better.
#![allow(clippy::unwrap_used)]

mod support;

use csanmt_format::Quantization;
use csanmt_format::layout::{Role, variables};
use csanmt_lab::quantize::{clip, measure, rounded, smooth};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::Pair;
use csanmt_lab::weights::{Packing, Weights};
use csanmt_model::{Kernels, Model};
use support::goldens::difference;
use support::learned;

fn logits(weights: &Weights, packing: &Packing, pairs: &[Pair]) -> Vec<f32> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.safetensors");
    weights.save(&path, packing).unwrap();
    let model = Model::load(&support::open(&path), Kernels::detect()).unwrap();
    let mut workspace = model.workspace();
    let forced = pairs.iter().flat_map(|pair| {
        let (source, target) = (&[&pair.source[..]], &[&pair.target[..]]);
        let logits = model.force(source, target, &mut workspace).unwrap();
        logits.concat()
    });
    forced.collect()
}

fn square(found: &[f32], exact: &[f32]) -> f64 {
    let pairs = found.iter().zip(exact);
    pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum()
}

/// A model some of whose channels are so many times larger behind every layer norm.
fn uneven(times: f32) -> Weights {
    let mut weights = learned::trained(&learned::begun(learned::config()), 30);
    for (name, values) in weights.tensors_mut() {
        if name.ends_with("layer_norm_scale") && name.contains("/layer_") {
            for channel in [3, 11, 17] {
                values[channel] *= times;
            }
        }
    }
    // What reads them makes up for it, so that the network still does something sensible.
    let hidden = weights.config().hidden_size;
    let list = variables(weights.config());
    let readers: Vec<String> = list
        .into_iter()
        .filter(|v| v.role == Role::Linear && !v.name.contains("output_"))
        .map(|v| v.name)
        .collect();
    for (name, values) in weights.tensors_mut() {
        if readers.iter().any(|reader| reader == name) && !name.contains("pooling") {
            let width = values.len() / hidden;
            for channel in [3, 11, 17] {
                let row = &mut values[channel * width..(channel + 1) * width];
                row.iter_mut().for_each(|w| *w /= times);
            }
        }
    }
    weights
}

#[test]
fn equalisation_keeps_the_network_and_lowers_what_int8_does_to_it() {
    let weights = uneven(40.0);
    let pairs = learned::pairs(&weights);
    let spreads = measure(&weights, &pairs).unwrap();
    let (float, int8) = (
        Packing::from(Quantization::F32),
        Packing::from(Quantization::Int8),
    );
    let exact = logits(&weights, &float, &pairs);
    let plain = square(&logits(&weights, &int8, &pairs), &exact);
    for strength in [0.3, 0.5] {
        let smoothed = smooth(&weights, &spreads, strength).unwrap();
        let same = difference(&logits(&smoothed, &float, &pairs), &exact);
        assert!(same <= 1e-3, "{strength}: {same}");
        let changed = weights.tensor("encoder/layer_0/layer_norm/layer_norm_scale")
            != smoothed.tensor("encoder/layer_0/layer_norm/layer_norm_scale");
        assert!(changed);
        let error = square(&logits(&smoothed, &int8, &pairs), &exact);
        assert!(error < 0.6 * plain, "{strength}: {error}, plain {plain}");
    }
}

#[test]
fn the_spread_of_inputs_is_what_goes_through_the_network() {
    let weights = uneven(40.0);
    let pairs = learned::pairs(&weights);
    let spreads = measure(&weights, &pairs).unwrap();
    let name = "encoder/layer_0/encoder_self_attention/qkv_transform/matrix";
    let spread = &spreads[name];
    assert_eq!(spread.largest.len(), weights.config().hidden_size);
    // A layer norm's output has mean square scale² + offset², up to what channels differ by.
    let large = [3, 11, 17].map(|channel| spread.largest[channel]);
    let others = (0..24).filter(|c| ![3, 11, 17].contains(c));
    let largest_other = others.map(|c| spread.largest[c]).fold(0f32, f32::max);
    assert!(
        large.iter().all(|&l| l > 4.0 * largest_other),
        "{large:?} {largest_other}"
    );
    for (&largest, &energy) in spread.largest.iter().zip(&spread.energy) {
        assert!(energy > 0.0 && energy <= largest * largest * 1.0001);
    }
    // Twice the same sentences have the same maxima and means.
    let twice = measure(&weights, &[&pairs[..], &pairs[..]].concat()).unwrap();
    assert_eq!(twice[name].largest, spread.largest);
    let found = difference(&twice[name].energy, &spread.energy);
    let top = spread.energy.iter().fold(0f32, |m, &e| m.max(e));
    assert!(found <= 1e-4 * top, "{found} of {top}");
}

#[test]
fn clipping_lowers_the_weighted_error_of_every_layer() {
    // Small weights read the large channels, so finer steps are worth cutting off large weights.
    let weights = uneven(100.0);
    let pairs = learned::pairs(&weights);
    let spreads = measure(&weights, &pairs).unwrap();
    let energy = |name: &str| spreads.get(name).map(|spread| spread.energy.clone());
    let plain = Packing::from(Quantization::Int8);
    let clipped = Packing {
        quantization: Quantization::Int8,
        clip: clip(&weights, energy),
    };
    let shares: Vec<f32> = clipped.clip.shares.values().flatten().copied().collect();
    assert!(shares.iter().all(|share| (0.7..=1.0).contains(share)));
    let (mut all_plain, mut all_clipped) = (0.0, 0.0);
    for variable in variables(weights.config()) {
        let Some(energy) = energy(&variable.name).filter(|_| variable.role == Role::Linear) else {
            continue;
        };
        let outputs = variable.shape[1];
        let error = |packing: &Packing| -> f64 {
            let (values, _) = rounded(&weights, &variable, packing).unwrap();
            let exact = weights.tensor(&variable.name).iter().zip(&values);
            exact
                .enumerate()
                .map(|(at, (w, r))| f64::from(w - r).powi(2) * f64::from(energy[at / outputs]))
                .sum()
        };
        let (before, after) = (error(&plain), error(&clipped));
        assert!(
            after <= before * 1.000_001,
            "{}: {after} {before}",
            variable.name
        );
        all_plain += before;
        all_clipped += after;
    }
    assert!(all_clipped < 0.95 * all_plain, "{all_clipped} {all_plain}");
    // What is stored is what was rounded: the engine reads the same.
    let cut = shares.iter().filter(|share| **share < 1.0).count();
    assert!(cut > shares.len() / 20, "{cut} of {}", shares.len());
    assert_ne!(
        logits(&weights, &plain, &pairs),
        logits(&weights, &clipped, &pairs)
    );
}

/// The reference network agrees with the engine on equalised weights too.
#[test]
fn equalised_weights_are_an_ordinary_model() {
    let weights = uneven(40.0);
    let pairs = learned::pairs(&weights);
    let spreads = measure(&weights, &pairs).unwrap();
    let smoothed = smooth(&weights, &spreads, 0.5).unwrap();
    let model = ReferenceModel::from_weights(&smoothed).unwrap();
    let exact = logits(&smoothed, &Packing::from(Quantization::F32), &pairs);
    let mut found = Vec::new();
    for pair in &pairs {
        let encoded = model.encode(&[&pair.source[..]]).unwrap();
        let logits = model.decode_forced(&encoded, &[&pair.target[..]]).unwrap();
        found.extend(logits.flatten_all().unwrap().to_vec1::<f32>().unwrap());
    }
    let apart = difference(&found, &exact);
    assert!(apart <= 1e-4, "{apart}");
}
