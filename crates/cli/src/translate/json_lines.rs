//! One JSON object a line, in and out.

use std::ops::Range;
use std::process::ExitCode;

use anyhow::Result;
use csanmt::{Hypothesis, Translation};
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::input::Lines;
use crate::output;

/// What a line holds.
enum Entry {
    Blank,
    Text(String),
    Invalid(String),
}

#[derive(Deserialize)]
struct Input {
    text: String,
}

#[derive(Serialize)]
struct Output<'t> {
    translation: &'t str,
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hypotheses: Option<Vec<HypothesisOutput>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<Vec<SentenceOutput<'t>>>,
}

#[derive(Serialize)]
struct SentenceOutput<'t> {
    source: &'t str,
    translation: &'t str,
    confidence: f32,
    hypotheses: Vec<HypothesisOutput>,
}

#[derive(Serialize)]
struct HypothesisOutput {
    text: String,
    ids: Vec<u32>,
    score: f32,
}

#[derive(Serialize)]
struct Failure<'e> {
    error: &'e str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !value
}

pub(crate) fn translate_texts(batch: &Batch, detailed: bool, texts: &[String]) -> Result<()> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut out = String::new();
    for (text, translation) in texts.iter().zip(batch.translate(&texts)?) {
        push_line(&mut out, &describe(text, &translation, detailed))?;
    }
    output::print(&out)?;
    Ok(())
}

/// The exit code is that of a failure when a line was invalid.
pub(crate) fn translate_lines(batch: &Batch, detailed: bool) -> Result<ExitCode> {
    let input = Lines::of_standard_input(batch)?;
    let mut code = ExitCode::SUCCESS;
    let mut done = 0;
    loop {
        let lines = input.next_batch()?;
        if lines.is_empty() {
            return Ok(code);
        }
        let numbers = done + 1..;
        let entries: Vec<Entry> = lines.iter().zip(numbers).map(parse).collect();
        let texts: Vec<&str> = entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Text(text) => Some(&text[..]),
                Entry::Blank | Entry::Invalid(_) => None,
            })
            .collect();
        let mut translations = batch.translate(&texts)?.into_iter();
        let mut out = String::new();
        for entry in &entries {
            match entry {
                Entry::Blank => out.push('\n'),
                Entry::Invalid(error) => {
                    code = ExitCode::FAILURE;
                    push_line(&mut out, &Failure { error })?;
                }
                Entry::Text(text) => {
                    // One a text.
                    let translation = translations.next().unwrap_or_default();
                    push_line(&mut out, &describe(text, &translation, detailed))?;
                }
            }
        }
        output::print(&out)?;
        done += lines.len();
    }
}

fn parse((line, number): (&Vec<u8>, usize)) -> Entry {
    let invalid = |reason: &str| Entry::Invalid(format!("line {number}: {reason}"));
    let Ok(line) = std::str::from_utf8(line) else {
        return invalid("not UTF-8");
    };
    let line = line.trim();
    if line.is_empty() {
        return Entry::Blank;
    }
    if !line.starts_with('{') {
        return invalid("not a JSON object, expected {\"text\": \"…\"}");
    }
    match serde_json::from_str(line) {
        Ok(Input { text }) => Entry::Text(text),
        Err(error) => {
            // The parser counts lines too, but sees only this one.
            let message = error.to_string();
            let reason = message
                .rsplit_once(" at line ")
                .map_or(&message[..], |parts| parts.0);
            // The second is what a pair without its second half gives.
            let reason = match reason {
                "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
                    "unpaired surrogate: \\ud800 to \\udfff stand for a character only in pairs"
                }
                reason => reason,
            };
            invalid(&format!("{reason} (column {})", error.column()))
        }
    }
}

fn describe<'t>(source: &'t str, translation: &'t Translation, detailed: bool) -> Output<'t> {
    let sentences = &translation.sentences;
    let (hypotheses, sentences) = match &sentences[..] {
        _ if !detailed => (None, None),
        [] => (Some(Vec::new()), None),
        [only] => (Some(list(&only.hypotheses)), None),
        _ => {
            let best = || sentences.iter().filter_map(|one| one.hypotheses.first());
            let whole = HypothesisOutput {
                text: translation.text.clone(),
                ids: best().flat_map(|one| one.ids.iter().copied()).collect(),
                score: best().map(|one| one.score).sum(),
            };
            let each = sentences.iter().map(|one| SentenceOutput {
                source: slice(source, &one.source),
                translation: slice(&translation.text, &one.target),
                confidence: one.confidence,
                hypotheses: list(&one.hypotheses),
            });
            (Some(vec![whole]), Some(each.collect()))
        }
    };
    Output {
        translation: &translation.text,
        truncated: translation.sentences.iter().any(|one| one.truncated),
        confidence: detailed.then(|| {
            let all = translation.sentences.iter().map(|one| one.confidence);
            all.fold(1.0, f32::min)
        }),
        hypotheses,
        sentences,
    }
}

fn list(hypotheses: &[Hypothesis]) -> Vec<HypothesisOutput> {
    let outputs = hypotheses.iter().map(|one| HypothesisOutput {
        text: one.text.clone(),
        ids: one.ids.clone(),
        score: one.score,
    });
    outputs.collect()
}

fn slice<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or_default()
}

fn push_line(out: &mut String, value: &impl Serialize) -> Result<()> {
    out.push_str(&serde_json::to_string(value)?);
    out.push('\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use csanmt::{Hypothesis, Sentence, Translation};
    use serde_json::json;

    use super::describe;

    fn sentence(source: std::ops::Range<usize>, target: std::ops::Range<usize>) -> Sentence {
        let hypothesis = |text: &str, ids: &[u32], score| Hypothesis {
            text: text.to_owned(),
            ids: ids.to_vec(),
            score,
        };
        Sentence {
            source,
            target,
            truncated: false,
            hypotheses: vec![hypothesis("a", &[5, 6], -0.5), hypothesis("b", &[7], -1.5)],
            confidence: 0.5,
            ..Default::default()
        }
    }

    #[test]
    fn without_details_there_is_the_translation_alone() {
        let mut translation = Translation {
            text: "A".to_owned(),
            sentences: vec![sentence(0..3, 0..1)],
        };
        let output = serde_json::to_value(describe("甲", &translation, false)).unwrap();
        assert_eq!(output, json!({"translation": "A"}));
        translation.sentences[0].truncated = true;
        let output = serde_json::to_value(describe("甲", &translation, false)).unwrap();
        assert_eq!(output, json!({"translation": "A", "truncated": true}));
    }

    #[test]
    fn one_sentence_has_its_hypotheses() {
        let translation = Translation {
            text: "A".to_owned(),
            sentences: vec![sentence(0..3, 0..1)],
        };
        let output = serde_json::to_value(describe("甲", &translation, true)).unwrap();
        let hypotheses = json!([
            {"text": "a", "ids": [5, 6], "score": -0.5}, {"text": "b", "ids": [7], "score": -1.5}
        ]);
        assert_eq!(
            output,
            json!({"translation": "A", "confidence": 0.5, "hypotheses": hypotheses})
        );
    }

    #[test]
    fn several_sentences_have_one_for_the_whole_and_their_own() {
        let translation = Translation {
            text: "A B".to_owned(),
            sentences: vec![sentence(0..3, 0..1), sentence(3..6, 2..3)],
        };
        let output = serde_json::to_value(describe("甲乙", &translation, true)).unwrap();
        let whole = json!([{"text": "A B", "ids": [5, 6, 5, 6], "score": -1.0}]);
        assert_eq!(output["hypotheses"], whole);
        assert_eq!(output["sentences"][1]["source"], "乙");
        assert_eq!(output["sentences"][1]["translation"], "B");
        assert_eq!(output["sentences"][1]["confidence"], 0.5);
        assert_eq!(output["confidence"], 0.5);
        assert_eq!(output["sentences"][1]["hypotheses"][1]["ids"], json!([7]));
    }

    #[test]
    fn no_sentence_has_no_hypotheses() {
        let translation = Translation::default();
        let output = serde_json::to_value(describe(" ", &translation, true)).unwrap();
        let expected = json!({"translation": "", "confidence": 1.0, "hypotheses": []});
        assert_eq!(output, expected);
    }
}
