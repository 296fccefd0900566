//! What may follow each live hypothesis in a step.

use csanmt_kernels::Top;

/// The most probable tokens behind every row of a step, as far as the search can need them.
#[derive(Debug, Default)]
pub(crate) struct Continuations {
    /// One a row of the largest step so far.
    tops: Vec<Top>,
    rows: usize,
    /// Token and log-probability, row after row, the most probable first.
    list: Vec<(u32, f32)>,
    /// End of each row in the list.
    ends: Vec<usize>,
}

impl Continuations {
    /// Begins a step: for every row how many tokens are wanted, and which may not follow it.
    pub(crate) fn start(
        &mut self,
        rows: impl ExactSizeIterator<Item = (usize, impl IntoIterator<Item = u32>)>,
    ) {
        self.list.clear();
        self.ends.clear();
        self.rows = rows.len();
        if self.tops.len() < self.rows {
            self.tops.resize(self.rows, Top::default());
        }
        for (top, (count, excluded)) in self.tops.iter_mut().zip(rows) {
            top.start(count, excluded);
        }
    }

    /// What has to take the logits of every row.
    pub(crate) fn tops(&mut self) -> &mut [Top] {
        &mut self.tops[..self.rows]
    }

    /// Adds the best tokens of the next row: largest logit first, lower token first when equal.
    pub(crate) fn push(&mut self) {
        let top = &self.tops[self.ends.len()];
        let log_probability = log_softmax(top);
        let best = top.best().iter();
        self.list
            .extend(best.map(|&(token, logit)| (token, log_probability(logit))));
        self.ends.push(self.list.len());
    }

    /// Adds the best of some tokens to the next row; their log-probabilities are among all tokens.
    pub(crate) fn push_some(&mut self, logits: &[f32], tokens: &[u32]) {
        let top = &self.tops[self.ends.len()];
        let log_probability = log_softmax(top);
        let start = self.list.len();
        let some = tokens.iter().filter_map(|&token| {
            let logit = logits.get(token as usize)?;
            Some((token, log_probability(*logit)))
        });
        self.list.extend(some);
        self.list[start..].sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.list.truncate(start + top.count());
        self.ends.push(self.list.len());
    }

    /// Tokens and log-probabilities of a row of the step.
    pub(crate) fn row(&self, row: usize) -> &[(u32, f32)] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.list[start..self.ends[row]]
    }
}

/// The log-probability of a token of `top`'s row, given its logit.
fn log_softmax(top: &Top) -> impl Fn(f32) -> f32 {
    let (shift, ln_sum) = top.log_sum_exp();
    move |logit| (logit - shift) - ln_sum
}
