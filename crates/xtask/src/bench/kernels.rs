//! The int8 product beside what the same core can do at most: crates/kernels/examples/gemm.rs
//! measures both in one run.

use anyhow::{Context, Result};

use super::Options;
use super::compare::median;
use super::native::CORE;
use super::peer::pinned;
use super::report::{Bound, Report, Row};
use crate::process::{cargo, command, output, run as run_command};
use crate::workspace;

const INSTRUCTION_SETS: [&str; 5] = ["avx2", "avxvnni", "avx512vnni", "amx", "neon"];
/// Rows of the products over weights that are larger than the caches.
const STREAMED_ROWS: [usize; 3] = [1, 4, 8];

pub(crate) fn run(options: &Options) -> Result<Report> {
    let package = ["--package", "csanmt-kernels", "--example", "gemm"];
    run_command(cargo(["build", "--release"]).args(package))?;
    let program = workspace::target().join("release/examples/gemm");
    let mut report = Report::default();
    for isa in INSTRUCTION_SETS {
        let gemm = command(&program.to_string_lossy(), [isa, "product", "stream"]);
        let mut results = Vec::new();
        // A run repeats every measurement itself.
        for _ in 0..options.repetitions.min(3) {
            let text = output(&mut pinned(&gemm, Some(CORE)))?;
            // Without this instruction set it prints no section for it.
            if text.contains(&format!("\n{isa} ")) {
                results.push(Figures::read(&text).with_context(|| format!("figures of {isa}"))?);
            }
        }
        if results.is_empty() {
            report.note(format!("{isa} is not on this machine"));
            continue;
        }
        let row =
            |label: String, peer: &str, unit, bound, pick: &dyn Fn(&Figures) -> (f64, f64)| Row {
                label: format!("{isa}: {label}"),
                peer: peer.to_owned(),
                unit,
                ours: median(results.iter().map(|figures| pick(figures).0)),
                theirs: median(results.iter().map(|figures| pick(figures).1)),
                bound: Some(Bound::AtLeast(bound)),
                wall_ratio: None,
            };
        report.rows.push(row(
            "M=64 K=512 N=2048".to_owned(),
            "registers alone",
            "GMAC/s",
            0.7,
            &|figures| (figures.product, figures.peak),
        ));
        for (i, rows) in STREAMED_ROWS.into_iter().enumerate() {
            report.rows.push(row(
                format!("M={rows}, 128 MB of weights"),
                "streaming sum",
                "GB/s",
                0.8,
                &|figures| figures.streams[i],
            ));
        }
    }
    report.note("every figure is the best of many short runs; streams and sums run by turns over the same bytes");
    Ok(report)
}

/// What the example prints of one instruction set.
#[derive(Debug, PartialEq)]
struct Figures {
    peak: f64,
    product: f64,
    /// The product, and reading the same bytes.
    streams: [(f64, f64); 3],
}

impl Figures {
    fn read(text: &str) -> Result<Self> {
        let find = |line_has: &str, mark: &str| -> Result<&str> {
            let mut lines = text.lines().filter(|line| line.contains(line_has));
            let found = lines.find_map(|line| line.split_once(mark)?.1.split_whitespace().next());
            found.with_context(|| format!("no {mark:?} in a line with {line_has:?}"))
        };
        let product = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("512 x 2048"))
            .and_then(|rates| rates.split_whitespace().last()?.parse().ok());
        let mut streams = [(0.0, 0.0); 3];
        for (stream, rows) in streams.iter_mut().zip(STREAMED_ROWS) {
            let rates = find("from 128 MB", &format!(" M={rows} "))?;
            let (product, read) = rates
                .split_once('/')
                .with_context(|| format!("{rates:?} are not two rates"))?;
            *stream = (product.parse()?, read.parse()?);
        }
        Ok(Self {
            peak: find("registers alone", "registers alone: ")?.parse()?,
            product: product.context("no rate at 512 x 2048")?,
            streams,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;

    const TEXT: &str = "
avx2 (registers alone: 265 GMAC/s)
       K x N       M=1     M=4     M=8    M=16    M=64
   256 x 768     101.3   111.3   121.3   131.3   200.9
  512 x 2048     101.3   111.3   121.3   131.3   212.5
GB/s of weights streamed from 16 MB, and read: M=1 40.0/50.3 M=2 39.6/50.5 M=4 30.3/49.8 M=8 20.2/50.1
GB/s of weights streamed from 128 MB, and read: M=1 30.0/33.7 M=2 29.6/33.8 M=4 27.3/33.5 M=8 16.2/33.4
";

    #[test]
    fn reads_the_figures() {
        let expected = Figures {
            peak: 265.0,
            product: 212.5,
            streams: [(30.0, 33.7), (27.3, 33.5), (16.2, 33.4)],
        };
        assert_eq!(Figures::read(TEXT).unwrap(), expected);
    }

    #[test]
    fn says_what_is_missing() {
        let cut = TEXT.replace("512 x 2048", "512 x 1024");
        let error = Figures::read(&cut).unwrap_err().to_string();
        assert!(error.contains("512 x 2048"), "{error}");
    }
}
