//! The accept loop: a bounded number of connections, slow headers dropped, a stop that drains.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::{AppState, app};

/// The time from one request's end to the end of the next one's header.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause after the system refuses a connection, usually for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop` is ready, then lets requests under way finish, at most for
/// [`crate::Settings::drain`]. A connection that fails is that connection's matter.
pub async fn serve(listener: TcpListener, state: AppState, stop: impl Future<Output = ()>) {
    let drain = state.settings().drain;
    let permits = Arc::new(Semaphore::new(state.settings().connections));
    let connections = GracefulShutdown::new();
    let router = app(state);
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&permits).acquire_owned().await.ok();
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let connection = connections.watch(connection(stream, router.clone()));
        tokio::spawn(async move {
            // Resets and malformed requests are everyday.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
            }
            drop(permit);
        });
    }
    drop(listener);
    tracing::info!(open = connections.count(), "stopping");
    if tokio::time::timeout(drain, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time");
    }
}

fn connection(
    stream: TcpStream,
    router: Router,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Router>> {
    // Answers are small and complete: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}

/// Ready when the process is asked to end: ctrl-c, and on Unix SIGTERM.
pub async fn termination() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
