//! Model files to measure: converted from a directory, or with generated weights.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::folder;
use crate::process::{cargo, command, run};
use crate::{serve, workspace};

/// Sizes of a model with generated weights.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) encoder_layers: usize,
    pub(crate) hidden: usize,
    pub(crate) filter: usize,
    pub(crate) heads: usize,
    pub(crate) vocabulary: u32,
}

/// The size that some released models have.
pub(crate) const BASE: Shape = Shape {
    name: "24-3-512",
    encoder_layers: 24,
    hidden: 512,
    filter: 2048,
    heads: 8,
    vocabulary: 50_000,
};

/// The size of the released Chinese-English model.
pub(crate) const FULL: Shape = Shape {
    name: "24-6-1024",
    encoder_layers: 24,
    hidden: 1024,
    filter: 4096,
    heads: 16,
    vocabulary: 50_000,
};

/// `csanmt convert`.
pub(crate) fn convert(dir: &Path, model: &Path) -> Result<PathBuf> {
    let program = serve::build_server()?;
    run(command(&program, ["convert"])
        .arg(dir)
        .arg("--output")
        .arg(model))?;
    Ok(model.to_owned())
}

impl Shape {
    fn decoder_layers(&self) -> usize {
        self.name
            .split('-')
            .nth(1)
            .and_then(|layers| layers.parse().ok())
            .unwrap_or(6)
    }

    /// The int8 model file, made when it is missing: the directory is written, converted and
    /// deleted again.
    pub(crate) fn model(&self) -> Result<PathBuf> {
        let model = folder()?.join(format!("{}.safetensors", self.name));
        if model.exists() {
            return Ok(model);
        }
        let dir = folder()?.join(self.name);
        self.generate(&dir)?;
        let converted = convert(&dir, &model);
        std::fs::remove_dir_all(&dir)
            .with_context(|| format!("cannot delete {}", dir.display()))?;
        converted
    }

    /// A copy that ends a translation after `tokens` tokens, since generated weights never do. It
    /// says that it reads English: of what reads Chinese, the engine searches again for what the
    /// limit has cut short.
    pub(crate) fn limited(&self, tokens: usize) -> Result<PathBuf> {
        let mut bytes = std::fs::read(self.model()?)?;
        let limit = format!(r#"\"max_decoded_trg_len\":{tokens:3}"#);
        for (old, new) in [
            (r#"\"max_decoded_trg_len\":100"#, &*limit),
            (r#"\"src_lang\":\"zh\""#, r#"\"src_lang\":\"en\""#),
        ] {
            ensure!(old.len() == new.len(), "{new} has no room in the header");
            let mut places = bytes.windows(old.len());
            let at = places.position(|place| place == old.as_bytes());
            let at = at.with_context(|| format!("no {old} in {}", self.name))?;
            bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
        }
        let copy = folder()?.join("limited.safetensors");
        std::fs::write(&copy, bytes).with_context(|| format!("cannot write {}", copy.display()))?;
        Ok(copy)
    }

    fn generate(&self, dir: &Path) -> Result<()> {
        let package = ["--package", "csanmt-lab", "--example", "generate"];
        run(cargo(["build", "--release"]).args(package))?;
        let program = workspace::target().join("release/examples/generate");
        let numbers = [
            self.encoder_layers,
            self.decoder_layers(),
            self.hidden,
            self.filter,
            self.heads,
            self.vocabulary as usize,
        ];
        let mut generate = command(&program.to_string_lossy(), [dir]);
        generate.args(numbers.map(|number| number.to_string()));
        run(&mut generate)
    }
}
