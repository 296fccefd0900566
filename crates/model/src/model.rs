//! The model: weights of all parts, and the search over a batch.

use std::ops::{ControlFlow, Range};

use csanmt_format::{ModelConfig, ModelFile, Precision};
use csanmt_kernels::Kernels;

use crate::batch::Batch;
use crate::beam::{
    Beam, Beginning, Horizon, Limits, SearchBuffers, SearchOptions, Step, length_penalty,
};
use crate::decoder::{Attended, Decoder, Row};
use crate::embedding::Embedding;
use crate::encoder::{Encoder, Probe};
use crate::error::ModelError;
use crate::hypothesis::SearchResult;
use crate::semantic::SemanticEncoder;
use crate::weights::TableNames;
use crate::workspace::Workspace;

/// A loaded CSANMT model. `Send + Sync`; the weights stay where the model file is.
#[derive(Debug)]
pub struct Model {
    config: ModelConfig,
    precision: Precision,
    kernels: Kernels,
    source_embedding: Embedding,
    target_embedding: Embedding,
    semantic_embedding: Embedding,
    encoder: Encoder,
    semantic: SemanticEncoder,
    decoder: Decoder,
}

/// What the encoders say of a batch, as it lies in a workspace.
#[derive(Debug)]
pub struct Encoded<'w> {
    /// The packed sentences.
    pub batch: &'w Batch,
    /// Encoder output `[positions, d_model]`.
    pub source: &'w [f32],
    /// Semantic vectors `[sentences, d_model]`.
    pub semantic: &'w [f32],
}

impl Model {
    /// Binds all tensors of a model file.
    ///
    /// # Errors
    /// When a tensor is missing or has the wrong shape.
    pub fn load(file: &ModelFile, kernels: Kernels) -> Result<Self, ModelError> {
        let config = file.config().clone();
        let names = TableNames::of(&config);
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
            precision: file.quantization().linears(),
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
        Workspace::new(self.kernels, self.precision, self.config.hidden_size)
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
        }
    }

    /// Runs both encoders. The probes see every layer's output.
    ///
    /// # Errors
    /// When a source id is outside the vocabulary.
    pub fn encode<'w, S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        workspace: &'w mut Workspace,
        encoder_probe: Probe<'_>,
        semantic_probe: Probe<'_>,
    ) -> Result<Encoded<'w>, ModelError> {
        check_tokens(sentences, &self.source_embedding)?;
        let Workspace {
            batch,
            encoder,
            timing,
            source,
            semantic_stream,
            semantic,
            ..
        } = workspace;
        batch.fill(sentences);
        self.encoder.run(
            batch,
            &self.source_embedding,
            timing,
            encoder,
            source,
            encoder_probe,
        );
        let table = &self.semantic_embedding;
        self.semantic.run(
            batch,
            table,
            encoder,
            semantic_stream,
            semantic,
            semantic_probe,
        );
        Ok(Encoded {
            batch,
            source,
            semantic,
        })
    }

    /// Translates a batch. `observe` is called after every step and may break the search off.
    ///
    /// # Errors
    /// When an id is outside its vocabulary, or the search was cancelled.
    pub fn search<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        options: &SearchOptions,
        workspace: &mut Workspace,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Vec<SearchResult>, ModelError> {
        self.begin(sentences, options, workspace)?;
        let mut step = 0;
        while let Some(report) = self.advance(step, options, workspace) {
            step = report.step;
            if observe(report).is_break() {
                return Err(ModelError::Cancelled);
            }
        }
        Ok(results(workspace))
    }

    /// Begins the translation of a batch that is advanced step by step with [`Model::step`].
    ///
    /// # Errors
    /// When a source id is outside the vocabulary.
    pub fn start<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        options: &SearchOptions,
        mut workspace: Workspace,
    ) -> Result<Search, ModelError> {
        self.begin(sentences, options, &mut workspace)?;
        Ok(Search {
            options: options.clone(),
            workspace,
            steps: 0,
        })
    }

    /// Does one decoder step; `None` when there is none left to do.
    pub fn step(&self, search: &mut Search) -> Option<Step> {
        let Search {
            options,
            workspace,
            steps,
        } = search;
        let report = self.advance(*steps, options, workspace)?;
        *steps = report.step;
        Some(report)
    }

    /// Runs the encoders and makes the beams of a batch.
    fn begin<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        options: &SearchOptions,
        workspace: &mut Workspace,
    ) -> Result<(), ModelError> {
        let Beginning { tokens, next } = &options.beginning;
        check_tokens(&[tokens, next], &self.target_embedding)?;
        self.encode(sentences, workspace, None, None)?;
        let Workspace {
            decoder: buffers,
            search: SearchBuffers { beams, live, .. },
            source,
            semantic,
            ..
        } = workspace;
        self.decoder.prepare(source, semantic, buffers);
        beams.clear();
        let lengths = sentences.iter().map(|sentence| sentence.as_ref().len());
        beams.extend(
            lengths
                .enumerate()
                .map(|(i, len)| Beam::new(i, len, options)),
        );
        live.clear();
        live.extend(0..sentences.len());
        Ok(())
    }

    /// Step `step` of a search, counted from 0; `None` when all beams are closed. It allocates
    /// nothing that the last search of this size has not.
    fn advance(
        &self,
        step: usize,
        options: &SearchOptions,
        workspace: &mut Workspace,
    ) -> Option<Step> {
        let Workspace {
            batch,
            decoder: buffers,
            search,
            timing,
            ..
        } = workspace;
        let SearchBuffers {
            beams,
            live,
            rows,
            continuations,
            candidates,
        } = search;
        live.retain(|&i| {
            let done = beams[i].is_done(step);
            if done {
                beams[i].close(&buffers.history);
            }
            !done
        });
        if live.is_empty() {
            return None;
        }
        rows.clear();
        rows.extend(live.iter().flat_map(|&i| beams[i].rows(step)));
        self.decoder
            .step(rows, step, batch, &self.target_embedding, timing, buffers);
        let end = (step < options.min_len).then_some(crate::EOS);
        continuations.start(end.into_iter().chain(options.forbidden));
        let choice = options.beginning.choice(step);
        for block in logit_blocks(rows.len()) {
            let logits = self.decoder.logits(block, buffers);
            for row in logits.chunks_exact(self.decoder.vocab()) {
                let count = 2 * options.beam;
                match choice {
                    None => continuations.push(self.kernels, row, count),
                    Some(tokens) => continuations.push_some(self.kernels, row, count, tokens),
                }
            }
        }
        let penalty = length_penalty(step + 1, options.alpha);
        let mut first_row = 0;
        for &i in live.iter() {
            let width = beams[i].width();
            let history = &buffers.history;
            beams[i].expand(
                penalty,
                first_row,
                continuations,
                history,
                options,
                candidates,
            );
            first_row += width;
        }
        Some(Step {
            step: step + 1,
            live_sentences: live.len(),
        })
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
        self.encode(sentences, workspace, None, None)?;
        let Workspace {
            batch,
            decoder: buffers,
            timing,
            source,
            semantic,
            ..
        } = workspace;
        self.decoder.prepare(source, semantic, buffers);
        let mut logits = vec![Vec::new(); sentences.len()];
        let len = targets
            .iter()
            .map(|target| target.as_ref().len())
            .min()
            .unwrap_or(0);
        for step in 0..=len {
            let token = |i: usize| step.checked_sub(1).map(|t| targets[i].as_ref()[t]);
            let row = |i: usize| Row {
                sentence: i,
                parent: i,
                token: token(i),
            };
            let rows: Vec<Row> = (0..sentences.len()).map(row).collect();
            self.decoder
                .step(&rows, step, batch, &self.target_embedding, timing, buffers);
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
        self.encode(sentences, workspace, None, None)?;
        let Workspace {
            batch,
            decoder: buffers,
            timing,
            source,
            semantic,
            ..
        } = workspace;
        self.decoder.prepare(source, semantic, buffers);
        let targets = &targets[..targets.len().min(sentences.len())];
        self.decoder.force_all(
            targets,
            last_layer,
            batch,
            &self.target_embedding,
            timing,
            buffers,
            observe,
        );
        Ok(())
    }
}

/// A search that its owner advances with [`Model::step`], and that can wait in between.
#[derive(Debug)]
pub struct Search {
    options: SearchOptions,
    workspace: Workspace,
    /// Steps done.
    steps: usize,
}

impl Search {
    /// The hypotheses of every sentence, complete once [`Model::step`] had nothing left to do.
    #[must_use]
    pub fn results(&self) -> Vec<SearchResult> {
        results(&self.workspace)
    }

    /// Gives the buffers back.
    #[must_use]
    pub fn into_workspace(self) -> Workspace {
        self.workspace
    }
}

fn results(workspace: &Workspace) -> Vec<SearchResult> {
    let history = &workspace.decoder.history;
    let beams = workspace.search.beams.iter();
    beams.map(|beam| beam.result(history)).collect()
}

/// Every id has a row in its table.
fn check_tokens<S: AsRef<[u32]>>(sentences: &[S], table: &Embedding) -> Result<(), ModelError> {
    let vocabulary = table.vocab();
    let outside = |id: &&u32| **id as usize >= vocabulary;
    match sentences.iter().flat_map(|s| s.as_ref()).find(outside) {
        Some(&id) => Err(ModelError::Token { id, vocabulary }),
        None => Ok(()),
    }
}

/// Most rows whose logits exist at a time: they are read while they are still in the L2 cache, and
/// there are enough of them to share the reading of the output table.
const LOGIT_ROWS: usize = 32;

/// Cuts the rows of a step into blocks of nearly equal size.
fn logit_blocks(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let blocks = rows.div_ceil(LOGIT_ROWS);
    (0..blocks).map(move |block| block * rows / blocks..(block + 1) * rows / blocks)
}
