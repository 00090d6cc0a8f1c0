//! The fenced code blocks of a page.

use std::ops::Range;

/// A code block, by bytes of the page.
pub(crate) struct Block<'a> {
    /// The word after its opening marks.
    pub language: &'a str,
    /// What stands in it.
    pub text: &'a str,
    /// Where it ends, or the block of what it prints if there is one.
    pub end: usize,
    /// Where what it prints stands: in a block of text that follows, parted by an empty line.
    pub expected: Option<Range<usize>>,
}

/// The blocks of a page that are no output.
pub(crate) fn of(page: &str) -> impl Iterator<Item = Block<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + page.get(at..)?.find("```")?;
        let mut block = read(page, start);
        let after = &page[block.end..];
        if after.starts_with("\n```text\n") {
            let output = read(page, block.end + 1);
            let begin = output.end - output.text.len() - "```\n".len();
            block.expected = Some(begin..begin + output.text.len());
            block.end = output.end;
        }
        at = block.end;
        Some(block)
    })
}

/// The block whose opening marks stand here.
fn read(page: &str, start: usize) -> Block<'_> {
    let marks: usize = page[start..].bytes().take_while(|b| *b == b'`').count();
    let head = start + marks;
    let line = head + page[head..].find('\n').unwrap() + 1;
    let closing = format!("{}\n", "`".repeat(marks));
    let length = if page[line..].starts_with(&closing) {
        0
    } else {
        let closing = format!("\n{closing}");
        page[line..].find(&closing).expect("a closed block") + 1
    };
    Block {
        language: page[head..line].trim(),
        text: &page[line..line + length],
        end: line + length + closing.len(),
        expected: None,
    }
}
