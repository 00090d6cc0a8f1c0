//! Quotes a model's markdown inside other markdown, so that it is rendered but cannot leave its quote.
//!
//! The text is parsed, and what is found is written anew: each line begins with `> `, so that no fence, list or table
//! of the text goes on after the quote. Every character of the text that could mean something is escaped: HTML is shown
//! as text; images are links; links lead only to web or mail addresses; mentions and references to issues are broken
//! up; headings are lower than those of the report.

use std::fmt::Write as _;

use pulldown_cmark::{Alignment, Event, HeadingLevel, Tag, TagEnd};

use crate::html::{is_harmless, parsed};
use crate::markdown::{code, fence};

/// How many containers may be open; deeper ones are shown at this depth.
const DEPTH: usize = 12;
/// How much lower headings are than in the text.
const LOWER: usize = 3;
/// The maximum width of code inside a line, in columns.
const CODE: usize = 1000;

/// Returns the text as a quote.
pub(super) fn quote(text: &str) -> String {
    let mut quote = Quote::default();
    for event in parsed(text) {
        quote.event(event);
    }
    quote.end_line();
    quote.out
}

/// A container that is open.
#[derive(Debug)]
enum Container {
    Quote,
    /// A list with the number of its next item, if its items are numbered.
    List(Option<u64>),
    /// An item, with the width of its bullet.
    Item(usize),
    /// A container too deep to be shown.
    Flat,
}

/// Writes what the parser finds.
#[derive(Debug, Default)]
struct Quote {
    out: String,
    /// The line that is being written, without its prefix.
    line: String,
    containers: Vec<Container>,
    /// The bullet of an item that has not begun its first line.
    bullet: Option<String>,
    /// The addresses of the open links; empty for one that leads nowhere.
    links: Vec<String>,
    /// The text of a code block that is open.
    code: Option<String>,
    /// The cells of a table's row that is open, and the alignment of a head that is.
    cells: Option<Vec<String>>,
    head: Option<Vec<Alignment>>,
    /// Whether a blank line is due before the next line.
    gap: bool,
}

impl Quote {
    /// Writes what an event stands for.
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => self.line.push_str(&code(&text, CODE)),
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
            Event::SoftBreak | Event::HardBreak => self.line_break(),
            Event::Rule => {
                self.end_line();
                self.line.push_str("---");
                self.end_line();
                self.gap = true;
            }
            Event::TaskListMarker(done) => self.line.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.end_line();
                self.line.push_str(heading(level));
            }
            Tag::BlockQuote(_) => self.open(Container::Quote),
            Tag::List(number) => self.open(Container::List(number)),
            Tag::Item => self.item(),
            Tag::CodeBlock(_) => {
                self.end_line();
                self.code = Some(String::new());
            }
            Tag::Table(alignments) => {
                self.end_line();
                self.head = Some(alignments);
            }
            Tag::TableHead | Tag::TableRow => self.cells = Some(Vec::new()),
            Tag::Emphasis => self.line.push('*'),
            Tag::Strong => self.line.push_str("**"),
            Tag::Strikethrough => self.line.push_str("~~"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.link(&dest_url);
                self.line.push_str("image: ");
            }
            Tag::TableCell => {}
            _ => self.end_line(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.end_line();
                self.bullet = None;
                self.containers.pop();
                self.gap |= !matches!(tag, TagEnd::Item);
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(cells) = &mut self.cells {
                    cells.push(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => self.row(),
            TagEnd::Emphasis => self.line.push('*'),
            TagEnd::Strong => self.line.push_str("**"),
            TagEnd::Strikethrough => self.line.push_str("~~"),
            TagEnd::Link | TagEnd::Image => {
                let address = self.links.pop();
                if let Some(address) = address.filter(|address| !address.is_empty()) {
                    let _ = write!(self.line, "](<{address}>)");
                }
            }
            TagEnd::Table => self.gap = true,
            _ => {
                self.end_line();
                self.gap = true;
            }
        }
    }

    /// Opens a container, unless too many are open.
    fn open(&mut self, container: Container) {
        self.end_line();
        self.blank();
        let is_deep = self.containers.len() >= DEPTH;
        self.containers.push(match is_deep {
            true => Container::Flat,
            false => container,
        });
    }

    /// Begins an item of a list; one too deep to be shown has no bullet.
    fn item(&mut self) {
        self.end_line();
        let bullet = match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                let bullet = format!("{number}. ");
                *number = number.saturating_add(1);
                bullet
            }
            Some(Container::List(None)) => "- ".to_owned(),
            _ => String::new(),
        };
        self.containers.push(match bullet.len() {
            0 => Container::Flat,
            width => Container::Item(width),
        });
        self.bullet = Some(bullet);
    }

    /// Writes the prefix of a line: of the report's quote, and of all containers.
    fn prefix(&mut self) {
        self.out.push_str("> ");
        let bullet = self.bullet.take();
        let last = self.containers.len().saturating_sub(1);
        for (place, container) in self.containers.iter().enumerate() {
            match (container, &bullet) {
                (Container::Quote, _) => self.out.push_str("> "),
                (Container::Item(_), Some(bullet)) if place == last => self.out.push_str(bullet),
                (Container::Item(width), _) => {
                    self.out.extend(std::iter::repeat_n(' ', *width));
                }
                (Container::List(_) | Container::Flat, _) => {}
            }
        }
    }

    /// Ends the line, so that a block can begin.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.trim().is_empty() {
            return;
        }
        self.whole_line(line.trim_end());
    }

    /// Writes a line, after a blank one if that is due.
    fn whole_line(&mut self, line: &str) {
        self.blank();
        self.prefix();
        self.out.push_str(line);
        self.trim();
    }

    /// Writes a blank line, if one is due.
    fn blank(&mut self) {
        if std::mem::take(&mut self.gap) && !self.out.is_empty() {
            let bullet = self.bullet.take();
            self.prefix();
            self.trim();
            self.bullet = bullet;
        }
    }

    /// Ends the line without blanks at its end.
    fn trim(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
    }

    fn line_break(&mut self) {
        if self.cells.is_some() {
            return self.line.push(' ');
        }
        if !self.line.trim().is_empty() {
            // A model's line breaks are intended to be visible.
            self.line.push('\\');
            self.end_line();
        }
    }

    /// Writes the code block that has ended, in a fence that its text cannot end.
    fn code_block(&mut self) {
        let text = self.code.take().unwrap_or_default();
        let fence = fence(&text);
        self.whole_line(&fence);
        for line in text.lines() {
            self.whole_line(line);
        }
        self.whole_line(&fence);
        self.gap = true;
    }

    /// Writes the row that has ended, and after the head of a table the line with its alignments.
    fn row(&mut self) {
        let cells = self.cells.take().unwrap_or_default();
        self.whole_line(&format!("| {} |", cells.join(" | ")));
        if let Some(alignments) = self.head.take() {
            let marks = alignments.iter().map(|alignment| match alignment {
                Alignment::None => "---",
                Alignment::Left => ":---",
                Alignment::Center => ":---:",
                Alignment::Right => "---:",
            });
            let marks: Vec<&str> = marks.collect();
            self.whole_line(&format!("| {} |", marks.join(" | ")));
        }
    }

    /// Begins a link, unless it leads nowhere or stands inside another one.
    fn link(&mut self, address: &str) {
        let is_outermost = self.links.iter().all(String::is_empty);
        let allowed = is_outermost && is_harmless(address) && !address.contains(['<', '>', '\\']);
        if allowed {
            self.escape_exclamation();
            self.line.push('[');
        }
        let address = if allowed { address } else { "" };
        self.links.push(address.to_owned());
    }

    /// Escapes an exclamation mark at the end of the line, which would make the link after it an image.
    fn escape_exclamation(&mut self) {
        if let Some(before) = self.line.strip_suffix('!') {
            let escapes = before.len() - before.trim_end_matches('\\').len();
            if escapes.is_multiple_of(2) {
                self.line.pop();
                self.line.push_str("\\!");
            }
        }
    }

    /// Writes text in which nothing is interpreted.
    fn text(&mut self, text: &str) {
        let mut before = self.line.chars().next_back();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            let at_start = self.line.trim().is_empty();
            let next = rest.peek().copied();
            let inside = before.is_some_and(char::is_alphanumeric)
                && next.is_some_and(char::is_alphanumeric);
            match c {
                ' ' | '\t' | '\n' | '\r' if at_start => {}
                '\n' | '\r' => self.line.push(' '),
                // GitHub looks for mentions and references after it has decoded entities; the tags break them up.
                '@' => self.line.push_str("<span>@</span>"),
                '#' if next.is_some_and(|next| next.is_ascii_digit()) => {
                    self.line.push_str("<span>#</span>");
                }
                c => {
                    let has_meaning = match c {
                        '_' => !inside,
                        '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '$' => true,
                        '#' | '+' | '-' | '=' | ':' | '!' => at_start,
                        '.' | ')' => self.line.trim().bytes().all(|byte| byte.is_ascii_digit()),
                        _ => false,
                    };
                    self.line.extend(has_meaning.then_some('\\'));
                    self.line.push(c);
                }
            }
            before = Some(c);
        }
    }
}

/// Returns the marks of a heading.
const fn heading(level: HeadingLevel) -> &'static str {
    const MARKS: &str = "###### ";
    let level = level as usize + LOWER;
    let level = if level > 6 { 6 } else { level };
    MARKS.split_at(6 - level).1
}

#[cfg(test)]
mod tests;
