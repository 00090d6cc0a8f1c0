//! Where results go: a stream, or a file that appears whole or not at all.
//!
//! The last room in the way of the data. Sinks write into an [`Output`] and need not look at errors: what went wrong is
//! remembered, everything behind it is dropped, and [`Output::commit`] says it once. So a run goes on reading its
//! sources when nobody reads its results any more, and their producers get no SIGPIPE.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IoSlice, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::diagnostic::{Diagnostic, source_name};
use crate::json::write::{PAGE, Room};
use crate::outcome::Outcome;

/// How much is gathered before it is written without being asked, in bytes.
const BUFFER: usize = 64 * 1024;

/// How much it grows by, in bytes.
const GROWTH: usize = 4 * 1024;

/// From here on a text is written from where it stands instead of being gathered, in bytes.
const LARGE: usize = BUFFER / 2;

/// How long to wait before a stream that does not block is tried again.
const RETRY: Duration = Duration::from_millis(2);

/// Takes the results of a run.
///
/// Results are buffered until [`Write::flush`], which is to be called before every read that could block, or until the
/// buffer is full. Neither fails.
pub struct Output<'w> {
    target: OutputTarget<'w>,
    /// Room for results, of which the first `filled` bytes are taken. It grows up to [`BUFFER`] before anything is
    /// written, so that few results touch little memory.
    buffer: Vec<u8>,
    filled: usize,
    /// How results are called in messages.
    name: String,
    /// Whether anything was written, and not only buffered.
    written: bool,
    end: Option<WriteEnd>,
}

enum OutputTarget<'w> {
    Nowhere,
    Stream(Box<dyn Write + 'w>),
    /// What was named as a file and is of the kind that terminals are.
    Device(File),
    /// A regular file to come: the results so far, in a file that has no name and so cannot be left behind.
    Replacement {
        path: PathBuf,
        results: File,
    },
}

/// Why nothing is written any more.
enum WriteEnd {
    /// The reader went away.
    Gone,
    Failed(io::Error),
}

impl<'w> Output<'w> {
    fn new(target: OutputTarget<'w>, name: String) -> Self {
        Self {
            target,
            buffer: Vec::new(),
            filled: 0,
            name,
            written: false,
            end: None,
        }
    }

    /// Results are dropped.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::new(OutputTarget::Nowhere, String::new())
    }

    /// Results go to a stream, normally standard output.
    #[must_use]
    pub fn stream(stream: impl Write + 'w) -> Self {
        Self::new(
            OutputTarget::Stream(Box::new(stream)),
            "<stdout>".to_owned(),
        )
    }

    /// Results go to a file when they are [committed](Self::commit), and not before; to anything but a regular file
    /// they go directly.
    ///
    /// # Errors
    ///
    /// When the file, or one beside it, cannot be written.
    pub fn file(path: &Path) -> io::Result<Self> {
        let open = || OpenOptions::new().write(true).open(path);
        let target = match fs::metadata(path) {
            // As they are called: what the link `/dev/stdout` says of a pipe is no path.
            Ok(metadata) if is_device(&metadata) => OutputTarget::Device(open()?),
            Ok(metadata) if !metadata.is_file() => OutputTarget::Stream(Box::new(open()?)),
            Ok(_) => {
                // A file that may not be written shall not be replaced either.
                open()?;
                OutputTarget::replacement(behind_links(path))?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                OutputTarget::replacement(behind_links(path))?
            }
            // A device of Windows can be opened, and nothing else is told of it.
            Err(_) => OutputTarget::Device(open()?),
        };
        Ok(Self::new(target, source_name(Some(path))))
    }

    /// Whether nothing that is written now can arrive any more.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.end.is_some()
    }

    /// Whether results have been written already, where somebody may see them.
    #[must_use]
    pub const fn has_written(&self) -> bool {
        self.written
    }

    /// Whether results appear whole or not at all.
    #[must_use]
    pub const fn is_replacement(&self) -> bool {
        matches!(self.target, OutputTarget::Replacement { .. })
    }

    /// Whether results go to a device that was named as a file, which may be a terminal.
    #[must_use]
    pub const fn is_device(&self) -> bool {
        matches!(self.target, OutputTarget::Device(_))
    }

    /// Writes `text` and the byte behind it.
    ///
    /// # Errors
    ///
    /// Never, as [`Write::write_all`].
    #[inline(always)]
    pub fn write_ended(&mut self, text: &[u8], end: u8) -> io::Result<()> {
        let last = self.filled + text.len();
        match self.buffer.get_mut(self.filled..=last) {
            Some([room @ .., place]) if text.len() < LARGE => {
                room.copy_from_slice(text);
                *place = end;
                self.filled = last + 1;
                Ok(())
            }
            _ => self.overflow(text, &[end]),
        }
    }

    /// Ends the run: writes what is buffered, and at success puts the file in its place.
    ///
    /// Gives the outcome of the run with its output: `success` if the reader went away, whatever else was found out for
    /// nobody.
    ///
    /// # Errors
    ///
    /// A write that failed.
    pub fn commit(mut self, outcome: Outcome) -> anyhow::Result<Outcome> {
        self.drain();
        if outcome == Outcome::Success && self.end.is_none() {
            self.end = self.put_in_place().err().map(WriteEnd::Failed);
        }
        match self.end {
            None => Ok(outcome),
            Some(WriteEnd::Gone) => Ok(Outcome::Success),
            Some(WriteEnd::Failed(error)) => {
                let message = Diagnostic::error("cannot write").of(self.name);
                Err(anyhow::Error::new(error).context(message))
            }
        }
    }

    fn put_in_place(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputTarget::Replacement { path, results } => replace(path, results),
            OutputTarget::Nowhere | OutputTarget::Stream(_) | OutputTarget::Device(_) => Ok(()),
        }
    }

    /// Writes what is buffered.
    fn drain(&mut self) {
        self.pass(&[], &[]);
    }

    /// Takes what the buffer has no room for, or what is not copied once more because it is large.
    #[cold]
    fn overflow(&mut self, text: &[u8], end: &[u8]) -> io::Result<()> {
        if text.len() >= LARGE {
            self.pass(text, end);
            return Ok(());
        }
        self.make_room(text.len() + end.len());
        self.write_all(text)?;
        self.write_all(end)
    }

    /// Makes room for so many bytes, which are no more than [`LARGE`] and one: first what the buffer may grow by, then what
    /// it holds.
    #[cold]
    fn make_room(&mut self, size: usize) {
        if self.filled + size > BUFFER {
            self.drain();
        }
        let end = (self.filled + size).next_multiple_of(GROWTH);
        if self.buffer.len() < end {
            self.buffer.reserve_exact(BUFFER - self.buffer.len());
            self.buffer.resize(end, 0);
        }
    }

    /// Writes what is buffered and a text behind it with its end, or drops them if there is no way to.
    fn pass(&mut self, text: &[u8], end: &[u8]) {
        let filled = std::mem::take(&mut self.filled);
        if self.is_closed() {
            return;
        }
        let buffered = self.buffer.get(..filled).unwrap_or_default();
        let parts = [buffered, text, end].map(IoSlice::new);
        let target: &mut dyn Write = match &mut self.target {
            OutputTarget::Nowhere => return,
            OutputTarget::Stream(stream) => stream,
            OutputTarget::Device(file) | OutputTarget::Replacement { results: file, .. } => file,
        };
        self.written |= parts.iter().any(|part| !part.is_empty());
        self.end = match write_all(target, parts).and_then(|()| target.flush()) {
            Ok(()) => None,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Some(WriteEnd::Gone),
            Err(error) => Some(WriteEnd::Failed(error)),
        };
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.filled + bytes.len();
        match self.buffer.get_mut(self.filled..end) {
            Some(room) if bytes.len() < LARGE => room.copy_from_slice(bytes),
            _ => return self.overflow(bytes, &[]),
        }
        self.filled = end;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.filled > 0 {
            self.drain();
        }
        Ok(())
    }
}

impl Room for Output<'_> {
    #[inline(always)]
    fn page(&mut self, put: impl FnOnce(&mut [u8; PAGE]) -> usize) -> io::Result<()> {
        if self.buffer.len() - self.filled < PAGE {
            self.make_room(PAGE);
        }
        let room = self.buffer.get_mut(self.filled..);
        if let Some(page) = room.and_then(<[u8]>::first_chunk_mut) {
            self.filled += put(page);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("name", &self.name)
            .field("buffered", &self.filled)
            .finish_non_exhaustive()
    }
}

impl OutputTarget<'_> {
    fn replacement(path: PathBuf) -> io::Result<Self> {
        let folder = folder(&path);
        let results = unnamed(folder).or_else(|_| tempfile::tempfile_in(folder))?;
        Ok(Self::Replacement { path, results })
    }
}

/// Whether a file is of the kind that terminals are.
#[cfg(unix)]
fn is_device(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device()
}

/// Whether a file is of the kind that terminals are.
#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

/// As `Write::write_all`, and a stream that somebody made non-blocking is waited for.
fn write_all(target: &mut dyn Write, mut parts: [IoSlice<'_>; 3]) -> io::Result<()> {
    let mut rest = parts.as_mut_slice();
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match target.write_vectored(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut rest, written),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(RETRY),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Puts `results` in the place of the file at `path`: beside it first, then over it.
///
/// Whoever kills the run between these two leaves a file behind, so nothing that takes time is done there.
fn replace(path: &Path, results: &mut File) -> io::Result<()> {
    if let Ok(metadata) = fs::metadata(path) {
        results.set_permissions(metadata.permissions())?;
    }
    results.sync_all()?;
    let linked = builder().make_in(folder(path), |beside| link(results, beside));
    match linked {
        Ok(beside) => drop(beside.persist(path)?),
        Err(_) => copy(path, results)?,
    }
    // The new name is as safe as the file system makes it; the results are there either way.
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// As [`replace`], where a file without a name cannot be given one.
fn copy(path: &Path, results: &mut File) -> io::Result<()> {
    let mut file = builder().tempfile_in(folder(path))?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    results.rewind()?;
    io::copy(results, file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Makes files beside another one.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut beside = tempfile::Builder::new();
    beside.prefix(".jsift-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        beside.permissions(fs::Permissions::from_mode(NEW));
    }
    beside
}

/// What the umask leaves of it is the mode of a new file.
#[cfg(unix)]
const NEW: u32 = 0o666;

/// A file in a folder that has no name, but can get one.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(NEW);
    options.custom_flags(flags).open(folder)
}

/// Gives an [unnamed] file a name.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The path that symbolic links lead to, also where nothing is yet.
fn behind_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = folder(&path).join(link),
            Err(_) => break,
        }
    }
    path
}

#[cfg(test)]
mod tests;
