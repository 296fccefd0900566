//! Translations that were made before: in this process, and in a Redis that several share.
//!
//! A key is the hash of everything that decides a translation: the model's content, the options and
//! the text. What was cut short or failed is never stored. A Redis that does not answer is as good
//! as an empty one.

mod redis;

use csanmt::Options;
use moka::sync::Cache as Local;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use self::redis::Redis;
pub use self::redis::RedisError;
use crate::metrics::Metrics;

/// What a stored translation weighs beside its text.
const OVERHEAD_BYTES: usize = 128;

/// The caches of a server.
pub(crate) struct Cache {
    local: Option<Local<Key, Stored>>,
    redis: Option<Redis>,
}

/// The hash of a request for one text.
pub(crate) type Key = [u8; 32];

/// A complete translation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) alternatives: Vec<String>,
}

impl Cache {
    /// At most `bytes` in this process, and the Redis at `url`. To be called inside the runtime
    /// when there is one.
    ///
    /// # Errors
    /// When the URL is none.
    pub(crate) fn new(bytes: u64, url: Option<&str>) -> Result<Self, RedisError> {
        let weigh = |_: &Key, stored: &Stored| {
            let texts = stored.alternatives.iter().chain([&stored.text]);
            let bytes: usize = texts.map(String::len).sum();
            u32::try_from(bytes + OVERHEAD_BYTES).unwrap_or(u32::MAX)
        };
        let local = || Local::builder().max_capacity(bytes).weigher(weigh).build();
        Ok(Self {
            local: (bytes > 0).then(local),
            redis: url.map(Redis::new).transpose()?,
        })
    }

    /// What is known of each key.
    pub(crate) async fn get(&self, keys: &[Key], metrics: &Metrics) -> Vec<Option<Stored>> {
        let mut found: Vec<Option<Stored>> = match &self.local {
            Some(local) => keys.iter().map(|key| local.get(key)).collect(),
            None => vec![None; keys.len()],
        };
        metrics.cache_hits("memory", found.iter().flatten().count());
        if let Some(redis) = &self.redis {
            let open: Vec<usize> = (0..keys.len()).filter(|&at| found[at].is_none()).collect();
            let asked: Vec<Key> = open.iter().map(|&at| keys[at]).collect();
            let answers = redis.get(&asked).await;
            metrics.cache_hits("redis", answers.iter().flatten().count());
            for (at, answer) in open.into_iter().zip(answers) {
                if let (Some(local), Some(stored)) = (&self.local, &answer) {
                    local.insert(keys[at], stored.clone());
                }
                found[at] = answer;
            }
        }
        if self.local.is_some() || self.redis.is_some() {
            metrics.cache_misses(found.iter().filter(|one| one.is_none()).count());
        }
        found
    }

    /// Keeps complete translations.
    pub(crate) fn put(&self, entries: Vec<(Key, Stored)>) {
        if let Some(local) = &self.local {
            for (key, stored) in &entries {
                local.insert(*key, stored.clone());
            }
        }
        if let Some(redis) = &self.redis
            && !entries.is_empty()
        {
            redis.put(entries);
        }
    }
}

/// The key of a text.
pub(crate) fn key(fingerprint: &str, options: &Options, text: &str) -> Key {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(fingerprint);
    // All fields of the options, whichever come, but the terms, of which this tells the number only.
    add(&format!("{options:?}"));
    for (term, translation) in options.terms.iter().flat_map(|terms| terms.entries()) {
        add(term);
        add(translation);
    }
    hash.update(text);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use csanmt::{Format, Terms};

    use super::*;

    #[test]
    fn j12_a_key_is_everything_that_decides_a_translation() {
        let options = Options::default();
        let with_terms = |text: &str| {
            let terms = Terms::glossary(text).unwrap();
            key("model", &options.clone().with_terms(terms), "你好")
        };
        let all = [
            key("model", &options, "你好"),
            key("other", &options, "你好"),
            key("model", &options.clone().with_beam(2), "你好"),
            key("model", &options.clone().with_format(Format::Html), "你好"),
            key("model", &options.clone().with_prefix("Hi"), "你好"),
            key("model", &options, "你好 "),
            with_terms("你\tyou"),
            with_terms("你\tyo"),
            with_terms("你好\tyou"),
            with_terms("你\tyou\n好\tgood"),
        ];
        assert_eq!(all[0], key("model", &Options::default(), "你好"));
        let distinct: std::collections::HashSet<Key> = all.into_iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[tokio::test]
    async fn j12_the_memory_of_the_cache_is_bounded() {
        let cache = Cache::new(10_000, None).unwrap();
        let metrics = Metrics::new();
        for number in 0..1000 {
            let text = format!("{number:0100}");
            let key = key("", &Options::default(), &text);
            let alternatives = Vec::new();
            cache.put(vec![(key, Stored { text, alternatives })]);
        }
        let local = cache.local.as_ref().unwrap();
        local.run_pending_tasks();
        assert!(local.weighted_size() <= 10_000);
        assert!(local.entry_count() > 10);
        let off = Cache::new(0, None).unwrap();
        let text = String::new();
        let alternatives = Vec::new();
        off.put(vec![([0; 32], Stored { text, alternatives })]);
        assert_eq!(off.get(&[[0; 32]], &metrics).await, [None]);
    }
}
