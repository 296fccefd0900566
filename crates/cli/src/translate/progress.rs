//! How far a file is, on standard error.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

use csanmt::Progress;

/// How often a terminal is written to,
const TERMINAL: Duration = Duration::from_millis(200);
/// and how often a log.
const LOG: Duration = Duration::from_secs(10);

/// Shows the progress of one file.
pub(super) struct Meter {
    name: String,
    terminal: bool,
    shown: Instant,
    /// The line on the terminal has to be wiped out.
    dirty: bool,
}

impl Meter {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            terminal: stderr().is_terminal(),
            shown: Instant::now(),
            dirty: false,
        }
    }

    /// Shows the progress when it is time to.
    pub(super) fn show(&mut self, progress: Progress) {
        let pause = if self.terminal { TERMINAL } else { LOG };
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let line = line(&self.name, progress);
        // Whoever closed standard error does not want to know.
        let _ = if self.terminal {
            self.dirty = true;
            write!(stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(stderr(), "{line}")
        };
    }

    /// Leaves the terminal as it was.
    pub(super) fn finish(&mut self) {
        if self.dirty {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn line(name: &str, progress: Progress) -> String {
    let Progress {
        sentences_done: done,
        sentences: all,
        ..
    } = progress;
    let percent = done * 100 / all.max(1);
    format!("{name}: {percent} %, {done} of {all} sentences")
}

#[cfg(test)]
mod tests {
    use csanmt::Progress;

    use super::line;

    #[test]
    fn progress_is_a_percentage() {
        let progress = |sentences_done, sentences| Progress {
            sentences_done,
            sentences,
        };
        assert_eq!(
            line("a.txt", progress(5, 20)),
            "a.txt: 25 %, 5 of 20 sentences"
        );
        assert_eq!(line("a", progress(0, 0)), "a: 0 %, 0 of 0 sentences");
    }
}
