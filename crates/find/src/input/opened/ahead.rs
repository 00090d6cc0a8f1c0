//! A source on a system that cannot say whether a read would wait: a thread reads it, and its results are awaited.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::input::{BLOCK_SIZE, read_once};

/// How many blocks are read ahead.
const AHEAD: usize = 2;

/// Reads a source directly until [`within`](Self::within) is called for the first time; from then on a thread reads it.
pub(super) struct Ahead(RefCell<AheadState>);

enum AheadState {
    Direct(Box<dyn Read + Send>),
    Threaded {
        blocks: Receiver<io::Result<Vec<u8>>>,
        /// The block received last and not completely read yet; `None` also at the end.
        block: Option<io::Result<Vec<u8>>>,
        read: usize,
    },
}

impl Ahead {
    pub(crate) fn new(source: impl Read + Send + 'static) -> Self {
        Self(RefCell::new(AheadState::Direct(Box::new(source))))
    }

    /// Implements [`super::Opened::within`].
    pub(crate) fn within(&self, time: Option<Duration>) -> io::Result<bool> {
        let state = &mut *self.0.borrow_mut();
        if let AheadState::Direct(source) = state {
            if cfg!(target_family = "wasm") {
                // There are no threads: without a time limit, waiting happens in the read itself.
                return match time {
                    None => Ok(true),
                    Some(Duration::ZERO) => Ok(false),
                    Some(_) => Err(io::Error::new(
                        ErrorKind::Unsupported,
                        "no time limit can be kept on this system",
                    )),
                };
            }
            let source = std::mem::replace(source, Box::new(io::empty()));
            let (sender, blocks) = sync_channel(AHEAD);
            thread::Builder::new().spawn(move || read_ahead(source, &sender))?;
            let (block, read) = (None, 0);
            *state = AheadState::Threaded {
                blocks,
                block,
                read,
            };
        }
        let AheadState::Threaded {
            blocks,
            block,
            read,
        } = state
        else {
            return Ok(true);
        };
        if block.is_none() {
            let received = match time {
                None => blocks.recv().ok(),
                Some(time) => match blocks.recv_timeout(time) {
                    Ok(received) => Some(received),
                    Err(RecvTimeoutError::Timeout) => return Ok(false),
                    Err(RecvTimeoutError::Disconnected) => None,
                },
            };
            (*block, *read) = (received, 0);
        }
        Ok(true)
    }
}

impl Read for &Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let AheadState::Direct(source) = &mut *self.0.borrow_mut() {
            return source.read(buffer);
        }
        self.within(None)?;
        let AheadState::Threaded { block, read, .. } = &mut *self.0.borrow_mut() else {
            return Ok(0);
        };
        let Some(bytes) = block.take().transpose()? else {
            return Ok(0);
        };
        let size = bytes.get(*read..).unwrap_or_default().read(buffer)?;
        *read += size;
        if *read < bytes.len() {
            *block = Some(Ok(bytes));
        }
        Ok(size)
    }
}

impl std::fmt::Debug for Ahead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}

/// Reads a source until its end, until an error, or until the receiver is dropped.
fn read_ahead(mut source: impl Read, blocks: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; BLOCK_SIZE];
    loop {
        let block = match read_once(&mut source, &mut buffer) {
            Ok(Some(0)) => return,
            Ok(Some(size)) => Ok(buffer.get(..size).unwrap_or_default().to_vec()),
            Ok(None) => Err(ErrorKind::WouldBlock.into()),
            Err(error) => Err(error),
        };
        let failed = block.is_err();
        if blocks.send(block).is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write, pipe};

    use super::*;

    const SOON: Option<Duration> = Some(Duration::from_millis(10));
    const LATE: Option<Duration> = Some(Duration::from_secs(60));

    fn live() -> (Ahead, PipeWriter) {
        let (reader, writer) = pipe().unwrap();
        (Ahead::new(reader), writer)
    }

    #[test]
    fn what_is_there_is_reported_and_read_in_pieces() {
        let (ahead, mut writer) = live();
        assert!(!ahead.within(Some(Duration::ZERO)).unwrap());
        assert!(!ahead.within(SOON).unwrap());
        writer.write_all(b"abc").unwrap();
        assert!(ahead.within(LATE).unwrap());
        let mut two = [0; 2];
        assert_eq!((&ahead).read(&mut two).unwrap(), 2);
        assert_eq!(&two, b"ab");
        assert!(ahead.within(Some(Duration::ZERO)).unwrap());
        assert_eq!((&ahead).read(&mut two).unwrap(), 1);
        assert_eq!(two[0], b'c');
        assert!(!ahead.within(SOON).unwrap());
        drop(writer);
        assert!(ahead.within(LATE).unwrap());
        for _ in 0..2 {
            assert_eq!((&ahead).read(&mut two).unwrap(), 0);
        }
    }

    #[test]
    fn who_does_not_ask_reads_at_first_hand() {
        let text = vec![7; 3 * BLOCK_SIZE + 1];
        for asks in [false, true] {
            let ahead = Ahead::new(io::Cursor::new(text.clone()));
            if asks {
                assert!(ahead.within(None).unwrap());
            }
            let mut read = Vec::new();
            (&ahead).read_to_end(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }

    #[test]
    fn an_error_is_handed_on_once_after_what_came_before_it() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::PermissionDenied.into())
            }
        }
        let ahead = Ahead::new(io::Cursor::new(b"a").chain(Fails));
        assert!(ahead.within(LATE).unwrap());
        let mut buffer = [0; 4];
        assert_eq!((&ahead).read(&mut buffer).unwrap(), 1);
        let error = (&ahead).read(&mut buffer).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        assert_eq!((&ahead).read(&mut buffer).unwrap(), 0);
    }
}
