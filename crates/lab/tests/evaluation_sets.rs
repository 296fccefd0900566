//! Evaluation sets, right and wrong: the message names the file, the line and the problem.
#![allow(clippy::unwrap_used, missing_docs)]

use csanmt_lab::evaluate::{EvaluateError, LineProblem, read_pairs};

fn read(bytes: &[u8]) -> Result<Vec<(String, String)>, EvaluateError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set.tsv");
    std::fs::write(&path, bytes).unwrap();
    read_pairs(&path)
}

/// The line number and the problem; the message must hold both.
fn rejected(bytes: &[u8]) -> (usize, LineProblem) {
    let error = read(bytes).unwrap_err();
    let message = error.to_string();
    let EvaluateError::Line { line, problem, .. } = error else {
        panic!("{message}");
    };
    assert!(
        message.ends_with(&format!("set.tsv:{line}: {problem}")),
        "{message}"
    );
    (line, problem)
}

#[test]
fn reads_pairs() {
    let expected = [("你好", "Hello "), ("再见", "Bye")].map(|(s, r)| (s.to_owned(), r.to_owned()));
    for text in [
        "你好\tHello \n再见\tBye\n",
        "你好\tHello \n再见\tBye",
        "\u{feff}你好\tHello \r\n再见\tBye\r\n",
    ] {
        assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn rejects_wrong_lines() {
    let line = |text: &str| rejected(format!("a\tb\n{text}\nc\td\n").as_bytes());
    assert_eq!(line("no tab"), (2, LineProblem::Fields { found: 1 }));
    assert_eq!(line(""), (2, LineProblem::Fields { found: 1 }));
    assert_eq!(line("a\tb\tc"), (2, LineProblem::Fields { found: 3 }));
    assert_eq!(line(" \tb"), (2, LineProblem::EmptySource));
    assert_eq!(line("a\t\u{3000}"), (2, LineProblem::EmptyReference));
    assert_eq!(
        rejected(b"a\tb\nc\td\nab\xff\tc\n"),
        (3, LineProblem::Encoding { offset: 2 })
    );
}

#[test]
fn limits_the_length_of_a_line() {
    let limit = 1 << 20;
    let longest = format!("a\t{}\r\n", "b".repeat(limit - 2));
    assert_eq!(read(longest.as_bytes()).unwrap()[0].1.len(), limit - 2);
    let longer = format!("a\tb\na\t{}", "b".repeat(limit - 1));
    assert_eq!(rejected(longer.as_bytes()), (2, LineProblem::TooLong));
}

#[test]
fn rejects_missing_and_empty_files() {
    let dir = tempfile::tempdir().unwrap();
    let error = read_pairs(dir.path().join("none.tsv")).unwrap_err();
    assert!(matches!(error, EvaluateError::Io { .. }), "{error}");
    assert!(error.to_string().contains("none.tsv"), "{error}");
    let error = read(b"").unwrap_err();
    assert!(matches!(error, EvaluateError::Empty { .. }), "{error}");
}
