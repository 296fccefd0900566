//! The peers' packages, under target/peers: one Python environment each, because they ask for
//! different versions of the same libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{command, run};
use crate::workspace;

/// A Python peer: its environment, what pip installs there, and its script in tests/peers.
pub(crate) struct PythonPeer {
    pub(crate) name: &'static str,
    environment: &'static str,
    packages: &'static [&'static str],
    script: &'static str,
}

/// In the order of their value to a reader.
pub(crate) const PYTHON_PEERS: &[PythonPeer] = &[
    PythonPeer {
        name: "ctranslate2",
        environment: "ctranslate2",
        packages: &["ctranslate2==4.8.5", "numpy", "safetensors"],
        script: "ctranslate2_peer.py",
    },
    PythonPeer {
        name: "tensorflow",
        environment: "tensorflow",
        packages: &[
            "tensorflow-cpu",
            "numpy<2.4",
            "safetensors",
            "jieba",
            "sacremoses",
            "subword-nmt",
        ],
        script: "tensorflow_peer.py",
    },
    PythonPeer {
        name: "torch",
        environment: "torch",
        // The registry has it with CUDA only; the versions after drop `torch.ao.quantization`.
        packages: TORCH,
        script: "torch_peer.py",
    },
    PythonPeer {
        name: "onnxruntime",
        environment: "torch",
        packages: TORCH,
        script: "onnxruntime_peer.py",
    },
];

/// Servers that articles and projects put before such engines.
pub(crate) const SERVERS: &[PythonPeer] = &[
    PythonPeer {
        name: "fastapi",
        environment: "fastapi",
        packages: &[
            "ctranslate2==4.8.5",
            "numpy",
            "safetensors",
            "fastapi",
            "uvicorn",
            "httptools",
            "uvloop",
            "jieba",
            "subword-nmt",
            "setuptools<80",
        ],
        script: "fastapi_server.py",
    },
    PythonPeer {
        name: "flask",
        environment: "flask",
        packages: &[
            "torch==2.7.1",
            "numpy",
            "safetensors",
            "flask",
            "jieba",
            "subword-nmt",
            "setuptools<80",
        ],
        script: "flask_server.py",
    },
];

const TORCH: &[&str] = &[
    "torch==2.7.1",
    "numpy",
    "safetensors",
    "onnx",
    "onnxruntime",
];

pub(crate) fn python_peer(name: &str) -> Result<&'static PythonPeer> {
    let peer = PYTHON_PEERS.iter().find(|peer| peer.name == name);
    peer.with_context(|| format!("there is no peer {name:?}"))
}

impl PythonPeer {
    /// What the peer makes of a model.
    pub(crate) fn cache(&self, model: &Path) -> PathBuf {
        let stem = model.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}-{}", self.name);
        folder().join("cache").join(name)
    }

    /// Installs what is missing and gives the command that serves `model`.
    pub(crate) fn command(&self, model: &Path) -> Result<Command> {
        let python = environment(self.environment, self.packages)?;
        let script = workspace::root().join("tests/peers").join(self.script);
        let mut peer = command(
            &python.to_string_lossy(),
            [&script, model, &self.cache(model)],
        );
        if self.name == "tensorflow" {
            peer.arg(original_sources()?);
        }
        Ok(peer)
    }
}

fn folder() -> PathBuf {
    workspace::target().join("peers")
}

/// The Python of an environment with these packages.
fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = folder().join(name);
    let python = folder.join("bin/python");
    let done = folder.join("installed");
    let list = packages.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        return Ok(python);
    }
    let folder_name = folder.to_string_lossy().into_owned();
    run(&mut command("python3", ["-m", "venv", &folder_name]))?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    run(command(&python.to_string_lossy(), pip).args(packages))?;
    std::fs::write(&done, list).with_context(|| format!("cannot write {}", done.display()))?;
    Ok(python)
}

/// The folder of the original's Python files: the wheel, unpacked but not installed, since it asks
/// for far more than the graph needs.
fn original_sources() -> Result<PathBuf> {
    let folder = folder().join("modelscope");
    if folder
        .join("modelscope/models/nlp/csanmt/translation.py")
        .exists()
    {
        return Ok(folder);
    }
    let target = folder.to_string_lossy().into_owned();
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        &target,
    ];
    run(command("python3", pip).arg("modelscope==1.40.2"))?;
    Ok(folder)
}
