//! The table as a picture: size, latency and memory, each as a share of the largest.

use std::fmt::Write as _;

use super::row::Summary;
use super::table::Table;

const WIDTH: f64 = 760.0;
const NAMES: f64 = 170.0;
const BAR: f64 = 12.0;
const GAP: f64 = 12.0;
const TOP: f64 = 44.0;

/// A kind of bar: name, colour, value and its text.
type Measure = (
    &'static str,
    &'static str,
    fn(&Summary) -> f64,
    &'static str,
);

const MEASURES: [Measure; 3] = [
    ("file, MB", "#1f6feb", |row| row.bytes as f64 / 1e6, "MB"),
    ("16 tokens, ms", "#bf8700", |row| row.latency_ms[1], "ms"),
    (
        "peak memory, MB",
        "#8250df",
        |row| row.peak_memory.unwrap_or(0) as f64 / 1e6,
        "MB",
    ),
];

pub(super) fn draw(table: &Table) -> String {
    let row_height = MEASURES.len() as f64 * BAR + GAP;
    let height = TOP + row_height * table.rows.len() as f64 + 8.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"Size, latency and memory of each model\">\n\
         <style>text{{font:12px system-ui,sans-serif;fill:#1f2328}}.n{{font-weight:600;font-size:13px}}\
         @media(prefers-color-scheme:dark){{text{{fill:#e6edf3}}}}</style>\n"
    );
    // Writing to a string cannot fail.
    for (place, (label, color, ..)) in MEASURES.iter().enumerate() {
        let x = 150f64.mul_add(place as f64, NAMES);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"14\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{color}\"/><text x=\"{}\" y=\"24\">{label}</text>",
            x + 18.0
        );
    }
    for (number, row) in table.rows.iter().enumerate() {
        let top = row_height.mul_add(number as f64, TOP);
        let name = row.name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<text class=\"n\" x=\"8\" y=\"{}\">{name}</text>",
            top + 22.0
        );
        for (place, (_, color, value, unit)) in MEASURES.iter().enumerate() {
            let largest = table.rows.iter().map(value).fold(1e-9, f64::max);
            let value = value(row);
            let length = ((WIDTH - NAMES - 90.0) * value / largest).max(1.0);
            let y = BAR.mul_add(place as f64, top);
            let _ = writeln!(
                svg,
                "<rect x=\"{NAMES}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{:.1}\" rx=\"2\" fill=\"{color}\"/><text x=\"{:.1}\" y=\"{:.1}\">{value:.1} {unit}</text>",
                BAR - 2.0,
                NAMES + length + 6.0,
                y + 9.5
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
