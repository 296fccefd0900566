//! A detector of loops that knows nothing of the guards'.

/// Most repetitions of a phrase of up to four words in a row.
pub(crate) fn repetitions(text: &str) -> usize {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let run = |period: usize| {
        let (mut run, mut most) = (0, 0);
        for i in period..words.len() {
            run = if words[i] == words[i - period] {
                run + 1
            } else {
                0
            };
            most = most.max(run);
        }
        most / period + 1
    };
    (1..=4).map(run).max().unwrap_or(1)
}
