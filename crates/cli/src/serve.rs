//! `csanmt serve`: page and API.

use std::io::{self, ErrorKind};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr as _;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use csanmt::Translator;
use csanmt_server::{AppState, Hangup, Settings, Termination, serve};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing_subscriber::filter::LevelFilter;

use crate::model::{ModelArguments, Source};
use crate::{output, settings, site, threads};

/// Threads that read and write sockets; the translating ones are the server's own.
const IO_THREADS: usize = 2;
/// How often a translation may take as long as it may be without progress.
const TIMES_STALL: u32 = 10;
/// Threads that read files of the page and load models.
const FILE_THREADS: usize = 16;

/// Serve the page and the API, in the interfaces of LibreTranslate, DeepL, Google, OpenAI and
/// browser extensions; /docs of the running server describes them.
///
/// Prints `listening on http://HOST:PORT` once it translates. Stops on ctrl-c or SIGTERM when the
/// requests under way are answered; a second signal stops it at once. SIGHUP loads the model file
/// again, without a request being lost.
///
/// Every option can also stand in the TOML file of --config, under its name without the dashes.
/// The command line comes first, then the environment, then the file.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Settings as TOML, such as `port = 9000`
    #[arg(long, value_name = "FILE", env = settings::CONFIG)]
    config: Option<PathBuf>,
    /// Address to listen on; 0.0.0.0 for all
    #[arg(long, env = "CSANMT_HOST", default_value = "127.0.0.1")]
    host: String,
    /// Port to listen on; 0 takes a free one
    #[arg(long, env = "CSANMT_PORT", default_value_t = 8080, value_parser = port)]
    port: u16,
    /// Folder of the page, as `cargo xtask site` builds it [default: the embedded page, or
    /// target/site beside this program]
    #[arg(long, value_name = "DIR", env = "CSANMT_SITE")]
    site: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
    /// Threads that translate, 1 to 256 [default: one a core]
    #[arg(long, value_name = "N", env = "CSANMT_THREADS", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
    #[command(flatten, next_help_heading = "Limits")]
    limits: Limits,
    #[command(flatten, next_help_heading = "Access")]
    access: Access,
    #[command(flatten, next_help_heading = "Cache and statistics")]
    memory: Memory,
    /// How the log is written to standard error; its level is in CSANMT_LOG
    #[arg(
        long,
        value_name = "FORMAT",
        env = "CSANMT_LOG_FORMAT",
        default_value = "text"
    )]
    log_format: LogFormat,
}

/// Reads the value of `--port`. The parser of numbers only says that a digit is none.
fn port(value: &str) -> Result<u16, String> {
    let expected = |_| "expected a number from 0 to 65535".to_owned();
    value.parse().map_err(expected)
}

#[derive(clap::Args)]
struct Limits {
    /// Requests that may wait for their turn; more get status 503
    #[arg(long, value_name = "N", env = "CSANMT_QUEUE",
          default_value_t = Settings::default().queue_requests)]
    queue: usize,
    /// Seconds without progress after which a request is given up; altogether it may take ten
    /// times as long
    #[arg(long, value_name = "SECONDS", env = "CSANMT_TIMEOUT",
          default_value_t = Settings::default().stall.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Seconds that requests under way get when the server is stopped
    #[arg(long, value_name = "SECONDS", env = "CSANMT_DRAIN",
          default_value_t = Settings::default().drain.as_secs())]
    drain: u64,
    /// Largest request body in bytes
    #[arg(long, value_name = "BYTES", env = "CSANMT_MAX_BODY",
          default_value_t = Settings::default().body_bytes)]
    max_body: usize,
    /// Largest uploaded file in bytes
    #[arg(long, value_name = "BYTES", env = "CSANMT_MAX_FILE",
          default_value_t = Settings::default().file_bytes)]
    max_file: usize,
    /// Most characters in a request [default: what fits into a body]
    #[arg(long, value_name = "N", env = "CSANMT_MAX_CHARACTERS")]
    max_characters: Option<NonZero<usize>>,
    /// Most texts in a request
    #[arg(long, value_name = "N", env = "CSANMT_MAX_TEXTS",
          default_value_t = Settings::default().texts)]
    max_texts: usize,
    /// Connections that are open at once; for one more, the one goes that has waited longest for
    /// its client to send something
    #[arg(long, value_name = "N", env = "CSANMT_CONNECTIONS",
          default_value_t = Settings::default().connections)]
    connections: usize,
    /// Requests a minute and client; more get status 429 [default: no limit]
    #[arg(long, value_name = "N", env = "CSANMT_REQUESTS_PER_MINUTE")]
    requests_per_minute: Option<NonZero<u32>>,
    /// Characters a minute and client; more get status 429 [default: no limit]
    #[arg(long, value_name = "N", env = "CSANMT_CHARACTERS_PER_MINUTE")]
    characters_per_minute: Option<NonZero<u32>>,
}

#[derive(clap::Args)]
struct Access {
    /// A token that lets clients translate; several with commas, or the option several times.
    /// Other users of the machine can read command lines: better put tokens into the environment
    /// or a file [default: everybody may]
    #[arg(long, value_name = "TOKEN", env = settings::TOKENS, hide_env_values = true,
          value_delimiter = ',')]
    token: Vec<String>,
    /// A file with tokens, one a line
    #[arg(long, value_name = "FILE", env = "CSANMT_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Take the client's address from the last entry of X-Forwarded-For: only behind a proxy that
    /// writes it
    #[arg(long, env = "CSANMT_TRUST_PROXY")]
    trust_proxy: bool,
}

#[derive(clap::Args)]
struct Memory {
    /// Megabytes of translations kept in memory; 0 keeps none
    #[arg(long, value_name = "MB", env = "CSANMT_CACHE_MB",
          default_value_t = Settings::default().cache_bytes >> 20,
          value_parser = clap::value_parser!(u64).range(..=1 << 24))]
    cache_mb: u64,
    /// A Redis in which several servers keep translations, redis://HOST:PORT/NUMBER
    #[arg(long, value_name = "URL", env = settings::REDIS, hide_env_values = true)]
    redis: Option<String>,
    /// Quality baseline to compare with in /metrics; the first thousand sentences write it when it
    /// does not exist
    #[arg(long, value_name = "FILE", env = "CSANMT_BASELINE")]
    baseline: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum LogFormat {
    /// For people
    Text,
    /// One object a line
    Json,
}

impl Arguments {
    fn settings(&self) -> Result<Settings> {
        let Self {
            limits,
            access,
            memory,
            ..
        } = self;
        let stall = Duration::from_secs(limits.timeout);
        Ok(Settings {
            threads: self.threads.unwrap_or_else(threads::all_cores),
            queue_requests: limits.queue,
            stall,
            deadline: stall * TIMES_STALL,
            drain: Duration::from_secs(limits.drain),
            body_bytes: limits.max_body,
            file_bytes: limits.max_file,
            characters: limits.max_characters,
            texts: limits.max_texts,
            connections: limits.connections,
            requests_per_minute: limits.requests_per_minute,
            characters_per_minute: limits.characters_per_minute,
            tokens: access.tokens()?,
            trust_proxy: access.trust_proxy,
            cache_bytes: memory.cache_mb << 20,
            redis: memory.redis.clone().filter(|url| !url.is_empty()),
            baseline: memory.baseline.clone(),
            ..Settings::default()
        })
    }
}

impl Access {
    fn tokens(&self) -> Result<Vec<String>> {
        let mut tokens = self.token.clone();
        if let Some(file) = &self.token_file {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            tokens.extend(text.lines().map(|line| line.trim().to_owned()));
            tokens.retain(|token| !token.is_empty());
            if tokens.is_empty() {
                // Whoever names a file wants the server closed.
                bail!("{} has no token", file.display());
            }
        }
        tokens.retain(|token| !token.is_empty());
        Ok(tokens)
    }
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    start_log(arguments.log_format)?;
    let settings = arguments.settings()?;
    let site = site::find(arguments.site)?;
    let model = Arc::new(arguments.model.source()?);
    // Before the threads that translate, of which there may be fewer than asked for.
    try_threads(IO_THREADS).context("cannot start the threads of the server")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(IO_THREADS)
        .max_blocking_threads(FILE_THREADS)
        .enable_all()
        .build()
        .context("cannot start the threads of the server")?;
    runtime.block_on(async {
        let listener = listen(&arguments.host, arguments.port).await?;
        run_on(listener, AppState::new(site, settings)?, model).await
    })?;
    // What has not finished by now is given up.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

/// Whether the system grants so many threads: the runtime panics where it does not.
fn try_threads(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // All of them are there before the first one ends.
        let _closed = gate.lock();
        for _ in 0..count {
            thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()))?;
        }
        Ok(())
    })
}

async fn listen(host: &str, port: u16) -> Result<TcpListener> {
    let bound = TcpListener::bind((host, port)).await;
    bound.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!(
            "{host}:{port} is in use: stop the program that has it, or choose another port \
             with --port N (--port 0 takes a free one)"
        ),
        ErrorKind::PermissionDenied => {
            anyhow!("no permission to listen on {host}:{port}: choose a port above 1023")
        }
        _ => anyhow!(error).context(format!("cannot listen on {host}:{port}")),
    })
}

/// Answers from the first moment on, with 503 until the model is there.
async fn run_on(listener: TcpListener, state: AppState, model: Arc<Source>) -> Result<()> {
    let mut ends = Termination::listen().context("cannot handle signals")?;
    let mut hangup = Hangup::listen().context("cannot handle signals")?;
    let address = listener.local_addr()?;
    let (stop, stopped) = oneshot::channel();
    let stop_requested = async {
        let _ = stopped.await;
    };
    let server = tokio::spawn(serve(listener, state.clone(), stop_requested));

    tokio::select! {
        loaded = load(&model) => {
            let (translator, fingerprint) = loaded?;
            state.set_model(translator, model.to_string(), fingerprint);
        }
        () = ends.signalled() => {
            return Ok(());
        }
    }
    // A server whose output nobody reads serves all the same.
    let _ = output::print(&format!("listening on http://{address}\n"));

    let reloading = tokio::spawn(async move {
        loop {
            hangup.signalled().await;
            match load(&model).await {
                Ok((translator, fingerprint)) => {
                    tracing::info!(fingerprint, "the model was loaded again");
                    state.set_model(translator, model.to_string(), fingerprint);
                }
                Err(error) => {
                    let error = output::explain(&error);
                    tracing::error!(error, "the model could not be loaded; keeping the old one");
                    state.reload_failed();
                }
            }
        }
    });
    tokio::spawn(async move {
        ends.signalled().await;
        // The receiver lives as long as the server.
        let _ = stop.send(());
        ends.signalled().await;
        std::process::exit(1);
    });
    let ended = server.await;
    reloading.abort();
    ended.context("the server failed")
}

/// Opens the model on a thread that may wait for the disk.
async fn load(model: &Arc<Source>) -> Result<(Translator, String)> {
    let model = Arc::clone(model);
    let opened = tokio::task::spawn_blocking(move || Ok((model.open()?, model.fingerprint()?)));
    opened.await.context("loading the model failed")?
}

/// Logs go to standard error.
fn start_log(format: LogFormat) -> Result<()> {
    let level = match std::env::var(settings::LOG) {
        Ok(level) => LevelFilter::from_str(&level).ok(),
        Err(_) => Some(LevelFilter::INFO),
    };
    let Some(level) = level else {
        bail!(
            "{} is not a level, expected off, error, warn, info, debug or trace",
            settings::LOG
        );
    };
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_target(false);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(())
}
