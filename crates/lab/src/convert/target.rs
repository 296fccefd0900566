//! Which file a conversion may replace.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use super::error::ConvertError;
use crate::regular_file;

/// Links that lead nowhere yet are followed this far.
const MAX_LINKS: usize = 40;

/// Where the model file goes: a name that is free, or a regular file that is no input.
#[derive(Debug)]
pub(crate) struct Target {
    /// Without symbolic links in its last part.
    path: PathBuf,
    /// What is there now.
    old: Option<Metadata>,
}

impl Target {
    /// Follows the links of `named` and checks that the place can be written to as a file.
    pub(crate) fn resolve(named: &Path) -> Result<Self, ConvertError> {
        let wrong = |message: &str| ConvertError::Target {
            path: named.to_owned(),
            message: message.to_owned(),
        };
        let io = |source| ConvertError::Io {
            path: named.to_owned(),
            source,
        };
        if named.as_os_str() == "-" {
            return Err(wrong("standard output is not supported: give a file name"));
        }
        match std::fs::metadata(named) {
            Ok(old) => {
                regular_file::check(&old).map_err(io)?;
                let path = named.canonicalize().map_err(io)?;
                Ok(Self {
                    path,
                    old: Some(old),
                })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let ends_as_folder = named
                    .as_os_str()
                    .as_encoded_bytes()
                    .last()
                    .is_some_and(|&byte| std::path::is_separator(byte.into()));
                if ends_as_folder || named.file_name().is_none() {
                    return Err(wrong("this names no file: give a file name"));
                }
                let path = follow(named).map_err(io)?;
                let parent = folder_of(&path);
                if !parent.is_dir() {
                    let message = format!("the folder {} does not exist", parent.display());
                    return Err(wrong(&message));
                }
                Ok(Self { path, old: None })
            }
            Err(error) => Err(io(error)),
        }
    }

    /// Without symbolic links in its last part.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses to replace any of `inputs`, under whatever name.
    pub(crate) fn check_inputs(
        &self,
        inputs: impl IntoIterator<Item = PathBuf>,
    ) -> Result<(), ConvertError> {
        let Some(old) = &self.old else {
            return Ok(());
        };
        let clash = inputs.into_iter().find(|input| {
            let same_path = input.canonicalize().is_ok_and(|path| path == self.path);
            same_path || std::fs::metadata(input).is_ok_and(|input| same_file(&input, old))
        });
        match clash {
            None => Ok(()),
            Some(input) => Err(ConvertError::Target {
                path: self.path.clone(),
                message: format!(
                    "this is {}, a part of the model to convert; give another name",
                    input.display()
                ),
            }),
        }
    }
}

/// The folder of a path, `.` when it has no other part.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

/// The name that a chain of symbolic links ends at.
fn follow(named: &Path) -> io::Result<PathBuf> {
    let mut path = named.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = folder_of(&path).join(std::fs::read_link(&path)?);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

#[cfg(unix)]
fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    // Their paths were compared; the standard library tells no more here.
    false
}
