//! The beginning of a source, which messages quote when nothing is found in it.

/// How much of a source is kept, in bytes.
const KEPT: usize = 512;

/// The beginning of a source, without leading white space.
#[derive(Debug, Default)]
pub(crate) struct Head {
    bytes: Vec<u8>,
}

impl Head {
    /// Takes the next bytes of the source.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let bytes = match self.bytes.is_empty() {
            true => bytes.trim_ascii_start(),
            false => bytes,
        };
        let room = KEPT - self.bytes.len();
        self.bytes
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    /// Whether no further bytes are needed.
    pub(crate) const fn is_full(&self) -> bool {
        self.bytes.len() >= KEPT
    }

    /// Returns the beginning of the source; nothing if that is a byte order mark alone.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if rest.trim_ascii().is_empty() => rest.trim_ascii(),
            _ => &self.bytes,
        }
    }
}
