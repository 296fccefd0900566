//! Whole files: what is written is read, and damage gives errors.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::sync::Arc;

use csanmt_format::layout::Role;
use csanmt_format::{
    AlignedBytes, ElementType, FormatError, ModelConfig, ModelFile, ModelPlan, ModelWriter,
    Position, Quantization, SEGMENTATION_DICTIONARY, SRC_VOCAB, TensorSpec, WriteError,
};
use proptest::prelude::*;

fn config() -> ModelConfig {
    ModelConfig {
        hidden_size: 5,
        filter_size: 3,
        num_heads: 1,
        num_encoder_layers: 1,
        num_decoder_layers: 1,
        num_semantic_encoder_layers: 1,
        pre_norm: true,
        post_norm: false,
        shared_embedding_and_softmax_weights: true,
        shared_source_target_embedding: false,
        position: Position::Relative,
        max_relative_dis: 2,
        src_vocab_size: 9,
        trg_vocab_size: 18,
        beam_size: 4,
        lp_rate: 0.6,
        max_decoded_trg_len: 10,
        src_lang: "zh".into(),
        tgt_lang: "en".into(),
        widths: None,
    }
}

const VOCAB: &[u8] = b"token\ntoken\ntoken\ntoken\ntoken\ntoken\ntoken\ntoken\n";

fn plan(quantization: Quantization) -> ModelPlan<'static> {
    ModelPlan::new(config(), quantization)
        .unwrap()
        .provenance("{\"source\":\"here\"}")
        .license("CC0")
        .text(SRC_VOCAB, VOCAB)
        .dictionary(&[1, 2, 3])
}

/// Bytes of a tensor: each differs from its neighbours.
fn filling(spec: &TensorSpec) -> Vec<u8> {
    let seed = spec.name.len();
    (0..spec.bytes().unwrap())
        .map(|i| ((i * 7 + seed) % 60) as u8)
        .collect()
}

fn is_ours(spec: &TensorSpec) -> bool {
    spec.name != "padding" && !spec.name.starts_with("text/")
}

fn file(quantization: Quantization) -> Vec<u8> {
    let plan = plan(quantization);
    let tensors = plan.tensors().unwrap();
    let mut writer = ModelWriter::new(plan, Vec::new()).unwrap();
    for spec in tensors.iter().filter(|spec| is_ours(spec)) {
        for piece in filling(spec).chunks(11) {
            writer.write(&spec.name, piece).unwrap();
        }
    }
    writer.finish().unwrap()
}

fn parse(bytes: &[u8]) -> Result<ModelFile, FormatError> {
    ModelFile::parse(Arc::new(AlignedBytes::from(bytes)))
}

/// Everything that a loader does with a file.
fn load(file: &ModelFile) -> Result<usize, FormatError> {
    let mut elements = 0;
    for variable in csanmt_format::layout::variables(file.config()) {
        let (name, shape) = (&variable.name, &variable.shape);
        elements += match (file.quantization(), variable.role, variable.matrix_size()) {
            (Quantization::Int8, _, Some((k, n))) => file.packed(name, k, n)?.data.len(),
            (Quantization::Int8, Role::RowTable, _) => {
                file.rows(name, shape[0], shape[1])?.data.len()
            }
            _ => file.f32(name, shape)?.len(),
        };
    }
    Ok(elements + file.text(SRC_VOCAB)?.len() + file.bytes(SEGMENTATION_DICTIONARY)?.len())
}

/// `file` with another header; the length in front is set right.
fn with_header(file: &[u8], change: impl FnOnce(String) -> String) -> Vec<u8> {
    let len = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let header = change(String::from_utf8(file[8..8 + len].to_vec()).unwrap());
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend_from_slice(header.as_bytes());
    changed.extend_from_slice(&file[8 + len..]);
    changed
}

/// Replaces text that must be there by text of the same length.
fn replaced(file: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    with_header(file, |header| {
        assert!(header.contains(from), "{from}");
        header.replacen(from, to, 1)
    })
}

#[test]
fn what_is_written_is_read() {
    for quantization in [Quantization::Int8, Quantization::F32] {
        let bytes = file(quantization);
        let model = parse(&bytes).unwrap();
        assert_eq!(
            (model.config(), model.quantization()),
            (&config(), quantization)
        );
        assert_eq!(model.provenance(), Some("{\"source\":\"here\"}"));
        assert_eq!(model.license(), Some("CC0"));
        assert_eq!(model.text(SRC_VOCAB).unwrap(), VOCAB);
        assert!(
            model.bytes(SRC_VOCAB).unwrap().len() < VOCAB.len(),
            "compressed"
        );
        assert_eq!(
            model.bytes(SEGMENTATION_DICTIONARY).unwrap().as_ref(),
            [1, 2, 3]
        );
        model.check_variables().unwrap();
        load(&model).unwrap();
        let expected = plan(quantization).tensors().unwrap();
        let found: Vec<TensorSpec> = model
            .tensors()
            .map(|t| TensorSpec {
                name: t.name.clone(),
                dtype: t.dtype,
                shape: t.shape.clone(),
            })
            .collect();
        assert_eq!(found, expected);
        for (spec, info) in expected
            .iter()
            .zip(model.tensors())
            .filter(|(spec, _)| is_ours(spec))
        {
            assert_eq!(bytes[info.range.clone()], filling(spec), "{}", spec.name);
        }
    }
}

#[test]
fn data_starts_aligned_and_stays_so() {
    let model = parse(&file(Quantization::Int8)).unwrap();
    assert!(model.has("padding"), "the tables end between words");
    assert_eq!(model.tensors().next().unwrap().range.start % 64, 0);
    for tensor in model.tensors() {
        let step = if tensor.shape.len() == 4 {
            64
        } else {
            tensor.dtype.bytes()
        };
        assert_eq!(tensor.range.start % step, 0, "{}", tensor.name);
    }
}

#[test]
fn every_truncation_is_an_error() {
    for quantization in [Quantization::Int8, Quantization::F32] {
        let bytes = file(quantization);
        for len in 0..bytes.len() {
            assert!(parse(&bytes[..len]).is_err(), "{len} of {}", bytes.len());
        }
    }
}

#[test]
fn every_changed_header_byte_is_survived() {
    let bytes = file(Quantization::Int8);
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut readable = 0;
    for at in 0..header {
        for bit in [0, 3, 7] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            if let Ok(model) = parse(&damaged) {
                readable += usize::from(load(&model).is_ok());
                let _ = model.check_variables();
            }
        }
    }
    assert!(readable > 0, "some bytes, such as the licence, are free");
}

#[test]
fn misalignment_is_an_error_not_a_copy() {
    let bytes = file(Quantization::F32);
    let shifted = with_header(&bytes, |header| {
        header.strip_suffix(' ').unwrap_or(&header).into()
    });
    // A header whose length is no multiple of four, as other writers make them.
    let shifted = if shifted.len() == bytes.len() {
        with_header(&bytes, |header| header + " ")
    } else {
        shifted
    };
    let model = parse(&shifted).unwrap();
    let error = model.f32("encoder_input_bias", &[5]).unwrap_err();
    assert!(
        matches!(error, FormatError::Misaligned { ref name, .. } if name == "encoder_input_bias")
    );
}

#[test]
fn wrong_tensors_are_named() {
    let model = parse(&file(Quantization::Int8)).unwrap();
    let matrix = "encoder/layer_0/ffn_layer/input_layer/linear/matrix";
    let message = |error: FormatError| error.to_string();
    assert_eq!(
        message(model.f32(matrix, &[5, 3]).unwrap_err()),
        format!("tensor {matrix} has element type I8, expected F32")
    );
    assert_eq!(
        message(model.packed(matrix, 5, 17).unwrap_err()),
        format!("tensor {matrix} has shape [1, 2, 16, 4], expected [2, 2, 16, 4]")
    );
    assert_eq!(
        message(model.packed(matrix, 5, 4).unwrap_err()),
        format!("tensor {matrix}.scale has shape [3], expected [4]")
    );
    assert_eq!(
        message(model.f32("no", &[2]).unwrap_err()),
        "tensor no is missing, expected F32 [2]"
    );
    assert!(model.text(matrix).is_err());
}

#[test]
fn header_damage_is_named() {
    let good = file(Quantization::Int8);
    let error = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
    let version = error(&replaced(
        &good,
        "\"csanmt.version\":\"1\"",
        "\"csanmt.version\":\"9\"",
    ));
    assert!(
        version.contains("version \"9\" is unknown, expected \"1\""),
        "{version}"
    );
    let key = error(&replaced(&good, "csanmt.config", "csanmt.konfig"));
    assert!(key.contains("csanmt.config is missing"), "{key}");
    let kind = error(&replaced(&good, "\"int8\"", "\"int4\""));
    assert!(kind.contains("\"int4\""), "{kind}");
    let heads = error(&replaced(&good, "num_heads\\\":1", "num_heads\\\":4"));
    assert!(
        heads.contains("num_heads is 4, expected a divisor of hidden_size 5"),
        "{heads}"
    );
    let dtype = error(&replaced(
        &good,
        "\"dtype\":\"F32\",\"shape\":[5]",
        "\"dtype\":\"U32\",\"shape\":[5]",
    ));
    assert!(dtype.contains("element type U32"), "{dtype}");
    let huge = error(&replaced(
        &good,
        "src_vocab_size\\\":9",
        "src_vocab_size\\\":0",
    ));
    assert!(huge.contains("src_vocab_size is 0"), "{huge}");
    assert!(error(b"").contains("not a complete model file"));
    assert!(error(&[0xff; 64]).contains("not a complete model file"));

    let renamed = replaced(&good, "\"encoder_input_bias\"", "\"encoder_input_hias\"");
    let missing = parse(&renamed).unwrap().check_variables().unwrap_err();
    assert_eq!(
        missing,
        FormatError::MissingTensors(vec!["encoder_input_bias".into()])
    );
}

#[test]
fn texts_do_not_unpack_beyond_their_record() {
    let good = file(Quantization::Int8);
    for (from, to) in [("48", "47"), ("48", "49"), ("48}", "48e"), ("48}", "99}")] {
        let entry = |len: &str| format!("{{\\\"text/src_vocab\\\":{len}");
        let bytes = replaced(&good, &entry(from), &entry(to));
        let result = parse(&bytes).and_then(|model| model.text(SRC_VOCAB));
        assert!(result.is_err(), "{to}: {result:?}");
    }
}

#[test]
fn the_writer_keeps_to_its_plan() {
    let new = || ModelWriter::new(plan(Quantization::Int8), Vec::new()).unwrap();
    let tensors = plan(Quantization::Int8).tensors().unwrap();
    let (first, second) = (&tensors[0], &tensors[1]);
    assert_eq!(first.dtype, ElementType::I8);

    let mut writer = new();
    let result = writer.write(&second.name, &[0]);
    assert!(
        matches!(result, Err(WriteError::Order { ref expected, .. }) if *expected == first.name)
    );
    let long = vec![0; first.bytes().unwrap() + 1];
    assert!(matches!(
        writer.write(&first.name, &long),
        Err(WriteError::Size { .. })
    ));
    writer.write(&first.name, &[0; 3]).unwrap();
    let result = writer.finish();
    assert!(matches!(
        result,
        Err(WriteError::Incomplete { found: 3, .. })
    ));

    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    assert!(matches!(
        ModelWriter::new(plan(Quantization::F32), Full),
        Err(WriteError::Io(_))
    ));
    let mut invalid = config();
    invalid.num_heads = 2;
    assert!(ModelPlan::new(invalid, Quantization::F32).is_err());
}

#[test]
fn parts_outlive_the_file_handle() {
    let bias = {
        let model = parse(&file(Quantization::F32)).unwrap();
        model.f32("encoder_input_bias", &[5]).unwrap()
    };
    let copy = bias.clone();
    drop(bias);
    assert_eq!(std::thread::spawn(move || copy.len()).join().unwrap(), 5);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(parse(&bytes).is_err());
    }

    #[test]
    fn arbitrary_headers_never_panic(header in "[ -~]{0,200}", data in 0usize..64) {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        prop_assert!(parse(&bytes).is_err());
    }

    /// Several changed bytes anywhere: an error, or a file in which everything that loads is sound.
    #[test]
    fn changed_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        f32: bool,
        digits: bool,
    ) {
        let mut bytes = file(if f32 { Quantization::F32 } else { Quantization::Int8 });
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        for (place, value) in changes {
            // Digits in place of digits keep the JSON valid and change sizes and offsets.
            let at = 8 + place.index(header - 8);
            if !digits {
                bytes[at] = value;
            } else if bytes[at].is_ascii_digit() {
                bytes[at] = b'0' + value % 10;
            }
        }
        if let Ok(model) = parse(&bytes) {
            let _ = model.check_variables();
            let _ = load(&model);
        }
    }
}
