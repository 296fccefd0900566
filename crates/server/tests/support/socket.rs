//! A server on a socket, and clients that write what they like.

use csanmt_server::{Settings, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Fake, state};

/// A server on a real socket: its address, what stops it, and its end.
pub(crate) async fn start(
    fake: &Fake,
    settings: Settings,
) -> (String, oneshot::Sender<()>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let state = state(fake, settings);
    let server = tokio::spawn(serve(listener, state, async {
        let _ = stopped.await;
    }));
    (address, stop, server)
}

/// A connection that has sent a request.
pub(crate) async fn connect(address: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /translate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until the server closes.
pub(crate) async fn rest(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
