//! What all requests share.

use std::path::PathBuf;
use std::sync::Arc;

use csanmt::Simplifier;

use crate::access::{Rates, Tokens};
use crate::cache::Cache;
use crate::files::Files;
use crate::language::{Detected, detect};
use crate::metrics::{Levels, Metrics};
use crate::model::{Model, Slot};
use crate::pool::Pool;
use crate::quality::{Baseline, BaselineError, Quality};
use crate::{ApiError, RedisError, Settings, Site, Translate};

/// Handles to one server's model, threads, caches and counters. When the last one goes, its threads
/// stop.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

struct Shared {
    model: Slot,
    pool: Pool,
    cache: Cache,
    files: Files,
    metrics: Arc<Metrics>,
    quality: Quality,
    tokens: Tokens,
    rates: Rates,
    simplifier: Simplifier,
    site: Site,
    settings: Settings,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The system grants not even one thread.
    #[error("cannot start a thread that translates: {0}")]
    Threads(std::io::Error),
    /// The address of the Redis.
    #[error(transparent)]
    Redis(#[from] RedisError),
    /// The quality baseline is there but not usable.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

impl AppState {
    /// Starts the threads, or as many as the system grants. `/health` is not ready before
    /// [`AppState::set_model`]. To be called inside the runtime when there is a Redis.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn new(site: Site, settings: Settings) -> Result<Self, StartError> {
        let metrics = Arc::new(Metrics::new());
        Ok(Self(Arc::new(Shared {
            model: Slot::default(),
            pool: Pool::new(&settings, &metrics).map_err(StartError::Threads)?,
            cache: Cache::new(settings.cache_bytes, settings.redis.as_deref())?,
            files: Files::new(&settings),
            quality: quality(settings.baseline.clone())?,
            tokens: Tokens::new(&settings.tokens),
            rates: Rates::new(&settings),
            simplifier: Simplifier::default(),
            metrics,
            site,
            settings,
        })))
    }

    /// Uses a model from now on; requests under way keep the one they began with. `name` is what
    /// `/health` reports, `fingerprint` something that changes with the model's content.
    pub fn set_model(
        &self,
        service: impl Translate,
        name: impl Into<String>,
        fingerprint: impl Into<String>,
    ) {
        let model = Model::new(service, name.into(), fingerprint.into());
        let reload = self.0.model.get().is_ok();
        self.0.model.set(model);
        if reload {
            self.0.metrics.reload(true);
        }
    }

    /// Notes that another model could not be loaded.
    pub fn reload_failed(&self) {
        self.0.metrics.reload(false);
    }

    pub(crate) fn model(&self) -> Result<Arc<Model>, ApiError> {
        self.0.model.get()
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.0.cache
    }

    pub(crate) fn files(&self) -> &Files {
        &self.0.files
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn quality(&self) -> &Quality {
        &self.0.quality
    }

    pub(crate) fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    pub(crate) fn site(&self) -> &Site {
        &self.0.site
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    pub(crate) fn detect(&self, text: &str) -> Detected {
        detect(text, &self.0.simplifier)
    }

    /// What `/metrics` answers.
    pub(crate) fn metrics_text(&self) -> String {
        self.0.metrics.encode(&Levels {
            queue: self.0.pool.waiting(),
            model_loaded: self.0.model.get().is_ok(),
            quality: self.0.quality.report(),
        })
    }
}

fn quality(file: Option<PathBuf>) -> Result<Quality, BaselineError> {
    match file {
        Some(file) if file.exists() => Ok(Quality::new(Some(Baseline::read(&file)?), None)),
        file => Ok(Quality::new(None, file)),
    }
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The settings have tokens, which belong into no log.
        formatter
            .debug_struct("AppState")
            .field("model", &self.model().ok().map(|model| model.name.clone()))
            .field("site", &self.0.site)
            .finish_non_exhaustive()
    }
}
