//! `csanmt distill`: a small model that learns from a larger one.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use csanmt_lab::Quantization;
use csanmt_lab::evaluate::read_pairs;
use csanmt_lab::prune::{Importance, taylor};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::{
    Corpus, Filter, Limits, Pair, Random, StudentShape, Trainer, pairs_of_texts, student,
    teacher_translations,
};
use csanmt_lab::weights::{Packing, Weights};

use super::session::TrainingArguments;
use crate::output;

/// Train a smaller model on what a larger one says.
///
/// TEACHER is an f32 file. The student begins as a part of it: some of its layers, with the most
/// important heads and neurons. It learns from the references in CORPUS, from the teacher's own
/// translations of the sources where they are good (--translations), and at every position from
/// the teacher's distribution over the vocabulary (--teacher-share). FILE gets the best student, in
/// f32.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The f32 model file to learn from
    teacher: PathBuf,
    /// Sentence pairs
    corpus: PathBuf,
    /// The f32 model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Layers of the student's encoder
    #[arg(long, value_name = "N")]
    encoder_layers: Option<usize>,
    /// Layers of the student's decoder
    #[arg(long, value_name = "N")]
    decoder_layers: Option<usize>,
    /// Heads of the student's attention layers
    #[arg(long, value_name = "N")]
    heads: Option<usize>,
    /// Neurons of the student's feed-forward layers
    #[arg(long, value_name = "N")]
    filter: Option<usize>,
    /// Width of the student's residual stream, a multiple of the head size
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Share of the teacher's distribution in what the student should say, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    teacher_share: f64,
    /// Add the teacher's translations with at least this chrF2 against the reference; 0 adds none
    #[arg(long, value_name = "CHRF", default_value_t = 40.0)]
    translations: f64,
    /// The same student and steps without a teacher, for comparison
    #[arg(long)]
    alone: bool,
    /// Pairs that heads and neurons are chosen by
    #[arg(long, value_name = "N", default_value_t = 512)]
    sentences: usize,
    /// Write the student as it begins, too
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    #[command(flatten)]
    training: TrainingArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let training = &arguments.training;
    let teacher = training.open(&arguments.teacher)?;
    let limits = Limits::default();
    let mut texts = read_pairs(&arguments.corpus)?;
    if !arguments.alone && arguments.translations > 0.0 {
        add_translations(&teacher, &mut texts, arguments.translations)?;
    }
    let Corpus { pairs, left_out } = pairs_of_texts(&texts, &teacher, &limits)?;
    drop(texts);
    eprintln!("{} sentence pairs, {left_out} left out", pairs.len());

    let shape = StudentShape {
        encoder_layers: arguments.encoder_layers,
        decoder_layers: arguments.decoder_layers,
        heads: arguments.heads,
        filter: arguments.filter,
        hidden: arguments.hidden,
    };
    // The references come first, so both ways choose by the same pairs.
    let importance = rate(&teacher, &arguments.corpus, arguments.sentences, &limits)?;
    let mut small = student(&teacher, &importance, &shape)?;
    let tool = concat!("csanmt ", env!("CARGO_PKG_VERSION"), " distill");
    let (before, after) = (teacher.parameters(), small.parameters());
    small.note(
        "distilled",
        serde_json::json!({ "tool": tool, "teacher": before, "student": after }),
    );
    if let Some(start) = &arguments.start {
        small.save(start, &Packing::from(Quantization::F32))?;
    }
    output::print(&format!(
        "teacher: {} parameters, {} outside the tables\nstudent: {} parameters, {} outside the tables\n",
        before.all, before.without_tables, after.all, after.without_tables
    ))?;
    let with_teacher = !arguments.alone && arguments.teacher_share > 0.0;
    let guide = with_teacher.then_some(&teacher);
    let mut trainer = match training.resumed() {
        Some(state) => Trainer::resume(state, &small, &pairs, guide)?,
        None => {
            let mut options = training.options(0);
            options.teacher_share = arguments.teacher_share;
            Trainer::new(&small, &pairs, options, None, guide)?
        }
    };
    training.run(&mut trainer, &pairs, &arguments.output)?;
    Ok(ExitCode::SUCCESS)
}

/// Puts the teacher's good translations behind the references.
fn add_translations(
    teacher: &Weights,
    texts: &mut Vec<(String, String)>,
    least_chrf: f64,
) -> Result<()> {
    let all = texts.len();
    let sources: Vec<&str> = texts.iter().map(|(source, _)| &source[..]).collect();
    let translations = teacher_translations(teacher, &sources, |done| {
        if done.is_multiple_of(6400) {
            eprintln!("the teacher has translated {done} of {all}");
        }
    })?;
    let filter = Filter {
        least_chrf,
        ..Filter::default()
    };
    let accepted: Vec<(String, String)> = texts
        .iter()
        .zip(translations)
        .filter(|((_, reference), translation)| {
            translation != reference && filter.accepts(translation, reference)
        })
        .map(|((source, _), translation)| (source.clone(), translation))
        .collect();
    eprintln!("{} of {all} translations are used", accepted.len());
    texts.extend(accepted);
    Ok(())
}

/// Sentences whose gradients are added up before their effect is taken.
const TOGETHER: usize = 4;

fn rate(
    teacher: &Weights,
    corpus: &std::path::Path,
    sentences: usize,
    limits: &Limits,
) -> Result<Importance> {
    let mut pairs = Corpus::read(corpus, teacher, limits)
        .context("the corpus")?
        .pairs;
    Random::new(1234, 0, 0).shuffle(&mut pairs);
    pairs.truncate(sentences.max(1));
    pairs.sort_by_key(|pair| pair.target.len());
    let batches: Vec<Vec<Pair>> = pairs.chunks(TOGETHER).map(<[Pair]>::to_vec).collect();
    let model = ReferenceModel::from_weights(teacher)?;
    Ok(taylor(&model, &batches, |_| {})?)
}
