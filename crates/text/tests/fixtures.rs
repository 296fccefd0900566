//! Text to ids and ids to text as the original pipeline did both, on its recorded outputs.
#![allow(
    clippy::unwrap_used,
    reason = "a test file: a wrong golden file should stop it"
)]

use csanmt_text::document::SENTENCE_MARK;
use csanmt_text::jieba::Jieba;
use csanmt_text::{Bpe, SourceConfig, SourceEncoder, TargetDecoder, Vocabulary, WordSegmenter};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Deserialize)]
struct Configuration {
    model: Sizes,
    preprocessor: Preprocessor,
}

#[derive(Deserialize)]
struct Sizes {
    src_vocab_size: usize,
    trg_vocab_size: usize,
}

#[derive(Deserialize)]
struct Preprocessor {
    src_lang: String,
    tgt_lang: String,
    src_bpe: File,
}

#[derive(Deserialize)]
struct File {
    file: String,
}

#[derive(Deserialize)]
struct Goldens {
    records: Vec<Record>,
}

/// One call; the outer lists are its sentences.
#[derive(Deserialize)]
struct Record {
    input: String,
    words: Vec<String>,
    tokens: Vec<Vec<String>>,
    ids: Vec<Vec<u32>>,
    #[serde(default)]
    nbest: Vec<Vec<Hypothesis>>,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Hypothesis {
    ids: Vec<u32>,
    padded_ids: Vec<u32>,
    text: String,
}

fn jieba() -> Box<dyn WordSegmenter> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/zh.dictionary");
    Box::new(Jieba::new(Arc::new(std::fs::read(path).unwrap())).unwrap())
}

fn check(fixture: &Path) -> usize {
    let read = |name: &str| std::fs::read(fixture.join(name)).unwrap();
    let configuration: Configuration = serde_json::from_slice(&read("configuration.json")).unwrap();
    let Preprocessor {
        src_lang,
        tgt_lang,
        src_bpe,
    } = configuration.preprocessor;
    let Sizes {
        src_vocab_size,
        trg_vocab_size,
    } = configuration.model;
    let decoder = TargetDecoder::new(
        &tgt_lang,
        Vocabulary::parse(&read("trg_vocab.txt"), trg_vocab_size).unwrap(),
    );
    let encoder = SourceEncoder::new(
        &SourceConfig { src_lang, tgt_lang },
        Vocabulary::parse(&read("src_vocab.txt"), src_vocab_size).unwrap(),
        Bpe::parse(&read(&src_bpe.file)).unwrap(),
        Some(jieba()),
    )
    .unwrap();
    let goldens: Goldens = serde_json::from_slice(&read("goldens.json")).unwrap();
    for record in &goldens.records {
        let mut best = Vec::new();
        let sentences: Vec<&str> = record.input.split(SENTENCE_MARK).collect();
        assert_eq!(sentences.len(), record.words.len());
        for (i, sentence) in sentences.into_iter().enumerate() {
            let trace = encoder.trace(sentence);
            assert_eq!(trace.words, record.words[i], "words of {sentence:?}");
            assert_eq!(trace.tokens, record.tokens[i], "tokens of {sentence:?}");
            let (ids, padding) = record.ids[i].split_at(trace.ids.len());
            assert_eq!(trace.ids, ids, "ids of {sentence:?}");
            assert!(padding.iter().all(|&id| id == 0));
            assert_eq!(encoder.encode(sentence), ids);
            let pieces = encoder.pieces(sentence);
            assert_eq!(pieces.iter().map(|piece| piece.id).collect::<Vec<_>>(), ids);
            for piece in pieces {
                if let Some(range) = piece.range {
                    assert_eq!(&sentence[range], piece.text);
                }
            }
            let Some(hypotheses) = record.nbest.get(i) else {
                continue;
            };
            for hypothesis in hypotheses {
                assert_eq!(decoder.decode(&hypothesis.ids), hypothesis.text);
                assert_eq!(decoder.decode(&hypothesis.padded_ids), hypothesis.text);
            }
            best.push(decoder.decode(&hypotheses[0].ids));
        }
        if let Some(text) = &record.text {
            assert_eq!(&best.join(SENTENCE_MARK), text);
        }
    }
    goldens.records.len()
}

#[test]
fn golden_pipeline_of_every_fixture() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/fixtures");
    let mut records = 0;
    let mut fixtures = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.join("goldens.json").exists() {
            records += check(&path);
            fixtures += 1;
        }
    }
    assert_eq!((fixtures, records), (8, 96));
}
