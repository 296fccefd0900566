//! `configuration.json` of a ModelScope directory.

use std::path::{Component, Path};

use csanmt_format::{FormatError, ModelConfig, Position};
use serde_json::Value;

use super::error::ConvertError;

/// The configuration, and which files belong to it.
#[derive(Debug)]
pub(crate) struct Configuration {
    pub(crate) model: ModelConfig,
    /// File names relative to the model directory.
    pub(crate) src_vocab: String,
    pub(crate) trg_vocab: String,
    pub(crate) src_bpe: String,
    /// Needed for training only, so it may be absent.
    pub(crate) trg_bpe: String,
}

/// Languages with rules for words: segmentation for `zh`, else abbreviations, apostrophes, quotes.
const LANGUAGES: [&str; 4] = ["en", "es", "fr", "zh"];

/// Keys of `model` that matter only to training: their type is checked, their value is not used.
const TRAINING_RATES: [&str; 4] = [
    "attention_dropout",
    "residual_dropout",
    "relu_dropout",
    "initializer_scale",
];

pub(crate) fn read(path: &Path) -> Result<Configuration, ConvertError> {
    let bytes = super::read_limited(path)?;
    let json = serde_json::from_slice(&bytes).map_err(|error| ConvertError::Json {
        path: path.to_owned(),
        message: format!("not valid JSON: {error}"),
    })?;
    parse(&json)
}

fn parse(json: &Value) -> Result<Configuration, ConvertError> {
    let root = Section {
        path: String::new(),
        value: json,
    };
    let model = root.section("model")?;
    let kind = "csanmt-translation";
    if let Some(value) = model.get("type")
        && value.as_str() != Some(kind)
    {
        return Err(model.wrong("type", &format!("\"{kind}\"")));
    }
    for key in TRAINING_RATES {
        model.number(key, 0.0)?;
    }
    model.optional_integer("seed", 0)?;
    let preprocessor = root.section("preprocessor")?;
    let (src_lang, tgt_lang) = (
        preprocessor.string("src_lang")?,
        preprocessor.string("tgt_lang")?,
    );
    let dataset = root.section("dataset")?;
    let position = match &*model.choice("position_info_type", &["absolute", "relative"])? {
        "relative" => Position::Relative,
        _ => Position::Absolute,
    };
    let config = ModelConfig {
        hidden_size: model.integer("hidden_size")?,
        filter_size: model.integer("filter_size")?,
        num_heads: model.integer("num_heads")?,
        num_encoder_layers: model.integer("num_encoder_layers")?,
        num_decoder_layers: model.integer("num_decoder_layers")?,
        num_semantic_encoder_layers: model.optional_integer("num_semantic_encoder_layers", 4)?,
        pre_norm: model.choice("layer_preproc", &["layer_norm", "none"])? == "layer_norm",
        post_norm: model.choice("layer_postproc", &["none", "layer_norm"])? == "layer_norm",
        shared_embedding_and_softmax_weights: model
            .boolean("shared_embedding_and_softmax_weights", true)?,
        shared_source_target_embedding: model.boolean("shared_source_target_embedding", true)?,
        position,
        max_relative_dis: model.optional_integer("max_relative_dis", 16)?,
        src_vocab_size: model.integer("src_vocab_size")?,
        trg_vocab_size: model.integer("trg_vocab_size")?,
        beam_size: model.optional_integer("beam_size", 4)?,
        lp_rate: model.number("lp_rate", 0.6)? as f32,
        max_decoded_trg_len: model.optional_integer("max_decoded_trg_len", 100)?,
        src_lang,
        tgt_lang,
        widths: None,
    };
    config.validate().map_err(named)?;
    for (key, language) in [
        ("src_lang", &config.src_lang),
        ("tgt_lang", &config.tgt_lang),
    ] {
        let small = language.bytes().all(|byte| byte.is_ascii_lowercase());
        if !small || !(2..=3).contains(&language.len()) {
            let expected = "a language code of two or three small letters such as \"zh\"";
            return Err(preprocessor.wrong(key, expected));
        }
    }
    let bpe = format!("bpe.{}", config.src_lang);
    let trg_bpe = format!("bpe.{}", config.tgt_lang);
    Ok(Configuration {
        src_vocab: dataset.file("src_vocab", "src_vocab.txt")?,
        trg_vocab: dataset.file("trg_vocab", "trg_vocab.txt")?,
        src_bpe: preprocessor.file("src_bpe", &bpe)?,
        trg_bpe: preprocessor.file("tgt_bpe", &trg_bpe).unwrap_or(trg_bpe),
        model: config,
    })
}

/// The error with the place of the entry in the file.
fn named(error: FormatError) -> ConvertError {
    match error {
        FormatError::Config {
            field,
            expected,
            found,
        } => {
            let section = match field {
                "src_lang" | "tgt_lang" => "preprocessor",
                _ => "model",
            };
            ConvertError::Configuration {
                key: format!("{section}.{field}"),
                found,
                expected,
            }
        }
        error => error.into(),
    }
}

/// Notes about languages that have no rules of their own: a typing error looks like one.
pub(crate) fn unknown_languages(config: &ModelConfig) -> impl Iterator<Item = String> {
    let languages = [
        ("source", &config.src_lang, "split into words"),
        ("target", &config.tgt_lang, "joined"),
    ];
    let unknown = |language: &str| !LANGUAGES.contains(&language);
    languages
        .into_iter()
        .filter(move |(_, language, _)| unknown(language))
        .map(|(side, language, done)| {
            format!(
                "{side} language {language} has no rules of its own and is {done} by the general \
                 ones; known are {}",
                LANGUAGES.join(", ")
            )
        })
}

/// An object of the configuration and where it is.
struct Section<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Section<'a> {
    fn get(&self, key: &str) -> Option<&'a Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    fn wrong(&self, key: &str, expected: &str) -> ConvertError {
        ConvertError::Configuration {
            key: self.path_of(key),
            found: self
                .get(key)
                .map_or_else(|| "missing".to_owned(), Value::to_string),
            expected: expected.to_owned(),
        }
    }

    fn section(&self, key: &str) -> Result<Self, ConvertError> {
        match self.get(key) {
            Some(value) if value.is_object() => Ok(Self {
                path: self.path_of(key),
                value,
            }),
            _ => Err(self.wrong(key, "an object")),
        }
    }

    fn integer(&self, key: &str) -> Result<usize, ConvertError> {
        let number = self
            .get(key)
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok());
        number.ok_or_else(|| self.wrong(key, "a whole number"))
    }

    fn optional_integer(&self, key: &str, default: usize) -> Result<usize, ConvertError> {
        if self.get(key).is_none() {
            Ok(default)
        } else {
            self.integer(key)
        }
    }

    fn number(&self, key: &str, default: f64) -> Result<f64, ConvertError> {
        let Some(value) = self.get(key) else {
            return Ok(default);
        };
        value.as_f64().ok_or_else(|| self.wrong(key, "a number"))
    }

    fn boolean(&self, key: &str, default: bool) -> Result<bool, ConvertError> {
        let Some(value) = self.get(key) else {
            return Ok(default);
        };
        value
            .as_bool()
            .ok_or_else(|| self.wrong(key, "true or false"))
    }

    fn string(&self, key: &str) -> Result<String, ConvertError> {
        let text = self.get(key).and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| self.wrong(key, "a text"))
    }

    /// One of the choices; the first is the default.
    fn choice(&self, key: &str, choices: &[&str]) -> Result<String, ConvertError> {
        let Some(value) = self.get(key) else {
            return Ok(choices[0].to_owned());
        };
        match value.as_str() {
            Some(text) if choices.contains(&text) => Ok(text.to_owned()),
            _ => {
                let quoted: Vec<String> = choices.iter().map(|c| format!("\"{c}\"")).collect();
                Err(self.wrong(key, &quoted.join(" or ")))
            }
        }
    }

    /// `{"file": NAME}`, a name inside the model directory.
    fn file(&self, key: &str, default: &str) -> Result<String, ConvertError> {
        if self.get(key).is_none() {
            return Ok(default.to_owned());
        }
        let section = self.section(key)?;
        let name = section.string("file")?;
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.is_empty() || !Path::new(&name).components().all(inside) {
            return Err(section.wrong("file", "a file name inside the model directory"));
        }
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse;

    fn minimal() -> Value {
        json!({
            "model": {
                "hidden_size": 8, "filter_size": 16, "num_heads": 2, "num_encoder_layers": 1,
                "num_decoder_layers": 1, "src_vocab_size": 10, "trg_vocab_size": 10,
            },
            "dataset": {},
            "preprocessor": {"src_lang": "zh", "tgt_lang": "en"},
        })
    }

    #[test]
    fn missing_entries_get_the_original_defaults() {
        let found = parse(&minimal()).unwrap();
        assert_eq!(found.src_vocab, "src_vocab.txt");
        assert_eq!(found.trg_vocab, "trg_vocab.txt");
        assert_eq!(found.src_bpe, "bpe.zh");
        let model = found.model;
        assert!(model.pre_norm && !model.post_norm);
        assert!(model.shared_embedding_and_softmax_weights && model.shared_source_target_embedding);
        assert_eq!((model.beam_size, model.max_decoded_trg_len), (4, 100));
        assert_eq!((model.lp_rate, model.max_relative_dis), (0.6, 16));
        assert_eq!(model.num_semantic_encoder_layers, 4);
    }

    #[test]
    fn wrong_entries_are_named() {
        let cases = [
            (
                "/model/hidden_size",
                json!("big"),
                "model.hidden_size is \"big\"",
            ),
            ("/model/hidden_size", json!(8.5), "expected a whole number"),
            ("/model/hidden_size", json!(-8), "model.hidden_size is -8"),
            (
                "/model/hidden_size",
                Value::Null,
                "model.hidden_size is missing",
            ),
            (
                "/model/num_heads",
                json!(3),
                "num_heads is 3, expected a divisor of hidden_size 8",
            ),
            ("/model/lp_rate", json!([]), "model.lp_rate is []"),
            (
                "/model/beam_size",
                json!(0),
                "beam_size is 0, expected 1 to 64",
            ),
            (
                "/model/position_info_type",
                json!("rotary"),
                "expected \"absolute\" or \"relative\"",
            ),
            (
                "/model/shared_source_target_embedding",
                json!(1),
                "expected true or false",
            ),
            (
                "/model/type",
                json!("t5"),
                "expected \"csanmt-translation\"",
            ),
            ("/model/relu_dropout", json!("0"), "model.relu_dropout"),
            ("/model", json!(7), "model is 7, expected an object"),
            (
                "/preprocessor/src_lang",
                json!(1),
                "preprocessor.src_lang is 1",
            ),
            ("/preprocessor/src_lang", json!("../x"), "src_lang"),
            (
                "/dataset/src_vocab",
                json!({"file": "../secret"}),
                "dataset.src_vocab.file",
            ),
            (
                "/dataset/src_vocab",
                json!({"file": "/etc/passwd"}),
                "inside the model directory",
            ),
            (
                "/dataset/trg_vocab",
                json!("trg.txt"),
                "dataset.trg_vocab is",
            ),
        ];
        for (pointer, value, expected) in cases {
            let mut json = minimal();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            json.pointer_mut(parent).unwrap()[key] = value;
            let message = parse(&json).unwrap_err().to_string();
            assert!(message.contains(expected), "{pointer}: {message}");
        }
    }
}
