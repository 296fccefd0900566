//! HTTP face of the csanmt translator: `POST /translate`, `GET /health` and the page.
//!
//! [`app`] is the whole service as an axum router, so tests call it without a socket; [`serve`]
//! puts it on one. Requests are computed by a fixed [pool](Settings::threads) behind a bounded
//! queue: when that is full the answer is 503 at once. Short requests that wait are translated
//! together, and all take turns, a batch of sentences each, so that short ones are answered while
//! long ones are under way. A client that goes away, or
//! a request whose time is up, stops its computation at the next decoder step.
//!
//! Every error is JSON, `{"error": "…"}`, with a 4xx or 5xx status ([`ApiError`]). Logs carry
//! routes, statuses, sizes and times, never text.
//!
//! ```no_run
//! use csanmt_server::{AppState, Settings, Site, Termination, serve};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let translator = csanmt::Translator::open("models/zh-en-tiny.safetensors")?;
//! let state = AppState::new(Site::None, Settings::default())?;
//! state.set_model(translator, "zh-en-tiny", "the hash of the file");
//! let listener = tokio::net::TcpListener::bind(("127.0.0.1", 8080)).await?;
//! let mut signals = Termination::listen()?;
//! serve(listener, state, signals.signalled()).await;
//! # Ok(())
//! # }
//! ```

mod access;
mod access_log;
mod answer;
mod app;
mod body;
mod cache;
mod connection;
mod desk;
mod error;
mod files;
mod fingerprint;
mod headers;
mod language;
mod metrics;
mod model;
mod pool;
mod quality;
mod routes;
mod serve;
mod service;
mod settings;
mod signals;
mod site;
mod state;
mod texts;

pub use app::app;
pub use cache::RedisError;
pub use error::ApiError;
pub use fingerprint::fingerprint;
pub use quality::{Baseline, BaselineError};
pub use serve::serve;
pub use service::{Pace, Translate, Work};
pub use settings::Settings;
pub use signals::{Hangup, Termination};
pub use site::{Asset, Assets, Site};
pub use state::{AppState, StartError};
