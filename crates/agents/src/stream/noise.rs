//! Counts noise: each line of a source once, with the first few lines as samples.

use std::collections::VecDeque;

use memchr::memchr;

use crate::session::NoiseCount;

/// The maximum number of bytes of a line of noise that are read.
pub(super) const LINE_KEPT: usize = 1024;
/// The maximum number of characters of a line of noise that are shown.
const SAMPLE: usize = 50;

/// The lines that were counted as noise: noise on both sides of a record is one line.
#[derive(Default)]
pub(super) struct CountedLines {
    /// The last counted line.
    last: u64,
    /// The lines of held documents, and whether each is counted already for noise next to its document.
    held: VecDeque<(u64, bool)>,
}

impl CountedLines {
    /// Counts the lines of a document that starts on the line `first`. A compact document has no newlines: JSON allows
    /// them only between tokens.
    pub(super) fn document(
        &mut self,
        first: u64,
        text: &[u8],
        compact: bool,
        noise: &mut NoiseCount,
    ) {
        let mut rest = text;
        for number in first.. {
            let end = match compact {
                true => None,
                false => memchr(b'\n', rest),
            };
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            if !line.trim_ascii().is_empty() {
                self.add(number, line.len() as u64, noise, || sample(line));
            }
            match after.get(1..) {
                Some(after) => rest = after,
                None => break,
            }
        }
    }

    /// Whether the line `number` was not counted before; it is counted now.
    pub(super) fn is_new(&mut self, number: u64) -> bool {
        if let Some((held, counted)) = self.held.back_mut() {
            *counted |= *held == number;
        }
        std::mem::replace(&mut self.last, number) != number
    }

    /// Notes that a document on that line is held.
    pub(super) fn hold(&mut self, line: u64) {
        self.held.push_back((line, self.last == line));
    }

    /// Notes that the document held on that line is noise.
    pub(super) fn release(&mut self, line: u64) {
        let place = self.held.iter().position(|(held, _)| *held == line);
        let held = place.and_then(|place| self.held.remove(place));
        if held.is_some_and(|(_, counted)| counted) {
            self.last = line;
        }
    }

    /// Adds `bytes` of noise on the line `number`.
    pub(super) fn add(
        &mut self,
        number: u64,
        bytes: u64,
        noise: &mut NoiseCount,
        sample: impl FnOnce() -> String,
    ) {
        noise.bytes += bytes;
        if self.is_new(number) {
            noise.lines += 1;
            noise.sample(number, sample);
        }
    }
}

/// Returns the start of a line, for a person to recognise it.
pub(super) fn sample(text: &[u8]) -> String {
    String::from_utf8_lossy(text.get(..LINE_KEPT).unwrap_or(text))
        .trim()
        .chars()
        .take(SAMPLE)
        .collect()
}
