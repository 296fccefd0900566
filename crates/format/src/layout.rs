//! Every variable of a configuration: name, part in the model, shape, and how a file stores it.

use crate::config::{ModelConfig, Position, Precision, Quantization};
use crate::tensor::{ElementType, TensorSpec};
use crate::widths::{DecoderWidths, EncoderWidths};

/// Outputs in a panel of packed int8 weights.
pub const PANEL: usize = 16;
/// Inputs that lie together in a panel.
pub const GROUP: usize = 4;

/// The part that a variable has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Matrix `[inputs, outputs]` of a linear layer.
    Linear,
    /// Table `[vocabulary, hidden]` that the output layer multiplies with; when tied also the
    /// target embedding.
    OutputTable,
    /// Table `[vocabulary, hidden]` that is only looked up.
    RowTable,
    /// Bias of a linear layer or of the encoder's input.
    Bias,
    /// Scale or offset of a layer norm.
    Norm,
    /// Relative-position table `[2M + 1, head]`.
    RelativeTable,
}

/// The stage that a variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Embedding and output tables.
    Tables,
    /// Encoder, with its input bias.
    Encoder,
    /// Semantic encoder with its pooling layer.
    SemanticEncoder,
    /// Decoder.
    Decoder,
}

/// A variable of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// TensorFlow's name without `NmtModel/`.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Its stage.
    pub stage: Stage,
    /// TensorFlow's shape.
    pub shape: Vec<usize>,
}

impl Variable {
    /// Number of weights.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        self.shape.iter().map(|&axis| axis as u64).product()
    }

    /// Inputs K and outputs N when it is multiplied with, `None` otherwise.
    #[must_use]
    pub fn matrix_size(&self) -> Option<(usize, usize)> {
        match (self.role, &self.shape[..]) {
            (Role::Linear, &[inputs, outputs]) => Some((inputs, outputs)),
            (Role::OutputTable, &[vocab, hidden]) => Some((hidden, vocab)),
            _ => None,
        }
    }

    /// The tensors that hold it, the main one first.
    #[must_use]
    pub fn stored(&self, quantization: Quantization) -> Vec<TensorSpec> {
        let spec = |suffix: &str, dtype, shape| TensorSpec {
            name: format!("{}{suffix}", self.name),
            dtype,
            shape,
        };
        if quantization.linears() == Precision::Int8
            && let Some((k, n)) = self.matrix_size()
        {
            return vec![
                spec("", ElementType::I8, packed_shape(k, n).to_vec()),
                spec(".scale", ElementType::F32, vec![n]),
                spec(".colsum", ElementType::I32, vec![n]),
            ];
        }
        if self.role == Role::RowTable {
            let elements = quantization.tables();
            let mut specs = vec![spec("", elements, self.shape.clone())];
            if elements == ElementType::I8 {
                specs.push(spec(".scale", ElementType::F32, vec![self.shape[0]]));
            }
            return specs;
        }
        vec![spec("", ElementType::F32, self.shape.clone())]
    }
}

impl Variable {
    /// The tensors that hold `count` weights kept apart from a packed matrix: `NAME.peak` and
    /// `NAME.peak_place`, rows of output and input.
    #[must_use]
    pub fn peaks(&self, count: usize) -> [TensorSpec; 2] {
        let spec = |suffix: &str, dtype, shape| TensorSpec {
            name: format!("{}{suffix}", self.name),
            dtype,
            shape,
        };
        [
            spec(".peak", ElementType::F32, vec![count]),
            spec(".peak_place", ElementType::I32, vec![count, 2]),
        ]
    }
}

/// Shape of packed weights with K inputs and N outputs: `[ceil(N/16), ceil(K/4), 16, 4]`.
#[must_use]
pub fn packed_shape(k: usize, n: usize) -> [usize; 4] {
    [n.div_ceil(PANEL), k.div_ceil(GROUP), PANEL, GROUP]
}

/// Every variable that translation with this configuration reads.
#[must_use]
pub fn variables(config: &ModelConfig) -> Vec<Variable> {
    let mut list = List {
        config,
        stage: Stage::Encoder,
        variables: Vec::new(),
    };
    list.push(
        "encoder_input_bias".into(),
        Role::Bias,
        &[config.hidden_size],
    );
    list.tables();
    let widths = config.all_widths();
    list.encoder(
        "encoder",
        &widths.encoder,
        config.position == Position::Relative,
    );
    list.stage = Stage::SemanticEncoder;
    list.encoder("mini_xlm_encoder", &widths.semantic_encoder, true);
    list.linear(
        "mini_xlm_encoder/pooling_layer/linear",
        config.hidden_size,
        config.hidden_size,
    );
    list.stage = Stage::Decoder;
    list.decoder(&widths.decoder);
    if config.pre_norm {
        let stages = [
            ("encoder", Stage::Encoder),
            ("mini_xlm_encoder", Stage::SemanticEncoder),
            ("decoder", Stage::Decoder),
        ];
        for (scope, stage) in stages {
            list.stage = stage;
            list.norm(&format!("{scope}/layer_norm"));
        }
    }
    list.variables
}

struct List<'a> {
    config: &'a ModelConfig,
    stage: Stage,
    variables: Vec<Variable>,
}

impl List<'_> {
    fn push(&mut self, name: String, role: Role, shape: &[usize]) {
        self.variables.push(Variable {
            name,
            role,
            stage: self.stage,
            shape: shape.to_vec(),
        });
    }

    fn tables(&mut self) {
        let (hidden, source, target) = (
            self.config.hidden_size,
            self.config.src_vocab_size,
            self.config.trg_vocab_size,
        );
        let tied = self.config.shared_embedding_and_softmax_weights;
        let one = self.config.shared_source_target_embedding;
        let target_role = if tied {
            Role::OutputTable
        } else {
            Role::RowTable
        };
        self.stage = Stage::Tables;
        let mut table = |name: &str, role, vocab| self.push(name.into(), role, &[vocab, hidden]);
        if one {
            table("Shared_Embedding/Weights", target_role, source);
            table("Shared_Semantic_Embedding/Weights", Role::RowTable, source);
        } else {
            table("Source_Embedding/Weights", Role::RowTable, source);
            table("Target_Embedding/Weights", target_role, target);
            table("Source_Semantic_Embedding/Weights", Role::RowTable, source);
        }
        if !tied {
            table("Softmax", Role::OutputTable, target);
        }
        self.stage = Stage::Encoder;
    }

    fn norm(&mut self, scope: &str) {
        let hidden = self.config.hidden_size;
        self.push(format!("{scope}/layer_norm_scale"), Role::Norm, &[hidden]);
        self.push(format!("{scope}/layer_norm_offset"), Role::Norm, &[hidden]);
    }

    fn sublayer_norms(&mut self, layer: &str, suffixes: &[&str]) {
        if self.config.pre_norm || self.config.post_norm {
            for suffix in suffixes {
                self.norm(&format!("{layer}/layer_norm{suffix}"));
            }
        }
    }

    fn linear(&mut self, scope: &str, inputs: usize, outputs: usize) {
        self.push(format!("{scope}/matrix"), Role::Linear, &[inputs, outputs]);
        self.push(format!("{scope}/bias"), Role::Bias, &[outputs]);
    }

    fn self_attention(&mut self, scope: &str, heads: usize, relative: bool) {
        let hidden = self.config.hidden_size;
        let width = heads * self.config.head_size();
        self.linear(&format!("{scope}/qkv_transform"), hidden, 3 * width);
        if relative {
            let shape = [
                2 * self.config.max_relative_dis + 1,
                self.config.head_size(),
            ];
            self.push(format!("{scope}/rpr_k"), Role::RelativeTable, &shape);
            self.push(format!("{scope}/rpr_v"), Role::RelativeTable, &shape);
        }
        self.linear(&format!("{scope}/output_transform"), width, hidden);
    }

    fn feed_forward(&mut self, layer: &str, filter: usize) {
        let hidden = self.config.hidden_size;
        self.linear(
            &format!("{layer}/ffn_layer/input_layer/linear"),
            hidden,
            filter,
        );
        self.linear(
            &format!("{layer}/ffn_layer/output_layer/linear"),
            filter,
            hidden,
        );
    }

    fn encoder(&mut self, scope: &str, widths: &[EncoderWidths], relative: bool) {
        for (i, widths) in widths.iter().enumerate() {
            let layer = format!("{scope}/layer_{i}");
            self.sublayer_norms(&layer, &["", "_1"]);
            let attention = format!("{layer}/encoder_self_attention");
            self.self_attention(&attention, widths.heads, relative);
            self.feed_forward(&layer, widths.filter);
        }
    }

    fn decoder(&mut self, widths: &[DecoderWidths]) {
        let hidden = self.config.hidden_size;
        for (i, widths) in widths.iter().enumerate() {
            let layer = format!("decoder/layer_{i}");
            self.sublayer_norms(&layer, &["", "_1", "_2", "_3"]);
            let augmentation = format!("{layer}/embedding_augmentation_layer");
            self.linear(
                &format!("{augmentation}/input_layer/linear"),
                hidden,
                widths.augmentation,
            );
            self.linear(
                &format!("{augmentation}/output_layer/linear"),
                widths.augmentation,
                hidden,
            );
            let relative = self.config.position == Position::Relative;
            let attention = format!("{layer}/decoder_self_attention");
            self.self_attention(&attention, widths.heads, relative);
            let cross = format!("{layer}/encdec_attention");
            let width = widths.cross_heads * self.config.head_size();
            self.linear(&format!("{cross}/q_transform"), hidden, width);
            self.linear(&format!("{cross}/kv_transform"), hidden, 2 * width);
            self.linear(&format!("{cross}/output_transform"), width, hidden);
            self.feed_forward(&layer, widths.filter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Variable, variables};
    use crate::config::{ModelConfig, Position};

    fn published(position: Position) -> ModelConfig {
        ModelConfig {
            hidden_size: 1024,
            filter_size: 4096,
            num_heads: 16,
            num_encoder_layers: 24,
            num_decoder_layers: 6,
            num_semantic_encoder_layers: 4,
            pre_norm: true,
            post_norm: false,
            shared_embedding_and_softmax_weights: true,
            shared_source_target_embedding: true,
            position,
            max_relative_dis: 16,
            src_vocab_size: 50_000,
            trg_vocab_size: 50_000,
            beam_size: 4,
            lp_rate: 0.6,
            max_decoded_trg_len: 100,
            src_lang: "zh".into(),
            tgt_lang: "en".into(),
            widths: None,
        }
    }

    /// Counts of the original graph: 24-6-1024 and 24-6-512 layouts.
    #[test]
    fn published_models_have_the_known_sizes() {
        let count = |config: &ModelConfig| {
            let list = variables(config);
            (
                list.len(),
                list.iter().map(Variable::parameters).sum::<u64>(),
            )
        };
        assert_eq!(count(&published(Position::Absolute)), (511, 569_555_456));
        assert_eq!(count(&published(Position::Relative)), (571, 569_682_176));
        let mut small = published(Position::Absolute);
        (small.hidden_size, small.filter_size, small.num_heads) = (512, 2048, 8);
        assert_eq!(count(&small).1, 168_132_096);
    }

    #[test]
    fn names_are_unique() {
        let mut config = published(Position::Relative);
        config.shared_source_target_embedding = false;
        config.shared_embedding_and_softmax_weights = false;
        let mut names: Vec<_> = variables(&config).into_iter().map(|v| v.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
