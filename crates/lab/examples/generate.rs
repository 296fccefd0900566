//! A ModelScope directory with generated weights, to see how a size performs: `generate DIR
//! ENCODER_LAYERS DECODER_LAYERS HIDDEN FILTER HEADS VOCABULARY`. It translates into nonsense.
//!
//! Layout and names are those of the released models. One variable is in memory at a time.

use std::error::Error;
use std::path::Path;

use csanmt_format::{SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use csanmt_lab::generated::{
    GENERATED_CODES, GeneratedValues, generated_vocabulary, released_config,
};
use csanmt_lab::layout::write_layout_of;

const USAGE: &str = "usage: generate DIR ENCODER_LAYERS DECODER_LAYERS HIDDEN FILTER HEADS \
                     VOCABULARY";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (dir, sizes) = arguments.split_first().ok_or(USAGE)?;
    let sizes: Vec<usize> = sizes
        .iter()
        .map(|size| size.parse())
        .collect::<Result<_, _>>()?;
    let sizes: [usize; 6] = sizes.try_into().map_err(|_| USAGE)?;
    let config = released_config(sizes);
    config.validate()?;
    let vocabulary = generated_vocabulary(config.src_vocab_size);
    let text = |name: &str| match name {
        SRC_VOCAB | TRG_VOCAB => Some(&vocabulary[..]),
        SRC_BPE | TRG_BPE => Some(GENERATED_CODES),
        _ => None,
    };
    let mut generated = GeneratedValues::new(config.hidden_size);
    write_layout_of(&config, Path::new(dir), &text, &mut |variable, out| {
        generated.append(variable, out);
    })?;
    Ok(())
}
