//! The model in use, which can be exchanged while the server runs.

use std::sync::{Arc, PoisonError, RwLock};

use crate::language::Pair;
use crate::{ApiError, Translate};

/// A model and what is known of it.
pub(crate) struct Model {
    pub(crate) service: Arc<dyn Translate>,
    /// As `/health` reports it.
    pub(crate) name: String,
    /// Changes with the content: part of every key of the cache.
    pub(crate) fingerprint: String,
    pub(crate) pair: Pair,
}

impl Model {
    pub(crate) fn new(service: impl Translate, name: String, fingerprint: String) -> Self {
        let (source, target) = service.languages();
        Self {
            pair: Pair::new(&source, &target),
            service: Arc::new(service),
            name,
            fingerprint,
        }
    }
}

/// Empty until a model is loaded. Requests keep the model they began with, so an exchange drops
/// none of them; the old model goes when the last of them is done.
#[derive(Default)]
pub(crate) struct Slot(RwLock<Option<Arc<Model>>>);

impl Slot {
    pub(crate) fn get(&self) -> Result<Arc<Model>, ApiError> {
        let model = self.0.read().unwrap_or_else(PoisonError::into_inner);
        model.clone().ok_or(ApiError::Loading)
    }

    pub(crate) fn set(&self, model: Model) {
        let old = self
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .replace(Arc::new(model));
        // Outside the lock: unmapping a large file takes a while.
        drop(old);
    }
}
