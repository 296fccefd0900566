//! Distillation: students of every shape, and that they learn more with a teacher than alone.
#![allow(clippy::unwrap_used)]

mod support;

use csanmt::{AlignedBytes, Guards, Options, Translator};
use csanmt_format::Quantization;
use csanmt_lab::prune::{Importance, taylor};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::{Pair, StudentShape, TrainOptions, Trainer, student, teacher_translations};
use csanmt_lab::weights::{Packing, Weights};
use csanmt_model::{Kernels, Model};
use support::goldens::difference;
use support::learned;

fn teacher() -> Weights {
    learned::trained(&learned::begun(learned::config()), 120)
}

fn candle_logits(weights: &Weights, pair: &Pair) -> Vec<f32> {
    let model = ReferenceModel::from_weights(weights).unwrap();
    let encoded = model.encode(&[&pair.source[..]]).unwrap();
    let logits = model.decode_forced(&encoded, &[&pair.target[..]]).unwrap();
    logits.flatten_all().unwrap().to_vec1().unwrap()
}

/// Mean divergence of the model's distributions from the teacher's, in nats a position.
fn divergence(teacher: &Weights, model: &Weights, pairs: &[Pair]) -> f64 {
    let vocabulary = teacher.config().trg_vocab_size;
    let log_softmax = |row: &[f32]| -> Vec<f64> {
        let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = row.iter().map(|v| f64::from(v - top).exp()).sum();
        row.iter().map(|v| f64::from(v - top) - sum.ln()).collect()
    };
    let (mut sum, mut rows) = (0.0, 0);
    for pair in pairs {
        let (wanted, found) = (candle_logits(teacher, pair), candle_logits(model, pair));
        for (wanted, found) in wanted.chunks(vocabulary).zip(found.chunks(vocabulary)) {
            let (p, q) = (log_softmax(wanted), log_softmax(found));
            sum += p
                .iter()
                .zip(&q)
                .map(|(p, q)| p.exp() * (p - q))
                .sum::<f64>();
            rows += 1;
        }
    }
    sum / f64::from(rows)
}

#[test]
fn a_student_learns_more_of_its_teacher_with_it_than_alone() {
    // Not yet sure of its words, so that there is more in its distributions than in the labels.
    let teacher = learned::trained(&learned::begun(learned::config()), 40);
    let pairs = learned::pairs(&teacher);
    let model = ReferenceModel::from_weights(&teacher).unwrap();
    let importance = taylor(&model, std::slice::from_ref(&pairs), |_| {}).unwrap();
    let shape = StudentShape {
        encoder_layers: Some(1),
        decoder_layers: Some(1),
        filter: Some(16),
        ..StudentShape::default()
    };
    let start = student(&teacher, &importance, &shape).unwrap();
    let (all, less) = (teacher.parameters(), start.parameters());
    assert!(less.without_tables < all.without_tables);
    // It begins with the teacher's own last layer and tables.
    let name = "ffn_layer/output_layer/linear/bias";
    assert_eq!(
        start.tensor(&format!("decoder/layer_0/{name}")),
        teacher.tensor(&format!("decoder/layer_1/{name}"))
    );
    let table = "Target_Embedding/Weights";
    assert_eq!(start.tensor(table), teacher.tensor(table));
    let run = |guide: Option<&Weights>| {
        let options = TrainOptions {
            teacher_share: 0.9,
            ..learned::options()
        };
        let mut trainer = Trainer::new(&start, &pairs, options, None, guide).unwrap();
        for _ in 0..40 {
            trainer.step(&pairs).unwrap();
        }
        divergence(&teacher, &trainer.weights().unwrap(), &pairs)
    };
    let before = divergence(&teacher, &start, &pairs);
    let (guided, alone) = (run(Some(&teacher)), run(None));
    assert!(
        guided < 0.8 * alone && alone < before,
        "guided {guided}, alone {alone}, before {before}"
    );
}

#[test]
fn a_resumed_distillation_equals_an_uninterrupted_one_bit_for_bit() {
    let teacher = teacher();
    let pairs = learned::pairs(&teacher);
    let shape = StudentShape {
        decoder_layers: Some(1),
        ..StudentShape::default()
    };
    let start = student(&teacher, &Importance::l1(&teacher), &shape).unwrap();
    let begin = || Trainer::new(&start, &pairs, learned::options(), None, Some(&teacher)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state");
    let (mut whole, mut first) = (begin(), begin());
    for _ in 0..3 {
        first.step(&pairs).unwrap();
    }
    first.save(&state).unwrap();
    let mut second = Trainer::resume(&state, &start, &pairs, Some(&teacher)).unwrap();
    for _ in 0..3 {
        second.step(&pairs).unwrap();
    }
    for _ in 0..6 {
        whole.step(&pairs).unwrap();
    }
    let (whole, second) = (whole.weights().unwrap(), second.weights().unwrap());
    for (name, values) in whole.tensors() {
        let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(values), bits(second.tensor(name)), "{name}");
    }
}

/// Two of three heads fit into 16 of 24 channels, in every stage.
#[test]
fn a_narrower_student_is_a_model_that_learns() {
    let teacher = teacher();
    let pairs = learned::pairs(&teacher);
    let shape = StudentShape {
        hidden: Some(16),
        encoder_layers: Some(1),
        ..StudentShape::default()
    };
    let start = student(&teacher, &Importance::l1(&teacher), &shape).unwrap();
    let config = start.config();
    assert_eq!(
        (config.hidden_size, config.num_heads, config.head_size()),
        (16, 2, 8)
    );
    let heads = config
        .all_widths()
        .semantic_encoder
        .iter()
        .map(|w| w.heads)
        .max();
    assert_eq!(heads, Some(2));
    assert!(start.parameters().all * 10 < teacher.parameters().all * 8);
    // A column of a table is one of the teacher's, larger by √(24/16), in the teacher's order.
    let table = "Source_Embedding/Weights";
    let column = |weights: &Weights, width: usize, at: usize| -> Vec<f32> {
        weights
            .tensor(table)
            .chunks(width)
            .map(|row| row[at])
            .collect()
    };
    let mut places = Vec::new();
    for at in 0..16 {
        let found = column(&start, 16, at);
        let place = (0..24).find(|&place| {
            let own: Vec<f32> = column(&teacher, 24, place)
                .iter()
                .map(|v| v * 1.5f32.sqrt())
                .collect();
            difference(&own, &found) < 1e-6
        });
        places.push(place.unwrap());
    }
    assert!(
        places.windows(2).all(|pair| pair[0] < pair[1]),
        "{places:?}"
    );
    // The same channels of every norm.
    let norm = "decoder/layer_1/layer_norm_2/layer_norm_scale";
    let own: Vec<f32> = places
        .iter()
        .map(|&place| teacher.tensor(norm)[place])
        .collect();
    assert_eq!(start.tensor(norm), own);

    let bytes = start.to_bytes(&Packing::from(Quantization::F32)).unwrap();
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), bytes).unwrap();
    let model = Model::load(&support::open(path.path()), Kernels::detect()).unwrap();
    for pair in &pairs {
        let mut workspace = model.workspace();
        let logits = model.force(&[&pair.source[..]], &[&pair.target[..]], &mut workspace);
        let apart = difference(&logits.unwrap().concat(), &candle_logits(&start, pair));
        assert!(apart <= 1e-4, "{apart}");
    }

    let options = TrainOptions {
        teacher_share: 0.9,
        ..learned::options()
    };
    let mut trainer = Trainer::new(&start, &pairs, options, None, Some(&teacher)).unwrap();
    let first = trainer.step(&pairs).unwrap().loss;
    let mut last = first;
    for _ in 0..60 {
        last = trainer.step(&pairs).unwrap().loss;
    }
    assert!(last < 0.7 * first, "{first} {last}");
}

#[test]
fn impossible_widths_of_the_stream_are_named() {
    let teacher = learned::begun(learned::config());
    let importance = Importance::l1(&teacher);
    for hidden in [0, 12, 32] {
        let shape = StudentShape {
            hidden: Some(hidden),
            ..StudentShape::default()
        };
        let error = student(&teacher, &importance, &shape)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("hidden size {hidden}: expected a multiple of")),
            "{error}"
        );
    }
}

#[test]
fn translations_of_the_teacher_are_those_of_its_int8_form() {
    let teacher = teacher();
    let bytes = teacher
        .to_bytes(&Packing::from(Quantization::Int8))
        .unwrap();
    let translator = Translator::from_bytes(AlignedBytes::from(&bytes[..])).unwrap();
    let options = Options::default().with_beam(4).with_guards(Guards::none());
    let texts = learned::texts();
    let sources: Vec<&str> = texts.iter().map(|(source, _)| &source[..]).collect();
    let mut seen = 0;
    let found = teacher_translations(&teacher, &sources, |done| seen = done).unwrap();
    assert_eq!((found.len(), seen), (sources.len(), sources.len()));
    let mut right = 0;
    for ((source, reference), found) in texts.iter().zip(&found) {
        let own = translator.translate(source, &options).unwrap().text;
        assert_eq!(&own, found);
        right += usize::from(found == reference);
    }
    assert!(right >= 6, "the teacher knows {right} of its 12 sentences");
}
