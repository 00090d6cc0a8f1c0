//! Reading a source block by block.

use std::io::{self, ErrorKind, Read};

/// How many bytes are requested from a source at a time: more than a pipe can contain, and few enough to stay in a
/// nearby cache of the processor until they have been scanned.
pub const BLOCK_SIZE: usize = 256 * 1024;

/// The result of reading from a source.
#[derive(Debug, PartialEq, Eq)]
// The name of the variant follows the standard library.
#[allow(clippy::enum_variant_names)]
pub enum Block<'a> {
    /// The bytes that were available, at least one. The bytes of one read are the batch after which a live pipe is
    /// flushed.
    Bytes(&'a [u8]),
    /// The end of the source.
    End,
    /// The source does not block and has nothing yet. The caller that made it non-blocking knows how to wait.
    WouldBlock,
}

/// Reads once into `buffer`. Returns the number of bytes read; `None` if the source does not block and has nothing yet.
/// Repeats a read that a signal interrupted.
///
/// # Errors
///
/// Fails if the read fails.
pub fn read_once(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            other => return other.map(Some),
        }
    }
}

/// A source as a series of blocks.
#[derive(Debug)]
pub struct Blocks<R> {
    source: R,
    buffer: Box<[u8]>,
}

impl<R: Read> Blocks<R> {
    /// Returns a reader that reads at most [`BLOCK_SIZE`] bytes from `source` at a time.
    pub fn new(source: R) -> Self {
        Self::with_size(source, BLOCK_SIZE)
    }

    /// Returns a reader that reads at most `size` bytes from `source` at a time, and at least one.
    pub fn with_size(source: R, size: usize) -> Self {
        Self {
            source,
            buffer: vec![0; size.max(1)].into_boxed_slice(),
        }
    }

    /// Returns the next block after one read. Repeats a read that a signal interrupted.
    ///
    /// # Errors
    ///
    /// Fails if the read fails.
    pub fn next_block(&mut self) -> io::Result<Block<'_>> {
        let Some(read) = read_once(&mut self.source, &mut self.buffer)? else {
            return Ok(Block::WouldBlock);
        };
        Ok(match self.buffer.get(..read) {
            Some([]) | None => Block::End,
            Some(bytes) => Block::Bytes(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Blocks};
    use std::io::{self, ErrorKind, Read};

    struct Script(Vec<Result<&'static [u8], ErrorKind>>);

    impl Read for Script {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let bytes = self.0.remove(0)?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn one_read_is_one_block_and_interruptions_are_not_seen() {
        let mut blocks = Blocks::new(Script(vec![
            Err(ErrorKind::Interrupted),
            Ok(b"ab"),
            Err(ErrorKind::WouldBlock),
            Ok(b"c"),
            Err(ErrorKind::BrokenPipe),
        ]));
        assert_eq!(blocks.next_block().unwrap(), Block::Bytes(b"ab"));
        assert_eq!(blocks.next_block().unwrap(), Block::WouldBlock);
        assert_eq!(blocks.next_block().unwrap(), Block::Bytes(b"c"));
        assert_eq!(
            blocks.next_block().unwrap_err().kind(),
            ErrorKind::BrokenPipe
        );
        assert_eq!(blocks.next_block().unwrap(), Block::End);
    }

    #[test]
    fn blocks_are_no_larger_than_asked() {
        let mut blocks = Blocks::with_size(&b"abc"[..], 2);
        assert_eq!(blocks.next_block().unwrap(), Block::Bytes(b"ab"));
        assert_eq!(blocks.next_block().unwrap(), Block::Bytes(b"c"));
        assert_eq!(blocks.next_block().unwrap(), Block::End);
    }
}
