use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::build::pack;
use super::super::ln::ln;
use super::{BuildError, Dictionary, DictionaryError, build};

static ZH: &[u8] = include_bytes!("../../data/zh.dictionary");

pub(in super::super) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn open(bytes: &[u8]) -> Result<Dictionary, DictionaryError> {
    Dictionary::new(Arc::new(bytes.to_vec()))
}

fn weight(dictionary: &Dictionary, word: &str) -> Option<f64> {
    dictionary.weight(word.chars().map(|c| dictionary.symbol(c)))
}

/// The hash is that of word and ln(frequency / total) for all words as Python jieba computes them.
#[test]
fn golden_every_word_has_the_weight_of_the_reference() {
    let dictionary = open(ZH).unwrap();
    let words = dictionary.entries().unwrap();
    assert_eq!(words.len(), 349_045);
    let bytes = words.iter().flat_map(|(word, _)| {
        let weight = weight(&dictionary, word).unwrap();
        word.bytes().chain(weight.to_le_bytes())
    });
    assert_eq!(fnv1a(bytes), 0xf661_2d5f_ee5e_bd52);
}

#[test]
fn roundtrip_of_the_whole_dictionary_gives_the_same_bytes() {
    let words: BTreeMap<String, u32> = open(ZH).unwrap().entries().unwrap().into_iter().collect();
    assert!(pack(&words, 60_101_967).unwrap() == ZH);
    assert!(ZH.len() < 1_050_000);
}

#[test]
fn last_line_of_a_word_counts_and_the_total_takes_all() {
    let bytes = build("东 3 x\n东西 0\n东西南北 7 n\n东 5 y\n𠮷a 4000000000\n").unwrap();
    let dictionary = open(&bytes).unwrap();
    let expected = [("东", 5), ("东西南北", 7), ("𠮷a", 4_000_000_000)];
    assert_eq!(
        dictionary.entries().unwrap(),
        expected.map(|(word, n)| (word.to_owned(), n))
    );
    let ln_total = ln(4_000_000_015.0);
    assert_eq!(dictionary.ln_total(), ln_total);
    assert_eq!(weight(&dictionary, "东"), Some(ln(5.0) - ln_total));
    for no_word in ["西", "东西", "东西南", "东西南北a", "a", "中", ""] {
        assert_eq!(weight(&dictionary, no_word), None, "{no_word}");
    }
}

#[test]
fn rejects_other_word_lists() {
    let line = |line, content: &str| BuildError::Line {
        line,
        content: content.to_owned(),
    };
    assert_eq!(build("东 3\n西\n"), Err(line(2, "西")));
    assert_eq!(build("东 -3\n"), Err(line(1, "东 -3")));
    assert_eq!(build("东 3\n\n"), Err(line(2, "")));
    assert!(matches!(
        build(""),
        Err(BuildError::Extent {
            what: "characters",
            ..
        })
    ));
    assert!(matches!(
        build("东 0"),
        Err(BuildError::Extent {
            what: "occurrences",
            ..
        })
    ));
}

#[test]
fn rejects_other_headers() {
    assert_eq!(
        open(b"").unwrap_err(),
        DictionaryError::Size {
            expected: 32,
            found: 0
        }
    );
    let changed = |at: usize, value: u8| {
        let mut bytes = ZH.to_vec();
        bytes[at] = value;
        open(&bytes).unwrap_err()
    };
    assert_eq!(changed(0, b'X'), DictionaryError::Magic { found: *b"XSZD" });
    assert_eq!(changed(4, 2), DictionaryError::Version { found: 2 });
    assert!(matches!(
        changed(14, 0xff),
        DictionaryError::Range {
            field: "occurrences",
            ..
        }
    ));
    assert!(matches!(
        changed(18, 0xff),
        DictionaryError::Range {
            field: "characters",
            ..
        }
    ));
    assert!(matches!(
        changed(27, 0xff),
        DictionaryError::Range {
            field: "trie nodes",
            ..
        }
    ));
    assert!(matches!(changed(28, 1), DictionaryError::Size { .. }));
    assert!(matches!(
        changed(33, 0x20),
        DictionaryError::Alphabet { page: 0 }
    ));
    assert!(matches!(
        changed(40, 0xff),
        DictionaryError::AlphabetSize { .. } | DictionaryError::Alphabet { .. }
    ));
    assert!(matches!(
        open(&ZH[..ZH.len() - 1]),
        Err(DictionaryError::Size { .. })
    ));
}

/// One stream named by every forest: the nodes stay within what the header announces.
#[test]
fn hostile_offsets_do_not_multiply_memory() {
    let list: String = ('一'..='仿').map(|c| format!("{c}{c} 1\n")).collect();
    let mut bytes = build(&list).unwrap();
    let sound = open(&bytes).unwrap();
    let offsets = sound.layout.offsets;
    let announced = u32::from_le_bytes(bytes[24..28].try_into().unwrap());
    for forest in 0..sound.forests.len() {
        let le = if forest % 2 == 0 {
            [0; 4]
        } else {
            (bytes.len() as u32).to_le_bytes()
        };
        bytes[offsets + 4 * forest..][..4].copy_from_slice(&le);
    }
    let hostile = open(&bytes).unwrap();
    for symbol in 0..=u16::MAX {
        let _ = hostile.trie(symbol);
    }
    let nodes: usize = hostile
        .forests
        .iter()
        .filter_map(|f| f.get()?.as_deref())
        .map(super::Forest::nodes)
        .sum();
    assert!(nodes <= announced as usize);
    assert!(hostile.entries().is_err());
}

fn small() -> Vec<u8> {
    let words = open(ZH).unwrap().entries().unwrap();
    let list = words
        .iter()
        .step_by(1500)
        .map(|(word, n)| format!("{word} {n}\n"));
    build(&list.collect::<String>()).unwrap()
}

#[test]
fn hostile_bytes_never_panic() {
    let bytes = small();
    for at in 0..bytes.len() {
        let mut hostile = bytes.clone();
        hostile[at] ^= 1 << (at % 8);
        if let Ok(dictionary) = open(&hostile) {
            let _ = dictionary.entries();
            assert!(weight(&dictionary, "一心一意").is_none_or(f64::is_finite));
        }
        assert!(open(&bytes[..at]).is_err());
    }
}

proptest! {
    #[test]
    fn roundtrip_of_any_list(
        words in prop::collection::btree_map("[一-丏a-c\u{20000}-\u{20010}]{1,6}", 1u32.., 1..60)
    ) {
        let list: String = words.iter().map(|(word, n)| format!("{word} {n}\n")).collect();
        let dictionary = open(&build(&list).unwrap()).unwrap();
        let entries: BTreeMap<String, u32> = dictionary.entries().unwrap().into_iter().collect();
        prop_assert_eq!(entries, words);
    }

    #[test]
    fn hostile_sections_never_panic(
        noise in prop::collection::vec(any::<u8>(), 1..2000), at in 32usize..20_000
    ) {
        let mut bytes = ZH.to_vec();
        // Sections from the alphabet on; beginning with the label table the header still holds.
        let tables = 32 + bytes[20] as usize * 40;
        let place = (tables + at).min(bytes.len() - noise.len());
        bytes[place..place + noise.len()].copy_from_slice(&noise);
        let dictionary = open(&bytes).unwrap();
        for word in ["一心一意", "中华人民共和国", "大学生", "的"] {
            prop_assert!(weight(&dictionary, word).is_none_or(f64::is_finite));
        }
    }
}
