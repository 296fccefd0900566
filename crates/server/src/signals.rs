//! Signals: those that ask the process to end, and the one that asks for another model.

use std::io;

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

/// The signal that asks to load the model again: SIGHUP. Elsewhere than on Unix there is none.
#[derive(Debug)]
pub struct Hangup {
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Hangup {
    /// From here on the signal no longer ends the process. To be called inside the runtime.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            hangup: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub async fn signalled(&mut self) {
        #[cfg(unix)]
        let _ = self.hangup.recv().await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}
