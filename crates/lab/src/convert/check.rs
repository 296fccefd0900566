//! Reading back the header of a complete model file.
//!
//! Opening it as a model needs all of it in memory, more than a conversion may take; so its header
//! is held against the configuration, and the length of the file against its header.

use std::io::{self, Read, Seek, SeekFrom};

use csanmt_format::layout::variables;
use csanmt_format::{
    ElementType, ModelConfig, Quantization, SEGMENTATION_DICTIONARY, SRC_BPE, SRC_VOCAB, TRG_VOCAB,
    TensorSpec,
};
use serde_json::Value;

/// No header is larger: 600 tensors take 100 kB.
const MAX_HEADER: u64 = 64 << 20;

/// Checks that `file` holds all that the engine asks for; the inner error says what is wrong.
pub(crate) fn complete(
    file: &mut (impl Read + Seek),
    file_len: u64,
    config: &ModelConfig,
    quantization: Quantization,
) -> io::Result<Result<(), String>> {
    file.seek(SeekFrom::Start(0))?;
    let mut len = [0; 8];
    file.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    if len > MAX_HEADER || len + 8 > file_len {
        return Ok(Err(format!("its header claims {len} bytes")));
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)
        .map_err(|error| format!("its header is broken: {error}"))
        .and_then(|header| Header(header).check(8 + len, file_len, config, quantization)))
}

struct Header(Value);

impl Header {
    /// Checks tensors, texts and lengths; the data starts at `start`.
    fn check(
        &self,
        start: u64,
        file_len: u64,
        config: &ModelConfig,
        quantization: Quantization,
    ) -> Result<(), String> {
        let stored = self.0["__metadata__"]["csanmt.config"].as_str();
        let stored = stored.and_then(|text| serde_json::from_str(text).ok());
        if stored.as_ref() != Some(config) {
            return Err("its configuration is not the one that was read".to_owned());
        }
        for variable in variables(config) {
            for TensorSpec { name, dtype, shape } in variable.stored(quantization) {
                let found = self.tensor(&name, dtype, start)?;
                if found != shape {
                    return Err(format!(
                        "tensor {name} has shape {found:?}, expected {shape:?}"
                    ));
                }
            }
        }
        let dictionary = (config.src_lang == "zh").then_some(SEGMENTATION_DICTIONARY);
        for name in [SRC_VOCAB, TRG_VOCAB, SRC_BPE]
            .into_iter()
            .chain(dictionary)
        {
            self.tensor(name, ElementType::U8, start)?;
        }
        let entries = self.0.as_object().into_iter().flatten();
        let ends = entries.filter_map(|(_, entry)| entry["data_offsets"][1].as_u64());
        let expected = ends.max().and_then(|end| end.checked_add(start));
        if expected == Some(file_len) {
            Ok(())
        } else {
            Err(format!(
                "{file_len} bytes, its header asks for {expected:?}"
            ))
        }
    }

    /// Shape of a tensor of this type, whose place fits it and is aligned.
    fn tensor(&self, name: &str, dtype: ElementType, start: u64) -> Result<Vec<usize>, String> {
        let entry = self
            .0
            .get(name)
            .ok_or_else(|| format!("tensor {name} is missing"))?;
        let numbers = |value: &Value| -> Option<Vec<u64>> {
            value.as_array()?.iter().map(Value::as_u64).collect()
        };
        let (Some(shape), Some(offsets)) =
            (numbers(&entry["shape"]), numbers(&entry["data_offsets"]))
        else {
            return Err(format!("tensor {name} has no shape or place"));
        };
        if entry["dtype"].as_str() != Some(&dtype.to_string()) {
            return Err(format!(
                "tensor {name} is {}, expected {dtype}",
                entry["dtype"]
            ));
        }
        let bytes = shape
            .iter()
            .try_fold(dtype.bytes() as u64, |n, &axis| n.checked_mul(axis));
        let [from, to] = offsets[..] else {
            return Err(format!("tensor {name} has place {offsets:?}"));
        };
        let at = start.checked_add(from);
        let aligned = at.is_some_and(|at| at % dtype.bytes() as u64 == 0);
        if to.checked_sub(from) != bytes || !aligned {
            return Err(format!(
                "tensor {name} with shape {shape:?} lies at {from} to {to}"
            ));
        }
        Ok(shape.into_iter().map(|axis| axis as usize).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use csanmt_format::{ModelConfig, ModelPlan, ModelWriter, Position, Quantization};
    use csanmt_format::{SRC_BPE, SRC_VOCAB, TRG_VOCAB};

    use super::complete;

    fn config() -> ModelConfig {
        ModelConfig {
            hidden_size: 8,
            filter_size: 12,
            num_heads: 2,
            num_encoder_layers: 1,
            num_decoder_layers: 1,
            num_semantic_encoder_layers: 1,
            pre_norm: true,
            post_norm: false,
            shared_embedding_and_softmax_weights: true,
            shared_source_target_embedding: false,
            position: Position::Relative,
            max_relative_dis: 3,
            src_vocab_size: 21,
            trg_vocab_size: 19,
            beam_size: 4,
            lp_rate: 0.6,
            max_decoded_trg_len: 20,
            src_lang: "en".into(),
            tgt_lang: "fr".into(),
            widths: None,
        }
    }

    /// A model file of zeros with these texts.
    fn file(texts: &[&str]) -> Vec<u8> {
        let mut plan = ModelPlan::new(config(), Quantization::F32).unwrap();
        for name in texts {
            plan = plan.text(name, b"text");
        }
        let tensors = plan.tensors().unwrap();
        let mut writer = ModelWriter::new(plan, Vec::new()).unwrap();
        for tensor in tensors.iter().filter(|t| !t.name.starts_with("text/")) {
            let zeros = vec![0; tensor.bytes().unwrap()];
            writer.write(&tensor.name, &zeros).unwrap();
        }
        writer.finish().unwrap()
    }

    fn problem(bytes: &[u8], config: &ModelConfig, quantization: Quantization) -> String {
        let len = bytes.len() as u64;
        let checked = complete(&mut Cursor::new(bytes), len, config, quantization);
        checked.unwrap().err().unwrap_or_default()
    }

    #[test]
    fn whole_files_pass_and_each_fault_is_named() {
        let bytes = file(&[SRC_VOCAB, TRG_VOCAB, SRC_BPE]);
        assert_eq!(problem(&bytes, &config(), Quantization::F32), "");
        let contains = |found: String, part: &str| assert!(found.contains(part), "{found}");
        let short = &bytes[..bytes.len() - 1];
        contains(
            problem(short, &config(), Quantization::F32),
            "its header asks for",
        );
        contains(
            problem(&bytes, &config(), Quantization::Int8),
            "is \"F32\", expected I8",
        );
        let mut other = config();
        other.trg_vocab_size += 1;
        contains(
            problem(&bytes, &other, Quantization::F32),
            "configuration is not",
        );
        contains(
            problem(&file(&[SRC_VOCAB, TRG_VOCAB]), &config(), Quantization::F32),
            "text/src_bpe is missing",
        );
        let mut broken = bytes.clone();
        broken[7] = 0x7f;
        contains(
            problem(&broken, &config(), Quantization::F32),
            "header claims",
        );
        broken = bytes;
        broken[8] = b'!';
        contains(
            problem(&broken, &config(), Quantization::F32),
            "header is broken",
        );
    }
}
