//! A text with inline elements.

use std::ops::Range;

/// Elements deeper than this are kept as empty ones where they begin: nobody writes such text, and
/// the work on it stays linear.
const MAX_DEPTH: usize = 200;

/// A paragraph with inline elements (emphasis, links, runs of one style, images …) over byte ranges
/// of its text.
///
/// Elements are known by their number, in the order in which they were opened; what they are, the
/// owner of the text remembers. They nest properly. A translation has the same elements with the
/// same numbers and parents, each exactly once, around the words that say the same.
///
/// ```
/// use csanmt::markup::{Piece, TaggedText};
///
/// let mut text = TaggedText::builder();
/// text.text("运行");
/// let code = text.keep("make all");
/// text.text("，");
/// let bold = text.open();
/// text.text("然后");
/// text.close();
/// text.text("等待。");
/// let text = text.build();
/// assert_eq!(text.text(), "运行make all，然后等待。");
/// let pieces: Vec<Piece> = text.pieces().collect();
/// assert_eq!(pieces[1], Piece::Open(code));
/// assert_eq!(pieces[5..8], [Piece::Open(bold), Piece::Text("然后"), Piece::Close(bold)]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::tagged_data::TaggedData")
)]
pub struct TaggedText {
    text: String,
    tags: Vec<Tag>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Tag {
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
    /// The element around it; its number is smaller.
    pub(crate) parent: Option<usize>,
    /// The content is copied.
    pub(crate) kept: bool,
    /// It began before the text: nothing of its parent may come before it.
    pub(crate) from_start: bool,
    /// It goes on behind the text: nothing of its parent may come behind it.
    pub(crate) to_end: bool,
}

/// What a tagged text consists of, first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text that is not empty.
    Text(&'t str),
    /// An element begins.
    Open(usize),
    /// The innermost open element ends.
    Close(usize),
}

impl TaggedText {
    /// A text without elements.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tags: Vec::new(),
        }
    }

    /// Puts a text together, first to last.
    #[must_use]
    pub fn builder() -> TaggedTextBuilder {
        TaggedTextBuilder::default()
    }

    /// The text without elements, with the content of those that are kept.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of elements; they are numbered from 0.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.tags.len()
    }

    /// The bytes of the text that are in an element; `None` when there is no such element.
    #[must_use]
    pub fn range(&self, element: usize) -> Option<Range<usize>> {
        self.tags.get(element).map(|tag| tag.range.clone())
    }

    /// The element around another.
    #[must_use]
    pub fn parent(&self, element: usize) -> Option<usize> {
        self.tags.get(element)?.parent
    }

    /// Whether the content of an element is copied instead of translated.
    #[must_use]
    pub fn is_kept(&self, element: usize) -> bool {
        self.tags.get(element).is_some_and(|tag| tag.kept)
    }

    /// Text, beginnings and ends of elements, in order and properly nested.
    pub fn pieces(&self) -> Pieces<'_> {
        let mut order: Vec<usize> = (0..self.tags.len()).collect();
        // Siblings by place. An empty one before one that begins there; the number decides between
        // two empty ones.
        order.sort_by_key(|&i| {
            let tag = &self.tags[i];
            (tag.parent, tag.range.start, tag.range.end, i)
        });
        Pieces {
            owner: self,
            order,
            open: Vec::new(),
            at: 0,
            next: None,
            started: false,
        }
    }

    pub(crate) fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Puts a text and its elements together; they must nest.
    #[cfg(feature = "serde")]
    pub(super) fn from_parts(text: String, tags: Vec<Tag>) -> Self {
        Self { text, tags }
    }

    /// The same elements, empty, for a text that is put together anew.
    pub(crate) fn rebuild(&self) -> Rebuilder {
        let tags = self
            .tags
            .iter()
            .map(|tag| Tag {
                range: 0..0,
                ..tag.clone()
            })
            .collect();
        Rebuilder {
            text: String::new(),
            tags,
        }
    }
}

/// See [`TaggedText::pieces`].
#[derive(Debug, Clone)]
pub struct Pieces<'t> {
    owner: &'t TaggedText,
    /// Elements by parent, then by place.
    order: Vec<usize>,
    /// Open elements, and the places in the order of their next and last child.
    open: Vec<(usize, Range<usize>)>,
    /// Everything before is done.
    at: usize,
    /// Children of the text itself.
    next: Option<Range<usize>>,
    started: bool,
}

impl Pieces<'_> {
    fn children(&self, parent: Option<usize>) -> Range<usize> {
        let tags = &self.owner.tags;
        let start = self.order.partition_point(|&i| tags[i].parent < parent);
        let end = self.order.partition_point(|&i| tags[i].parent <= parent);
        start..end
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        if !self.started {
            self.started = true;
            self.next = Some(self.children(None));
        }
        let tags = &self.owner.tags;
        let (children, end) = match self.open.last() {
            Some((element, children)) => (children.clone(), tags[*element].range.end),
            None => (self.next.clone()?, self.owner.text.len()),
        };
        let child = children.clone().next().map(|place| self.order[place]);
        let stop = child.map_or(end, |child| tags[child].range.start);
        if self.at < stop {
            let text = &self.owner.text[self.at..stop];
            self.at = stop;
            return Some(Piece::Text(text));
        }
        if let Some(child) = child {
            let rest = children.start + 1..children.end;
            match self.open.last_mut() {
                Some((_, children)) => *children = rest,
                None => self.next = Some(rest),
            }
            let grandchildren = self.children(Some(child));
            self.open.push((child, grandchildren));
            return Some(Piece::Open(child));
        }
        match self.open.pop() {
            Some((element, _)) => Some(Piece::Close(element)),
            None => {
                self.next = None;
                None
            }
        }
    }
}

/// Puts a [`TaggedText`] together, first to last.
#[derive(Debug, Clone, Default)]
pub struct TaggedTextBuilder {
    text: String,
    tags: Vec<Tag>,
    /// Open elements, the innermost last.
    open: Vec<usize>,
    /// How many are open that were too deep.
    too_deep: usize,
}

impl TaggedTextBuilder {
    /// Adds text. Line breaks in it stay line breaks, and no sentence goes across one.
    pub fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Begins an element and returns its number.
    pub fn open(&mut self) -> usize {
        let element = self.push(false);
        if self.open.len() < MAX_DEPTH {
            self.open.push(element);
        } else {
            self.too_deep += 1;
        }
        element
    }

    /// Ends the innermost open element. Does nothing when none is open.
    pub fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(element) = self.open.pop() {
            self.tags[element].range.end = self.text.len();
        }
    }

    /// Adds an element without content (an image, a footnote's mark, an anchor).
    pub fn empty(&mut self) -> usize {
        self.push(false)
    }

    /// Adds an element whose content is copied as it is: code, a formula, a name that must stay.
    pub fn keep(&mut self, content: &str) -> usize {
        let element = self.push(true);
        self.text.push_str(content);
        self.tags[element].range.end = self.text.len();
        element
    }

    /// An element began before the text, or goes on behind it.
    pub(crate) fn hold(&mut self, element: usize, from_start: bool, to_end: bool) {
        let tag = &mut self.tags[element];
        (tag.from_start, tag.to_end) = (from_start, to_end);
    }

    /// Whether there is neither text nor an element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.tags.is_empty()
    }

    /// The text added so far.
    #[must_use]
    pub fn as_text(&self) -> &str {
        &self.text
    }

    /// The text; what is still open ends with it.
    #[must_use]
    pub fn build(mut self) -> TaggedText {
        for element in self.open {
            self.tags[element].range.end = self.text.len();
        }
        TaggedText {
            text: self.text,
            tags: self.tags,
        }
    }

    fn push(&mut self, kept: bool) -> usize {
        self.tags.push(Tag {
            range: self.text.len()..self.text.len(),
            parent: self.open.last().copied(),
            kept,
            ..Tag::default()
        });
        self.tags.len() - 1
    }
}

/// Puts a text with given elements together; each has to be opened and closed once.
#[derive(Debug)]
pub(crate) struct Rebuilder {
    pub(crate) text: String,
    tags: Vec<Tag>,
}

impl Rebuilder {
    pub(crate) fn open(&mut self, element: usize) {
        self.tags[element].range = self.text.len()..self.text.len();
    }

    pub(crate) fn close(&mut self, element: usize) {
        self.tags[element].range.end = self.text.len();
    }

    pub(crate) fn set(&mut self, element: usize, range: Range<usize>) {
        self.tags[element].range = range;
    }

    pub(crate) fn build(self) -> TaggedText {
        TaggedText {
            text: self.text,
            tags: self.tags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_was_put_in() {
        let mut builder = TaggedText::builder();
        let a = builder.empty();
        let b = builder.open();
        let c = builder.open();
        builder.text("x");
        builder.close();
        let d = builder.keep("y");
        let e = builder.empty();
        builder.close();
        builder.text("z");
        let f = builder.open();
        let text = builder.build();
        use Piece::{Close, Open, Text};
        let expected = [
            Open(a),
            Close(a),
            Open(b),
            Open(c),
            Text("x"),
            Close(c),
            Open(d),
            Text("y"),
            Close(d),
            Open(e),
            Close(e),
            Close(b),
            Text("z"),
            Open(f),
            Close(f),
        ];
        assert_eq!(text.pieces().collect::<Vec<_>>(), expected);
        assert_eq!(text.text(), "xyz");
        assert_eq!((text.range(b), text.parent(c)), (Some(0..2), Some(b)));
        assert!(text.is_kept(d) && !text.is_kept(c));
    }

    #[test]
    fn elements_without_end_and_ends_without_beginning_do_no_harm() {
        let mut builder = TaggedText::builder();
        builder.close();
        for _ in 0..100_000 {
            builder.open();
        }
        builder.text("好");
        for _ in 0..100_001 {
            builder.close();
        }
        let text = builder.build();
        assert_eq!(text.elements(), 100_000);
        assert_eq!(text.pieces().count(), 200_001);
    }

    #[test]
    fn text_alone_is_one_piece() {
        let text = TaggedText::plain("好");
        assert_eq!(text.pieces().collect::<Vec<_>>(), [Piece::Text("好")]);
        assert_eq!(TaggedText::plain("").pieces().count(), 0);
    }
}
