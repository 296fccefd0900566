//! Makes `data/zh.dictionary` and `data/emissions.bin` from the files of jieba 0.42.1:
//!
//! ```text
//! cargo run --release --example build_segmentation_data -- JIEBA/dict.txt JIEBA/finalseg/prob_emit.py crates/text/data
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use csanmt_text::jieba::{dictionary, pack_emissions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [words, emissions, output] = arguments.as_slice() else {
        return Err("expected: dict.txt prob_emit.py output-directory".into());
    };
    let bytes = dictionary::build(&std::fs::read_to_string(words)?)?;
    println!("zh.dictionary: {} bytes", bytes.len());
    std::fs::write(Path::new(output).join("zh.dictionary"), bytes)?;

    let bytes = pack(&std::fs::read_to_string(emissions)?)?;
    println!("emissions.bin: {} bytes", bytes.len());
    std::fs::write(Path::new(output).join("emissions.bin"), bytes)?;
    Ok(())
}

/// The table is a Python literal: `P={'B': {'\u4e00': -3.65…,` a line for each value. The rarest
/// character of each state occurs once, hence N = e^-least, and n = N · e^value.
fn pack(source: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut values: HashMap<(u32, usize), f64> = HashMap::new();
    let mut least = [0f64; 4];
    let mut state = 0;
    for (index, piece) in source
        .split('\'')
        .collect::<Vec<_>>()
        .windows(2)
        .enumerate()
    {
        // Quoted pieces are at odd positions.
        if index % 2 == 0 {
            continue;
        }
        if let Some(letter) = ["B", "E", "M", "S"]
            .iter()
            .position(|letter| *letter == piece[0])
        {
            state = letter;
        } else if let Some(code) = piece[0].strip_prefix("\\u") {
            let number = piece[1].trim_start_matches([':', ' ']);
            let end = number.find([',', '}']).ok_or("a value does not end")?;
            let value: f64 = number[..end].trim().parse()?;
            values.insert((u32::from_str_radix(code, 16)?, state), value);
            least[state] = least[state].min(value);
        }
    }
    let totals = least.map(|least| (-least).exp().round() as u32);
    let count = |character: u32, state: usize| {
        values.get(&(character, state)).map_or(0, |value| {
            (f64::from(totals[state]) * value.exp()).round() as u32
        })
    };
    for (&(character, state), &value) in &values {
        let again = (f64::from(count(character, state)) / f64::from(totals[state])).ln();
        if (again - value).abs() > 1e-14 * value.abs() {
            return Err(
                format!("U+{character:04X} in state {state}: {value} is no ln(n/N)").into(),
            );
        }
    }
    println!("{} values, totals {totals:?}", values.len());
    Ok(pack_emissions(totals, count))
}
