//! From events to paragraphs.

use std::ops::Range;

use csanmt_text::script::is_han;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::Markdown;
use super::inline_html::Tag as HtmlTag;
use crate::markup::TaggedText;
use crate::markup::html;
use crate::markup::template::{Frame, Paragraph};

/// How many events behind a tag are searched for the one that ends it, and how many open elements
/// before an end tag for the one that it ends.
const MAX_LOOKAHEAD: usize = 64;

pub(crate) struct Reader<'s> {
    source: &'s str,
    events: Vec<(Event<'s>, Range<usize>)>,
    texts: Vec<TaggedText>,
    frames: Vec<Frame>,
    paragraph: Paragraph,
    open: Vec<Open>,
    /// A line break in the paragraph, and whether it has to stay one.
    line_break: Option<(usize, bool)>,
    /// End of what has been read of the paragraph.
    done: usize,
    in_cell: bool,
}

/// An open element of a paragraph.
struct Open {
    element: usize,
    /// Of HTML.
    name: Option<String>,
    /// Bytes of the whole, and where its content begins.
    range: Range<usize>,
    content: usize,
    /// The text of a link that is its label.
    is_label: bool,
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self {
            source,
            events: Parser::new_ext(source, options())
                .into_offset_iter()
                .collect(),
            texts: Vec::new(),
            frames: Vec::new(),
            paragraph: Paragraph::default(),
            open: Vec::new(),
            line_break: None,
            done: 0,
            in_cell: false,
        }
    }

    /// The paragraphs and where they are.
    pub(crate) fn read(mut self) -> (Vec<TaggedText>, Vec<Frame>) {
        let events = std::mem::take(&mut self.events);
        let mut i = 0;
        while let Some((event, range)) = events.get(i) {
            i = self.take(&events, i, event, range.clone());
        }
        self.end_paragraph();
        (self.texts, self.frames)
    }

    /// Reads event `i` and returns the number of the next one.
    fn take(
        &mut self,
        events: &[(Event<'s>, Range<usize>)],
        i: usize,
        event: &Event<'s>,
        range: Range<usize>,
    ) -> usize {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_)) => {
                self.end_paragraph();
                return after(events, i);
            }
            Event::Start(Tag::HtmlBlock) => {
                self.end_paragraph();
                let next = after(events, i);
                self.html_block(&events[i + 1..next.max(i + 1)]);
                return next;
            }
            Event::Start(Tag::Link {
                link_type: LinkType::Autolink | LinkType::Email,
                ..
            }) => {
                self.keep(range);
                return after(events, i);
            }
            Event::Start(
                tag @ (Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::Superscript
                | Tag::Subscript
                | Tag::Link { .. }
                | Tag::Image { .. }),
            ) => {
                let content = match events.get(i + 1) {
                    Some((Event::End(_), _)) | None => range.end,
                    Some((_, next)) => self.start_of(next, range.start + 1),
                };
                self.open(tag, range, content);
            }
            Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Superscript
                | TagEnd::Subscript
                | TagEnd::Link
                | TagEnd::Image,
            ) => self.close(),
            Event::Start(tag) => {
                self.end_paragraph();
                self.in_cell = matches!(tag, Tag::TableCell);
            }
            Event::End(_) => {
                self.end_paragraph();
                self.in_cell = false;
            }
            Event::Text(text) => {
                let start = self.start_of(&range, self.done);
                self.begin(start);
                self.paragraph.push_text(text, start..range.end);
                self.done = range.end;
            }
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => self.keep(range),
            Event::InlineHtml(_) => return self.inline_html(events, i, range),
            Event::FootnoteReference(_) => self.push_empty(range),
            Event::SoftBreak => {
                self.line_break.get_or_insert((range.start, false));
            }
            Event::HardBreak => {
                self.line_break.get_or_insert((range.start, true)).1 = true;
            }
            Event::Html(_) | Event::Rule | Event::TaskListMarker(_) => {}
        }
        i + 1
    }

    /// Where a piece begins: a back-slash before it belongs to it.
    fn start_of(&self, range: &Range<usize>, least: usize) -> usize {
        let escaped = range.start > least && self.source[..range.start].ends_with('\\');
        range.start - usize::from(escaped)
    }

    /// Something of a paragraph begins at a byte; before it there may be a line break.
    fn begin(&mut self, at: usize) {
        let Some((start, hard)) = self.line_break.take() else {
            return;
        };
        if self.paragraph.is_empty() {
            return;
        }
        let last = self.paragraph.text().chars().next_back();
        let ends = |c: char| "。！？；：…!?;:.”」』）)".contains(c);
        if hard || last.is_some_and(ends) {
            self.paragraph.push_empty(self.source, start..at);
            self.paragraph.push_text("\n", at..at);
        } else {
            let next = self.source[at..].chars().next();
            let joined = last.is_some_and(is_han) && next.is_some_and(is_han);
            self.paragraph
                .push_text(if joined { "" } else { " " }, start..at);
        }
    }

    fn keep(&mut self, range: Range<usize>) {
        self.begin(range.start);
        self.paragraph
            .push_kept(self.source, range.clone(), range.clone());
        self.done = range.end;
    }

    fn push_empty(&mut self, range: Range<usize>) {
        self.begin(range.start);
        self.paragraph.push_empty(self.source, range.clone());
        self.done = range.end;
    }

    fn open(&mut self, tag: &Tag<'_>, range: Range<usize>, content: usize) {
        let is_label = match tag {
            Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => matches!(
                link_type,
                LinkType::Collapsed
                    | LinkType::CollapsedUnknown
                    | LinkType::Shortcut
                    | LinkType::ShortcutUnknown
            ),
            _ => false,
        };
        self.begin(range.start);
        let element = self.paragraph.open(self.source, range.start..content);
        self.done = content;
        self.open.push(Open {
            element,
            name: None,
            range,
            content,
            is_label,
        });
    }

    /// Ends the innermost element that is not HTML, and with it HTML elements in it.
    fn close(&mut self) {
        while let Some(open) = self.open.pop() {
            let end = match self.line_break.take() {
                Some((start, _)) => start,
                None => self.done,
            };
            if open.name.is_some() {
                self.paragraph.close(self.source, open.element, end..end);
                continue;
            }
            let Range { start: _, end: all } = open.range;
            let end = end.min(all);
            if open.is_label && open.content <= end {
                // `[text]` and `[text][]`: the text is what the definition is found by.
                let bracket = (end + 1).min(all);
                self.paragraph
                    .close(self.source, open.element, end..bracket);
                let label = format!("[{}]", &self.source[open.content..end]);
                self.paragraph.extend_close(open.element, &label);
                self.paragraph.skip_to(all);
            } else {
                self.paragraph.close(self.source, open.element, end..all);
            }
            self.done = all;
            return;
        }
    }

    fn inline_html(
        &mut self,
        events: &[(Event<'s>, Range<usize>)],
        i: usize,
        range: Range<usize>,
    ) -> usize {
        match HtmlTag::parse(&self.source[range.clone()]) {
            HtmlTag::Open(name) => {
                self.begin(range.start);
                let element = self.paragraph.open(self.source, range.clone());
                self.done = range.end;
                self.open.push(Open {
                    element,
                    name: Some(name),
                    content: range.end,
                    range,
                    is_label: false,
                });
            }
            HtmlTag::Kept(name) => {
                if let Some(end) = self.end_of_kept(events, i, &name) {
                    self.begin(range.start);
                    let last = events[end].1.clone();
                    let content = range.end..last.start;
                    self.paragraph
                        .push_kept(self.source, range.start..last.end, content);
                    self.done = last.end;
                    return end + 1;
                }
                self.push_empty(range);
            }
            HtmlTag::Close(name) => {
                // Not beyond an element of Markdown.
                let inner = self
                    .open
                    .iter()
                    .rev()
                    .take_while(|open| open.name.is_some());
                let depth = inner
                    .enumerate()
                    .find(|(_, open)| open.name.as_ref() == Some(&name))
                    .map(|(depth, _)| depth);
                let Some(depth) = depth else {
                    self.push_empty(range);
                    return i + 1;
                };
                self.begin(range.start);
                for _ in 0..depth {
                    if let Some(open) = self.open.pop() {
                        let here = range.start..range.start;
                        self.paragraph.close(self.source, open.element, here);
                    }
                }
                if let Some(open) = self.open.pop() {
                    self.paragraph
                        .close(self.source, open.element, range.clone());
                }
                self.done = range.end;
            }
            HtmlTag::Break if self.paragraph.is_empty() => {}
            HtmlTag::Break => {
                let start = self.line_break.map_or(range.start, |(start, _)| start);
                self.line_break = Some((start, true));
                self.done = range.end;
            }
            HtmlTag::Alone => self.push_empty(range),
        }
        i + 1
    }

    /// The event that ends a kept HTML element, in the same paragraph and Markdown element.
    fn end_of_kept(
        &self,
        events: &[(Event<'s>, Range<usize>)],
        i: usize,
        name: &str,
    ) -> Option<usize> {
        let mut depth = 0_usize;
        for (j, (event, range)) in events.iter().enumerate().skip(i + 1).take(MAX_LOOKAHEAD) {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.checked_sub(1)?,
                Event::InlineHtml(_) if depth == 0 => {
                    let tag = HtmlTag::parse(&self.source[range.clone()]);
                    if matches!(tag, HtmlTag::Close(other) if other == name) {
                        return Some(j);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The lines of an HTML block, unless a quotation's marks are between them.
    fn html_block(&mut self, lines: &[(Event<'s>, Range<usize>)]) {
        let mut block: Option<Range<usize>> = None;
        for (event, range) in lines {
            match event {
                Event::Html(_) => match &mut block {
                    Some(block) if block.end == range.start => block.end = range.end,
                    Some(_) => return,
                    None => block = Some(range.clone()),
                },
                Event::End(_) => {}
                _ => return,
            }
        }
        let Some(block) = block else { return };
        let (texts, frames) = html::paragraphs(&self.source[block.clone()]);
        self.texts.extend(texts);
        let frames = frames.into_iter().map(|frame| frame.shifted(block.start));
        self.frames.extend(frames);
    }

    fn end_paragraph(&mut self) {
        self.line_break = None;
        self.open.clear();
        let paragraph = std::mem::take(&mut self.paragraph);
        let syntax = Markdown::new(self.in_cell, paragraph.copies(self.source, '$'));
        if let Some((text, frame)) = paragraph.finish(syntax) {
            self.texts.push(text);
            self.frames.push(frame);
        }
    }
}

/// The number of the event behind the end of the element that begins with event `i`.
fn after(events: &[(Event<'_>, Range<usize>)], i: usize) -> usize {
    let mut depth = 0_usize;
    for (j, (event, _)) in events.iter().enumerate().skip(i) {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return j + 1;
        }
    }
    events.len()
}
