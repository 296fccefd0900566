//! Every instruction set gives the same tokens: those recorded here, so that a machine with other
//! instruction sets (or an emulator of one) is compared with all the others.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use csanmt::{AlignedBytes, Isa, Kernels, Options, Translator};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// 64-bit FNV-1a over the bytes of the numbers.
fn digest<'t>(tokens: impl IntoIterator<Item = &'t u32>) -> u64 {
    let bytes = tokens.into_iter().flat_map(|token| token.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Tokens of the best hypotheses of some sentences of the development set, ends included.
fn tokens(kernels: Kernels, step: usize) -> Vec<u32> {
    let model = std::fs::read(root().join("models/zh-en-tiny.safetensors")).unwrap();
    let translator = Translator::with_kernels(AlignedBytes::from(&model[..]), kernels).unwrap();
    let pairs = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let options = Options::raw().with_n_best(1);
    let sources = pairs.lines().filter_map(|line| line.split('\t').next());
    let mut tokens = Vec::new();
    for source in sources.step_by(step) {
        let translation = translator.translate(source, &options).unwrap();
        for sentence in translation.sentences {
            tokens.extend(sentence.hypotheses.into_iter().flat_map(|best| best.ids));
            tokens.push(0);
        }
    }
    tokens
}

/// Scalar code is too slow for all sentences.
#[test]
fn a9_some_sentences_have_the_same_tokens_with_every_instruction_set() {
    for kernels in Kernels::available() {
        let digest = digest(&tokens(kernels, 35));
        assert_eq!(digest, SOME, "{} gives {digest:#x}", kernels.isa());
    }
}

#[test]
fn a9_all_sentences_have_the_same_tokens_with_every_vector_instruction_set() {
    for kernels in Kernels::available() {
        if kernels.isa() != Isa::Scalar {
            let digest = digest(&tokens(kernels, 1));
            assert_eq!(digest, ALL, "{} gives {digest:#x}", kernels.isa());
        }
    }
}

const SOME: u64 = 0x0b35_88c6_4a60_0e12;
const ALL: u64 = 0xee42_81a6_a346_6858;
