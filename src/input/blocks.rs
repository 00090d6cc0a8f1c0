//! Reading a source block by block.

use std::io::{self, ErrorKind, Read};

/// How much is asked of a source at a time, in bytes: more than a pipe holds, and little enough to stay in a cache
/// close to the processor until it has been scanned.
pub const BLOCK_SIZE: usize = 256 * 1024;

/// What a source gave.
#[derive(Debug, PartialEq, Eq)]
// Named as the standard library names it.
#[allow(clippy::enum_variant_names)]
pub enum Block<'a> {
    /// The bytes that were there, at least one. What one read holds is the batch after which a live pipe is flushed.
    Bytes(&'a [u8]),
    /// The end of the source.
    End,
    /// The source does not block and has nothing yet. Whoever made it so knows how to wait.
    WouldBlock,
}

/// One read into `buffer`: how many bytes it gave, `None` if the source does not block and has nothing yet. Reads that a
/// signal interrupted are tried again.
///
/// # Errors
///
/// Whatever the read fails with.
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
    /// Reads from `source`, at most [`BLOCK_SIZE`] bytes at a time.
    pub fn new(source: R) -> Self {
        Self::with_size(source, BLOCK_SIZE)
    }

    /// Reads from `source`, at most `size` bytes at a time, and at least one.
    pub fn with_size(source: R, size: usize) -> Self {
        Self {
            source,
            buffer: vec![0; size.max(1)].into_boxed_slice(),
        }
    }

    /// The next block, after one read. Reads that a signal interrupted are tried again.
    ///
    /// # Errors
    ///
    /// Whatever the read fails with.
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
