//! What `/metrics` tells, in the OpenMetrics text format that Prometheus reads.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::quality::Report;

type Level = Gauge<f64, AtomicU64>;

/// Bounds of the classes of time.
const SECONDS: [f64; 15] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
];
/// Bounds of the classes of batches.
const WIDTHS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// All counters of a server.
pub(crate) struct Metrics {
    registry: Mutex<Registry>,
    requests: Family<Request, Counter>,
    seconds: Family<Route, Histogram>,
    batch_sentences: Histogram,
    sentences: Counter,
    characters: Counter,
    tokens: Counter,
    cache_hits: Family<Layer, Counter>,
    cache_misses: Counter,
    reloads: Family<Outcome, Counter>,
    queue: Gauge,
    model_loaded: Gauge,
    memory: Gauge,
    quality: Family<Statistic, Level>,
    baseline: Family<Statistic, Level>,
    drift: Family<Statistic, Level>,
    window: Gauge,
}

/// Routes are those of the router, never a free path: their number is bounded.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Layer {
    layer: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Statistic {
    statistic: &'static str,
}

/// What is looked up at the moment of asking.
pub(crate) struct Levels {
    pub(crate) queue: usize,
    pub(crate) model_loaded: bool,
    pub(crate) quality: Report,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let metrics = Self {
            registry: Mutex::default(),
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            batch_sentences: Histogram::new(WIDTHS),
            sentences: Counter::default(),
            characters: Counter::default(),
            tokens: Counter::default(),
            cache_hits: Family::default(),
            cache_misses: Counter::default(),
            reloads: Family::default(),
            queue: Gauge::default(),
            model_loaded: Gauge::default(),
            memory: Gauge::default(),
            quality: Family::default(),
            baseline: Family::default(),
            drift: Family::default(),
            window: Gauge::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&self) {
        let mut registry = self.lock();
        registry.register_with_unit(
            "process_resident_memory",
            "Memory of the process that is in RAM",
            Unit::Bytes,
            self.memory.clone(),
        );
        let own = registry.sub_registry_with_prefix("csanmt");
        own.register("requests", "Requests answered", self.requests.clone());
        own.register_with_unit(
            "request_duration",
            "Time from a request's header to its answer's",
            Unit::Seconds,
            self.seconds.clone(),
        );
        own.register(
            "batch_sentences",
            "Sentences of one step of translation",
            self.batch_sentences.clone(),
        );
        own.register("sentences", "Sentences translated", self.sentences.clone());
        own.register(
            "characters",
            "Characters translated",
            self.characters.clone(),
        );
        own.register("tokens", "Tokens written by the model", self.tokens.clone());
        own.register(
            "cache_hits",
            "Texts found in a cache",
            self.cache_hits.clone(),
        );
        own.register(
            "cache_misses",
            "Texts found in no cache",
            self.cache_misses.clone(),
        );
        own.register("reloads", "Exchanges of the model", self.reloads.clone());
        own.register(
            "queue_requests",
            "Requests waiting for a thread",
            self.queue.clone(),
        );
        own.register(
            "model_loaded",
            "1 when a model is ready",
            self.model_loaded.clone(),
        );
        own.register(
            "quality",
            "Mean over the sentences of the last hour",
            self.quality.clone(),
        );
        own.register(
            "quality_baseline",
            "The same mean of the baseline",
            self.baseline.clone(),
        );
        own.register(
            "quality_drift",
            "Distance from the baseline in its standard deviations",
            self.drift.clone(),
        );
        own.register(
            "quality_sentences",
            "Sentences of the last hour",
            self.window.clone(),
        );
    }

    pub(crate) fn request(&self, route: &str, status: u16, duration: Duration) {
        let route = route.to_owned();
        let labels = Request {
            route: route.clone(),
            status,
        };
        self.requests.get_or_create(&labels).inc();
        let seconds = self.seconds.get_or_create(&Route { route });
        seconds.observe(duration.as_secs_f64());
    }

    /// A step that finished so many sentences.
    pub(crate) fn batch(&self, sentences: usize) {
        if sentences > 0 {
            self.batch_sentences.observe(sentences as f64);
        }
    }

    pub(crate) fn translated(&self, sentences: usize, characters: usize, tokens: usize) {
        self.sentences.inc_by(sentences as u64);
        self.characters.inc_by(characters as u64);
        self.tokens.inc_by(tokens as u64);
    }

    /// Characters translated since the start.
    pub(crate) fn characters(&self) -> u64 {
        self.characters.get()
    }

    pub(crate) fn cache_hits(&self, layer: &'static str, count: usize) {
        if count > 0 {
            let counter = self.cache_hits.get_or_create(&Layer { layer });
            counter.inc_by(count as u64);
        }
    }

    pub(crate) fn cache_misses(&self, count: usize) {
        self.cache_misses.inc_by(count as u64);
    }

    pub(crate) fn reload(&self, worked: bool) {
        let outcome = if worked { "done" } else { "failed" };
        self.reloads.get_or_create(&Outcome { outcome }).inc();
    }

    /// The text for Prometheus.
    pub(crate) fn encode(&self, levels: &Levels) -> String {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.queue.set(count(levels.queue));
        self.model_loaded.set(levels.model_loaded.into());
        self.memory.set(count(resident_bytes().unwrap_or(0)));
        self.window.set(count(levels.quality.sentences));
        for one in &levels.quality.statistics {
            let labels = Statistic {
                statistic: one.name,
            };
            self.quality.get_or_create(&labels).set(one.mean);
            if let Some(baseline) = one.baseline {
                self.baseline.get_or_create(&labels).set(baseline);
            }
            if let Some(drift) = one.drift {
                self.drift.get_or_create(&labels).set(drift);
            }
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.lock());
        text
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As Linux tells it.
fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
