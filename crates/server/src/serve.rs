//! The accept loop: a bounded number of connections, slow clients dropped, a stop that drains.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

use crate::access::Peer;
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
            let (stream, peer) = listener.accept().await?;
            io::Result::Ok((stream, peer.ip(), occupancy.enter().await))
        };
        let accepted = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        let (stream, peer, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let counted = Counted::new(router.clone(), place.activity(), Peer(peer));
        let connection = connection(stream, counted, place.activity(), &settings);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            tokio::select! {
                // First, so that a request that has arrived is seen.
                biased;
                // Resets and malformed requests are everyday.
                outcome = connection => if let Err(error) = outcome {
                    tracing::debug!(%error, "connection ended");
                },
                () = place.asked_to_leave() => tracing::debug!("a connection that waited for its client made room"),
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
    service: Counted,
    activity: Arc<Activity>,
    settings: &Settings,
) -> http1::Connection<TokioIo<Socket>, Counted> {
    // Answers are small and complete: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let socket = Socket::new(stream, settings.write_timeout, activity);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.header_timeout)
        .serve_connection(TokioIo::new(socket), service)
}
