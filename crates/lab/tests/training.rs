//! Training runs: what a step learns, and that an interrupted run loses nothing.
#![allow(clippy::unwrap_used)]

mod support;

use candle_core::Tensor;
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::{
    Corpus, Limits, Objective, Pair, TrainOptions, Trainer, fit_target_table, pairs_of_texts,
    smoothed_loss,
};
use csanmt_lab::weights::Weights;

const SHARED: &str = "a_zh2en";
const SEPARATE: &str = "b_absolute_unshared";

fn weights(fixture: &str) -> Weights {
    let dir = tempfile::tempdir().unwrap();
    let path = support::convert_f32(&support::fixtures_dir().join(fixture), dir.path());
    Weights::open(&path).unwrap()
}

/// The sentences that the fixtures were trained on, as far as they are in the goldens.
fn corpus(weights: &Weights) -> Vec<Pair> {
    let texts = [
        ("我们今天去学校。", "We are going to school today."),
        ("天气很好。", "The weather is fine."),
        ("他喜欢看书。", "He likes to read."),
        ("你叫什么名字？", "What is your name?"),
        ("我不知道。", "I do not know."),
        ("这本书很有意思。", "This book is very interesting."),
    ];
    let texts: Vec<(String, String)> = texts.map(|(a, b)| (a.into(), b.into())).into();
    let Corpus { pairs, left_out } = pairs_of_texts(&texts, weights, &Limits::default()).unwrap();
    assert_eq!(left_out, 0);
    pairs
}

fn options() -> TrainOptions {
    TrainOptions {
        learning_rate: 2e-3,
        warmup: 4,
        batch_tokens: 40,
        average: 0.9,
        ..TrainOptions::default()
    }
}

fn same(a: &Weights, b: &Weights) {
    for (name, values) in a.tensors() {
        let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(values), bits(b.tensor(name)), "{name}");
    }
}

#[test]
fn a_resumed_run_equals_an_uninterrupted_one_bit_for_bit() {
    let dir = tempfile::tempdir().unwrap();
    for (fixture, quantized) in [(SHARED, false), (SEPARATE, false), (SHARED, true)] {
        let weights = weights(fixture);
        let pairs = corpus(&weights);
        let table = || {
            let model = ReferenceModel::from_weights(&weights).unwrap();
            let shared = model.shared_semantic_table().is_some();
            let fit = || fit_target_table(&model, &pairs, 3, 1, |_, _| {}).unwrap().0;
            (!shared).then(fit)
        };
        let begin = || {
            let options = TrainOptions {
                quantized,
                ..options()
            };
            Trainer::new(&weights, &pairs, options, table(), None).unwrap()
        };
        let mut whole = begin();
        let mut first = begin();
        let mut losses = Vec::new();
        for _ in 0..9 {
            losses.push(whole.step(&pairs).unwrap().loss);
        }
        for loss in &losses[..4] {
            assert_eq!(first.step(&pairs).unwrap().loss.to_bits(), loss.to_bits());
        }
        first.evaluated(12.5);
        let state = dir.path().join("state.safetensors");
        first.save(&state).unwrap();
        drop(first);
        let mut second = Trainer::resume(&state, &weights, &pairs, None).unwrap();
        assert_eq!((second.steps(), second.best()), (4, (Some((12.5, 4)), 0)));
        for loss in &losses[4..] {
            assert_eq!(second.step(&pairs).unwrap().loss.to_bits(), loss.to_bits());
        }
        assert!(whole.epochs() > 0, "the test passes an end of the corpus");
        assert_eq!(whole.epochs(), second.epochs());
        same(&whole.weights().unwrap(), &second.weights().unwrap());
        let other = weights.with_tensors(
            csanmt_format::ModelConfig {
                beam_size: 7,
                ..weights.config().clone()
            },
            weights.tensors().clone(),
        );
        assert!(Trainer::resume(&state, &other.unwrap(), &pairs, None).is_err());
    }
}

#[test]
fn training_lowers_the_loss_and_keeps_what_is_frozen() {
    for quantized in [false, true] {
        let weights = weights(SHARED);
        let pairs = corpus(&weights);
        let frozen = "encoder/layer_0/".to_owned();
        let options = TrainOptions {
            quantized,
            frozen: vec![frozen.clone()],
            average: 0.0,
            ..options()
        };
        let mut trainer = Trainer::new(&weights, &pairs, options, None, None).unwrap();
        let loss = |weights: &Weights| {
            let model = ReferenceModel::from_weights(weights).unwrap();
            let loss = smoothed_loss(&model, &pairs, 0.1).unwrap();
            loss.to_scalar::<f32>().unwrap()
        };
        for _ in 0..40 {
            trainer.step(&pairs).unwrap();
        }
        let trained = trainer.weights().unwrap();
        let (before, after) = (loss(&weights), loss(&trained));
        assert!(after < 0.8 * before, "{before} {after}");
        for (name, values) in weights.tensors() {
            let still = name.starts_with(&frozen)
                || name.contains("Semantic_Embedding")
                || name.contains("mini_xlm_encoder");
            assert_eq!(trained.tensor(name) == &values[..], still, "{name}");
        }
    }
}

/// The whole training loss, draws included, along its own gradient: its slope is the gradient's
/// square.
#[test]
fn gradients_of_the_training_loss_are_slopes() {
    let weights = weights(SHARED);
    let pairs = corpus(&weights);
    for (samples, with_teacher) in [(2, false), (0, true), (4, true)] {
        let options = TrainOptions {
            samples,
            ..options()
        };
        let teacher = with_teacher.then_some(&weights);
        let trainer = Trainer::new(&weights, &pairs, options, None, teacher).unwrap();
        let loss = || -> f64 {
            trainer
                .loss(&pairs)
                .unwrap()
                .to_scalar::<f32>()
                .unwrap()
                .into()
        };
        let gradients = trainer.loss(&pairs).unwrap().backward().unwrap();
        let chosen: Vec<(candle_core::Var, Tensor, Tensor)> = trainer
            .model()
            .trained_variables()
            .into_iter()
            .map(|variable| {
                let gradient = gradients.get(&variable).unwrap().clone();
                let value = variable.as_tensor().copy().unwrap();
                (variable, value, gradient)
            })
            .collect();
        let square: f64 = chosen
            .iter()
            .map(|(_, _, g)| {
                let sum = g.sqr().unwrap().sum_all().unwrap();
                f64::from(sum.to_scalar::<f32>().unwrap())
            })
            .sum();
        let step = 2e-3 / square.sqrt();
        let at = |factor: f64| {
            for (variable, value, gradient) in &chosen {
                let moved = (value + (gradient * factor).unwrap()).unwrap();
                variable.set(&moved).unwrap();
            }
            loss()
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        let error = (slope / square - 1.0).abs();
        assert!(error < 0.02, "{samples} {with_teacher}: {slope} {square}");
    }
}

#[test]
fn a_teacher_is_imitated() {
    let teacher = weights(SHARED);
    let pairs = corpus(&teacher);
    let mut student = teacher.clone();
    for (name, values) in student.tensors_mut() {
        if name.starts_with("decoder/") && name.ends_with("matrix") {
            values.iter_mut().for_each(|v| *v *= 0.7);
        }
    }
    let divergence = |student: &Weights| {
        let logits = |weights: &Weights| {
            let model = ReferenceModel::from_weights(weights).unwrap();
            let sources: Vec<&[u32]> = pairs.iter().map(|p| &p.source[..]).collect();
            let targets: Vec<&[u32]> = pairs.iter().map(|p| &p.target[..]).collect();
            let encoded = model.encode(&sources).unwrap();
            model
                .decode_forced(&encoded, &targets)
                .unwrap()
                .flatten(0, 1)
                .unwrap()
        };
        let wanted = logits(&teacher);
        let rows = wanted.dim(0).unwrap();
        let objective = |logits: &Tensor| {
            let objective = Objective {
                labels: vec![Some(0); rows],
                smoothing: 0.0,
                teacher: Some((wanted.flatten_all().unwrap().to_vec1().unwrap(), 1.0)),
            };
            objective.loss(logits).unwrap().to_scalar::<f32>().unwrap()
        };
        objective(&logits(student)) - objective(&wanted)
    };
    let options = TrainOptions {
        samples: 0,
        teacher_share: 1.0,
        average: 0.0,
        ..options()
    };
    let mut trainer = Trainer::new(&student, &pairs, options, None, Some(&teacher)).unwrap();
    let before = divergence(&student);
    for _ in 0..40 {
        trainer.step(&pairs).unwrap();
    }
    let after = divergence(&trainer.weights().unwrap());
    assert!(before > 0.0 && after < 0.3 * before, "{before} {after}");
}
