//! Which model to use: `--model`, then the environment, then the embedded one.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use csanmt::Translator;

use crate::settings;

/// `--model FILE`, shared by the subcommands that translate.
#[derive(clap::Args)]
pub(crate) struct ModelArguments {
    /// Model file [default: the embedded model]
    #[arg(long, value_name = "FILE", env = settings::MODEL, hide_env_values = true)]
    model: Option<OsString>,
}

/// Where a model comes from; displays as its name.
pub(crate) enum Source {
    File(PathBuf),
    #[cfg(feature = "embedded-model")]
    Embedded,
}

impl ModelArguments {
    pub(crate) fn source(&self) -> Result<Source> {
        // An empty variable means the same as none.
        match self.model.as_ref().filter(|path| !path.is_empty()) {
            Some(path) => Ok(Source::File(path.into())),
            #[cfg(feature = "embedded-model")]
            None => Ok(Source::Embedded),
            #[cfg(not(feature = "embedded-model"))]
            None => bail!(
                "this build has no embedded model: give one with --model FILE or {}=FILE",
                settings::MODEL
            ),
        }
    }
}

impl Source {
    pub(crate) fn open(&self) -> Result<Translator> {
        match self {
            Self::File(path) => open_file(path),
            #[cfg(feature = "embedded-model")]
            Self::Embedded => {
                Translator::from_bytes(embedded::bytes()).context("the embedded model")
            }
        }
    }
}

impl Source {
    /// What tells its content from another's.
    pub(crate) fn fingerprint(&self) -> Result<String> {
        let hash = match self {
            Self::File(path) => std::fs::File::open(path).and_then(csanmt_server::fingerprint),
            #[cfg(feature = "embedded-model")]
            Self::Embedded => csanmt_server::fingerprint(embedded::bytes()),
        };
        hash.with_context(|| format!("cannot read {self}"))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => {
                let name = path.file_stem().unwrap_or(path.as_os_str());
                name.display().fmt(formatter)
            }
            #[cfg(feature = "embedded-model")]
            Self::Embedded => formatter.write_str(embedded::NAME),
        }
    }
}

pub(crate) fn open_file(path: &Path) -> Result<Translator> {
    if path.is_dir() {
        bail!(
            "{} is a folder, expected a model file: make one with `csanmt convert {0} -o FILE`",
            path.display()
        );
    }
    match Translator::open(path) {
        // Its message has the path already.
        Err(error @ csanmt::Error::Io { .. }) => Err(error.into()),
        outcome => outcome.with_context(|| path.display().to_string()),
    }
}

/// The default model inside the program.
#[cfg(feature = "embedded-model")]
pub(crate) mod embedded {
    /// What the model is called.
    pub(crate) const NAME: &str = "zh-en-tiny";

    /// The engine reads the tensors in place; the format aligns them to 64 bytes of the file.
    #[repr(C, align(64))]
    struct Aligned<T: ?Sized>(T);

    static FILE: &Aligned<[u8]> =
        &Aligned(*include_bytes!("../../../models/zh-en-tiny.safetensors"));

    /// The model file.
    pub(crate) fn bytes() -> &'static [u8] {
        &FILE.0
    }
}
