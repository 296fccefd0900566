//! Results: the table on the terminal and the JSON in target/bench.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::folder;

/// What a ratio must be.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, ratio: f64) -> bool {
        match self {
            Self::AtLeast(bound) => ratio >= bound,
            Self::AtMost(bound) => ratio <= bound,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtLeast(bound) => format!(">= {bound}"),
            Self::AtMost(bound) => format!("<= {bound}"),
        }
    }
}

/// One comparison.
pub(crate) struct Row {
    /// What was done.
    pub(crate) label: String,
    pub(crate) peer: String,
    /// Of both values.
    pub(crate) unit: &'static str,
    pub(crate) ours: f64,
    pub(crate) theirs: f64,
    pub(crate) bound: Option<Bound>,
    /// The same ratio from the time that passed, where the main one is of processor time.
    pub(crate) wall_ratio: Option<f64>,
}

impl Row {
    pub(crate) fn ratio(&self) -> f64 {
        self.ours / self.theirs
    }

    fn verdict(&self) -> &'static str {
        match self.bound {
            Some(bound) if bound.holds(self.ratio()) => "pass",
            Some(_) => "FAIL",
            None => "",
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "label": self.label,
            "peer": self.peer,
            "unit": self.unit,
            "ours": self.ours,
            "theirs": self.theirs,
            "ratio": self.ratio(),
            "wall_ratio": self.wall_ratio,
            "bound": self.bound.map(Bound::text),
            "verdict": self.verdict(),
        })
    }
}

/// The rows of a benchmark and what one must know to read them.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

impl Report {
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// How many rows are outside their bounds.
    pub(crate) fn outside(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| row.verdict() == "FAIL")
            .count()
    }

    pub(crate) fn print(&self) {
        let mut lines = vec![
            [
                "", "peer", "ours", "peer's", "", "ratio", "wall", "bound", "",
            ]
            .map(str::to_owned),
        ];
        lines.extend(self.rows.iter().map(|row| {
            [
                row.label.clone(),
                row.peer.clone(),
                number(row.ours),
                number(row.theirs),
                row.unit.to_owned(),
                format!("{:.2}", row.ratio()),
                row.wall_ratio
                    .map(|r| format!("{r:.2}"))
                    .unwrap_or_default(),
                row.bound.map(Bound::text).unwrap_or_default(),
                row.verdict().to_owned(),
            ]
        }));
        let width = |column: usize| {
            let widths = lines.iter().map(|line| line[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let widths: [usize; 9] = std::array::from_fn(width);
        println!();
        for line in &lines {
            let cells: Vec<String> = line
                .iter()
                .zip(widths)
                .enumerate()
                .map(|(column, (cell, width))| match column {
                    2 | 3 | 5 | 6 => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
                })
                .collect();
            println!("{}", cells.join("  ").trim_end());
        }
        for note in &self.notes {
            println!("- {note}");
        }
    }

    /// Writes target/bench/NAME.json in place of what an earlier run left there.
    pub(crate) fn write(&self, name: &str) -> Result<()> {
        let path = folder()?.join(format!("{name}.json"));
        let rows: Vec<Value> = self.rows.iter().map(Row::to_json).collect();
        let report = json!({ "name": name, "rows": rows, "notes": self.notes });
        std::fs::write(&path, format!("{report:#}\n"))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("{}", path.display());
        Ok(())
    }
}

/// Three digits, no exponent.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Report, Row, number};

    fn row(ours: f64, bound: Bound) -> Row {
        Row {
            label: "work".into(),
            peer: "peer".into(),
            unit: "ms",
            ours,
            theirs: 10.0,
            bound: Some(bound),
            wall_ratio: None,
        }
    }

    #[test]
    fn counts_what_is_outside_its_bound() {
        let rows = vec![
            row(20.0, Bound::AtLeast(2.0)),
            row(19.0, Bound::AtLeast(2.0)),
            row(5.0, Bound::AtMost(0.5)),
            row(6.0, Bound::AtMost(0.5)),
        ];
        let report = Report {
            rows,
            notes: Vec::new(),
        };
        assert_eq!(report.outside(), 2);
        assert_eq!(report.rows[1].to_json()["verdict"], "FAIL");
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [1234.5, 12.34, 1.234, 0.1234].map(number),
            ["1234", "12.3", "1.23", "0.123"]
        );
    }
}
