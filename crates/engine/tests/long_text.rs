//! A long text: memory stays flat, and there is news all the time.
//!
//! `cargo test --release -p csanmt --test long_text -- --ignored` translates a megabyte, the ordinary
//! run some kilobytes.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use csanmt::{Options, Translator};

/// Chinese text of `bytes` bytes and a little more, in paragraphs of many sentences.
fn text(bytes: usize) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pairs = std::fs::read_to_string(root.join("tests/golden/dev.tsv")).unwrap();
    let sources: Vec<&str> = pairs
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    let mut text = String::new();
    for (number, source) in sources.iter().cycle().enumerate() {
        if text.len() >= bytes {
            break;
        }
        text.push_str(source);
        if !source.ends_with(['。', '！', '？', '.', '!', '?', '”']) {
            text.push('。');
        }
        if number % 20 == 19 {
            text.push('\n');
        }
    }
    text
}

/// Memory that this process has taken and uses, in bytes. Pages of the mapped model are not among it:
/// they come as the first words that need them do, and the system takes them back when it likes.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Translates, and checks that `observe` is called often and that no more memory is taken than the
/// texts themselves need.
fn translate(bytes: usize, options: &Options) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let translator = Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap();
    let text = text(bytes);
    // The largest batch, and the largest that is aligned, takes some megabytes once. In a short text it
    // may come at the end, so a first pass meets it.
    let warm = options.alignment || bytes < 100_000;
    if warm {
        translator.translate(&text, options).unwrap();
    }
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    let (mut before, mut most, mut shown, mut news) = (None, 0, 0, 0);
    let mut done = 0;
    let translation = translator
        .translate_with(&text, options, &mut |progress, so_far| {
            longest = longest.max(last.elapsed());
            last = Instant::now();
            assert!(progress.sentences_done >= done && done <= progress.sentences);
            done = progress.sentences_done;
            if let Some(so_far) = so_far {
                assert!(so_far.len() >= shown);
                shown = so_far.len();
                news += 1;
                // In the first third everything is allocated that the longest sentences need.
                if progress.sentences_done * 3 >= progress.sentences {
                    before = before.or_else(resident);
                    most = most.max(resident().unwrap_or(0));
                }
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(shown, translation.text.len());
    assert_eq!(
        translation.text.matches('\n').count(),
        text.matches('\n').count()
    );
    assert!(news * 40 > translation.sentences.len(), "{news}");
    assert!(
        longest < Duration::from_secs(1),
        "{longest:?} without a word"
    );
    if let Some(before) = before {
        let grown = most.saturating_sub(before);
        println!(
            "{} bytes: {grown} bytes more, longest pause {longest:?}",
            text.len()
        );
        // The texts and what is known of each sentence; an allocator takes whole pages.
        let pages = if warm { 1 << 20 } else { 3 << 20 };
        assert!(grown < 8 * text.len() + pages, "{grown} bytes more");
    }
}

#[test]
fn c4_f1_some_kilobytes_need_little_memory_and_tell_how_far_they_are() {
    translate(30_000, &Options::default().with_beam(1));
}

#[test]
#[ignore = "minutes; run it with --release"]
fn c4_f1_a_megabyte_needs_little_memory_and_tells_how_far_it_is() {
    translate(1 << 20, &Options::default());
    translate(200 << 10, &Options::default().with_alignment());
}
