//! Where units can be taken out, and which weights belong to a unit.

use csanmt_format::ModelConfig;
use csanmt_format::layout::Stage;

/// What kind of units a slot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Heads of self-attention.
    Heads,
    /// Heads of the decoder's attention to the source.
    CrossHeads,
    /// Neurons of the embedding augmentation.
    Augmentation,
    /// Neurons of the feed-forward layer.
    Filter,
}

/// One attention or feed-forward layer with its units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its stage: encoder, semantic encoder or decoder.
    pub stage: Stage,
    /// Its layer in the stage.
    pub layer: usize,
    /// Its kind.
    pub part: Part,
    /// Linear layers whose outputs belong to units, and how many parts those outputs have: query,
    /// key and value lie one behind the other, each with all heads.
    pub(crate) inputs: Vec<(String, usize)>,
    /// Linear layer whose inputs belong to units.
    pub(crate) output: String,
    /// Outputs, in each part, of one unit: the head size, or 1.
    pub(crate) unit: usize,
    /// How many there are.
    pub units: usize,
    hidden: usize,
}

impl Slot {
    /// Name of the slot: that of the linear layer that reads its units.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.output
    }

    /// Weights of one unit, biases included.
    #[must_use]
    pub fn weights_of_unit(&self) -> usize {
        let parts: usize = self.inputs.iter().map(|(_, parts)| parts).sum();
        self.unit * (parts * (self.hidden + 1) + self.hidden)
    }

    /// Time that one unit costs in the translation of a typical sentence by itself, in weights
    /// read: a pass over `w` weights with `r` rows takes about as long as reading
    /// `w·(1 + r / ROWS_A_READ)`. The encoder makes one pass with all source tokens, the decoder one
    /// a step with the hypotheses of the beam.
    pub(crate) fn work_of_unit(&self) -> f64 {
        let pass = |rows: f64| 1.0 + rows / ROWS_A_READ;
        let encoder = pass(WORDS + 1.0);
        let decoder = WORDS * pass(BEAM);
        let uses = |parts: usize| match (self.stage, self.part) {
            (Stage::Decoder, Part::Augmentation) => pass(1.0),
            // Keys and values of the source are computed once.
            (Stage::Decoder, Part::CrossHeads) if parts == 2 => encoder,
            (Stage::Decoder, _) => decoder,
            _ => encoder,
        };
        let inputs = self
            .inputs
            .iter()
            .map(|&(_, parts)| parts as f64 * uses(parts));
        (self.unit * self.hidden) as f64 * (inputs.sum::<f64>() + uses(1))
    }
}

/// Tokens of a typical sentence on both sides.
const WORDS: f64 = 12.0;
/// Hypotheses of a typical search.
const BEAM: f64 = 4.0;
/// Rows that are multiplied with a weight while it is read from the last-level cache: six with AVX2,
/// some more with newer instructions.
const ROWS_A_READ: f64 = 6.0;

/// Every slot of a configuration.
#[must_use]
pub fn slots(config: &ModelConfig) -> Vec<Slot> {
    let (hidden, head) = (config.hidden_size, config.head_size());
    let widths = config.all_widths();
    let mut slots = Vec::new();
    let slot = |stage, layer, part, inputs: &[(String, usize)], output: String, unit, units| Slot {
        stage,
        layer,
        part,
        inputs: inputs.to_vec(),
        output,
        unit,
        units,
        hidden,
    };
    let neurons = |stage, layer, part, scope: &str, units| {
        let input = (format!("{scope}/input_layer/linear"), 1);
        let output = format!("{scope}/output_layer/linear");
        slot(stage, layer, part, &[input], output, 1, units)
    };
    let heads = |stage, layer, scope: &str, units| {
        let input = (format!("{scope}/qkv_transform"), 3);
        let output = format!("{scope}/output_transform");
        slot(stage, layer, Part::Heads, &[input], output, head, units)
    };
    let encoders = [
        (Stage::Encoder, "encoder", &widths.encoder),
        (
            Stage::SemanticEncoder,
            "mini_xlm_encoder",
            &widths.semantic_encoder,
        ),
    ];
    for (stage, scope, widths) in encoders {
        for (layer, widths) in widths.iter().enumerate() {
            let scope = format!("{scope}/layer_{layer}");
            let attention = format!("{scope}/encoder_self_attention");
            slots.push(heads(stage, layer, &attention, widths.heads));
            let filter = format!("{scope}/ffn_layer");
            slots.push(neurons(stage, layer, Part::Filter, &filter, widths.filter));
        }
    }
    let stage = Stage::Decoder;
    for (layer, widths) in widths.decoder.iter().enumerate() {
        let scope = format!("decoder/layer_{layer}");
        let augmentation = format!("{scope}/embedding_augmentation_layer");
        let part = Part::Augmentation;
        slots.push(neurons(
            stage,
            layer,
            part,
            &augmentation,
            widths.augmentation,
        ));
        let attention = format!("{scope}/decoder_self_attention");
        slots.push(heads(stage, layer, &attention, widths.heads));
        let cross = format!("{scope}/encdec_attention");
        let inputs = [
            (format!("{cross}/q_transform"), 1),
            (format!("{cross}/kv_transform"), 2),
        ];
        let output = format!("{cross}/output_transform");
        let part = Part::CrossHeads;
        slots.push(slot(
            stage,
            layer,
            part,
            &inputs,
            output,
            head,
            widths.cross_heads,
        ));
        let filter = format!("{scope}/ffn_layer");
        slots.push(neurons(stage, layer, Part::Filter, &filter, widths.filter));
    }
    slots
}
