//! `manifest.json` of the site: every file with its size and SHA-256.
//!
//! The page takes the model's address and size from it, the service worker what to keep.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use sha2::{Digest, Sha256};

/// The files of a site by their path, and a version that changes when any of them does.
pub(crate) struct Manifest {
    files: BTreeMap<String, Entry>,
}

struct Entry {
    bytes: usize,
    sha256: String,
}

impl Manifest {
    /// Lists `paths`, which are relative to `site` and have forward slashes.
    pub(crate) fn of(site: &Path, paths: &[String]) -> Result<Self> {
        let mut files = BTreeMap::new();
        for path in paths {
            let content =
                std::fs::read(site.join(path)).with_context(|| format!("cannot read {path}"))?;
            let entry = Entry {
                bytes: content.len(),
                sha256: hex(&Sha256::digest(&content)),
            };
            files.insert(path.clone(), entry);
        }
        Ok(Self { files })
    }

    /// Sixteen hex digits over all names and contents.
    pub(crate) fn version(&self) -> String {
        let mut hash = Sha256::new();
        for (path, entry) in &self.files {
            hash.update(format!("{path} {}\n", entry.sha256));
        }
        hex(&hash.finalize()[..8])
    }

    /// The JSON text; `model` is the path of the model the page loads.
    pub(crate) fn to_json(&self, model: &str) -> String {
        let files: serde_json::Map<String, serde_json::Value> = self
            .files
            .iter()
            .map(|(path, entry)| {
                let value = json!({ "bytes": entry.bytes, "sha256": entry.sha256 });
                (path.clone(), value)
            })
            .collect();
        let manifest = json!({ "version": self.version(), "model": model, "files": files });
        format!("{manifest:#}\n")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn lists_sizes_and_hashes_and_the_version_follows_the_content() {
        let dir = std::env::temp_dir().join(format!("csanmt-manifest-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("a.js"), "abc").unwrap();
        let first = Manifest::of(&dir, &["a.js".to_owned()]).unwrap();
        let json: serde_json::Value = serde_json::from_str(&first.to_json("m")).unwrap();
        assert_eq!(json["model"], "m");
        assert_eq!(json["files"]["a.js"]["bytes"], 3);
        assert_eq!(
            json["files"]["a.js"]["sha256"],
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        std::fs::write(dir.join("a.js"), "abd").unwrap();
        let second = Manifest::of(&dir, &["a.js".to_owned()]).unwrap();
        assert_ne!(first.version(), second.version());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
