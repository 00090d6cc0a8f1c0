//! Opens a source, and finds out whether a read of it would wait.

#[cfg(any(not(unix), test))]
mod ahead;

#[cfg(not(unix))]
use ahead::Ahead as Live;
#[cfg(unix)]
use std::fs::File as Live;
use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

/// An open source, to be read by reference.
#[derive(Debug)]
pub struct Opened {
    live: Live,
    /// Its length in bytes, if it is a regular file, whose reads never wait.
    length: Option<u64>,
}

impl Opened {
    /// Opens a source; standard input if there is no path.
    ///
    /// # Errors
    ///
    /// Fails if opening fails, and with [`io::ErrorKind::IsADirectory`] for a directory.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        match path {
            Some(path) => {
                let file = open_file(path).map_err(|error| match path.is_dir() {
                    // Windows reports that permission is denied.
                    true => io::ErrorKind::IsADirectory.into(),
                    false => error,
                })?;
                // A device on Windows is a file without metadata.
                let length = file.metadata().ok().map(regular).transpose()?.flatten();
                let live = live(file);
                Ok(Self { live, length })
            }
            None => standard_input(),
        }
    }

    /// Whether it is a regular file, whose reads never wait.
    #[must_use]
    pub const fn is_regular(&self) -> bool {
        self.length.is_some()
    }

    /// Whether there is something to read within this time; the end or an error counts too.
    ///
    /// # Errors
    ///
    /// Fails if the system call fails; with [`io::ErrorKind::Unsupported`] on systems that cannot keep a time limit.
    pub fn within(&self, time: Option<Duration>) -> io::Result<bool> {
        within(&self.live, time)
    }
}

impl Read for &Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.live).read(buffer)
    }
}

/// Returns the length of a source in bytes (standard input if there is no path); `None` if it is not a regular file.
#[must_use]
pub fn length(path: Option<&Path>) -> Option<u64> {
    match path {
        Some(path) => regular(metadata(path).ok()?).ok()?,
        None => standard_input().ok()?.length,
    }
}

/// Returns the length of a regular file, or `None`.
fn regular(metadata: std::fs::Metadata) -> io::Result<Option<u64>> {
    match metadata.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(metadata.is_file().then_some(metadata.len())),
    }
}

/// Opens a file. A FIFO without a writer is opened, too: waiting for the writer is part of reading, where output is
/// flushed before a wait and the time limit applies.
#[cfg(target_os = "linux")]
fn open_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    let mut options = File::options();
    if metadata(path)?.file_type().is_fifo() {
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.read(true).open(path)
}

/// Opens a file. On other systems a FIFO without a writer seems to have ended, so that its writer is awaited here.
#[cfg(not(target_os = "linux"))]
fn open_file(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens standard input without the buffer of the standard library.
#[cfg(unix)]
fn standard_input() -> io::Result<Opened> {
    use std::os::fd::AsFd;
    let live = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let length = regular(live.metadata()?)?;
    Ok(Opened { live, length })
}

/// Opens standard input, without checking whether it is a file: Windows takes some pipes for files.
#[cfg(not(unix))]
fn standard_input() -> io::Result<Opened> {
    Ok(Opened {
        live: Live::new(io::stdin()),
        length: None,
    })
}

#[cfg(unix)]
const fn live(file: File) -> Live {
    file
}

#[cfg(not(unix))]
fn live(file: File) -> Live {
    Live::new(file)
}

#[cfg(unix)]
fn within(file: &File, time: Option<Duration>) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    // A time that is too long for the system means forever.
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    loop {
        match poll(&mut [PollFd::new(file, PollFlags::IN)], time.as_ref()) {
            Ok(count) => return Ok(count > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
fn within(ahead: &Live, time: Option<Duration>) -> io::Result<bool> {
    ahead.within(time)
}
