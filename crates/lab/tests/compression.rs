//! Pruning and storing: what is taken out, what is left, and that the engine and candle agree on it.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;

use csanmt_format::layout::{Role, variables};
use csanmt_format::{DecoderWidths, EncoderWidths, ModelConfig, Position, Quantization, Widths};
use csanmt_lab::prune::{Budget, Goal, Importance, Slot, keep_layers, prune, slots};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::weights::{Packing, Weights};
use csanmt_model::{Kernels, Model};
use proptest::prelude::*;
use support::goldens::difference;
use support::{noise, small_config};

fn texts(config: &ModelConfig) -> BTreeMap<&'static str, Vec<u8>> {
    let lines = |size: usize| -> Vec<u8> {
        let lines: String = (1..size).map(|i| format!("token{i}\n")).collect();
        lines.into_bytes()
    };
    BTreeMap::from([
        (csanmt_format::SRC_VOCAB, lines(config.src_vocab_size)),
        (csanmt_format::TRG_VOCAB, lines(config.trg_vocab_size)),
        (csanmt_format::SRC_BPE, b"#version: 0.2\na b</w>\n".to_vec()),
    ])
}

/// Noise of a size at which no layer makes its input much larger.
fn random(config: ModelConfig, seed: u64) -> Weights {
    let values = |number: usize, role: Role, shape: &[usize]| -> Vec<f32> {
        let len = shape.iter().product();
        let noise = noise(seed * 1000 + number as u64, len).into_iter();
        match role {
            Role::Linear => noise.map(|v| v * 1.4 / (shape[0] as f32).sqrt()).collect(),
            Role::Norm => noise.map(|v| 1.0 + 0.3 * v).collect(),
            _ => noise.map(|v| 0.5 * v).collect(),
        }
    };
    let list = variables(&config);
    let tensors = list
        .iter()
        .enumerate()
        .map(|(number, v)| (v.name.clone(), values(number, v.role, &v.shape)));
    let tensors = tensors.collect();
    let texts = texts(&config);
    Weights::new(config, tensors, texts).unwrap()
}

fn config() -> ModelConfig {
    let mut config = small_config();
    (config.hidden_size, config.filter_size, config.num_heads) = (24, 20, 4);
    (config.num_encoder_layers, config.num_decoder_layers) = (3, 2);
    config
}

/// Different widths everywhere.
fn mixed() -> ModelConfig {
    let mut config = config();
    let encoder = |heads, filter| EncoderWidths { heads, filter };
    config.widths = Some(Widths {
        encoder: vec![encoder(1, 7), encoder(4, 20), encoder(3, 1)],
        semantic_encoder: vec![encoder(2, 33)],
        decoder: vec![
            DecoderWidths {
                heads: 2,
                cross_heads: 4,
                augmentation: 5,
                filter: 9,
            },
            DecoderWidths {
                heads: 3,
                cross_heads: 1,
                augmentation: 24,
                filter: 40,
            },
        ],
    });
    config
}

const SENTENCES: [&[u32]; 3] = [&[3, 5, 7, 2, 9], &[11], &[1, 2, 3, 4, 5, 6, 7, 8]];
const TARGETS: [&[u32]; 3] = [&[4, 6, 8], &[1, 2, 3], &[9, 9, 2]];

fn open(weights: &Weights, quantization: Quantization) -> Model {
    let bytes = weights.to_bytes(&Packing::from(quantization)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.safetensors");
    std::fs::write(&path, bytes).unwrap();
    Model::load(&support::open(&path), Kernels::detect()).unwrap()
}

/// Logits of every sentence in the engine.
fn logits(weights: &Weights, quantization: Quantization) -> Vec<f32> {
    let model = open(weights, quantization);
    let mut workspace = model.workspace();
    let logits = model.force(&SENTENCES, &TARGETS, &mut workspace).unwrap();
    logits.concat()
}

fn candle_logits(weights: &Weights) -> Vec<f32> {
    let model = ReferenceModel::from_weights(weights).unwrap();
    let encoded = model.encode(&SENTENCES).unwrap();
    let logits = model.decode_forced(&encoded, &TARGETS).unwrap();
    logits.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn layers_of_different_widths_agree_between_engine_and_candle() {
    for position in [Position::Absolute, Position::Relative] {
        for (pre_norm, post_norm) in [(true, false), (false, true)] {
            let config = ModelConfig {
                position,
                pre_norm,
                post_norm,
                ..mixed()
            };
            let weights = random(config, 1);
            let found = difference(
                &logits(&weights, Quantization::F32),
                &candle_logits(&weights),
            );
            assert!(found <= 1e-4, "{position:?} {pre_norm}: {found}");
        }
    }
}

#[test]
fn files_of_different_widths_are_read_as_written() {
    let weights = random(mixed(), 2);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.safetensors");
    let bytes = weights
        .save(&path, &Packing::from(Quantization::F32))
        .unwrap();
    assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
    let again = Weights::open(&path).unwrap();
    assert_eq!(again.config(), weights.config());
    assert_eq!(again.tensors(), weights.tensors());
    for quantization in Quantization::ALL {
        let found = logits(&weights, quantization);
        let exact = logits(&weights, Quantization::F32);
        let mean =
            |values: &[f32]| values.iter().map(|v| v.abs()).sum::<f32>() / values.len() as f32;
        let errors: Vec<f32> = found.iter().zip(&exact).map(|(a, b)| a - b).collect();
        let share = mean(&errors) / mean(&exact);
        assert!(share < 0.06, "{quantization:?}: {share}");
        assert_eq!(share == 0.0, quantization == Quantization::F32);
    }
}

/// Widths that do not fit are named.
#[test]
fn impossible_widths_are_refused() {
    let message = |change: &dyn Fn(&mut Widths)| {
        let mut config = mixed();
        change(config.widths.as_mut().unwrap());
        config.validate().unwrap_err().to_string()
    };
    assert!(message(&|w| w.encoder[0].heads = 5).contains("widths.heads is 5, expected 1 to 4"));
    assert!(message(&|w| w.decoder[1].filter = 0).contains("widths.filter is 0"));
    assert!(message(&|w| w.decoder[1].cross_heads = 0).contains("widths.cross_heads is 0"));
    let short = message(&|w| {
        w.encoder.pop();
    });
    assert!(
        short.contains("widths.encoder is 2 entries, expected 3 layers"),
        "{short}"
    );
}

/// Sets the output of the chosen units of every slot to 0: they then change nothing.
fn silence(weights: &mut Weights, silent: impl Fn(&Slot, usize) -> bool) {
    let hidden = weights.config().hidden_size;
    let slots = slots(weights.config());
    for (name, values) in weights.tensors_mut() {
        for slot in &slots {
            if name == format!("{}/matrix", slot.name()) {
                let unit = values.len() / hidden / slot.units;
                for (row, values) in values.chunks_exact_mut(hidden).enumerate() {
                    if silent(slot, row / unit) {
                        values.fill(0.0);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Units that nobody reads can go, wherever they are, and the outputs stay.
    #[test]
    fn units_without_effect_leave_no_gap(seed in 0u64..1000, heads in 1usize..4, filter in 1usize..20) {
        let mut weights = random(config(), seed);
        // As many as are kept have effect; which ones depends on the slot.
        let kept = |slot: &Slot| if slot.units == 4 { heads } else { filter };
        let loud = |slot: &Slot, unit: usize| {
            (unit * 7 + slot.layer + seed as usize) % slot.units < kept(slot)
        };
        let touched = |slot: &Slot| slot.units != 24;
        silence(&mut weights, |slot, unit| touched(slot) && !loud(slot, unit));
        let l1 = Importance::l1(&weights);
        let budget = Budget::Uniform { heads: Some(heads), filter: Some(filter), semantic: true };
        // The magnitude of what nobody reads is only that of its own inputs.
        let (pruned, report) = prune(&weights, &l1, &budget).unwrap();
        prop_assert_eq!(report.widths.encoder[2], EncoderWidths { heads, filter });
        prop_assert!(report.after.without_tables < report.before.without_tables);
        let silent_ones_went = slots(weights.config()).iter().filter(|s| touched(s)).all(|slot| {
            let matrix = weights.tensor(&format!("{}/matrix", slot.name()));
            let kept = pruned.tensor(&format!("{}/matrix", slot.name()));
            let loud = |values: &[f32]| values.iter().filter(|v| **v != 0.0).count();
            loud(matrix) == loud(kept)
        });
        prop_assume!(silent_ones_went);
        let found = difference(&logits(&pruned, Quantization::F32), &logits(&weights, Quantization::F32));
        prop_assert!(found <= 1e-4, "{}", found);
    }
}

#[test]
fn a_share_is_met_and_each_goal_prefers_other_layers() {
    let weights = random(config(), 3);
    let importance = Importance::l1(&weights);
    let prune = |goal, share| {
        let budget = Budget::Share {
            share,
            goal,
            semantic: false,
        };
        prune(&weights, &importance, &budget)
    };
    let (small, report) = prune(Goal::Size, 0.3).unwrap();
    let left = report.after.without_tables as f64 / report.before.without_tables as f64;
    assert!((0.6..=0.7).contains(&left), "{left}");
    assert_eq!(
        small.config().all_widths().semantic_encoder,
        config().all_widths().semantic_encoder
    );
    let (_, fast) = prune(Goal::Speed, 0.3).unwrap();
    let decoder = |widths: &Widths| -> usize { widths.decoder.iter().map(|w| w.filter).sum() };
    assert!(decoder(&fast.widths) < decoder(&report.widths));
    let error = prune(Goal::Size, 0.99).unwrap_err().to_string();
    assert!(error.contains("99.0 % were asked for"), "{error}");
}

#[test]
fn layers_are_chosen_by_importance_and_renumbered() {
    let mut weights = random(config(), 4);
    for (name, values) in weights.tensors_mut() {
        if name.starts_with("encoder/layer_1/") && name.ends_with("matrix") {
            values.iter_mut().for_each(|v| *v *= 1e-3);
        }
    }
    let importance = Importance::l1(&weights);
    let kept = keep_layers(&weights, &importance, Some(2), None).unwrap();
    assert_eq!(kept.config().num_encoder_layers, 2);
    for (new, old) in [(0, 0), (1, 2)] {
        let name = |layer| format!("encoder/layer_{layer}/ffn_layer/input_layer/linear/matrix");
        assert_eq!(kept.tensor(&name(new)), weights.tensor(&name(old)));
    }
    let found = difference(&logits(&kept, Quantization::F32), &candle_logits(&kept));
    assert!(found <= 1e-4, "{found}");
    assert!(keep_layers(&weights, &importance, Some(4), None).is_err());
    assert!(keep_layers(&weights, &importance, None, Some(0)).is_err());
}
