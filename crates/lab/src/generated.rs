//! Models with generated weights, to see how a size performs. They translate into nonsense.

use csanmt_format::layout::{Role, Variable};
use csanmt_format::{ModelConfig, Position};

/// Values of one variable after the other, the same everywhere.
#[derive(Clone, Debug)]
pub struct GeneratedValues {
    hidden: usize,
    /// xorshift64.
    state: u64,
}

impl GeneratedValues {
    /// Begins with the first variable of a model with this width.
    #[must_use]
    pub fn new(hidden: usize) -> Self {
        Self {
            hidden,
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Appends the values of the next variable.
    pub fn append(&mut self, variable: &Variable, out: &mut Vec<f32>) {
        let (center, width) = spread(variable, self.hidden);
        let len: usize = variable.shape.iter().product();
        out.extend((0..len).map(|_| center + width * self.next()));
    }

    /// A number in −1..1.
    fn next(&mut self) -> f32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }
}

/// Middle and half width of a variable's values: every part of the graph matters, no layer makes
/// its input larger.
fn spread(variable: &Variable, hidden: usize) -> (f32, f32) {
    let unit = |inputs: usize| (3.0 / inputs as f32).sqrt();
    match variable.role {
        Role::Linear => (0.0, 0.8 * unit(variable.shape[0])),
        Role::OutputTable | Role::RowTable => (0.0, unit(hidden)),
        Role::Norm if variable.name.ends_with("scale") => (1.0, 0.4),
        Role::Norm | Role::Bias => (0.0, 0.3),
        Role::RelativeTable => (0.0, 1.0),
    }
}

/// A vocabulary of so many ids, the last of which, for unknown tokens, has no line.
#[must_use]
pub fn generated_vocabulary(size: usize) -> Vec<u8> {
    let tokens = (1..size.saturating_sub(1)).map(|token| format!("token{token}\n"));
    let text: String = std::iter::once("</s>\n".to_owned()).chain(tokens).collect();
    text.into_bytes()
}

/// Merge rules that fit [`generated_vocabulary`].
pub const GENERATED_CODES: &[u8] = b"#version: 0.2\nt o\nto k\n";

/// What released models have in common: Chinese to English, norms before the layers, one
/// vocabulary, four layers in the semantic encoder, absolute positions. Sizes are those of the
/// caller.
#[must_use]
pub fn released_config(
    [encoder, decoder, hidden, filter, heads, vocabulary]: [usize; 6],
) -> ModelConfig {
    ModelConfig {
        hidden_size: hidden,
        filter_size: filter,
        num_heads: heads,
        num_encoder_layers: encoder,
        num_decoder_layers: decoder,
        num_semantic_encoder_layers: 4,
        pre_norm: true,
        post_norm: false,
        shared_embedding_and_softmax_weights: true,
        shared_source_target_embedding: true,
        position: Position::Absolute,
        max_relative_dis: 16,
        src_vocab_size: vocabulary,
        trg_vocab_size: vocabulary,
        beam_size: 4,
        lp_rate: 0.6,
        max_decoded_trg_len: 100,
        src_lang: "zh".to_owned(),
        tgt_lang: "en".to_owned(),
        widths: None,
    }
}
