//! The accept loop: a bounded number of connections, slow clients dropped, a stop that drains.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

use crate::connection::{Activity, Counted, Occupancy, Socket};
use crate::{AppState, Settings, app};

/// The pause after the system refuses a connection, usually for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop` is ready, then lets requests under way finish, at most for
/// [`crate::Settings::drain`]. A connection that fails is that connection's matter.
pub async fn serve(listener: TcpListener, state: AppState, stop: impl Future<Output = ()>) {
    let settings = state.settings().clone();
    let occupancy = Occupancy::new(settings.connections);
    let connections = GracefulShutdown::new();
    let router = app(state);
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            let (stream, _) = listener.accept().await?;
            io::Result::Ok((stream, occupancy.enter().await))
        };
        let accepted = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let connection = connection(stream, router.clone(), place.activity(), &settings);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                // First, so that a request that has arrived is seen.
                biased;
                // Resets and malformed requests are everyday.
                outcome = connection => if let Err(error) = outcome {
                    tracing::debug!(%error, "connection ended");
                },
                () = place.asked_to_leave() => tracing::debug!("idle connection made room"),
            }
        });
    }
    drop(listener);
    tracing::info!(open = connections.count(), "stopping");
    if tokio::time::timeout(settings.drain, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time");
    }
}

fn connection(
    stream: TcpStream,
    router: Router,
    activity: Arc<Activity>,
    settings: &Settings,
) -> http1::Connection<TokioIo<Socket>, Counted> {
    // Answers are small and complete: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let socket = Socket::new(stream, settings.write_timeout, Arc::clone(&activity));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.header_timeout)
        .serve_connection(TokioIo::new(socket), Counted::new(router, activity))
}

/// The signals that ask the process to end: ctrl-c, and on Unix SIGTERM.
#[derive(Debug)]
pub struct Termination {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Termination {
    /// From here on the signals no longer end the process by themselves. To be called inside the
    /// runtime, before anybody is told that the server is up.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            })
        }
        #[cfg(windows)]
        {
            let interrupt = tokio::signal::windows::ctrl_c()?;
            Ok(Self { interrupt })
        }
    }

    /// Waits for the next signal.
    pub async fn signalled(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
        #[cfg(windows)]
        self.interrupt.recv().await;
    }
}
