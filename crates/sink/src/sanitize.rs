//! Sanitises text from the input, as the last step before a person or a CI runner reads it.
//!
//! There are two dangers and two remedies, which can be used alone or together:
//!
//! * **Terminals** obey escape sequences, and people are misled by text that changes direction or is invisible.
//!   `Terminal` escapes such characters: `\r`, `\x1b` for ASCII, `\u{202e}` for the rest. Line feeds, tabs and the
//!   carriage return before a line feed stay. A backslash is not doubled: the text is for reading, not for parsing.
//! * **CI runners** interpret some lines as commands. `Ci` breaks these up visibly: `::` at the start of a line, after
//!   blanks, becomes `: :`; `##[` and `##vso[` anywhere become `# #[` and `# #vso[`.
//!
//! Both can be used on a stream: cutting the text between any two characters gives the same result, since undecided
//! text, five bytes at most, is held back until the next piece or [`Sanitizer::finish`]. Text that needs no change is
//! not copied.

use jsift_json::cost;
use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use super::{is_printed, run_of};

/// Returns whether a character is invisible, changes how others appear, or controls a terminal.
///
/// Line feed and tab are hidden characters here; callers that allow them say so. Variation selectors are not hidden,
/// since emoji are full of them.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{00}'..='\u{1f}' | '\u{7f}'..='\u{9f}' // C0, DEL, C1
        | '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}' // zero width
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' // fillers and inherent vowels
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' // direction
        | '\u{2028}' | '\u{2029}' | '\u{fff0}'..='\u{fffb}' // line ends and annotations
        | '\u{70f}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' // formats of Syriac, Kaithi and hieroglyphs
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' // formats of shorthand and of music
        | '\u{e0000}'..='\u{e0fff}' // tags
    )
}

/// Writes the escape of a hidden character.
fn write_out(c: char, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c if c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

/// Returns text on one line with every hidden character escaped, including line feeds and tabs: for excerpts and file
/// names.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden, write_out)
}

/// Returns text in which `write` writes the characters that `is` tells.
fn escaped(
    text: &str,
    is: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    cost::look_at(text.len());
    let mut edit = Edit::new(text);
    let printed = run_of(text.as_bytes(), is_printed);
    let rest = text.get(printed..).unwrap_or_default();
    for (at, c) in rest.char_indices().filter(|(_, c)| is(*c)) {
        edit.replace(printed + at, c.len_utf8(), |out| write(c, out));
    }
    edit.finish()
}

/// Returns text without the sequences that colour it on a terminal (`ESC [ … m`), for output that shows no colours.
#[cfg(feature = "html")]
pub(crate) fn without_colors(text: &str) -> Cow<'_, str> {
    let mut edit = Edit::new(text);
    for (at, start) in text.match_indices("\x1b[") {
        let rest = text.get(at + start.len()..).unwrap_or_default();
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b';' || byte == b':';
        let numbers = run_of(rest.as_bytes(), is_number);
        if rest.as_bytes().get(numbers) == Some(&b'm') {
            edit.replace(at, start.len() + numbers + 1, |_| {});
        }
    }
    edit.finish()
}

/// Returns JSON text with the hidden characters in its strings escaped as `\uXXXX`, which every JSON parser reads as
/// the same text.
///
/// The text must be valid JSON. Then hidden characters beyond ASCII occur only in strings; of the hidden ASCII
/// characters only DEL does, and the others are white space between tokens.
#[must_use]
pub fn json_escapes(text: &str) -> Cow<'_, str> {
    let is_escaped = |c| c >= '\u{7f}' && is_hidden(c);
    escaped(text, is_escaped, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// A text that is copied only at its first change.
struct Edit<'a> {
    text: &'a str,
    /// How much of `text` is in `out`, if `out` was created.
    copied: usize,
    out: Option<String>,
}

impl<'a> Edit<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            text,
            copied: 0,
            out: None,
        }
    }

    /// Replaces `length` bytes at `at` by what `with` writes. Positions must ascend.
    fn replace(&mut self, at: usize, length: usize, with: impl FnOnce(&mut String)) {
        let out = self.out.get_or_insert_default();
        out.push_str(self.text.get(self.copied..at).unwrap_or(""));
        with(out);
        self.copied = at + length;
    }

    fn finish(self) -> Cow<'a, str> {
        match self.out {
            None => Cow::Borrowed(self.text),
            Some(mut out) => {
                out.push_str(self.text.get(self.copied..).unwrap_or(""));
                Cow::Owned(out)
            }
        }
    }
}

/// Sanitises text for a terminal, for a CI log, or for both.
#[derive(Debug, Clone, Default)]
pub struct Sanitizer {
    terminal: Option<Terminal>,
    ci: Option<Ci>,
}

impl Sanitizer {
    /// Returns a sanitizer for a terminal, for a CI log, for both, or for neither.
    #[must_use]
    pub fn new(terminal: bool, ci: bool) -> Self {
        Self {
            terminal: terminal.then(Terminal::default),
            ci: ci.then(Ci::default),
        }
    }

    /// Returns the next piece of the text, sanitised.
    pub fn push<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        cost::look_at(text.len());
        let text = match &mut self.terminal {
            Some(terminal) => terminal.push(text),
            None => Cow::Borrowed(text),
        };
        match (&mut self.ci, text) {
            (None, text) => text,
            (Some(ci), Cow::Borrowed(text)) => ci.push(text),
            (Some(ci), Cow::Owned(text)) => Cow::Owned(ci.push(&text).into_owned()),
        }
    }

    /// Returns what was held back. Another text can begin after this.
    pub fn finish(&mut self) -> String {
        let held = self.terminal.as_mut().map_or("", Terminal::finish);
        match &mut self.ci {
            None => held.to_owned(),
            Some(ci) => {
                let mut text = ci.push(held).into_owned();
                text.push_str(ci.finish());
                text
            }
        }
    }
}

/// Text that was sanitised as a whole. Nothing but [`SafeText::new`] makes it, so that a writer that takes it cannot be
/// given any other text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeText(String);

impl SafeText {
    /// Sanitises a text for people: its hidden characters are visible, and with `ci` it forms no workflow command.
    #[must_use]
    pub fn new(text: &str, ci: bool) -> Self {
        Self(sanitize(text, true, ci).into_owned())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Sanitises a whole text; see [`Sanitizer`].
#[must_use]
pub fn sanitize(text: &str, terminal: bool, ci: bool) -> Cow<'_, str> {
    let mut sanitizer = Sanitizer::new(terminal, ci);
    let clean = sanitizer.push(text);
    let held = sanitizer.finish();
    if held.is_empty() {
        clean
    } else {
        Cow::Owned(clean.into_owned() + &held)
    }
}

/// Returns the number of visible ASCII characters, line feeds and tabs from this position on.
fn plain(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    run_of(rest, |byte| {
        is_printed(byte) || matches!(byte, b'\n' | b'\t')
    })
}

/// Escapes what controls a terminal or misleads its reader.
#[derive(Debug, Clone, Default)]
struct Terminal {
    /// Whether a carriage return was read, and it is not known yet whether a line feed follows.
    held_return: bool,
}

impl Terminal {
    fn push<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let mut edit = Edit::new(text);
        let mut at = 0;
        loop {
            if !self.held_return {
                at += plain(text, at);
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                return edit.finish();
            };
            self.char(c, at, text, &mut edit);
            at += c.len_utf8();
        }
    }

    /// Processes the character `c`, which is at the byte `at` of the text.
    fn char(&mut self, c: char, at: usize, text: &str, edit: &mut Edit<'_>) {
        if std::mem::take(&mut self.held_return) {
            edit.replace(at, 0, |out| {
                out.push_str(if c == '\n' { "\r" } else { "\\r" });
            });
        }
        match c {
            '\n' | '\t' => {}
            '\r' if text
                .get(at + 1..)
                .is_some_and(|rest| rest.starts_with('\n')) => {}
            '\r' => {
                edit.replace(at, 1, |_| {});
                self.held_return = true;
            }
            c if is_hidden(c) => edit.replace(at, c.len_utf8(), |out| write_out(c, out)),
            _ => {}
        }
    }

    fn finish(&mut self) -> &'static str {
        if std::mem::take(&mut self.held_return) {
            "\\r"
        } else {
            ""
        }
    }
}

/// How much of a line's beginning looks like `::`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LineStart {
    /// Nothing but blanks so far.
    #[default]
    Blank,
    /// One colon after the blanks.
    Colon,
    /// Anything else: no command can begin here any more.
    Past,
}

/// Breaks up what a CI runner would interpret as a command.
///
/// Characters that are [passed over](is_passed_over) are treated as if they were absent.
#[derive(Debug, Clone, Default)]
struct Ci {
    line: LineStart,
    /// Whether the last character was `#`. It has been written.
    hash: bool,
    /// How much of [`Ci::VSO`] was read after that `#` and is held back; 0 if nothing is.
    held: usize,
}

impl Ci {
    /// What is held back after a first `#`, until a bracket or another character decides.
    const VSO: &str = "#vso";

    fn push<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let mut edit = Edit::new(text);
        for (at, c) in text.char_indices() {
            if self.held > 0 && self.held_goes_on(c) {
                edit.replace(at, c.len_utf8(), |_| {});
                self.held += 1;
                continue;
            }
            if self.held > 0 {
                let broken_up = self.is_command(c);
                let held = self.finish();
                edit.replace(at, 0, |out| {
                    out.push_str(if broken_up { " " } else { "" });
                    out.push_str(held);
                });
                self.hash = held == "#";
            }
            self.decided(at, c, &mut edit);
        }
        edit.finish()
    }

    /// Processes a character while nothing is held back.
    fn decided(&mut self, at: usize, c: char, edit: &mut Edit<'_>) {
        if c == '#' && self.hash {
            edit.replace(at, 1, |_| {});
            self.held = 1;
        } else if c == '#' {
            self.hash = true;
        } else if self.hash && !is_seen_through(c) {
            self.hash = false;
        }
        if self.line == LineStart::Colon && c == ':' {
            edit.replace(at, 0, |out| out.push(' '));
        }
        self.line = match (c, self.line) {
            (c, LineStart::Colon) if is_seen_through(c) => LineStart::Colon,
            (c, _) if is_line_end(c) => LineStart::Blank,
            (_, LineStart::Past) => LineStart::Past,
            (c, line) if is_passed_over(c) => line,
            (':', LineStart::Blank) => LineStart::Colon,
            (c, LineStart::Blank) if c.is_whitespace() => LineStart::Blank,
            _ => LineStart::Past,
        };
    }

    /// Returns whether `c` is the next character of [`Ci::VSO`].
    fn held_goes_on(&self, c: char) -> bool {
        Self::VSO.chars().nth(self.held) == Some(c)
    }

    /// Returns whether `c`, after the held characters, completes a command or may hide one.
    fn is_command(&self, c: char) -> bool {
        let complete = self.held == 1 || self.held == Self::VSO.len();
        (complete && c == '[') || is_seen_through(c)
    }

    /// Returns the characters that were held back.
    fn finish(&mut self) -> &'static str {
        let held = Self::VSO.get(..self.held).unwrap_or("");
        self.held = 0;
        self.hash = false;
        held
    }
}

/// Returns whether a runner that compares text by linguistic rules, as .NET does, may ignore the character and so find
/// a command in spite of it. This applies to hidden characters and to those with no weight in the comparison:
/// characters without width and some signs of Arabic, Tibetan, Egyptian and other scripts (ICU 78).
fn is_passed_over(c: char) -> bool {
    is_hidden(c)
        || (!c.is_ascii() && c.width() == Some(0))
        || matches!(c,
            '\u{600}'..='\u{605}' | '\u{640}' | '\u{6dd}' | '\u{7fa}' | '\u{f3e}' | '\u{f3f}'
            | '\u{180a}' | '\u{1cd3}' | '\u{1ce1}' | '\u{1cf7}' | '\u{2d7f}' | '\u{fe73}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}')
}

/// Returns whether a command may continue after the character: every runner ends a line only at line feeds and carriage
/// returns.
fn is_seen_through(c: char) -> bool {
    is_passed_over(c) && c != '\n' && c != '\r'
}

/// Returns whether a runner may treat the character as the end of a line.
const fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests;
