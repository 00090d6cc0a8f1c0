//! Documents of a source that is read or pushed piece by piece.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};

use super::options::without;
use super::{Document, Error, Options};
use jsift_find::choose::filter::Filter;
use jsift_find::choose::scalars::NoiseLine;
use jsift_find::choose::tally::Tally;
use jsift_find::choose::verdict::Ending;
use jsift_find::document::{Document as Met, Fault, Noise, Visitor, Wants};
use jsift_find::finder::repair::Repairs;
use jsift_find::input::{Block, Blocks};
use jsift_find::reading::Reading;

/// The documents that were found so far and not yet taken.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    found: VecDeque<Document>,
    tally: Tally,
}

/// Adds the documents that pass the filters to a [`Gathered`].
pub(super) struct Gathering<'a> {
    gathered: &'a mut Gathered,
    filter: &'a Filter,
}

impl Gathered {
    pub(super) const fn by<'a>(&'a mut self, filter: &'a Filter) -> Gathering<'a> {
        Gathering {
            gathered: self,
            filter,
        }
    }

    /// Returns the documents, or an error if there is none or if one of them could not be read.
    pub(super) fn conclude(self, repairs: &Repairs) -> Result<Vec<Document>, Error> {
        let found = self.found.into_iter();
        let found = found
            .map(|document| document.with_changes(repairs))
            .collect();
        match self.tally.ending() {
            Ending::Documents(None) => Ok(found),
            ending => Err(without(&ending).with(found)),
        }
    }
}

impl Visitor for Gathering<'_> {
    fn document(&mut self, document: Met<'_>) {
        let Gathered { found, tally } = &mut *self.gathered;
        tally.met_document();
        match self.filter.check(document.text) {
            Ok(()) => {
                tally.pass(1);
                found.push_back(Document::found(&document));
            }
            Err(mismatch) => tally.refuse(mismatch),
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.gathered.tally.fault(fault, self.filter);
    }

    fn noise(&mut self, noise: Noise<'_>) {
        self.gathered.tally.read(&noise, self.filter);
    }

    fn wants(&mut self) -> Wants {
        Wants::noise(self.filter.wants_noise())
    }
}

/// Finds documents in text that is pushed piece by piece: what [`documents`](super::documents) finds, as soon as each
/// document is complete.
///
/// There are no callbacks: each push returns an iterator, and a loop over it may fail with `?` or stop with `break`.
/// Documents that the loop did not take are returned first by the next push.
///
/// ```
/// use jsift::DocumentFeed;
///
/// let mut feed = DocumentFeed::new();
/// assert_eq!(feed.push(b"12:00 request {\"path\":").count(), 0);
/// for document in feed.push(b"\"/a\"}\n12:01 done\n") {
///     assert_eq!(document.text(), r#"{"path":"/a"}"#);
/// }
/// let (rest, how) = feed.finish();
/// assert!(rest.is_empty());
/// assert_eq!(how, Ok(()));
/// ```
#[derive(Debug)]
pub struct DocumentFeed {
    options: Options,
    reading: Reading,
    line: NoiseLine,
    gathered: Gathered,
}

impl Default for DocumentFeed {
    fn default() -> Self {
        Self::new()
    }
}

impl DocumentFeed {
    /// Returns a feed at the start of a source, with default options.
    #[must_use]
    pub fn new() -> Self {
        Options::new().document_feed()
    }

    pub(super) fn with(options: Options) -> Self {
        Self {
            reading: options.search.reading(),
            options,
            line: NoiseLine::default(),
            gathered: Gathered::default(),
        }
    }

    /// Reads the next bytes of the source and returns the documents that are now complete.
    pub fn push(&mut self, bytes: &[u8]) -> impl Iterator<Item = Document> {
        self.read(bytes);
        std::iter::from_fn(|| self.next())
    }

    /// Reads the next line of the source, given without its line feed, and returns the documents that are now complete.
    pub fn push_line(&mut self, line: &str) -> impl Iterator<Item = Document> {
        self.read(line.as_bytes());
        self.push(b"\n")
    }

    /// Ends the source. Returns the remaining documents, and an error if the whole source has no document or one of its
    /// documents could not be read.
    ///
    /// ```
    /// use jsift::{DocumentFeed, Outcome};
    ///
    /// let mut feed = DocumentFeed::new();
    /// feed.push(b"{\"n\":1} {\"n\":").for_each(drop);
    /// let (_, how) = feed.finish();
    /// assert_eq!(how.unwrap_err().outcome(), Outcome::Truncated);
    /// ```
    #[must_use = "the last documents come here"]
    pub fn finish(mut self) -> (Vec<Document>, Result<(), Error>) {
        self.visit(true, |reading, visitor| _ = reading.end(visitor));
        let found = Vec::from(std::mem::take(&mut self.gathered.found));
        let checked = self.options.check();
        (
            found,
            checked.and(self.gathered.conclude(&Repairs::default()).map(drop)),
        )
    }

    fn read(&mut self, bytes: &[u8]) {
        self.visit(false, |reading, visitor| reading.block(bytes, visitor));
    }

    fn next(&mut self) -> Option<Document> {
        self.gathered.found.pop_front()
    }

    /// Reads on, if the options are right; `last` says that this is the end.
    fn visit(&mut self, last: bool, read: impl FnOnce(&mut Reading, &mut dyn Visitor)) {
        if self.options.check().is_ok() {
            let search = &self.options.search;
            let gathering = &mut self.gathered.by(&search.filter);
            let line = (&mut self.line, last);
            search.visit(gathering, line, |visitor| read(&mut self.reading, visitor));
        }
    }
}

/// Iterator over the documents of a file, a pipe, a socket or another reader, as it is read.
///
/// An item is an `Err` only if reading fails. After the last item, [`error`](Self::error) says whether something is
/// wrong with the text.
///
/// ```
/// use jsift::Documents;
///
/// let log = "12:00 request {\"path\": \"/a\"}\n12:00 done\n12:01 request {\"path\": \"/b\"}\n12:02 {\"path\":";
/// let mut documents = Documents::new(log.as_bytes());
/// let mut found = Vec::new();
/// for document in &mut documents {
///     let document = document?;
///     found.push((document.position().line, document.into_text()));
/// }
/// assert_eq!(found, [(1, r#"{"path": "/a"}"#.into()), (3, r#"{"path": "/b"}"#.into())]);
/// assert_eq!(documents.error().unwrap().to_string(), "4:7: JSON is truncated inside an object");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Documents<R> {
    blocks: Blocks<R>,
    /// `None` after the end of the source.
    feed: Option<DocumentFeed>,
    last: VecDeque<Document>,
    error: Option<Error>,
}

impl<R: Read> Documents<R> {
    /// Returns the documents of a source, with default options.
    pub fn new(source: R) -> Self {
        Options::new().read(source)
    }

    pub(super) fn over(source: R, feed: DocumentFeed) -> Self {
        Self {
            blocks: Blocks::new(source),
            feed: Some(feed),
            last: VecDeque::new(),
            error: None,
        }
    }

    /// Returns what is wrong with the source, after its end: it has no document, or a document is truncated or too
    /// large. `None` if nothing is wrong.
    ///
    /// ```
    /// use jsift::{Documents, Outcome};
    ///
    /// let mut documents = Documents::new("no JSON here".as_bytes());
    /// assert!(documents.next().is_none());
    /// assert_eq!(documents.error().unwrap().outcome(), Outcome::None);
    /// ```
    #[must_use]
    pub const fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }
}

impl<R: Read> Iterator for Documents<R> {
    type Item = io::Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(feed) = &mut self.feed else {
                return self.last.pop_front().map(Ok);
            };
            if let Some(document) = feed.next() {
                return Some(Ok(document));
            }
            match self.blocks.next_block() {
                Ok(Block::Bytes(bytes)) => feed.read(bytes),
                Ok(Block::WouldBlock) => return Some(Err(ErrorKind::WouldBlock.into())),
                Ok(Block::End) => self.end(),
                Err(error) => {
                    self.end();
                    return Some(Err(error));
                }
            }
        }
    }
}

impl<R> Documents<R> {
    fn end(&mut self) {
        if let Some(feed) = self.feed.take() {
            let (last, result) = feed.finish();
            (self.last, self.error) = (last.into(), result.err());
        }
    }
}
