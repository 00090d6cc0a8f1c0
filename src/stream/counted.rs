//! Which lines of a source are noise: each is counted once, and the first few are shown.

use std::collections::VecDeque;

use memchr::memchr;

use crate::session::NoiseCount;

/// How much of a line of noise is looked at.
pub(super) const LINE_KEPT: usize = 1024;
/// How many characters of a line of noise are shown.
const SAMPLE: usize = 50;

/// Which lines were counted as noise: noise on both sides of a record is one line.
#[derive(Default)]
pub(super) struct CountedLines {
    /// The last one.
    last: u64,
    /// Those of documents that are held, and whether each is counted for what stands beside its document.
    held: VecDeque<(u64, bool)>,
}

impl CountedLines {
    /// Adds a document that begins on that line. A compact one has no line feeds, which stand between tokens only.
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
            let (line, behind) = rest.split_at(end.unwrap_or(rest.len()));
            if !line.trim_ascii().is_empty() {
                self.add(number, line.len() as u64, noise, || sample(line));
            }
            match behind.get(1..) {
                Some(behind) => rest = behind,
                None => break,
            }
        }
    }

    /// Whether a line with that number has not been counted, which it is now.
    pub(super) fn is_new(&mut self, number: u64) -> bool {
        if let Some((held, counted)) = self.held.back_mut() {
            *counted |= *held == number;
        }
        std::mem::replace(&mut self.last, number) != number
    }

    /// A document on that line is held.
    pub(super) fn hold(&mut self, line: u64) {
        self.held.push_back((line, self.last == line));
    }

    /// What was held on that line is noise.
    pub(super) fn release(&mut self, line: u64) {
        let place = self.held.iter().position(|(held, _)| *held == line);
        let held = place.and_then(|place| self.held.remove(place));
        if held.is_some_and(|(_, counted)| counted) {
            self.last = line;
        }
    }

    /// Adds noise on a line.
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

/// The beginning of a line, for a person to recognise it.
pub(super) fn sample(text: &[u8]) -> String {
    String::from_utf8_lossy(text.get(..LINE_KEPT).unwrap_or(text))
        .trim()
        .chars()
        .take(SAMPLE)
        .collect()
}
