//! The commands of the lab on a tiny model, from one end to the other.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{csanmt, failure, fixture, model, run, success, texts};

const PAIRS: [(&str, &str); 8] = [
    ("我们今天去学校。", "We go to school today."),
    ("今天天气很好。", "The weather is good today."),
    ("我们需要时间。", "We need time."),
    ("这个问题很重要。", "This question is important."),
    ("他们喜欢学习中文。", "They like to study Chinese."),
    ("我们去公园。", "We go to the park."),
    ("学习需要时间。", "Study needs time."),
    ("我们喜欢这个城市。", "We like this city."),
];

struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    /// With `corpus.tsv`.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let lines: String = PAIRS.map(|(a, b)| format!("{a}\t{b}\n")).concat();
        std::fs::write(dir.path().join("corpus.tsv"), lines).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs a command here that must succeed; it may tell its progress.
    fn csanmt(&self, arguments: &[&str]) -> String {
        let mut command = csanmt();
        command.current_dir(self.dir.path()).args(arguments);
        let output = run(&mut command, b"");
        let (stdout, stderr) = texts(&output);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        stdout.to_owned()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.csanmt(arguments)).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_model_is_trained_from_nothing_written_as_layout_converted_and_translates() {
    let folder = Folder::new();
    let sizes = "--hidden 16 --filter 16 --heads 2 --encoder-layers 1 --decoder-layers 1 \
                 --merges 30 --vocabulary 200 --semantic-steps 3 --steps 5";
    let mut train = vec!["train", "corpus.tsv", "-o", "new.safetensors"];
    train.extend(["--layout", "layout", "--dev", "corpus.tsv"]);
    train.extend(sizes.split_whitespace());
    let said = folder.csanmt(&train);
    assert!(
        said.contains("5 steps") && said.contains("complete"),
        "{said}"
    );
    for file in [
        "configuration.json",
        "src_vocab.txt",
        "trg_vocab.txt",
        "bpe.zh",
        "bpe.en",
    ] {
        assert!(folder.path("layout").join(file).exists(), "{file}");
    }
    folder.csanmt(&["convert", "layout", "-o", "converted.safetensors", "--f32"]);
    let translate = |model: &str| {
        let (source, _) = PAIRS[0];
        folder.json(&[
            "translate",
            "--raw",
            "--jsonl",
            "--n-best",
            "4",
            "--model",
            model,
            source,
        ])
    };
    let (trained, converted) = (
        translate("new.safetensors"),
        translate("converted.safetensors"),
    );
    assert_eq!(trained, converted);
    assert!(
        trained["hypotheses"]
            .as_array()
            .is_some_and(|all| all.len() == 4),
        "{trained}"
    );
}

/// Augmentation, moving average and evaluation are on: the file that a resumed run writes has the
/// same bytes as that of an uninterrupted one.
#[test]
fn a_resumed_finetuning_writes_the_same_file() {
    let folder = Folder::new();
    let model = text(model());
    let finetune = |output: &str, state: &str, more: &[&str]| {
        let mut all = vec![
            "finetune",
            model,
            "corpus.tsv",
            "-o",
            output,
            "--state",
            state,
        ];
        all.extend("--batch-tokens 40 --learning-rate 2e-3 --warmup 4".split(' '));
        all.extend("--dev-beam 1 --evaluate-every 3".split(' '));
        all.extend(more);
        folder.csanmt(&all)
    };
    finetune(
        "whole.safetensors",
        "whole.state",
        &["--steps", "6", "--samples", "2"],
    );
    finetune(
        "part.safetensors",
        "part.state",
        &["--steps", "3", "--samples", "2"],
    );
    assert_ne!(
        folder.bytes("whole.safetensors"),
        folder.bytes("part.safetensors")
    );
    finetune(
        "part.safetensors",
        "part.state",
        &["--steps", "6", "--resume"],
    );
    assert_eq!(
        folder.bytes("whole.safetensors"),
        folder.bytes("part.safetensors")
    );
    assert_eq!(folder.bytes("whole.state"), folder.bytes("part.state"));
    // Without the draws it is another run.
    finetune(
        "plain.safetensors",
        "plain.state",
        &["--steps", "6", "--samples", "0"],
    );
    assert_ne!(
        folder.bytes("whole.safetensors"),
        folder.bytes("plain.safetensors")
    );
}

#[test]
fn calibration_is_tried_and_never_the_worse_choice() {
    let folder = Folder::new();
    let quantize = |output: &str, more: &[&str]| {
        let mut all = vec!["quantize", text(model()), "-o", output, "--json"];
        all.extend(["--sample", "corpus.tsv", "--eval", "corpus.tsv"]);
        all.extend(more);
        folder.json(&all)
    };
    let plain = quantize("plain.safetensors", &[]);
    let calibrated = quantize("calibrated.safetensors", &["--calibrate"]);
    let chrf = |result: &Value| result["after"]["chrf"].as_f64().unwrap();
    assert!(chrf(&calibrated) >= chrf(&plain), "{calibrated} {plain}");
    let known = ["plain", "clipped", "equalised 0.3", "equalised 0.5"];
    let label = calibrated["calibration"].as_str().unwrap();
    assert!(
        known.iter().any(|known| label.starts_with(known)),
        "{label}"
    );
    let layers = calibrated["report"]["layers"].as_array().unwrap();
    assert!(layers.iter().all(|layer| layer["loss"].is_number()));
    // Tables that stay as they are cost bytes.
    let kept = quantize("kept.safetensors", &["--tables", "f16"]);
    let share = |result: &Value| result["share"].as_f64().unwrap();
    assert!(share(&kept) > share(&plain), "{kept} {plain}");
}

#[test]
fn a_pruned_model_is_smaller_and_translates() {
    let folder = Folder::new();
    let model = text(model());
    let prune = [
        "prune",
        model,
        "-o",
        "pruned.safetensors",
        "--share",
        "0.3",
        "--json",
    ];
    let found = folder.json(&[&prune[..], &["--vocabulary", "corpus.tsv"]].concat());
    assert!(found.is_object());
    let size = |path: &Path| std::fs::metadata(path).unwrap().len();
    assert!(size(&folder.path("pruned.safetensors")) < size(Path::new(model)));
    let translate = ["translate", "--raw", "--model", "pruned.safetensors"];
    folder.csanmt(&[&translate[..], &[PAIRS[0].0]].concat());
}

#[test]
fn a_shortlist_goes_into_the_int8_file_and_limits_what_is_said() {
    let folder = Folder::new();
    let model = text(model());
    let shortlist = ["shortlist", model, "corpus.tsv", "-o", "listed.safetensors"];
    let sizes = ["--common", "30", "--per-token", "5"];
    let said = folder.csanmt(&[&shortlist[..], &sizes].concat());
    assert!(said.contains("8 sentence pairs"), "{said}");
    let quantize = ["quantize", "listed.safetensors", "-o", "int8.safetensors"];
    folder.csanmt(&quantize);
    let plain = ["quantize", model, "-o", "plain.safetensors"];
    folder.csanmt(&plain);
    let translate = |model: &str, raw: &[&str]| {
        let translate = ["translate", "--model", model, PAIRS[0].0];
        folder.csanmt(&[&translate[..], raw].concat())
    };
    // The fixture babbles all over its vocabulary, the list does not let it.
    assert_ne!(
        translate("int8.safetensors", &[]),
        translate("plain.safetensors", &[])
    );
    // The original pipeline knows no shortlist.
    let raw = |model| translate(model, &["--raw"]);
    assert_eq!(raw("int8.safetensors"), raw("plain.safetensors"));
    // Tokens get other numbers when some are dropped, so the list goes.
    let prune = ["prune", "listed.safetensors", "-o", "pruned.safetensors"];
    folder.csanmt(&[&prune[..], &["--vocabulary", "corpus.tsv"]].concat());
    folder.csanmt(&["translate", "--model", "pruned.safetensors", PAIRS[0].0]);
}

#[test]
fn a_student_of_any_shape_is_distilled() {
    let folder = Folder::new();
    let model = text(model());
    let distill = |output: &str, more: &[&str]| {
        let mut all = vec!["distill", model, "corpus.tsv", "-o", output];
        all.extend("--steps 4 --batch-tokens 60 --translations 10".split(' '));
        all.extend(more);
        folder.csanmt(&all)
    };
    let narrow = ["--hidden", "16", "--decoder-layers", "1", "--filter", "32"];
    distill("narrow.safetensors", &narrow);
    distill("alone.safetensors", &[&narrow[..], &["--alone"]].concat());
    assert_ne!(
        folder.bytes("narrow.safetensors"),
        folder.bytes("alone.safetensors")
    );
    let found = folder.csanmt(&["inspect", "narrow.safetensors"]);
    assert!(found.contains("hidden size   16"), "{found}");
    let translate = ["translate", "--raw", "--model", "narrow.safetensors"];
    folder.csanmt(&[&translate[..], &[PAIRS[0].0]].concat());

    let mut wide = csanmt();
    wide.current_dir(folder.dir.path());
    wide.args([
        "distill",
        model,
        "corpus.tsv",
        "-o",
        "wide.safetensors",
        "--hidden",
        "64",
    ]);
    let output = run(&mut wide, b"");
    let error = failure(&output, 1);
    assert!(
        error.contains("hidden size 64: expected a multiple of the head size 8"),
        "{error}"
    );
}

#[test]
fn the_table_has_a_row_for_every_model_and_scores_of_its_own() {
    let folder = Folder::new();
    let model = text(model());
    success(&run(
        csanmt()
            .arg("convert")
            .arg(fixture())
            .arg("-o")
            .arg(folder.path("int8.safetensors")),
        b"",
    ));
    let f32 = format!("f32={model}");
    let table = [
        "bench-table",
        &f32,
        "int8=int8.safetensors",
        "--rounds",
        "1",
        "-o",
        "table",
    ];
    folder.csanmt(&[&table[..], &["--dev", "corpus.tsv"]].concat());
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    let json: Value = serde_json::from_str(&read("table.json")).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, model) in rows.iter().zip([model, "int8.safetensors"]) {
        let eval = ["eval", "corpus.tsv", "--raw", "--json", "--model", model];
        let eval = folder.json(&eval);
        for score in ["bleu", "chrf"] {
            let (found, own) = (&row["quality"][score], &eval[score]);
            let apart = (found.as_f64().unwrap() - own.as_f64().unwrap()).abs();
            assert!(apart < 1e-9, "{score}: {found}, eval says {own}");
        }
        assert!(
            row["latency_ms"][2].as_f64() > row["latency_ms"][0].as_f64(),
            "{row}"
        );
        let start = row["start_ms"].as_f64().unwrap();
        assert!(start > 0.0 && row["sentences_per_second"].as_f64().unwrap() > 0.0);
    }
    assert!(rows[1]["bytes"].as_u64() < rows[0]["bytes"].as_u64());
    assert_eq!(read("table.md").lines().count(), 4);
    assert!(read("table.svg").starts_with("<svg"));
}
