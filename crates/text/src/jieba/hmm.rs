//! Words that the dictionary lacks: a hidden Markov model over the positions of a character in its
//! word — Begin, Middle, End, Single — and Viterbi's algorithm.

use super::emissions;
use super::is_chinese;

/// The states in the order of their letters: of equal values the later letter wins.
const B: usize = 0;
const E: usize = 1;
const M: usize = 2;
const S: usize = 3;

/// Stands for ln 0; added up like any other number, as the reference does.
pub(super) const LN_ZERO: f64 = -3.14e100;

/// ln of the probability of each state for the first character.
const START: [f64; 4] = {
    let mut start = [LN_ZERO; 4];
    start[B] = -0.262_686_608_092_500_16;
    start[S] = -1.465_263_339_853_767_8;
    start
};

/// For each state the two states that may precede it (earlier letter first), with the ln of the
/// probability of the transition.
const BEFORE: [[(usize, f64); 2]; 4] = {
    let mut before = [[(0, 0.0); 2]; 4];
    before[B] = [(E, -0.589_714_973_685_451_3), (S, -0.721_196_565_466_984_1)];
    before[E] = [(B, -0.510_825_623_765_990), (M, -0.333_448_568_119_485_14)];
    before[M] = [(B, -0.916_290_731_874_155), (M, -1.260_362_382_026_822_6)];
    before[S] = [(E, -0.808_525_047_466_993_7), (S, -0.665_863_144_879_821_2)];
    before
};

/// Cuts runs of characters none of which is part of a longer word; keeps its buffers.
#[derive(Default)]
pub(super) struct Model {
    /// For each character the predecessor of each state.
    came_from: Vec<[u8; 4]>,
    states: Vec<usize>,
}

impl Model {
    /// Appends the words of `text`, which is not empty.
    pub(super) fn cut<'t>(&mut self, text: &'t str, words: &mut Vec<&'t str>) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !is_chinese(c)).unwrap_or(rest.len());
            let (chinese, other) = rest.split_at(end);
            self.cut_chinese(chinese, words);
            let end = other.find(is_chinese).unwrap_or(other.len());
            let (other, next) = other.split_at(end);
            cut_alphanumeric(other, words);
            rest = next;
        }
    }

    fn cut_chinese<'t>(&mut self, text: &'t str, words: &mut Vec<&'t str>) {
        self.find_states(text);
        let mut word_start = 0;
        for ((at, c), state) in text.char_indices().zip(&self.states) {
            let end = at + c.len_utf8();
            if matches!(*state, E | S) {
                words.push(&text[word_start..end]);
                word_start = end;
            }
        }
    }

    /// V(t, y) = max over x of (V(t − 1, x) + ln P(y | x)) + ln P(character | y).
    fn find_states(&mut self, text: &str) {
        self.came_from.clear();
        self.states.clear();
        let mut characters = text.chars();
        let Some(first) = characters.next() else {
            return;
        };
        let emission = emissions::of(first);
        let mut values: [f64; 4] = std::array::from_fn(|state| START[state] + emission[state]);
        for character in characters {
            let emission = emissions::of(character);
            let mut came_from = [0; 4];
            values = std::array::from_fn(|state| {
                let [(early, to_early), (late, to_late)] = BEFORE[state];
                let by_early = values[early] + to_early + emission[state];
                let by_late = values[late] + to_late + emission[state];
                let late_wins = by_late >= by_early;
                came_from[state] = (if late_wins { late } else { early }) as u8;
                if late_wins { by_late } else { by_early }
            });
            self.came_from.push(came_from);
        }
        let mut state = if values[S] >= values[E] { S } else { E };
        self.states.push(state);
        for came_from in self.came_from.iter().rev() {
            state = usize::from(came_from[state]);
            self.states.push(state);
        }
        self.states.reverse();
    }
}

/// Splits at `[a-zA-Z0-9]+(\.[0-9]+)?%?`; what lies between is a word, too.
fn cut_alphanumeric<'t>(mut text: &'t str, words: &mut Vec<&'t str>) {
    let is_alphanumeric = |c: char| c.is_ascii_alphanumeric();
    while !text.is_empty() {
        let start = text.find(is_alphanumeric).unwrap_or(text.len());
        let (between, rest) = text.split_at(start);
        let word = &rest[..alphanumeric_length(rest)];
        words.extend([between, word].into_iter().filter(|part| !part.is_empty()));
        text = &rest[word.len()..];
    }
}

/// Length of the match of the above at the start of `text`.
fn alphanumeric_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize, class: fn(&u8) -> bool| {
        bytes[from..].iter().take_while(|byte| class(byte)).count()
    };
    let mut length = run(0, u8::is_ascii_alphanumeric);
    if bytes.get(length) == Some(&b'.') {
        let digits = run(length + 1, u8::is_ascii_digit);
        if digits > 0 {
            length += 1 + digits;
        }
    }
    if length > 0 && bytes.get(length) == Some(&b'%') {
        length += 1;
    }
    length
}
