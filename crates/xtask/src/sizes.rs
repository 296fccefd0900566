//! `cargo xtask sizes`: what a visitor downloads besides the model.

use std::fs;

use anyhow::{Context, Result, bail};
use brotli::enc::BrotliEncoderParams;

use crate::{site, workspace};

pub(crate) const HELP: &str = "\
cargo xtask sizes

Prints the raw and brotli sizes of the built site's WebAssembly and JavaScript (see `cargo xtask
site`) and fails when their brotli sum is above 4 MB.
";

const LIMIT_BYTES: usize = 4_000_000;

pub(crate) fn run() -> Result<()> {
    let site = workspace::site();
    let mut sum = (0, 0);
    println!("{:>10} {:>10}  file", "bytes", "brotli");
    for path in site::files_below(&site, &site)? {
        if !(path.ends_with(".wasm") || path.ends_with(".js")) {
            continue;
        }
        let content = fs::read(site.join(&path)).with_context(|| format!("cannot read {path}"))?;
        let packed = brotli_len(&content).with_context(|| format!("cannot compress {path}"))?;
        println!("{:>10} {packed:>10}  {path}", content.len());
        sum = (sum.0 + content.len(), sum.1 + packed);
    }
    println!(
        "{:>10} {:>10}  wasm + JS, limit {LIMIT_BYTES}",
        sum.0, sum.1
    );
    if sum.1 > LIMIT_BYTES {
        bail!(
            "wasm + JS are {} bytes with brotli, more than {LIMIT_BYTES}",
            sum.1
        );
    }
    Ok(())
}

fn brotli_len(content: &[u8]) -> Result<usize> {
    let params = BrotliEncoderParams {
        quality: 11,
        size_hint: content.len(),
        ..BrotliEncoderParams::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &content[..], &mut packed, &params)?;
    Ok(packed.len())
}

#[cfg(test)]
mod tests {
    use super::brotli_len;

    #[test]
    fn repetitive_text_packs_well() {
        let text = "the same words ".repeat(1000);
        assert!(brotli_len(text.as_bytes()).unwrap() < 100);
    }
}
