//! Trimming vocabularies: what a corpus uses stays as it was, and all else can still be spelt.
#![allow(clippy::unwrap_used)]

mod support;

use csanmt::{AlignedBytes, Options, Translator};
use csanmt_format::{ModelConfig, Quantization, SRC_VOCAB, TRG_VOCAB};
use csanmt_lab::prune::{VocabularyReport, trim_vocabularies};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::{Corpus, Limits, Pair, PairEncoder, pairs_of_texts};
use csanmt_lab::weights::{Packing, Weights};
use support::goldens::difference;
use support::learned;

fn some_texts() -> Vec<(String, String)> {
    learned::texts().into_iter().take(5).collect()
}

fn encoded(weights: &Weights) -> Vec<Pair> {
    let Corpus { pairs, left_out } =
        pairs_of_texts(&some_texts(), weights, &Limits::default()).unwrap();
    assert_eq!(left_out, 0);
    pairs
}

fn trim(weights: &Weights, least: usize) -> (Weights, VocabularyReport) {
    let pairs = encoded(weights);
    let ids = pairs
        .iter()
        .map(|pair| (&pair.source[..], &pair.target[..]));
    trim_vocabularies(weights, ids, least).unwrap()
}

/// Logits after every position, `[positions][vocabulary]`.
fn logits(weights: &Weights, pair: &Pair) -> Vec<Vec<f32>> {
    let model = ReferenceModel::from_weights(weights).unwrap();
    let encoded = model.encode(&[&pair.source[..]]).unwrap();
    let logits = model.decode_forced(&encoded, &[&pair.target[..]]).unwrap();
    logits.squeeze(0).unwrap().to_vec2().unwrap()
}

fn lines<'w>(weights: &'w Weights, name: &str) -> Vec<&'w str> {
    let text = std::str::from_utf8(weights.text(name).unwrap()).unwrap();
    text.lines().collect()
}

fn configurations() -> [ModelConfig; 3] {
    let separate = learned::config();
    let shared = ModelConfig {
        shared_source_target_embedding: true,
        ..separate.clone()
    };
    let softmax = ModelConfig {
        shared_embedding_and_softmax_weights: false,
        ..separate.clone()
    };
    [separate, shared, softmax]
}

#[test]
fn what_the_corpus_uses_has_the_same_logits() {
    for config in configurations() {
        let weights = learned::trained(&learned::begun(config), 5);
        let (trimmed, report) = trim(&weights, 1);
        let config = trimmed.config();
        assert_eq!(
            report.source,
            (weights.config().src_vocab_size, config.src_vocab_size)
        );
        assert_eq!(
            report.target,
            (weights.config().trg_vocab_size, config.trg_vocab_size)
        );
        assert!(report.target.1 < report.target.0, "{report:?}");
        let (old, new) = (lines(&weights, TRG_VOCAB), lines(&trimmed, TRG_VOCAB));
        // One row more than lines, for unknown tokens.
        assert_eq!(new.len() + 1, config.trg_vocab_size);
        assert_eq!(new[0], "</s>");
        let mut places: Vec<usize> = new
            .iter()
            .map(|token| old.iter().position(|other| other == token).unwrap())
            .collect();
        places.push(weights.config().trg_vocab_size - 1);
        for (before, after) in encoded(&weights).iter().zip(&encoded(&trimmed)) {
            let unknown = config.src_vocab_size as u32 - 1;
            assert!(!after.source.contains(&unknown));
            let (all, kept) = (logits(&weights, before), logits(&trimmed, after));
            assert_eq!(all.len(), kept.len());
            for (all, kept) in all.iter().zip(&kept) {
                let expected: Vec<f32> = places.iter().map(|&place| all[place]).collect();
                let apart = difference(kept, &expected);
                assert!(apart <= 1e-5, "{apart}");
            }
        }
    }
}

#[test]
fn other_texts_are_spelt_and_rarer_tokens_go_first() {
    let weights = learned::begun(learned::config());
    let (trimmed, once) = trim(&weights, 1);
    let (_, thrice) = trim(&weights, 3);
    assert!(thrice.source.1 < once.source.1 && thrice.target.1 < once.target.1);
    // The last pairs are not in the corpus of the trimming.
    let (encoder, before) = (
        PairEncoder::new(&trimmed).unwrap(),
        PairEncoder::new(&weights).unwrap(),
    );
    let (source_lines, target_lines) = (lines(&trimmed, SRC_VOCAB), lines(&trimmed, TRG_VOCAB));
    let mut longer = 0;
    for (source, target) in learned::texts().into_iter().skip(5) {
        let (whole, pair) = (
            before.encode(&source, &target),
            encoder.encode(&source, &target),
        );
        // All of it is there, in more and shorter tokens.
        for (ids, lines, whole) in [
            (&pair.source, &source_lines, &whole.source),
            (&pair.target, &target_lines, &whole.target),
        ] {
            assert!(
                ids.iter().all(|&id| (id as usize) < lines.len()),
                "{source}"
            );
            assert!(ids.len() >= whole.len());
            longer += ids.len() - whole.len();
        }
        let spelt: String = pair
            .source
            .iter()
            .map(|&id| source_lines[id as usize])
            .collect();
        assert_eq!(spelt.replace("@@", ""), source);
    }
    assert!(longer > 10, "{longer}");
    for line in lines(&weights, SRC_VOCAB) {
        if line.trim_end_matches("@@").chars().count() == 1 {
            assert!(source_lines.contains(&line), "{line}");
        }
    }
}

#[test]
fn the_engine_translates_with_trimmed_vocabularies() {
    let weights = learned::trained(&learned::begun(learned::config()), 200);
    let (trimmed, _) = trim(&weights, 1);
    let translator = |weights: &Weights| {
        let bytes = weights.to_bytes(&Packing::from(Quantization::F32)).unwrap();
        Translator::from_bytes(AlignedBytes::from(&bytes[..])).unwrap()
    };
    let (before, after) = (translator(&weights), translator(&trimmed));
    let mut right = 0;
    for (source, reference) in some_texts() {
        let text = |t: &Translator| t.translate(&source, &Options::raw()).unwrap().text;
        assert_eq!(text(&after), text(&before));
        right += usize::from(text(&after) == reference);
    }
    assert!(
        right >= 3,
        "the model knows only {right} of its 5 sentences"
    );
}
