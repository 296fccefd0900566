//! What is translated, and our own program that translates it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use super::peer::{Job, Peer};
use crate::process::{cargo, command, run};
use crate::workspace;

/// Builds crates/engine/examples/workload.rs and gives the command that runs it on a model.
pub(crate) fn ours(model: &Path, isa: Option<&str>) -> Result<Command> {
    let package = ["--package", "csanmt", "--example", "workload"];
    run(cargo(["build", "--release"]).args(package))?;
    let program = workspace::target().join("release/examples/workload");
    let mut command = command(&program.to_string_lossy(), [model]);
    command.args(isa);
    Ok(command)
}

/// The source ids of the first sentences of tests/golden/dev.tsv, longest first, as translators
/// sort them when they make batches.
pub(crate) fn dev_set(ours: &mut Peer, count: usize) -> Result<Vec<Vec<u32>>> {
    let texts: Vec<String> = dev_texts()?.into_iter().take(count).collect();
    let reply = ours.ask(&json!({ "encode": texts }))?;
    let mut ids: Vec<Vec<u32>> =
        serde_json::from_value(reply["ids"].clone()).context("ids of the texts")?;
    ids.sort_by_key(|ids| std::cmp::Reverse(ids.len()));
    Ok(ids)
}

/// The sources of tests/golden/dev.tsv.
pub(crate) fn dev_texts() -> Result<Vec<String>> {
    let path = workspace::root().join("tests/golden/dev.tsv");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let sources = text.lines().filter_map(|line| line.split('\t').next());
    Ok(sources.map(str::to_owned).collect())
}

/// Sentences of the given lengths with ids below `vocabulary` that look random and are always
/// the same.
pub(crate) fn random_sentences(lengths: &[usize], vocabulary: u32) -> Vec<Vec<u32>> {
    let mut state = 0x9e37_79b9_u32;
    let mut id = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        1 + state % (vocabulary - 2)
    };
    lengths
        .iter()
        .map(|&len| (0..len).map(|_| id()).collect())
        .collect()
}

/// A job on one thread.
pub(crate) fn job(sentences: &[Vec<u32>], beam: usize, batch: usize, steps: Option<usize>) -> Job {
    Job {
        sentences: sentences.to_vec(),
        beam,
        batch,
        threads: 1,
        steps,
    }
}

/// Mean length of the translations when they end by themselves.
pub(crate) fn usual_steps(ours: &mut Peer, sentences: &[Vec<u32>]) -> Result<usize> {
    let result = ours.run(&job(sentences, 4, 32, None))?;
    Ok(((result.tokens / sentences.len() as f64).round() as usize).max(1))
}

#[cfg(test)]
mod tests {
    use super::{dev_texts, random_sentences};

    #[test]
    fn random_sentences_have_their_lengths_and_stay_in_the_vocabulary() {
        let sentences = random_sentences(&[1, 20, 300], 50);
        assert_eq!(
            sentences.iter().map(Vec::len).collect::<Vec<_>>(),
            [1, 20, 300]
        );
        assert!(sentences.iter().flatten().all(|id| (1..49).contains(id)));
        assert_eq!(sentences, random_sentences(&[1, 20, 300], 50));
    }

    #[test]
    fn the_dev_set_is_there() {
        assert_eq!(dev_texts().unwrap().len(), 490);
    }
}
