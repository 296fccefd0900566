//! The model: weights of all parts.

use csanmt_format::{ModelConfig, ModelFile, Precision};
use csanmt_kernels::Kernels;

use crate::batch::Batch;
use crate::beam::{BatchSize, Beginning, Horizon, Limits, SearchOptions};
use crate::decoder::{Attended, Decoder, Row};
use crate::embedding::Embedding;
use crate::encoder::{Encoder, Probe};
use crate::encoding::{Encoding, Encodings};
use crate::error::ModelError;
use crate::lane::Lanes;
use crate::position::Timing;
use crate::semantic::SemanticEncoder;
use crate::weights::TableNames;
use crate::workspace::{LayerBuffers, Workspace};

/// A loaded CSANMT model. `Send + Sync`; the weights stay where the model file is.
#[derive(Debug)]
pub struct Model {
    config: ModelConfig,
    precision: Precision,
    pub(crate) kernels: Kernels,
    pub(crate) source_embedding: Embedding,
    pub(crate) target_embedding: Embedding,
    semantic_embedding: Embedding,
    encoder: Encoder,
    semantic: SemanticEncoder,
    pub(crate) decoder: Decoder,
    pub(crate) timing: Timing,
    encodings: Encodings,
}

impl Model {
    /// Binds all tensors of a model file.
    ///
    /// # Errors
    /// When a tensor is missing or has the wrong shape.
    pub fn load(file: &ModelFile, kernels: Kernels) -> Result<Self, ModelError> {
        let config = file.config().clone();
        let names = TableNames::of(&config);
        let precision = file.quantization().linears();
        let (size, source, target) = (
            config.hidden_size,
            config.src_vocab_size,
            config.trg_vocab_size,
        );
        let load = |name: &str, vocab: usize| {
            if name == names.output {
                Embedding::load_tied(file, name, vocab, size)
            } else {
                Embedding::load(file, name, vocab, size)
            }
        };
        Ok(Self {
            source_embedding: load(names.source, source)?,
            target_embedding: load(names.target, target)?,
            semantic_embedding: load(names.semantic, source)?,
            encoder: Encoder::load(file)?,
            semantic: SemanticEncoder::load(file)?,
            decoder: Decoder::load(file, names.output)?,
            timing: Timing::new(size),
            encodings: Encodings::new(|| Encoding::new(LayerBuffers::new(kernels, precision))),
            precision,
            config,
            kernels,
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The kernels in use.
    #[must_use]
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Buffers for one search at a time.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        Workspace::new(self.layer_buffers())
    }

    /// The original's search: the model's beam, length penalty and limit, nothing forbidden.
    #[must_use]
    pub fn search_options(&self) -> SearchOptions {
        SearchOptions {
            beam: self.config.beam_size,
            alpha: self.config.lp_rate,
            max_len: self.config.max_decoded_trg_len,
            limits: Limits::Model,
            min_len: 0,
            forbidden: None,
            wanted: self.config.beam_size,
            horizon: Horizon::Limit,
            margin: f32::INFINITY,
            beginning: Beginning::default(),
            batch: BatchSize::ALL,
            shortlist: None,
        }
    }

    fn layer_buffers(&self) -> LayerBuffers {
        LayerBuffers::new(self.kernels, self.precision)
    }

    /// Runs both encoders. The probes see every layer's output.
    ///
    /// # Errors
    /// When a source id is outside the vocabulary.
    pub fn encode<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        encoder_probe: Probe<'_>,
        semantic_probe: Probe<'_>,
    ) -> Result<Encoding, ModelError> {
        check_tokens(sentences, &self.source_embedding)?;
        let mut encoding = Encoding::new(self.layer_buffers());
        encoding.batch.fill(sentences);
        self.run_encoders(&mut encoding, encoder_probe, semantic_probe);
        Ok(encoding)
    }

    fn run_encoders(
        &self,
        encoding: &mut Encoding,
        encoder_probe: Probe<'_>,
        semantic_probe: Probe<'_>,
    ) {
        let Encoding {
            batch,
            layer,
            source,
            semantic_stream,
            semantic,
        } = encoding;
        self.encoder.run(
            batch,
            &self.source_embedding,
            &self.timing,
            layer,
            source,
            encoder_probe,
        );
        let table = &self.semantic_embedding;
        self.semantic.run(
            batch,
            table,
            layer,
            semantic_stream,
            semantic,
            semantic_probe,
        );
    }

    /// Encodes the sentences that `fill` packs and gives each a lane of the decoder; `opened` names
    /// them in the order of the batch.
    pub(crate) fn open_lanes(
        &self,
        lanes: &mut Lanes,
        opened: &mut Vec<usize>,
        fill: impl FnOnce(&mut Batch),
    ) {
        let mut encoding = self.encodings.lend();
        fill(&mut encoding.batch);
        self.run_encoders(&mut encoding, None, None);
        let batch = &encoding.batch;
        opened.clear();
        opened.extend(batch.spans.iter().map(|span| {
            let mask = batch.mask_of(*span);
            lanes.open(span.len, mask)
        }));
        self.decoder.prepare(&mut encoding, opened, lanes);
    }

    /// Encodes sentences for the decoder, sentence i in lane i.
    fn fill_lanes<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        workspace: &mut Workspace,
    ) -> Result<(), ModelError> {
        check_tokens(sentences, &self.source_embedding)?;
        let Workspace {
            decoder, opened, ..
        } = workspace;
        decoder.lanes.clear(self.decoder.layers());
        self.open_lanes(&mut decoder.lanes, opened, |batch| batch.fill(sentences));
        Ok(())
    }

    /// Logits of given targets, `[sentences][target length + 1][vocab]`: position t has seen the
    /// tokens before it. All targets must have the same length.
    ///
    /// # Errors
    /// When a source id is outside the vocabulary.
    pub fn force<S: AsRef<[u32]>, T: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        targets: &[T],
        workspace: &mut Workspace,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        self.fill_lanes(sentences, workspace)?;
        let buffers = &mut workspace.decoder;
        let mut logits = vec![Vec::new(); sentences.len()];
        let len = targets
            .iter()
            .map(|target| target.as_ref().len())
            .min()
            .unwrap_or(0);
        for step in 0..=len {
            let token = |i: usize| step.checked_sub(1).map(|t| targets[i].as_ref()[t]);
            let row = |i: usize| Row {
                lane: i,
                parent: 0,
                token: token(i),
            };
            let rows: Vec<Row> = (0..sentences.len()).map(row).collect();
            self.decoder
                .step(&rows, &self.target_embedding, &self.timing, buffers);
            let all = self.decoder.logits(0..rows.len(), buffers);
            let steps = all.chunks_exact(self.decoder.vocab());
            for (sentence, step) in logits.iter_mut().zip(steps) {
                sentence.extend_from_slice(step);
            }
        }
        Ok(logits)
    }

    /// Runs the decoder over given translations, see [`Decoder::force_all`].
    pub(crate) fn attend_forced<S: AsRef<[u32]>, T: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        targets: &[T],
        last_layer: usize,
        workspace: &mut Workspace,
        observe: &mut dyn FnMut(Attended<'_>),
    ) -> Result<(), ModelError> {
        check_tokens(targets, &self.target_embedding)?;
        self.fill_lanes(sentences, workspace)?;
        let buffers = &mut workspace.decoder;
        let targets = &targets[..targets.len().min(sentences.len())];
        self.decoder.force_all(
            targets,
            last_layer,
            &self.target_embedding,
            &self.timing,
            buffers,
            observe,
        );
        Ok(())
    }
}

/// Every id has a row in its table.
pub(crate) fn check_tokens<S: AsRef<[u32]>>(
    sentences: &[S],
    table: &Embedding,
) -> Result<(), ModelError> {
    let vocabulary = table.vocab();
    let outside = |id: &&u32| **id as usize >= vocabulary;
    match sentences.iter().flat_map(|s| s.as_ref()).find(outside) {
        Some(&id) => Err(ModelError::Token { id, vocabulary }),
        None => Ok(()),
    }
}
