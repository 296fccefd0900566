//! Words between what is protected that a translation has left out.

use std::ops::Range;

use csanmt_text::protect::{Kind, Span, render};
use csanmt_text::script::is_han;

/// A translation beside its source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'t> {
    pub(crate) source: &'t str,
    pub(crate) spans: &'t [Span],
    pub(crate) text: &'t str,
}

impl Pair<'_> {
    /// Whether words are left out: there are none for at least two Chinese characters that say
    /// something, with signs in place of spans hardly any, or none in an element that has some.
    pub(crate) fn is_sparse(&self) -> bool {
        if self.spans.is_empty() {
            return false;
        }
        let mut rest = self.text.to_owned();
        for span in self.spans {
            let kept = render(self.source, span);
            if let Some(at) = rest.find(&kept) {
                rest.replace_range(at..at + kept.len(), " ");
            }
        }
        let characters = self.characters(0..self.source.len());
        let words = words(&rest);
        if !self.spans.iter().any(|span| span.kind.is_foreign()) {
            return characters > 1 && words == 0;
        }
        let few = words * 4 < characters;
        // Words may stand elsewhere than in Chinese, but of few that is unlikely.
        let gap = || words * 3 < characters && self.has_gap();
        characters > 1 && (few || gap()) || self.has_empty_element()
    }

    /// Chinese characters of a range outside the spans that say something. Units and the words of
    /// dates and scores may become marks.
    fn characters(&self, range: Range<usize>) -> usize {
        let says =
            |c: char| is_han(c) && !"年月日号时分秒点半度元块角的第个比和与或至到".contains(c);
        let in_span = |at: usize| self.spans.iter().any(|span| span.range.contains(&at));
        let source = self.source[range.clone()].char_indices();
        source
            .filter(|&(at, c)| says(c) && !in_span(range.start + at))
            .count()
    }

    /// Where the spans stand in the translation; `None` when it has them in another order.
    fn places(&self) -> Option<Vec<Range<usize>>> {
        let mut end = 0;
        let place = |span: &Span| {
            let kept = render(self.source, span);
            let at = end + self.text[end..].find(&kept)?;
            end = at + kept.len();
            Some(at..end)
        };
        self.spans.iter().map(place).collect()
    }

    /// Between two spans, before the first or behind the last there are no words, but there were.
    fn has_gap(&self) -> bool {
        let Some(places) = self.places() else {
            return false;
        };
        let sources = stretches(
            self.spans.iter().map(|span| span.range.clone()),
            self.source,
        );
        let targets = stretches(places, self.text);
        let empty = |(source, target): (Range<usize>, Range<usize>)| {
            self.characters(source) > 1 && words(&self.text[target]) == 0
        };
        sources.into_iter().zip(targets).any(empty)
    }

    /// `<b>这里</b>` became `<b></b>`.
    fn has_empty_element(&self) -> bool {
        let is_markup = |span: &Span| span.kind == Kind::Markup;
        if !self.spans.iter().any(is_markup) {
            return false;
        }
        let Some(places) = self.places() else {
            return false;
        };
        let mut pairs = self.spans.windows(2).zip(places.windows(2));
        pairs.any(|(spans, places)| {
            let inner = spans[0].range.end..spans[1].range.start;
            let text = |i: usize| &self.source[spans[i].range.clone()];
            // </b>, and &quot; behind &quot;
            let closes = text(1).starts_with("</") || (text(0) == text(1) && text(0) == "&quot;");
            let between = &self.text[places[0].end..places[1].start];
            spans.iter().all(is_markup)
                && closes
                && self.source[inner].contains(is_han)
                && !between.contains(char::is_alphanumeric)
        })
    }
}

/// The stretches before, between and behind the ranges.
fn stretches(ranges: impl IntoIterator<Item = Range<usize>>, text: &str) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut end = 0;
    for range in ranges {
        stretches.push(end..range.start);
        end = range.end;
    }
    stretches.push(end..text.len());
    stretches
}

fn words(text: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.contains(char::is_alphabetic))
        .count()
}

#[cfg(test)]
mod tests {
    use csanmt_text::protect::spans;

    use super::*;

    #[test]
    fn words_that_are_left_out_are_noticed() {
        for (source, text, sparse) in [
            ("已删除%d个文件", "%d files deleted", false),
            ("已删除%d个文件", "%d", true),
            (
                "点击<b>这里</b>获取帮助",
                "Click <b> </b> to get help",
                true,
            ),
            (
                "点击<b>这里</b>获取帮助",
                "Click <b>here</b> to get help",
                false,
            ),
            (
                "您的验证码是{code}，请在{n}分钟内输入",
                "Your code {code}, {n}.",
                true,
            ),
            ("共3个", "3", false),
            ("2024年3月15日", "3/15/2024", false),
        ] {
            let spans = spans(source);
            let pair = Pair {
                source,
                spans: &spans,
                text,
            };
            assert_eq!(pair.is_sparse(), sparse, "{source}: {text}");
        }
    }
}
