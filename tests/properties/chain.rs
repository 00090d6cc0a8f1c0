//! The whole chain of extraction.

use jsift_find::document::{Document, Fault, Noise, Origin, Rank, Visitor, Wants};
use jsift_find::finder::{FindOptions, Finder};
use jsift_find::span::Position;
use jsift_json::write::minify;

use super::{Choices, is_json, pieces, shown};

/// Everything that is reported to a visitor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reported {
    pub documents: Vec<(Vec<u8>, Origin, Rank, bool)>,
    pub faults: Vec<Fault>,
    /// Stretches of noise that stood one after the other in the source: they may be cut anywhere.
    pub noise: Vec<(Position, Vec<u8>)>,
    /// Nobody asks for noise.
    quiet: bool,
}

impl Reported {
    /// Returns the documents without their white space, each with its line and rank.
    pub(crate) fn documents_by_line(&self) -> Vec<(u64, Rank, String)> {
        let documents = self.documents.iter();
        let documents = documents.map(|(text, origin, rank, _)| {
            let text = String::from_utf8_lossy(&minify(text)).into_owned();
            (origin.position.line, *rank, text)
        });
        documents.collect()
    }
}

impl Visitor for Reported {
    fn document(&mut self, document: Document<'_>) {
        assert!(is_json(document.text), "{}", shown(document.text));
        let text = document.text.to_vec();
        self.documents
            .push((text, document.origin(), document.rank, document.lossy));
    }

    fn fault(&mut self, fault: Fault) {
        assert!(fault.sample.len() <= Fault::SAMPLE);
        self.faults.push(fault);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        match self.noise.last_mut() {
            Some((start, text)) if after(*start, text) == noise.position() => {
                text.extend_from_slice(noise.text);
            }
            _ => self.noise.push((noise.position(), noise.text.to_vec())),
        }
    }

    fn thinking_ended(&mut self) {
        for (.., rank, _) in &mut self.documents {
            *rank = Rank::Weak;
        }
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(!self.quiet)
    }
}

/// What is reported to a visitor.
#[derive(Debug, PartialEq, Eq)]
enum Met {
    Document(Vec<u8>),
    Fault(Box<Fault>),
    EndOfThinking,
}

/// All that is reported to a visitor that takes lines, or does not.
#[derive(Debug, Default)]
struct Texts {
    takes_lines: bool,
    reported: Vec<Met>,
}

impl Visitor for Texts {
    fn document(&mut self, document: Document<'_>) {
        self.reported.push(Met::Document(document.text.to_vec()));
    }

    fn fault(&mut self, fault: Fault) {
        self.reported.push(Met::Fault(Box::new(fault)));
    }

    fn lines(&mut self, text: &[u8], count: u64) {
        let before = self.reported.len();
        let lines = text.split(|&byte| byte == b'\n');
        self.reported
            .extend(lines.map(|line| Met::Document(line.to_vec())));
        assert_eq!(
            self.reported.len() - before,
            count as usize,
            "{}",
            shown(text)
        );
    }

    fn thinking_ended(&mut self) {
        self.reported.push(Met::EndOfThinking);
    }

    fn wants(&mut self) -> Wants {
        Wants {
            lines: self.takes_lines,
            ..Wants::default()
        }
    }
}

/// To a visitor that takes lines the same is reported, in the same order.
fn assert_lines_are_documents(text: &[u8], cuts: &[usize], options: &FindOptions) {
    let [expected, given] = [false, true].map(|takes_lines| {
        let mut texts = Texts {
            takes_lines,
            ..Texts::default()
        };
        let mut finder = Finder::new(options.clone());
        for piece in pieces(text, cuts) {
            finder.push(piece, &mut texts);
        }
        finder.finish(&mut texts);
        texts.reported
    });
    assert_eq!(given, expected, "{}", shown(text));
}

/// The position after a text that stands at `start`.
fn after(start: Position, text: &[u8]) -> Position {
    let feeds = text.iter().filter(|&&byte| byte == b'\n').count() as u64;
    let rest = text.rsplit(|&byte| byte == b'\n').next();
    let before = if feeds == 0 { start.column } else { 1 };
    Position {
        line: start.line + feeds,
        column: before + rest.map_or(0, <[u8]>::len) as u64,
        offset: start.offset + text.len() as u64,
    }
}

/// Reads a text that is cut at ascending places.
pub(crate) fn read(text: &[u8], cuts: &[usize], options: &FindOptions) -> (Reported, bool) {
    read_for(Reported::default(), text, cuts, options)
}

fn read_for(
    mut reported: Reported,
    text: &[u8],
    cuts: &[usize],
    options: &FindOptions,
) -> (Reported, bool) {
    let mut finder = Finder::new(options.clone());
    for piece in pieces(text, cuts) {
        finder.push(piece, &mut reported);
    }
    finder.finish(&mut reported);
    (reported, finder.is_whole())
}

/// What is reported as noise stood there in the text. Line feeds may have been put between lines that were moved.
fn assert_noise_stood_there(reported: &Reported, text: &[u8]) {
    for (start, noise) in &reported.noise {
        let there = text.get(start.offset as usize..).unwrap_or_default();
        assert!(
            there.starts_with(noise),
            "{start:?} {} of {}",
            shown(noise),
            shown(text)
        );
        let before = after(Position::START, &text[..start.offset as usize]);
        assert_eq!(*start, before, "{}", shown(text));
    }
}

/// Documents and faults are the same where nobody asks for noise.
fn assert_noise_is_apart(reported: &Reported, text: &[u8], options: &FindOptions) {
    let quiet = Reported {
        quiet: true,
        ..Reported::default()
    };
    let (quiet, _) = read_for(quiet, text, &[], options);
    assert_eq!(quiet.documents, reported.documents, "{}", shown(text));
    assert_eq!(quiet.faults, reported.faults, "{}", shown(text));
}

/// Nothing else changes where documents lose their white space while they are read.
pub(crate) fn assert_white_space_may_go(text: &[u8], cuts: &[usize], options: &FindOptions) {
    let [expected, given] = [u64::MAX, 0].map(|as_found| {
        let options = FindOptions {
            as_found,
            ..options.clone()
        };
        let (mut reported, is_whole) = read(text, cuts, &options);
        for (text, ..) in &mut reported.documents {
            *text = minify(text).into_owned();
        }
        (reported, is_whole)
    });
    assert_eq!(given, expected, "{}", shown(text));
}

/// The result does not depend on how the input is cut, every document is JSON, and noise is at the position that it
/// reports.
pub fn property(data: &[u8]) {
    let mut choices = Choices(data);
    let flags = choices.byte();
    let (cuts, text) = choices.cuts();
    let options = FindOptions {
        loose: flags & 1 != 0,
        lossy: flags & 2 != 0,
        prefixes: flags & 4 == 0,
        string: flags & 8 == 0,
        whole: flags & 16 == 0,
        fence: flags & 32 == 0,
        embedded: flags & 64 == 0,
        max_document: if flags & 128 == 0 { 1 << 30 } else { 64 },
        ..FindOptions::default()
    };
    assert_lines_are_documents(text, &cuts, &options);
    let (whole, is_whole) = read(text, &[], &options);
    assert_noise_stood_there(&whole, text);
    assert_noise_is_apart(&whole, text, &options);
    // A limit is met where it is met: what a large read already holds is not refused.
    if flags & 128 == 0 {
        assert_eq!(read(text, &cuts, &options), (whole, is_whole));
        assert_white_space_may_go(text, &cuts, &options);
    } else {
        read(text, &cuts, &options);
    }
}
