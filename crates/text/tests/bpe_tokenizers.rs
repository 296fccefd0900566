//! Byte-pair encoding against the `tokenizers` crate.
//!
//! Its merge loop works one pair at a time where subword-nmt finishes a round, so the two differ
//! on invented codes. On learned ones they must not: there a pair's halves stand before it.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csanmt_format::{AlignedBytes, ModelFile, SRC_BPE};
use csanmt_text::Bpe;
use csanmt_text::jieba::Jieba;
use csanmt_text::moses::Tokenizer;
use tokenizers::Model;
use tokenizers::models::bpe::{BPE, Vocab};

const END_OF_WORD: &str = "</w>";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All words of tests/golden/dev.tsv, as sources of either language have them.
fn words() -> BTreeSet<String> {
    let dictionary = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/zh.dictionary");
    let jieba = Jieba::new(Arc::new(std::fs::read(dictionary).unwrap())).unwrap();
    let moses = Tokenizer::new("en", true);
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let mut words = BTreeSet::new();
    for line in text.lines() {
        let (chinese, english) = line.split_once('\t').unwrap();
        words.extend(jieba.cut(chinese).into_iter().map(str::to_owned));
        words.extend(moses.tokenize(english).split(' ').map(str::to_owned));
    }
    words.retain(|word| !word.trim().is_empty());
    words
}

/// The model of `tokenizers` for a code file of version 0.2. It drops what its vocabulary does not
/// have, so that gets all characters of `words` too.
fn tokenizers_model(codes: &str, words: &BTreeSet<String>) -> BPE {
    let mut lines = codes.trim_end().lines();
    assert_eq!(lines.next().map(str::trim), Some("#version: 0.2"));
    let mut vocabulary: HashMap<String, u32> = HashMap::new();
    let mut add = |symbol: String| {
        let id = vocabulary.len() as u32;
        vocabulary.entry(symbol).or_insert(id);
    };
    for character in words.iter().flat_map(|word| word.chars()) {
        add(character.to_string());
        add(format!("{character}{END_OF_WORD}"));
    }
    let mut merges = Vec::new();
    for line in lines {
        let (left, right) = line.trim().split_once(' ').unwrap();
        add(left.to_owned());
        add(right.to_owned());
        add(format!("{left}{right}"));
        merges.push((left.to_owned(), right.to_owned()));
    }
    BPE::builder()
        .vocab_and_merges(vocabulary.into_iter().collect::<Vocab>(), merges)
        .end_of_word_suffix(END_OF_WORD.into())
        .build()
        .unwrap()
}

/// The pieces of a word in the notation of subword-nmt.
fn pieces(model: &BPE, word: &str) -> Vec<String> {
    let tokens = model.tokenize(word).unwrap();
    let piece = |token: &tokenizers::Token| match token.value.strip_suffix(END_OF_WORD) {
        Some(end) => end.to_owned(),
        None => format!("{}@@", token.value),
    };
    tokens.iter().map(piece).collect()
}

/// How many words had something merged and still fall into several pieces.
fn assert_equal(what: &str, codes: &[u8], words: &BTreeSet<String>) -> usize {
    let bpe = Bpe::parse(codes).unwrap();
    let model = tokenizers_model(std::str::from_utf8(codes).unwrap(), words);
    let mut parted = 0;
    for word in words {
        let found = bpe.tokens(word);
        assert_eq!(found, pieces(&model, word), "{what}: {word:?}");
        parted += usize::from(found.len() > 1 && found.len() < word.chars().count());
    }
    parted
}

#[test]
fn matches_tokenizers_on_learned_codes() {
    let words = words();
    assert!(words.len() > 2000, "{} words", words.len());
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/golden/fixtures"))
        .unwrap()
        .flat_map(|fixture| std::fs::read_dir(fixture.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_stem().is_some_and(|stem| stem == "bpe"))
        .collect();
    files.sort();
    assert!(files.len() >= 14, "{files:?}");
    for path in files {
        let codes = std::fs::read(&path).unwrap();
        let parted = assert_equal(&path.display().to_string(), &codes, &words);
        assert!(parted > 0, "{}: nothing to compare", path.display());
        println!("{}: {parted} words in pieces", path.display());
    }

    let bytes = std::fs::read(root().join("models/zh-en-tiny.safetensors")).unwrap();
    let file = ModelFile::parse(Arc::new(AlignedBytes::from(&bytes[..]))).unwrap();
    let codes = file.text(SRC_BPE).unwrap();
    assert!(codes.len() > 10_000, "{} bytes of codes", codes.len());
    let parted = assert_equal("the default model", &codes, &words);
    assert!(parted > 100, "{parted} words");
    println!(
        "{} words, {parted} in pieces with the default model's codes",
        words.len()
    );
}
