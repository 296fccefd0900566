//! Which language a text is in.

use std::sync::LazyLock;

use csanmt_text::Simplifier;
use csanmt_text::language::{self, Likely};

/// The languages a text may be in, the most likely first and `und` last; the confidences sum up to
/// 1. Chinese is `zh-Hans` or `zh-Hant`.
#[must_use]
pub fn detect_languages(text: &str) -> Vec<Likely> {
    static SIMPLIFIER: LazyLock<Simplifier> = LazyLock::new(Simplifier::default);
    language::ranking(text, &SIMPLIFIER)
}
