//! An output file that appears whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes beside the target; [`Self::commit`] renames. Without it the partial file is removed.
#[derive(Debug)]
pub(crate) struct Output {
    partial: PathBuf,
    target: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Output {
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let name = target
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
        for attempt in 0..100 {
            let mut partial = std::ffi::OsString::from(".");
            partial.push(name);
            partial.push(format!(".{}-{attempt}.partial", std::process::id()));
            let partial = target.with_file_name(partial);
            match File::create_new(&partial) {
                Ok(file) => {
                    let file = Some(BufWriter::with_capacity(1 << 16, file));
                    return Ok(Self {
                        partial,
                        target: target.to_owned(),
                        file,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "too many partial files beside it",
        ))
    }

    /// Puts the complete file in the place of the target and gives its length.
    pub(crate) fn commit(mut self) -> io::Result<u64> {
        let file = self.file.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let len = file.metadata()?.len();
        drop(file);
        std::fs::rename(&self.partial, &self.target)?;
        self.partial.clear();
        Ok(len)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file
            .as_mut()
            .ok_or(io::ErrorKind::BrokenPipe)?
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.file = None;
        if !self.partial.as_os_str().is_empty() {
            // Nothing more can be done about a file that cannot be removed.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::Output;

    #[test]
    fn only_committed_files_appear() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("model");
        let files = || std::fs::read_dir(dir.path()).unwrap().count();
        std::fs::write(&target, b"old").unwrap();

        let mut output = Output::create(&target).unwrap();
        output.write_all(b"half").unwrap();
        assert_eq!(files(), 2);
        drop(output);
        assert_eq!(
            (files(), std::fs::read(&target).unwrap()),
            (1, b"old".to_vec())
        );

        let mut output = Output::create(&target).unwrap();
        output.write_all(b"whole").unwrap();
        assert_eq!(output.commit().unwrap(), 5);
        assert_eq!(
            (files(), std::fs::read(&target).unwrap()),
            (1, b"whole".to_vec())
        );
    }
}
