//! The `Range` header: what lets a broken download go on.

use std::ops::Range;

/// What to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Requested {
    /// Everything: no range, several ranges, or something that is not a range of bytes.
    Whole,
    /// These bytes; never empty.
    Part(Range<usize>),
    /// Nothing of the file is in the range.
    Unsatisfiable,
}

/// Reads `bytes=FROM-TO`, `bytes=FROM-` or `bytes=-COUNT` for a file of `length` bytes.
pub(super) fn requested(header: &str, length: usize) -> Requested {
    let Some((from, to)) = header
        .strip_prefix("bytes=")
        .and_then(|spec| spec.split_once('-'))
    else {
        return Requested::Whole;
    };
    let range = match (number(from), number(to)) {
        (Some(from), None) if to.trim().is_empty() => from..length,
        (Some(from), Some(to)) if from <= to => from..to.saturating_add(1).min(length),
        (None, Some(count)) if from.trim().is_empty() => length.saturating_sub(count)..length,
        _ => return Requested::Whole,
    };
    if range.start < range.end {
        Requested::Part(range)
    } else {
        Requested::Unsatisfiable
    }
}

fn number(digits: &str) -> Option<usize> {
    digits.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Requested, requested};

    #[test]
    fn reads_the_three_forms() {
        assert_eq!(requested("bytes=0-3", 10), Requested::Part(0..4));
        assert_eq!(requested("bytes=9-", 10), Requested::Part(9..10));
        assert_eq!(requested("bytes=-4", 10), Requested::Part(6..10));
        assert_eq!(requested("bytes=-40", 10), Requested::Part(0..10));
        assert_eq!(requested("bytes=5-99", 10), Requested::Part(5..10));
        let most = format!("bytes=5-{}", usize::MAX);
        assert_eq!(requested(&most, 10), Requested::Part(5..10));
    }

    #[test]
    fn what_lies_outside_is_unsatisfiable() {
        assert_eq!(requested("bytes=10-", 10), Requested::Unsatisfiable);
        assert_eq!(requested("bytes=10-12", 10), Requested::Unsatisfiable);
        assert_eq!(requested("bytes=-0", 10), Requested::Unsatisfiable);
        assert_eq!(requested("bytes=0-", 0), Requested::Unsatisfiable);
    }

    #[test]
    fn anything_else_is_the_whole_file() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=4-2",
            "bytes=a-b",
            "bytes=0-1,3-4",
            "lines=0-3",
            "bytes=99999999999999999999-",
        ] {
            assert_eq!(requested(header, 10), Requested::Whole, "{header}");
        }
    }
}
