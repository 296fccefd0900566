//! What all translations of one model share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use csanmt_format::{ModelConfig, ModelFile, SharedBytes};
use csanmt_model::{Kernels, Model, Shortlist, Workspace};
use csanmt_text::jieba::Jieba;
use csanmt_text::{
    Bpe, Simplifier, SourceConfig, SourceEncoder, TargetDecoder, TargetEncoder, Vocabulary,
    WordSegmenter,
};

use crate::Error;

/// Workspaces kept for reuse; more exist while more translations run at once.
const IDLE_WORKSPACES: usize = 16;

/// A loaded model with its text pipeline, and idle workspaces.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) file: ModelFile,
    pub(crate) model: Model,
    pub(crate) source: SourceEncoder,
    pub(crate) target: TargetDecoder,
    /// Which words a translation may have, in models that say so.
    pub(crate) shortlist: Option<Arc<Shortlist>>,
    /// Its input is Chinese, in whatever characters.
    pub(crate) reads_chinese: bool,
    pub(crate) simplifier: Simplifier,
    idle: Mutex<Vec<Workspace>>,
    target_encoder: OnceLock<TargetEncoder>,
}

impl Shared {
    pub(crate) fn load(bytes: SharedBytes, kernels: Kernels) -> Result<Self, Error> {
        let file = ModelFile::parse(bytes)?;
        let config = file.config();
        let vocabulary = |name, size| {
            Vocabulary::parse(&file.text(name)?, size).map_err(|source| Error::text(name, source))
        };
        let trg_vocab = vocabulary(csanmt_format::TRG_VOCAB, config.trg_vocab_size)?;
        let src_vocab = vocabulary(csanmt_format::SRC_VOCAB, config.src_vocab_size)?;
        let name = csanmt_format::SRC_BPE;
        let bpe = Bpe::parse(&file.text(name)?).map_err(|source| Error::text(name, source))?;
        let reads_chinese = config.src_lang == "zh";
        let segmenter = if reads_chinese {
            Some(segmenter(&file)?)
        } else {
            None
        };
        let name = csanmt_format::SHORTLIST;
        let shortlist = if file.has(name) {
            let (source, target) = (config.src_vocab_size, config.trg_vocab_size);
            let shortlist = Shortlist::parse(&file.text(name)?, source, target)?;
            Some(Arc::new(shortlist))
        } else {
            None
        };
        let source = source_encoder(config, src_vocab, bpe, segmenter)?;
        Ok(Self {
            model: Model::load(&file, kernels)?,
            source,
            target: TargetDecoder::new(&config.tgt_lang, trg_vocab),
            shortlist,
            reads_chinese,
            simplifier: Simplifier::default(),
            idle: Mutex::new(Vec::new()),
            target_encoder: OnceLock::new(),
            file,
        })
    }

    /// Finds the ids of translations; made when somebody asks for an alignment.
    pub(crate) fn target_encoder(&self) -> &TargetEncoder {
        self.target_encoder.get_or_init(|| {
            let vocabulary = self.target.vocabulary().clone();
            TargetEncoder::new(&self.file.config().tgt_lang, vocabulary)
        })
    }

    pub(crate) fn take_workspace(&self) -> Workspace {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        idle.unwrap_or_else(|| self.model.workspace())
    }

    pub(crate) fn give_back(&self, workspace: Workspace) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_WORKSPACES {
            idle.push(workspace);
        }
    }
}

fn segmenter(file: &ModelFile) -> Result<Box<dyn WordSegmenter>, Error> {
    let name = csanmt_format::SEGMENTATION_DICTIONARY;
    let dictionary = file.bytes(name)?;
    let jieba = Jieba::new(Arc::new(dictionary)).map_err(|source| Error::Dictionary { source })?;
    Ok(Box::new(jieba))
}

fn source_encoder(
    config: &ModelConfig,
    vocabulary: Vocabulary,
    bpe: Bpe,
    segmenter: Option<Box<dyn WordSegmenter>>,
) -> Result<SourceEncoder, Error> {
    let languages = SourceConfig {
        src_lang: config.src_lang.clone(),
        tgt_lang: config.tgt_lang.clone(),
    };
    SourceEncoder::new(&languages, vocabulary, bpe, segmenter)
        .map_err(|source| Error::text("the source language", source))
}
