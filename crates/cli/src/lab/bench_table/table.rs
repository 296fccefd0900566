//! The table as Markdown and JSON.

use std::fmt::Write as _;

use csanmt_lab::bench::LENGTHS;

use super::row::{Row, Summary};

pub(super) struct Table {
    pub(super) rows: Vec<Summary>,
}

impl Table {
    pub(super) fn of(rows: &[Row]) -> Self {
        Self {
            rows: rows.iter().map(Row::summary).collect(),
        }
    }

    pub(super) fn markdown(&self) -> String {
        let [short, medium, long] = LENGTHS;
        let quality = self.rows.iter().any(|row| row.quality.is_some());
        let mut text = format!(
            "| model | file MB | parameters | start ms | {short} tokens ms | {medium} tokens ms | {long} tokens ms | speed-up | sentences/s | CPU | peak MB |"
        );
        text.push_str(if quality { " BLEU | chrF2 |\n" } else { "\n" });
        text.push_str("| --- |");
        for _ in 0..if quality { 12 } else { 10 } {
            text.push_str(" ---: |");
        }
        text.push('\n');
        let Some(base) = self.rows.first() else {
            return text;
        };
        for row in &self.rows {
            let [short, medium, long] = row.latency_ms;
            let (size, share) = (row.bytes as f64 / 1e6, row.bytes as f64 / base.bytes as f64);
            let cpu = row
                .cpu
                .map_or("–".to_owned(), |cpu| format!("{:.0} %", 100.0 * cpu));
            let peak = row
                .peak_memory
                .map_or("–".to_owned(), |b| format!("{:.0}", b as f64 / 1e6));
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "| {} | {size:.1} ({:.0} %) | {:.1} M | {:.1} | {short:.2} | {medium:.2} | {long:.2} | {:.2} × | {:.0} | {cpu} | {peak} |",
                row.name,
                100.0 * share,
                row.parameters as f64 / 1e6,
                row.start_ms,
                speed_up(base, row),
                row.sentences_per_second,
            );
            if quality {
                let _ = match row.quality {
                    Some(q) => write!(text, " {:.2} | {:.2} |", q.bleu, q.chrf),
                    None => write!(text, " – | – |"),
                };
            }
            text.push('\n');
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let json = serde_json::json!({ "tokens": LENGTHS, "rows": self.rows });
        format!("{json:#}\n")
    }
}

/// How many times as fast a sentence of medium length is.
pub(super) fn speed_up(base: &Summary, row: &Summary) -> f64 {
    base.latency_ms[1] / row.latency_ms[1]
}

#[cfg(test)]
mod tests {
    use super::{Summary, Table};
    use crate::lab::bench_table::chart;

    pub(super) fn table() -> Table {
        let row = |name: &str, bytes, medium| Summary {
            name: name.to_owned(),
            bytes,
            parameters: 19_617_408,
            start_ms: 12.0,
            latency_ms: [1.0, medium, 9.0],
            sentences_per_second: 500.0,
            cpu: Some(0.98),
            peak_memory: None,
            quality: None,
        };
        Table {
            rows: vec![
                row("f32 <all>", 80_000_000, 6.0),
                row("int8", 20_000_000, 3.0),
            ],
        }
    }

    #[test]
    fn rows_are_compared_to_the_first() {
        let text = table().markdown();
        let last = text.lines().last().unwrap();
        assert!(
            last.contains("20.0 (25 %)") && last.contains("2.00 ×"),
            "{last}"
        );
        let columns = |line: &str| line.matches('|').count();
        assert!(text.lines().all(|line| columns(line) == columns(last)));
        let json: serde_json::Value = serde_json::from_str(&table().json()).unwrap();
        assert_eq!(json["rows"][1]["bytes"], 20_000_000);
    }

    #[test]
    fn the_chart_has_all_rows() {
        let svg = chart::draw(&table());
        assert!(svg.contains("f32 &lt;all>") && svg.contains("int8"));
        assert!(svg.ends_with("</svg>\n"));
    }
}
