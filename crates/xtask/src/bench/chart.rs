//! Bar charts of the results in target/bench, for the README: docs/bench/*.svg.
//!
//! The colours are legible on white and on black, and the text takes the page's mode from
//! `prefers-color-scheme`.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::Value;

use super::folder;
use crate::workspace;

const WIDTH: f64 = 720.0;
/// Left of the bars.
const LABELS: f64 = 300.0;
/// Right of them, for the numbers.
const NUMBERS: f64 = 130.0;
const BAR: f64 = 14.0;
const ROW: f64 = 48.0;
const TOP: f64 = 56.0;

const OURS: &str = "#2f81f7";
const THEIRS: &str = "#8b949e";

/// A chart: file, title, benchmark, and which of its rows.
const CHARTS: &[(&str, &str, &str, &str)] = &[
    (
        "throughput",
        "Sentences per second, one core (longer is better)",
        "native",
        "sentences/s",
    ),
    (
        "latency",
        "Milliseconds for one sentence, one core (shorter is better)",
        "native",
        "ms/sentence",
    ),
    (
        "full",
        "Milliseconds for one sentence at released sizes, one core (shorter is better)",
        "full",
        "ms/sentence",
    ),
    (
        "wasm",
        "Sentences per second in Chromium, one worker (longer is better)",
        "wasm",
        "sentences/s",
    ),
];

/// Draws what has been measured.
pub(crate) fn write_all() -> Result<()> {
    let out = workspace::root().join("docs/bench");
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    for (file, title, benchmark, unit) in CHARTS {
        let path = folder()?.join(format!("{benchmark}.json"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("no {file}.svg: `cargo xtask bench {benchmark}` has not run");
            continue;
        };
        let report: Value = serde_json::from_str(&text).context("results")?;
        let bars = bars(&report, unit);
        if bars.is_empty() {
            eprintln!("no {file}.svg: nothing in {unit} was measured");
            continue;
        }
        let path = out.join(format!("{file}.svg"));
        std::fs::write(&path, draw(title, &bars))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("{}", path.display());
    }
    Ok(())
}

struct Bars {
    label: String,
    peer: String,
    ours: f64,
    theirs: Option<f64>,
}

fn bars(report: &Value, unit: &str) -> Vec<Bars> {
    let rows = report["rows"].as_array().map_or(&[][..], Vec::as_slice);
    rows.iter()
        .filter(|row| row["unit"] == unit)
        .filter_map(|row| {
            Some(Bars {
                label: row["label"].as_str()?.to_owned(),
                peer: row["peer"].as_str()?.to_owned(),
                ours: row["ours"].as_f64()?,
                theirs: row["theirs"].as_f64(),
            })
        })
        .collect()
}

/// Both bars of a row are relative to the longer of them, so that rows of any size can be read.
fn draw(title: &str, rows: &[Bars]) -> String {
    let height = TOP + ROW * rows.len() as f64 + 8.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n\
         <style>text{{font:13px system-ui,sans-serif;fill:#1f2328}}.t{{font-weight:600;font-size:15px}}.p{{fill:#59636e;font-size:12px}}\
         @media(prefers-color-scheme:dark){{text{{fill:#e6edf3}}.p{{fill:#9198a1}}}}</style>\n",
        escape(title)
    );
    text(&mut svg, (8.0, 22.0), "t", title);
    let legend = TOP - 20.0;
    bar(&mut svg, 8.0, legend, 14.0, OURS);
    text(&mut svg, (28.0, legend + 11.0), "", "csanmt");
    bar(&mut svg, 90.0, legend, 14.0, THEIRS);
    text(
        &mut svg,
        (110.0, legend + 11.0),
        "",
        "the peer named at the left",
    );
    for (i, row) in rows.iter().enumerate() {
        let y = ROW.mul_add(i as f64, TOP) + 6.0;
        text(&mut svg, (8.0, y + 12.0), "", &row.label);
        text(&mut svg, (8.0, y + 28.0), "p", &row.peer);
        let longest = row.theirs.map_or(row.ours, |theirs| theirs.max(row.ours));
        let values = [(Some(row.ours), OURS), (row.theirs, THEIRS)];
        for (j, (value, color)) in values.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let y = 17.0f64.mul_add(j as f64, y);
            let length = (WIDTH - LABELS - NUMBERS) * value / longest;
            bar(&mut svg, LABELS, y, length.max(1.0), color);
            let ratio = row.theirs.map(|theirs| row.ours / theirs);
            let shown = match ratio {
                Some(ratio) if j == 0 => format!("{} ({ratio:.2}×)", short(value)),
                _ => short(value),
            };
            text(&mut svg, (LABELS + length + 6.0, y + 12.0), "", &shown);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn bar(svg: &mut String, x: f64, y: f64, width: f64, color: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\" fill=\"{color}\"/>"
    );
}

fn text(svg: &mut String, (x, y): (f64, f64), class: &str, text: &str) {
    let class = if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    };
    let text = escape(text);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\"{class}>{text}</text>");
}

fn short(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{bars, draw};

    #[test]
    fn draws_rows_of_its_unit_with_the_longer_bar_at_full_length() {
        let report = json!({ "rows": [
            { "label": "a <b>", "peer": "P & Q", "unit": "ms", "ours": 50.0, "theirs": 100.0 },
            { "label": "alone", "peer": "", "unit": "ms", "ours": 5.0, "theirs": null },
            { "label": "other", "peer": "P", "unit": "s", "ours": 1.0, "theirs": 1.0 },
        ]});
        let rows = bars(&report, "ms");
        assert_eq!(rows.len(), 2);
        let svg = draw("title", &rows);
        assert!(svg.contains("a &lt;b>") && svg.contains("P &amp; Q"));
        assert!(svg.contains("width=\"145.0\"") && svg.contains("width=\"290.0\""));
        assert!(svg.contains("50.0 (0.50×)"));
        assert!(!svg.contains("other"));
    }
}
