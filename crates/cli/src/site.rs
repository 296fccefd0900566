//! Where `csanmt serve` takes the page from.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use csanmt_server::Site;

/// The page of `--site`, or [`default`].
pub(crate) fn find(folder: Option<PathBuf>) -> Result<Site> {
    match folder {
        Some(folder) if is_site(&folder) => Ok(Site::Directory(folder)),
        Some(folder) => bail!(
            "{} has no index.html: build the page with `cargo xtask site`",
            folder.display()
        ),
        None => Ok(default().unwrap_or(Site::None)),
    }
}

/// The embedded page; without one, what `cargo xtask site` built beside this very program.
pub(crate) fn default() -> Option<Site> {
    #[cfg(feature = "embedded-site")]
    return Some(Site::Embedded(Box::new(embedded::Page)));
    #[cfg(not(feature = "embedded-site"))]
    return beside_program().map(Site::Directory);
}

/// `target/site` for a program in `target/release` and the like. Nothing else is tried: a server
/// must not publish whatever lies in the folder where it happens to be started.
#[cfg_attr(feature = "embedded-site", expect(dead_code, reason = "not needed"))]
fn beside_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    program
        .ancestors()
        .filter(|folder| folder.file_name().is_some_and(|name| name == "target"))
        .map(|target| target.join("site"))
        .find(|folder| is_site(folder))
}

fn is_site(folder: &Path) -> bool {
    folder.join("index.html").is_file()
}

#[cfg(feature = "embedded-site")]
mod embedded {
    //! The page inside the program. Its model is the one the program has anyway.

    use std::borrow::Cow;
    use std::fmt::Write as _;
    use std::hash::{DefaultHasher, Hasher as _};
    use std::sync::OnceLock;

    use bytes::Bytes;
    use csanmt_server::{Asset, Assets};
    use rust_embed::RustEmbed;

    use crate::model::embedded::{NAME, bytes};

    #[derive(RustEmbed)]
    #[folder = "../../target/site"]
    #[exclude = "models/*"]
    struct Files;

    pub(super) struct Page;

    impl Assets for Page {
        fn asset(&self, path: &str) -> Option<Asset> {
            if let Some(file) = path.strip_prefix("models/") {
                let name = file.strip_suffix(".safetensors");
                return (name == Some(NAME)).then(model);
            }
            let file = Files::get(path)?;
            let mut hash = String::new();
            for byte in &file.metadata.sha256_hash()[..8] {
                // Writing to a string cannot fail.
                let _ = write!(hash, "{byte:02x}");
            }
            let content = match file.data {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            };
            Some(Asset { content, hash })
        }
    }

    fn model() -> Asset {
        static HASH: OnceLock<String> = OnceLock::new();
        let hash = HASH.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            hasher.write(bytes());
            format!("{:016x}", hasher.finish())
        });
        Asset {
            content: Bytes::from_static(bytes()),
            hash: hash.clone(),
        }
    }
}
