//! The state file `checkpoint`, which names the newest checkpoint of a directory.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::checkpoint::error::CheckpointError;
use crate::regular_file;

/// The path stands on the first line; a list of older ones follows.
const MAX_STATE: u64 = 1 << 20;

/// The prefix of the directory's checkpoint: the state file's `model_checkpoint_path`, or `ckpt-0`.
pub(crate) fn prefix(dir: &Path) -> Result<PathBuf, CheckpointError> {
    let path = dir.join("checkpoint");
    let mut state = Vec::new();
    match regular_file::open(&path).and_then(|f| f.take(MAX_STATE).read_to_end(&mut state)) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(CheckpointError::Io { path, source }),
    }
    let state = String::from_utf8_lossy(&state);
    let Some(named) = state.lines().find_map(path_of_line) else {
        return Ok(dir.join("ckpt-0"));
    };
    // An absolute path is from the machine that trained: after a move the name is what counts.
    let as_named = dir.join(&named);
    if index(&as_named).exists() {
        return Ok(as_named);
    }
    let name = named.rsplit(['/', '\\']).next().unwrap_or(&named);
    Ok(dir.join(name))
}

/// `PREFIX.index`
pub(crate) fn index(prefix: &Path) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(".index");
    path.into()
}

/// `PREFIX.data-00000-of-00001`
pub(crate) fn shard(prefix: &Path, shard: u64, shards: u64) -> PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(format!(".data-{shard:05}-of-{shards:05}"));
    path.into()
}

/// `model_checkpoint_path: "ckpt-0"`, with C escapes for what is not ASCII.
fn path_of_line(line: &str) -> Option<String> {
    let quoted = line.trim().strip_prefix("model_checkpoint_path:")?.trim();
    let text = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = rest.first_chunk::<3>().and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        if let Some(value) = octal {
            bytes.push(value);
            rest = &rest[3..];
        } else {
            let (&escaped, after) = rest.split_first()?;
            bytes.push(escaped);
            rest = after;
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{path_of_line, prefix};

    #[test]
    fn the_named_path_is_unescaped() {
        let path = |line: &str| path_of_line(line).unwrap();
        assert_eq!(path(r#"model_checkpoint_path: "ckpt-0""#), "ckpt-0");
        assert_eq!(
            path(r#"model_checkpoint_path: "/a/\344\270\255/ckpt-7""#),
            "/a/中/ckpt-7"
        );
        assert_eq!(path(r#"model_checkpoint_path: "C:\\m\\\"x""#), "C:\\m\\\"x");
        assert_eq!(
            path_of_line(r#"all_model_checkpoint_paths: "ckpt-0""#),
            None
        );
        assert_eq!(path_of_line("model_checkpoint_path: \"ckpt\\"), None);
    }

    #[test]
    fn moved_checkpoints_are_found_by_name() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            prefix(dir.path()).unwrap(),
            dir.path().join("ckpt-0"),
            "no state file"
        );
        let state = "model_checkpoint_path: \"/gone/tf_ckpts/ckpt-12\"\n";
        std::fs::write(dir.path().join("checkpoint"), state).unwrap();
        assert_eq!(prefix(dir.path()).unwrap(), dir.path().join("ckpt-12"));
    }
}
