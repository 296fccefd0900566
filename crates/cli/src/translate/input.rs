//! Lines of standard input, as many at a time as are there.

use std::io::{self, BufRead, ErrorKind};
use std::sync::mpsc::{Receiver, sync_channel};

use anyhow::{Context as _, Result, anyhow};

use super::batch::Batch;

/// A line without its line break.
pub(crate) type Line = Vec<u8>;

/// Lines read ahead by a thread of their own.
pub(crate) struct Lines {
    received: Receiver<io::Result<Line>>,
    most_lines: usize,
    most_bytes: usize,
}

impl Lines {
    pub(crate) fn of_standard_input(batch: &Batch) -> Result<Self> {
        Self::of(
            || io::stdin().lock(),
            batch.most_texts(),
            batch.most_bytes(),
        )
        .context("cannot start the thread that reads standard input")
    }

    fn of<R: BufRead>(
        reader: impl FnOnce() -> R + Send + 'static,
        most_lines: usize,
        most_bytes: usize,
    ) -> io::Result<Self> {
        let (sender, received) = sync_channel(most_lines);
        // It ends with the input or with the program: reading cannot be interrupted.
        let thread = std::thread::Builder::new().name("input".to_owned());
        thread.spawn(move || {
            let mut reader = reader();
            let mut first = true;
            while let Some(mut line) = next_line(&mut reader).transpose() {
                if let (true, Ok(line)) = (first, &mut line) {
                    remove_byte_order_mark(line);
                }
                first = false;
                let failed = line.is_err();
                if sender.send(line).is_err() || failed {
                    break;
                }
            }
        })?;
        Ok(Self {
            received,
            most_lines,
            most_bytes,
        })
    }

    /// Waits for a line and takes those that are there already; empty at the end.
    pub(crate) fn next_batch(&self) -> Result<Vec<Line>> {
        let mut lines: Vec<Line> = Vec::new();
        let mut bytes = 0;
        while lines.len() < self.most_lines && bytes < self.most_bytes {
            let line = if lines.is_empty() {
                self.received.recv().ok()
            } else {
                self.received.try_recv().ok()
            };
            let Some(line) = line else { break };
            let line = line.map_err(explain)?;
            bytes += line.len();
            lines.push(line);
        }
        Ok(lines)
    }
}

fn explain(error: io::Error) -> anyhow::Error {
    if error.kind() == ErrorKind::IsADirectory {
        return anyhow!(
            "standard input is a folder, expected text: for example `csanmt translate < FILE`"
        );
    }
    anyhow!(error).context("cannot read standard input")
}

fn next_line(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if reader.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok(Some(line))
}

fn remove_byte_order_mark(line: &mut Line) {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if line.starts_with(MARK) {
        line.drain(..MARK.len());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{Line, Lines};

    fn batches(input: &'static [u8], most_lines: usize, most_bytes: usize) -> Vec<Vec<Line>> {
        let lines = Lines::of(move || Cursor::new(input), most_lines, most_bytes).unwrap();
        let mut batches = Vec::new();
        loop {
            let batch = lines.next_batch().unwrap();
            if batch.is_empty() {
                return batches;
            }
            batches.push(batch);
        }
    }

    #[test]
    fn keeps_every_line_whatever_the_batches() {
        let input = b"\xef\xbb\xbfone\n\ntwo\r\n\xff\nlast";
        for most_lines in 1..7 {
            for most_bytes in [1, 4, 1000] {
                let batches = batches(input, most_lines, most_bytes);
                assert!(batches.iter().all(|batch| batch.len() <= most_lines));
                let lines = batches.concat();
                assert_eq!(lines, [&b"one"[..], b"", b"two\r", b"\xff", b"last"]);
            }
        }
    }

    #[test]
    fn no_input_is_no_lines() {
        assert!(batches(b"", 4, 4).is_empty());
        assert_eq!(batches(b"\n", 4, 4), [[b""]]);
    }
}
