//! `csanmt serve`: page and API.

use std::io::{self, ErrorKind};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr as _;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use csanmt_server::{AppState, Settings, Termination, serve};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing_subscriber::filter::LevelFilter;

use crate::model::ModelArguments;
use crate::{output, settings, site, threads};

/// Threads that read and write sockets; the translating ones are the server's own.
const IO_THREADS: usize = 2;
/// How often a translation may take as long as it may be without progress.
const TIMES_STALL: u32 = 10;
/// Threads that read files of the page.
const FILE_THREADS: usize = 16;

/// Serve the page and the API: POST /translate, GET /health.
///
/// Prints `listening on http://HOST:PORT` once it can be reached. Stops on ctrl-c or SIGTERM when
/// the requests under way are answered; a second signal stops it at once.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Address to listen on; 0.0.0.0 for all
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Folder of the page, as `cargo xtask site` builds it [default: the embedded page, or
    /// target/site beside this program]
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
    /// Threads that translate, 1 to 256 [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
    /// Requests that may wait for their turn; more get status 503
    #[arg(long, value_name = "N", default_value_t = Settings::default().queue_requests)]
    queue: usize,
    /// Seconds without progress after which a request is given up; altogether it may take ten
    /// times as long
    #[arg(long, value_name = "SECONDS", default_value_t = Settings::default().stall.as_secs(),
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Largest request body in bytes
    #[arg(long, value_name = "BYTES", default_value_t = Settings::default().body_bytes)]
    max_body: usize,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    start_log()?;
    let defaults = Settings::default();
    let stall = Duration::from_secs(arguments.timeout);
    let settings = Settings {
        threads: arguments.threads.unwrap_or_else(threads::all_cores),
        queue_requests: arguments.queue,
        stall,
        deadline: stall * TIMES_STALL,
        body_bytes: arguments.max_body,
        ..defaults
    };
    let site = site::find(arguments.site)?;
    let model = arguments.model.source()?;
    let translator = model.open()?;
    // Before the threads that translate, of which there may be fewer than asked for.
    try_threads(IO_THREADS).context("cannot start the threads of the server")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(IO_THREADS)
        .max_blocking_threads(FILE_THREADS)
        .enable_all()
        .build()
        .context("cannot start the threads of the server")?;
    let state = AppState::new(translator, model.to_string(), site, settings)
        .context("cannot start a thread that translates")?;
    runtime.block_on(listen(&arguments.host, arguments.port, state))?;
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

async fn listen(host: &str, port: u16, state: AppState) -> Result<()> {
    let listener = TcpListener::bind((host, port))
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => anyhow!(
                "{host}:{port} is in use: stop the program that has it, or choose another port \
                 with --port N (--port 0 takes a free one)"
            ),
            ErrorKind::PermissionDenied => {
                anyhow!("no permission to listen on {host}:{port}: choose a port above 1023")
            }
            _ => anyhow!(error).context(format!("cannot listen on {host}:{port}")),
        })?;
    let mut signals = Termination::listen().context("cannot handle signals")?;
    let address = listener.local_addr()?;
    // A server whose output nobody reads serves all the same.
    let _ = output::print(&format!("listening on http://{address}\n"));

    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        signals.signalled().await;
        // The receiver lives as long as the server.
        let _ = stop.send(());
        signals.signalled().await;
        std::process::exit(1);
    });
    serve(listener, state, async {
        let _ = stopped.await;
    })
    .await;
    Ok(())
}

/// Logs go to standard error.
fn start_log() -> Result<()> {
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
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_target(false)
        .init();
    Ok(())
}
