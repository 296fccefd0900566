//! Opening inputs: regular files only, because a pipe without a writer waits for ever and a device
//! may never end.

use std::fs::{File, FileType, Metadata};
use std::io;
use std::path::Path;

/// Opens a regular file, or what a symbolic link to one names.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    check(&std::fs::metadata(path)?)?;
    File::open(path)
}

/// Checks that it is a regular file.
pub(crate) fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind = if metadata.is_dir() {
        io::ErrorKind::IsADirectory
    } else {
        io::ErrorKind::InvalidInput
    };
    let found = name(metadata.file_type());
    Err(io::Error::new(
        kind,
        format!("this is {found}, expected a regular file"),
    ))
}

fn name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else {
        "a special file"
    }
}
