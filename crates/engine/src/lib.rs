//! Chinese to English translation on the CPU.
//!
//! [`Translator`] is the one public entry point: it holds a model file (weights, vocabularies,
//! segmentation dictionary) and turns text into text. It is `Send + Sync`; share one behind an
//! `Arc` between threads.
//!
//! ```no_run
//! let translator = csanmt::Translator::open("models/zh-en-tiny.safetensors")?;
//! let translation = translator.translate("我们今天去学校。", &csanmt::Options::default())?;
//! println!("{}", translation.text);
//! # Ok::<(), csanmt::Error>(())
//! ```

mod alignment;
mod blank;
mod completion;
mod confidence;
mod detect;
mod error;
#[cfg(not(target_family = "wasm"))]
mod file;
mod guard;
mod guards;
mod job;
pub mod markup;
mod options;
mod plan;
mod plans;
mod round;
mod sentence;
mod sentences;
mod shared;
mod texts;
mod translation;
mod translator;
mod work;

pub use alignment::Alignment;
pub use blank::is_blank;
pub use csanmt_format::{AlignedBytes, ModelConfig};
pub use csanmt_model::{Isa, Kernels, self_test};
pub use csanmt_text::language::{self, Language, Letters, Likely};
pub use csanmt_text::protect::{Terms, TermsError, TermsProblem};
pub use csanmt_text::{Simplifier, Trace};
pub use detect::detect_languages;
pub use error::Error;
pub use guards::{Guard, Guards};
pub use job::Job;
pub use options::{Format, Options};
pub use sentences::Sentences;
pub use texts::TextsJob;
pub use translation::{Hypothesis, Progress, Sentence, Translation};
pub use translator::Translator;
pub use work::{Fault, Mended, Work};
