//! How the finder reads a source.

/// What becomes of documents that are parts of something larger that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// They do not count, and the larger text is a fault.
    Refused,
    /// They count, and the visitor receives where the larger text is.
    Noted,
    /// They count, and no larger text is looked for.
    Counted,
}

impl Parts {
    /// Returns what becomes of parts if the caller takes any document, or only those that are sound.
    #[must_use]
    pub const fn if_any(is_any: bool) -> Self {
        match is_any {
            true => Self::Noted,
            false => Self::Refused,
        }
    }
}

/// How to read a source.
#[derive(Debug, Clone)]
pub struct FindOptions {
    /// Read a source that is one string literal.
    pub string: bool,
    /// Read a source that is nothing but JSON.
    pub whole: bool,
    /// Read markdown fences.
    pub fence: bool,
    /// Read documents anywhere in the text.
    pub embedded: bool,
    /// Learn log prefixes from what stands before an opening bracket.
    pub prefixes: bool,
    /// Also count documents that are otherwise weak or never counted.
    pub loose: bool,
    /// What becomes of documents that are parts of something larger that cannot be read.
    pub parts: Parts,
    /// Accept invalid UTF-8 in strings, as U+FFFD.
    pub lossy: bool,
    /// The largest document, in bytes.
    pub max_document: u64,
    /// Record the positions of documents' members, for a visitor that looks at most of them.
    pub layout: bool,
    /// How many bytes of a document are held unchanged until it is complete. A longer document may be held, and handed
    /// on, without the white space between its tokens.
    pub as_found: u64,
}

impl FindOptions {
    /// Returns the options for a part of a source: it is read as these say, but is no source of its own, which could be
    /// one string literal or nothing but JSON.
    pub(crate) fn of_part(&self) -> Self {
        Self {
            string: false,
            whole: false,
            ..self.clone()
        }
    }
}

impl Default for FindOptions {
    fn default() -> Self {
        Self {
            string: true,
            whole: true,
            fence: true,
            embedded: true,
            prefixes: true,
            loose: false,
            parts: Parts::Refused,
            lossy: false,
            max_document: 1 << 30,
            layout: false,
            as_found: u64::MAX,
        }
    }
}
