//! Translated files that wait to be fetched: in memory, under names nobody can guess.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Settings;

/// Files that are translated at once: each is in memory, and has a thread that waits.
const AT_ONCE: usize = 8;

/// Files by their names.
pub(crate) struct Files {
    kept: Cache<String, Arc<Kept>>,
    keep: Duration,
    count: AtomicU64,
    secret: [RandomState; 4],
    places: Arc<Semaphore>,
}

/// A translated file.
pub(crate) struct Kept {
    pub(crate) content: Bytes,
    pub(crate) content_type: &'static str,
}

impl Files {
    pub(crate) fn new(settings: &Settings) -> Self {
        let weigh = |name: &String, kept: &Arc<Kept>| {
            u32::try_from(name.len() + kept.content.len()).unwrap_or(u32::MAX)
        };
        Self {
            kept: Cache::builder()
                .max_capacity(settings.files_bytes)
                .weigher(weigh)
                .time_to_live(settings.files_keep)
                .build(),
            keep: settings.files_keep,
            count: AtomicU64::new(0),
            secret: std::array::from_fn(|_| RandomState::new()),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// A place for one more file to be translated, `None` when there are enough.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Keeps a file and gives its name: 32 hexadecimal digits and `ending`.
    pub(crate) fn keep(&self, content: Bytes, content_type: &'static str, ending: &str) -> String {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let mut hash = Sha256::new();
        for secret in &self.secret {
            hash.update(secret.hash_one(number).to_le_bytes());
        }
        let mut name = String::new();
        for byte in &hash.finalize()[..16] {
            name.push_str(&format!("{byte:02x}"));
        }
        name.push('.');
        name.push_str(ending);
        let kept = Kept {
            content,
            content_type,
        };
        self.kept.insert(name.clone(), Arc::new(kept));
        name
    }

    /// Looked up among names, never among paths.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Kept>> {
        self.kept.get(name)
    }

    /// Minutes that a file is kept.
    pub(crate) fn minutes(&self) -> u64 {
        self.keep.as_secs().div_ceil(60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_under_names_of_their_own() {
        let files = Files::new(&Settings::default());
        let keep = |text: &'static str| files.keep(Bytes::from_static(text.as_bytes()), "x", "txt");
        let (one, other) = (keep("one"), keep("two"));
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        assert_eq!(files.get(&one).unwrap().content, "one");
        assert!(files.get("../etc/passwd").is_none());
    }
}
