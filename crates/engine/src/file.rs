//! Model files on disk.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use csanmt_format::{AlignedBytes, SharedBytes};

/// Reads a model file into aligned memory.
pub(crate) fn map(path: &Path) -> std::io::Result<SharedBytes> {
    let mut file = File::open(path)?;
    let len = usize::try_from(file.metadata()?.len())
        .map_err(|_| std::io::Error::other("larger than the address space"))?;
    let mut bytes = AlignedBytes::try_new(len)
        .ok_or_else(|| std::io::Error::other(format!("no memory for {len} bytes")))?;
    file.read_exact(bytes.as_mut())?;
    Ok(Arc::new(bytes))
}
