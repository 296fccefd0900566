//! An output file that appears whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::target::folder_of;

/// Writes `.NAME.PID-N.partial` beside the target NAME; [`Self::commit`] renames it. Without that
/// it is removed; if the process is killed first, the next conversion to NAME removes it.
#[derive(Debug)]
pub struct Output {
    partial: PathBuf,
    target: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Output {
    /// Begins a file that is to become `target`.
    ///
    /// # Errors
    /// When no file can be made beside the target.
    pub fn create(target: &Path) -> io::Result<Self> {
        let name = target
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
        remove_abandoned(target);
        for attempt in 0..100 {
            let mut partial = std::ffi::OsString::from(".");
            partial.push(name);
            partial.push(format!(".{}-{attempt}.partial", std::process::id()));
            let partial = target.with_file_name(partial);
            let mut options = OpenOptions::new();
            match options
                .read(true)
                .write(true)
                .create_new(true)
                .open(&partial)
            {
                Ok(file) => {
                    // Says that the file is in use, also across containers that share a folder but
                    // not their process numbers. Without locks there, the number alone decides.
                    let _ = file.try_lock();
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

    /// What is written so far, and its length.
    pub(crate) fn read_back(&mut self) -> io::Result<(&mut File, u64)> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        file.flush()?;
        let file = file.get_mut();
        let len = file.metadata()?.len();
        Ok((file, len))
    }

    /// Puts the complete file in the place of the target and gives its length.
    ///
    /// # Errors
    /// When it cannot be written completely or renamed; then it is removed.
    pub fn commit(mut self) -> io::Result<u64> {
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

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file
            .as_mut()
            .ok_or(io::ErrorKind::BrokenPipe)?
            .seek(to)
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

/// Removes what interrupted conversions to `target` left. Failures do not matter: the files are
/// only in the way.
fn remove_abandoned(target: &Path) {
    let Some(name) = target.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let Ok(entries) = std::fs::read_dir(folder_of(target)) else {
        return;
    };
    for entry in entries.flatten() {
        let writer = entry
            .file_name()
            .to_str()
            .and_then(|partial| writer(partial, name));
        if writer.is_some_and(|writer| is_abandoned(&entry.path(), writer)) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The process that `.NAME.PID-N.partial` belongs to.
fn writer(partial: &str, name: &str) -> Option<u32> {
    let rest = partial.strip_prefix('.')?.strip_prefix(name)?;
    let (process, attempt) = rest
        .strip_prefix('.')?
        .strip_suffix(".partial")?
        .split_once('-')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(process) || !digits(attempt) || attempt.is_empty() {
        return None;
    }
    process.parse().ok()
}

/// Whether the process that wrote this file is gone.
fn is_abandoned(partial: &Path, writer: u32) -> bool {
    let Ok(metadata) = std::fs::symlink_metadata(partial) else {
        return false;
    };
    let gone = if cfg!(target_os = "linux") && Path::new("/proc/self").exists() {
        !Path::new("/proc").join(writer.to_string()).exists()
    } else {
        // Nothing tells which processes live; no conversion takes a day.
        let age = metadata
            .modified()
            .ok()
            .and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age.as_secs() > 24 * 60 * 60)
    };
    let in_use = || {
        let lock = File::open(partial).map(|file| file.try_lock());
        matches!(lock, Ok(Err(std::fs::TryLockError::WouldBlock)))
    };
    metadata.is_file() && gone && !in_use()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Output, writer};

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

    #[test]
    fn partial_files_name_their_writer() {
        assert_eq!(writer(".model.12-0.partial", "model"), Some(12));
        assert_eq!(writer(".a.b.7-13.partial", "a.b"), Some(7));
        for other in [
            ".model.12-0.partial~",
            ".model.x-0.partial",
            ".model.12-.partial",
            ".model.-0.partial",
            ".model2.12-0.partial",
            ".model.12.partial",
            "model.12-0.partial",
            ".model.+1-0.partial",
            ".model.99999999999-0.partial",
        ] {
            assert_eq!(writer(other, "model"), None, "{other}");
        }
    }

    /// No process has this number: Linux counts to 2²² at most.
    #[cfg(target_os = "linux")]
    const NO_PROCESS: u32 = 99_999_999;

    #[cfg(target_os = "linux")]
    #[test]
    fn partial_files_of_dead_processes_are_removed_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("model");
        let own = std::process::id();
        let path = |name: String| dir.path().join(name);
        let gone = [0, 3].map(|n| path(format!(".model.{NO_PROCESS}-{n}.partial")));
        let kept = [
            path(format!(".model.{own}-7.partial")),
            path(format!(".other.{NO_PROCESS}-0.partial")),
            path(format!(".model.{NO_PROCESS}-0.partial.txt")),
        ];
        for file in gone.iter().chain(&kept) {
            std::fs::write(file, b"half").unwrap();
        }
        let folder = path(format!(".model.{NO_PROCESS}-9.partial"));
        std::fs::create_dir(&folder).unwrap();
        drop(Output::create(&target).unwrap());
        assert!(gone.iter().all(|file| !file.exists()));
        assert!(kept.iter().all(|file| file.exists()) && folder.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_partial_file_in_use_by_a_hidden_process_stays() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("model");
        let partial = dir.path().join(format!(".model.{NO_PROCESS}-0.partial"));
        let file = std::fs::File::create(&partial).unwrap();
        file.lock().unwrap();
        drop(Output::create(&target).unwrap());
        assert!(partial.exists());
        drop(file);
        drop(Output::create(&target).unwrap());
        assert!(!partial.exists());
    }
}
