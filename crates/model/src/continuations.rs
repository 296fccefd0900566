//! What may follow each live hypothesis in a step.

use csanmt_kernels::Kernels;

/// The most probable tokens behind every row of a step, as far as the search can need them.
#[derive(Debug, Default)]
pub(crate) struct Continuations {
    /// Token and log-probability, row after row, the most probable first.
    list: Vec<(u32, f32)>,
    /// End of each row in the list.
    ends: Vec<usize>,
    /// Tokens that may not follow the next rows.
    excluded: Vec<u32>,
    /// Tokens and logits of one row.
    best: Vec<(u32, f32)>,
}

impl Continuations {
    /// Begins a step.
    pub(crate) fn start(&mut self) {
        self.list.clear();
        self.ends.clear();
    }

    /// Says which tokens may not follow the rows that are pushed from now on.
    pub(crate) fn exclude(&mut self, excluded: impl IntoIterator<Item = u32>) {
        self.excluded.clear();
        self.excluded.extend(excluded);
    }

    /// Adds the `count` best tokens of a row: largest logit first, lower token first when equal.
    pub(crate) fn push(&mut self, kernels: Kernels, logits: &[f32], count: usize) {
        let best = &mut self.best;
        let (max, log_sum) = kernels.log_sum_exp_top(logits, count, &self.excluded, best);
        let log_probability = |&(token, logit): &(u32, f32)| (token, (logit - max) - log_sum);
        self.list.extend(best.iter().map(log_probability));
        self.ends.push(self.list.len());
    }

    /// Adds the `count` best of some tokens, whose log-probabilities are among all tokens.
    pub(crate) fn push_some(
        &mut self,
        kernels: Kernels,
        logits: &[f32],
        count: usize,
        tokens: &[u32],
    ) {
        let best = &mut self.best;
        let (max, log_sum) = kernels.log_sum_exp_top(logits, 1, &[], best);
        let start = self.list.len();
        let some = tokens.iter().filter_map(|&token| {
            let logit = logits.get(token as usize)?;
            Some((token, (logit - max) - log_sum))
        });
        self.list.extend(some);
        self.list[start..].sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.list.truncate(start + count);
        self.ends.push(self.list.len());
    }

    /// Tokens and log-probabilities of a row of the step.
    pub(crate) fn row(&self, row: usize) -> &[(u32, f32)] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.list[start..self.ends[row]]
    }
}
