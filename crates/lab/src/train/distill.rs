//! A smaller model that learns from a larger one.

use std::ops::Range;

use csanmt::{AlignedBytes, Guards, Options, Translator};
use csanmt_format::Quantization;
use csanmt_format::layout::Stage;

use super::error::TrainError;
use crate::metrics::chrf;
use crate::prune::{Budget, Importance, PruneError, keep_channels, prune, select_layers};
use crate::weights::{Packing, Weights};

/// How large a student is; `None` keeps what the teacher has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StudentShape {
    /// Layers of the encoder.
    pub encoder_layers: Option<usize>,
    /// Layers of the decoder.
    pub decoder_layers: Option<usize>,
    /// Heads of every attention layer.
    pub heads: Option<usize>,
    /// Neurons of every feed-forward layer.
    pub filter: Option<usize>,
    /// Width of the residual stream, a multiple of the teacher's head size: fewer heads then fit
    /// into a layer, also of the semantic encoder, which distillation does not train.
    pub hidden: Option<usize>,
}

/// A student made of the teacher's own parts: layers at even distances, the first and the last
/// among them, and of each the most important heads and neurons. Semantic encoder and tables are
/// the teacher's, narrowed where the residual stream is.
///
/// # Errors
/// When the student should be larger than the teacher.
pub fn student(
    teacher: &Weights,
    importance: &Importance,
    shape: &StudentShape,
) -> Result<Weights, PruneError> {
    let config = teacher.config();
    let hidden = shape.hidden.unwrap_or(config.hidden_size);
    // Heads keep their size, so fewer of them fit into a narrower stream.
    let fitting = (hidden / config.head_size()).max(1);
    let heads = |asked: Option<usize>| match hidden == config.hidden_size {
        true => asked,
        false => Some(asked.unwrap_or(fitting).min(fitting)),
    };
    let uniform = |heads, filter, semantic| Budget::Uniform {
        heads,
        filter,
        semantic,
    };
    let budget = uniform(heads(shape.heads), shape.filter, false);
    let mut narrow = prune(teacher, importance, &budget)?.0;
    if hidden != config.hidden_size {
        // Only the semantic encoder has too many left, whose heads no loss has rated.
        let rated = Importance::l1(&narrow);
        narrow = prune(&narrow, &rated, &uniform(Some(fitting), None, true))?.0;
        narrow = keep_channels(&narrow, hidden)?;
    }
    let layers = |stage, asked: Option<usize>, found: usize| {
        let asked = asked.unwrap_or(found);
        if asked == 0 || asked > found {
            let what = if stage == Stage::Encoder {
                "encoder layers"
            } else {
                "decoder layers"
            };
            return Err(PruneError::Keep { what, asked, found });
        }
        Ok(even(asked, 0..found))
    };
    let encoder = layers(
        Stage::Encoder,
        shape.encoder_layers,
        config.num_encoder_layers,
    )?;
    let decoder = layers(
        Stage::Decoder,
        shape.decoder_layers,
        config.num_decoder_layers,
    )?;
    Ok(select_layers(&narrow, &encoder, &decoder)?)
}

/// `count` numbers of the range at even distances; a single one is the last.
fn even(count: usize, range: Range<usize>) -> Vec<usize> {
    let last = range.end - 1;
    match count {
        1 => vec![last],
        _ => (0..count)
            .map(|i| (2 * i * last + (count - 1)) / (2 * (count - 1)))
            .collect(),
    }
}

/// Which of a teacher's translations a student learns from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// Least chrF2 against the reference.
    pub least_chrf: f64,
    /// Most characters for each character of the reference, and the other way round.
    pub most_ratio: f64,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            least_chrf: 40.0,
            most_ratio: 1.8,
        }
    }
}

impl Filter {
    /// Whether a translation is near enough to its reference, of similar length and without loops.
    #[must_use]
    pub fn accepts(&self, translation: &str, reference: &str) -> bool {
        let length = |text: &str| text.chars().count() as f64;
        let (a, b) = (length(translation), length(reference));
        let alike = a <= self.most_ratio * b + 8.0 && b <= self.most_ratio * a + 8.0;
        alike
            && a > 0.0
            && !loops(translation)
            && chrf(&[translation], &[reference]).is_ok_and(|score| score >= self.least_chrf)
    }
}

/// Three words, or two, that come three times in a row; one that comes four times.
fn loops(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    [(1, 4), (2, 3), (3, 3)].into_iter().any(|(len, times)| {
        words.windows(len * times).any(|window| {
            let mut parts = window.chunks_exact(len);
            let first = parts.next();
            parts.all(|part| Some(part) == first)
        })
    })
}

/// Sources that are translated together.
const TOGETHER: usize = 64;

/// The teacher's translations of sources, one each, as int8 with its own beam and without guards.
///
/// # Errors
/// When a weight is not finite.
pub fn teacher_translations(
    teacher: &Weights,
    sources: &[&str],
    mut observe: impl FnMut(usize),
) -> Result<Vec<String>, TrainError> {
    let bytes = teacher.to_bytes(&Packing::from(Quantization::Int8))?;
    let translator = Translator::from_bytes(AlignedBytes::from(&bytes[..]))?;
    let options = Options::default()
        .with_beam(teacher.config().beam_size.min(Options::MAX_BEAM))
        .with_guards(Guards::none());
    let mut translations = Vec::with_capacity(sources.len());
    for sources in sources.chunks(TOGETHER) {
        let text = translator.translate(&sources.join("\n"), &options)?.text;
        let lines: Vec<&str> = text.split('\n').collect();
        if lines.len() == sources.len() {
            translations.extend(lines.into_iter().map(str::to_owned));
        } else {
            // A source with a line break in it.
            for source in sources {
                translations.push(translator.translate(source, &options)?.text);
            }
        }
        observe(translations.len());
    }
    Ok(translations)
}

#[cfg(test)]
mod tests {
    use super::{Filter, even, loops};

    #[test]
    fn layers_are_chosen_at_even_distances() {
        assert_eq!(even(1, 0..4), [3]);
        assert_eq!(even(2, 0..4), [0, 3]);
        assert_eq!(even(3, 0..6), [0, 3, 5]);
        assert_eq!(even(4, 0..4), [0, 1, 2, 3]);
    }

    #[test]
    fn bad_translations_are_left_out() {
        let filter = Filter::default();
        let reference = "We are going to school today.";
        assert!(filter.accepts("Today we are going to school.", reference));
        assert!(!filter.accepts("He reads a book.", reference));
        assert!(!filter.accepts("", reference));
        let twice = reference.repeat(3);
        assert!(!filter.accepts(&twice, reference));
        assert!(loops("to the to the to the end"));
        assert!(loops("no no no no"));
        assert!(!loops("no no no, he said, to the end of the day"));
    }
}
