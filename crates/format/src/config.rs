//! The model's configuration, as the original's `model` section names it.

use serde::{Deserialize, Serialize};

use crate::error::FormatError;
use crate::tensor::ElementType;
use crate::widths::{DecoderWidths, EncoderWidths, Widths};

/// How encoder and decoder know positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Position {
    /// A sinusoidal timing signal is added to the embeddings.
    Absolute,
    /// Learned relative-position tables in self-attention.
    Relative,
}

/// How the weights of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quantization {
    /// Matrices and tables int8 with a scale for each output or row; the rest f32.
    #[serde(rename = "int8")]
    Int8,
    /// Matrices, the output layer's among them, as in `Int8`; tables that are only looked up f16.
    #[serde(rename = "int8, f16 tables")]
    Int8HalfTables,
    /// Matrices, the output layer's among them, as in `Int8`; tables that are only looked up f32.
    #[serde(rename = "int8, f32 tables")]
    Int8FloatTables,
    /// Everything f32 in TensorFlow's shapes.
    #[serde(rename = "f32")]
    F32,
}

/// What a linear layer computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Packed int8 weights, 7-bit activations.
    Int8,
    /// f32 weights and activations.
    F32,
}

impl Quantization {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Int8,
        Self::Int8HalfTables,
        Self::Int8FloatTables,
        Self::F32,
    ];

    /// The name in the file's metadata.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int8HalfTables => "int8, f16 tables",
            Self::Int8FloatTables => "int8, f32 tables",
            Self::F32 => "f32",
        }
    }

    /// What everything that is multiplied with is stored as.
    #[must_use]
    pub fn linears(self) -> Precision {
        match self {
            Self::Int8 | Self::Int8HalfTables | Self::Int8FloatTables => Precision::Int8,
            Self::F32 => Precision::F32,
        }
    }

    /// Elements of the tables that are only looked up.
    #[must_use]
    pub fn tables(self) -> ElementType {
        match self {
            Self::Int8 => ElementType::I8,
            Self::Int8HalfTables => ElementType::F16,
            Self::Int8FloatTables | Self::F32 => ElementType::F32,
        }
    }
}

/// Sizes and search defaults of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// H: width of the residual stream.
    pub hidden_size: usize,
    /// F: inner width of the feed-forward layers.
    pub filter_size: usize,
    /// Attention heads; divides `hidden_size`.
    pub num_heads: usize,
    /// Layers of the encoder.
    pub num_encoder_layers: usize,
    /// Layers of the decoder.
    pub num_decoder_layers: usize,
    /// Layers of the semantic encoder.
    pub num_semantic_encoder_layers: usize,
    /// Layer norms before each sublayer and at the end (`layer_preproc` is `layer_norm`).
    pub pre_norm: bool,
    /// Layer norms after each sublayer (`layer_postproc` is `layer_norm`).
    pub post_norm: bool,
    /// The output layer is the target embedding.
    pub shared_embedding_and_softmax_weights: bool,
    /// Source and target have one embedding.
    pub shared_source_target_embedding: bool,
    /// Positions of encoder and decoder; the semantic encoder is always relative.
    pub position: Position,
    /// M: distances beyond count as M.
    pub max_relative_dis: usize,
    /// Rows of the source embedding.
    pub src_vocab_size: usize,
    /// Rows of the target embedding.
    pub trg_vocab_size: usize,
    /// Default beam.
    pub beam_size: usize,
    /// Default exponent of the length penalty.
    pub lp_rate: f32,
    /// Default limit of target tokens.
    pub max_decoded_trg_len: usize,
    /// Source language, as `zh`.
    pub src_lang: String,
    /// Target language, as `en`.
    pub tgt_lang: String,
    /// Widths of each layer where they are not those above, as in a pruned model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widths: Option<Widths>,
}

impl ModelConfig {
    /// Checks that the numbers fit each other and are within what the engine accepts.
    ///
    /// # Errors
    /// [`FormatError::Config`] naming the first field that is wrong.
    pub fn validate(&self) -> Result<(), FormatError> {
        let sizes = [
            ("hidden_size", self.hidden_size, 4..=16_384),
            ("filter_size", self.filter_size, 1..=65_536),
            ("num_heads", self.num_heads, 1..=256),
            ("num_encoder_layers", self.num_encoder_layers, 1..=256),
            ("num_decoder_layers", self.num_decoder_layers, 1..=256),
            (
                "num_semantic_encoder_layers",
                self.num_semantic_encoder_layers,
                1..=256,
            ),
            ("max_relative_dis", self.max_relative_dis, 1..=4096),
            ("src_vocab_size", self.src_vocab_size, 2..=4_000_000),
            ("trg_vocab_size", self.trg_vocab_size, 2..=4_000_000),
            ("beam_size", self.beam_size, 1..=64),
            ("max_decoded_trg_len", self.max_decoded_trg_len, 1..=4096),
        ];
        for (field, found, range) in sizes {
            if !range.contains(&found) {
                let expected = format!("{} to {}", range.start(), range.end());
                return Err(FormatError::config(field, expected, &found));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_heads) {
            let expected = format!("a divisor of hidden_size {}", self.hidden_size);
            return Err(FormatError::config("num_heads", expected, &self.num_heads));
        }
        if !(0.0..=10.0).contains(&self.lp_rate) {
            return Err(FormatError::config("lp_rate", "0 to 10", &self.lp_rate));
        }
        if self.pre_norm && self.post_norm {
            let expected = "none beside layer_preproc layer_norm";
            return Err(FormatError::config(
                "layer_postproc",
                expected,
                "layer_norm",
            ));
        }
        if self.shared_source_target_embedding && self.src_vocab_size != self.trg_vocab_size {
            let expected = format!("src_vocab_size {} (shared embedding)", self.src_vocab_size);
            return Err(FormatError::config(
                "trg_vocab_size",
                expected,
                &self.trg_vocab_size,
            ));
        }
        for (field, language) in [("src_lang", &self.src_lang), ("tgt_lang", &self.tgt_lang)] {
            let letters = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            if !(1..=35).contains(&language.len()) || !language.bytes().all(letters) {
                let expected = "a language code such as zh";
                return Err(FormatError::config(
                    field,
                    expected,
                    &format!("{language:?}"),
                ));
            }
        }
        match &self.widths {
            Some(widths) => widths.validate(self),
            None => Ok(()),
        }
    }

    /// Width of one attention head, H / heads; pruned layers have fewer heads of the same width.
    #[must_use]
    pub fn head_size(&self) -> usize {
        self.hidden_size / self.num_heads
    }

    /// Widths of every layer, also where all are the same.
    #[must_use]
    pub fn all_widths(&self) -> Widths {
        self.widths.clone().unwrap_or_else(|| {
            let encoder = EncoderWidths {
                heads: self.num_heads,
                filter: self.filter_size,
            };
            let decoder = DecoderWidths {
                heads: self.num_heads,
                cross_heads: self.num_heads,
                augmentation: self.hidden_size,
                filter: self.filter_size,
            };
            Widths {
                encoder: vec![encoder; self.num_encoder_layers],
                semantic_encoder: vec![encoder; self.num_semantic_encoder_layers],
                decoder: vec![decoder; self.num_decoder_layers],
            }
        })
    }
}
