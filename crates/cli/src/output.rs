//! Writing to standard output, which may be closed at any time.

use std::io::{self, ErrorKind, Write as _};

/// Writes and flushes.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// What went wrong and why. Many errors quote their cause; such a cause is not repeated.
pub(crate) fn explain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// The reader of standard output is gone, as in `csanmt … | head`.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::explain;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow!("disk full").context("cannot write x: disk full");
        assert_eq!(explain(&error), "cannot write x: disk full");
        let error = error.context("the model");
        assert_eq!(explain(&error), "the model: cannot write x: disk full");
        assert_eq!(explain(&anyhow!("alone")), "alone");
    }
}
