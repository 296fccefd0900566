//! Tiny models that were begun from a few sentence pairs.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs)]

use csanmt_format::{ModelConfig, Position};
use csanmt_lab::recipe::{Recipe, start};
use csanmt_lab::train::{Corpus, Limits, Pair, TrainOptions, Trainer, pairs_of_texts};
use csanmt_lab::weights::Weights;

const PAIRS: [(&str, &str); 12] = [
    ("我们今天去学校。", "We are going to school today."),
    ("天气很好。", "The weather is fine."),
    ("他喜欢看书。", "He likes to read books."),
    ("你叫什么名字？", "What's your name?"),
    ("我不知道。", "I do not know."),
    ("这本书很有意思。", "This book is very interesting."),
    ("明天我们去公园。", "Tomorrow we will go to the park."),
    ("她在学校工作。", "She works at a school."),
    ("我喜欢学习中文。", "I like learning Chinese & English."),
    ("今天的天气不好。", "The weather is not good today."),
    ("你的名字很好听。", "Your name sounds well-chosen."),
    ("他不喜欢这本书。", "He doesn't like this book."),
];

pub fn texts() -> Vec<(String, String)> {
    PAIRS.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
}

pub fn config() -> ModelConfig {
    ModelConfig {
        hidden_size: 24,
        filter_size: 32,
        num_heads: 3,
        num_encoder_layers: 2,
        num_decoder_layers: 2,
        num_semantic_encoder_layers: 1,
        pre_norm: true,
        post_norm: false,
        shared_embedding_and_softmax_weights: true,
        shared_source_target_embedding: false,
        position: Position::Absolute,
        max_relative_dis: 4,
        src_vocab_size: 400,
        trg_vocab_size: 400,
        beam_size: 4,
        lp_rate: 0.6,
        max_decoded_trg_len: 40,
        src_lang: "zh".to_owned(),
        tgt_lang: "en".to_owned(),
        widths: None,
    }
}

/// Merge rules, vocabularies and first weights.
pub fn begun(config: ModelConfig) -> Weights {
    let recipe = Recipe {
        config,
        merges: 60,
        seed: 7,
    };
    start(&texts(), &recipe).unwrap()
}

pub fn pairs(weights: &Weights) -> Vec<Pair> {
    let Corpus { pairs, left_out } = pairs_of_texts(&texts(), weights, &Limits::default()).unwrap();
    assert_eq!((pairs.len(), left_out), (PAIRS.len(), 0));
    pairs
}

pub fn options() -> TrainOptions {
    TrainOptions {
        learning_rate: 5e-3,
        warmup: 10,
        batch_tokens: 120,
        samples: 0,
        average: 0.0,
        ..TrainOptions::default()
    }
}

/// After so many steps on its sentences.
pub fn trained(weights: &Weights, steps: u64) -> Weights {
    let pairs = pairs(weights);
    let mut trainer = Trainer::new(weights, &pairs, options(), None, None).unwrap();
    for _ in 0..steps {
        trainer.step(&pairs).unwrap();
    }
    trainer.weights().unwrap()
}
