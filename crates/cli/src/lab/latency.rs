//! How long one sentence takes with one model and with another, in turn.

use anyhow::Result;
use csanmt::{AlignedBytes, Options, Translator};
use csanmt_lab::Stopwatch;
use csanmt_lab::bench::median;

/// Sentences for when nothing else is given.
pub(crate) const TEXTS: [&str; 4] = [
    "今天天气很好。",
    "我们明天早上九点在学校门口见面。",
    "这个软件可以在浏览器里运行，不需要网络。",
    "如果你有任何问题，请随时给我们发邮件，我们会尽快回复。",
];

/// Most sentences of a round, and rounds.
const SENTENCES: usize = 24;
const ROUNDS: usize = 9;

/// Median milliseconds of a sentence with each model file, which take turns.
pub(crate) fn compare<const N: usize>(models: [&[u8]; N], texts: &[&str]) -> Result<[f64; N]> {
    let mut translators = Vec::new();
    for bytes in models {
        translators.push(Translator::from_bytes(AlignedBytes::from(bytes))?);
    }
    // Spread over the whole set.
    let step = texts.len().div_ceil(SENTENCES).max(1);
    let texts: Vec<&str> = texts.iter().copied().step_by(step).collect();
    let options = Options::raw();
    let mut times = vec![Vec::new(); N];
    for round in 0..=ROUNDS {
        for (translator, times) in translators.iter().zip(&mut times) {
            let watch = Stopwatch::start();
            for text in &texts {
                translator.translate(text, &options)?;
            }
            // The first round warms up.
            if round > 0 {
                times.push(watch.seconds() * 1e3 / texts.len() as f64);
            }
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    Ok(std::array::from_fn(|i| medians[i]))
}
