//! Where the characters of an altered text were before.

/// Most comparisons spent on one text; beyond that places are estimated.
const MAX_CELLS: usize = 1 << 20;

/// For every byte of an altered text, and its end, a byte of the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offsets(Vec<usize>);

impl Offsets {
    /// Finds the characters of `altered` in `original`, of which it differs little: some are
    /// replaced, left out or added.
    pub(crate) fn between(original: &str, altered: &str) -> Self {
        let from = places(original);
        let to = places(altered);
        let same = |(a, b): &(&(usize, char), &(usize, char))| a.1 == b.1;
        let head = from.iter().zip(&to).take_while(same).count();
        let tail = from[head..]
            .iter()
            .rev()
            .zip(to[head..].iter().rev())
            .take_while(same)
            .count();
        // Of every character of `altered` the number of one in `original`.
        let mut pairs: Vec<usize> = (0..head).collect();
        let middle = (&from[head..from.len() - tail], &to[head..to.len() - tail]);
        pairs.extend(pair(middle.0, middle.1).into_iter().map(|i| head + i));
        pairs.extend(from.len() - tail..from.len());
        let mut bytes = Vec::with_capacity(altered.len() + 1);
        for ((at, c), pair) in to.iter().zip(pairs) {
            let place = from.get(pair).map_or(original.len(), |(at, _)| *at);
            bytes.resize(at + c.len_utf8(), place);
        }
        bytes.push(original.len());
        Self(bytes)
    }

    /// The byte of the original for a byte of the altered text.
    pub(crate) fn original(&self, at: usize) -> usize {
        self.0
            .get(at)
            .or(self.0.last())
            .copied()
            .unwrap_or_default()
    }
}

fn places(text: &str) -> Vec<(usize, char)> {
    text.char_indices().collect()
}

/// For every character of `to` the number of the one in `from` that it stands for.
fn pair(from: &[(usize, char)], to: &[(usize, char)]) -> Vec<usize> {
    let (n, m) = (from.len(), to.len());
    if n == m {
        return (0..n).collect();
    }
    if n == 0 || m == 0 || n * m > MAX_CELLS {
        return (0..m).map(|j| j * n / m.max(1)).collect();
    }
    // Edit distance of the rests, `[n + 1][m + 1]`.
    let width = m + 1;
    let mut cost = vec![0_u32; (n + 1) * width];
    for i in (0..=n).rev() {
        for j in (0..=m).rev() {
            let at = i * width + j;
            cost[at] = match (i == n, j == m) {
                (true, true) => 0,
                (true, false) => cost[at + 1] + 1,
                (false, true) => cost[at + width] + 1,
                (false, false) => {
                    let replace = cost[at + width + 1] + u32::from(from[i].1 != to[j].1);
                    replace.min(cost[at + 1] + 1).min(cost[at + width] + 1)
                }
            };
        }
    }
    let mut pairs = Vec::with_capacity(m);
    let (mut i, mut j) = (0, 0);
    while j < m {
        let at = i * width + j;
        if i < n && cost[at] == cost[at + width + 1] + u32::from(from[i].1 != to[j].1) {
            pairs.push(i);
            (i, j) = (i + 1, j + 1);
        } else if cost[at] == cost[at + 1] + 1 {
            pairs.push(i.min(n.saturating_sub(1)));
            j += 1;
        } else {
            i += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::Offsets;

    fn originals<'a>(original: &'a str, altered: &str) -> Vec<&'a str> {
        let offsets = Offsets::between(original, altered);
        altered
            .char_indices()
            .map(|(at, c)| {
                let end = offsets.original(at + c.len_utf8());
                &original[offsets.original(at)..end.max(offsets.original(at))]
            })
            .collect()
    }

    #[test]
    fn characters_lead_back_to_theirs() {
        assert_eq!(
            originals("這是臺北。", "这是台北。"),
            ["這", "是", "臺", "北", "。"]
        );
        assert_eq!(originals("人\u{ad}工", "人工"), ["人\u{ad}", "工"]);
        assert_eq!(originals("Ａ１", "A1"), ["Ａ", "１"]);
        assert_eq!(originals("ab", "aXb"), ["a", "", "b"]);
        assert_eq!(originals("", ""), [""; 0]);
        assert_eq!(originals("甲", ""), [""; 0]);
    }
}
