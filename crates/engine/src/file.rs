//! Model files on disk.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use csanmt_format::{AlignedBytes, SharedBytes};
use mmap_io::MemoryMappedFile;

/// Maps a model file; where that is not possible (a pipe, a file system without mapping) it is
/// read into aligned memory.
///
/// A mapped file must not be changed in place while it is used. `csanmt convert` never does: it
/// writes beside the target and renames.
pub(crate) fn map(path: &Path) -> std::io::Result<SharedBytes> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    if let Ok(mapped) = MemoryMappedFile::open_ro(path)
        && mapped.as_slice_bytes(0, len).is_ok()
    {
        return Ok(Arc::new(Mapped { file: mapped, len }));
    }
    read(file, len)
}

fn read(mut file: File, len: u64) -> std::io::Result<SharedBytes> {
    let len =
        usize::try_from(len).map_err(|_| std::io::Error::other("larger than the address space"))?;
    let mut bytes = AlignedBytes::try_new(len)
        .ok_or_else(|| std::io::Error::other(format!("no memory for {len} bytes")))?;
    file.read_exact(bytes.as_mut())?;
    Ok(Arc::new(bytes))
}

/// A file in memory without a copy. Mappings begin at a page, so tensors are aligned as in the file.
struct Mapped {
    file: MemoryMappedFile,
    len: u64,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // Checked once when the file was opened.
        self.file.as_slice_bytes(0, self.len).unwrap_or_default()
    }
}
