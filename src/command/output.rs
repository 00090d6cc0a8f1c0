//! The output of a run: a stream, or a file that is replaced as a whole or not at all.
//!
//! This is the last module that the data passes. Sinks write into an [`Output`] and need not check for errors: it
//! remembers the first one, drops everything after it, and [`Output::commit`] reports it once. So a run goes on reading
//! its sources even if nobody reads its results any more, and the producers of the sources get no SIGPIPE.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IoSlice, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jsift_json::write::{PAGE, Room};
use jsift_outcome::Outcome;
use jsift_sink::diagnostic::{Diagnostic, source_name};

/// The size of the buffer in bytes; when it is full, it is written without a flush.
const BUFFER: usize = 64 * 1024;

/// The step by which the buffer grows, in bytes.
const GROWTH: usize = 4 * 1024;

/// The size in bytes from which a text is written directly, without being copied into the buffer.
const LARGE: usize = BUFFER / 2;

/// How long to wait before writing again to a non-blocking stream that is full.
const RETRY: Duration = Duration::from_millis(2);

/// The destination of a run's results.
///
/// Results are buffered until the buffer is full or until [`Write::flush`], which must be called before every read that
/// could block. Neither writing nor flushing returns an error.
pub(crate) struct Output<'w> {
    target: OutputTarget<'w>,
    /// The buffer; its first `filled` bytes are in use. It grows up to [`BUFFER`] before anything is written, so that
    /// few results touch little memory.
    buffer: Vec<u8>,
    filled: usize,
    /// What messages call the output.
    name: String,
    /// Whether anything was written, and not just buffered.
    written: bool,
    /// Whether what was written last is in the middle of a line.
    open_line: bool,
    /// Whether a line feed is written before anything else; then there is no buffer, so that the next write makes room.
    owes_feed: bool,
    end: Option<WriteEnd>,
}

enum OutputTarget<'w> {
    Nowhere,
    Stream(Box<dyn Write + Send + 'w>),
    /// A character device that was named as a file; it may be a terminal.
    Device(File),
    /// A regular file that is written at the end: until then the results are in a file without a name, which cannot be
    /// left over.
    Replacement {
        path: PathBuf,
        results: File,
    },
}

/// Why nothing is written any more.
enum WriteEnd {
    /// The reader closed the stream.
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
            open_line: false,
            owes_feed: false,
            end: None,
        }
    }

    /// Returns an output that drops all results.
    #[must_use]
    pub(crate) fn nowhere() -> Self {
        Self::new(OutputTarget::Nowhere, String::new())
    }

    /// Returns an output to a stream, normally standard output.
    #[must_use]
    pub(crate) fn stream(stream: impl Write + Send + 'w) -> Self {
        Self::new(
            OutputTarget::Stream(Box::new(stream)),
            "<stdout>".to_owned(),
        )
    }

    /// Returns an output to a file. A regular file is written when the output is [committed](Self::commit), and not
    /// before; any other file is written directly.
    ///
    /// # Errors
    ///
    /// Fails if the file, or a file next to it, cannot be written.
    pub(crate) fn file(path: &Path) -> io::Result<Self> {
        let open = || OpenOptions::new().write(true).open(path);
        let target = match fs::metadata(path) {
            // These are opened by the given name: where the link `/dev/stdout` leads to a pipe, its target is not a
            // path.
            Ok(metadata) if is_device(&metadata) => OutputTarget::Device(open()?),
            Ok(metadata) if !metadata.is_file() => OutputTarget::Stream(Box::new(open()?)),
            Ok(_) => {
                // A file that must not be written must not be replaced either.
                open()?;
                OutputTarget::replacement(after_links(path))?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                OutputTarget::replacement(after_links(path))?
            }
            // A device of Windows can be opened, but has no metadata.
            Err(_) => OutputTarget::Device(open()?),
        };
        Ok(Self::new(target, source_name(Some(path))))
    }

    /// Returns whether further results are dropped because writing has failed or the reader is gone.
    #[must_use]
    pub(crate) const fn is_closed(&self) -> bool {
        self.end.is_some()
    }

    /// Returns whether results have been written already, where somebody may see them.
    #[must_use]
    pub(crate) const fn has_written(&self) -> bool {
        self.written
    }

    /// Returns whether what was written last is in the middle of a line, which the caller ends.
    pub(crate) const fn take_open_line(&mut self) -> bool {
        std::mem::replace(&mut self.open_line, false)
    }

    /// Returns whether results appear as a whole or not at all.
    #[must_use]
    pub(crate) const fn is_replacement(&self) -> bool {
        matches!(self.target, OutputTarget::Replacement { .. })
    }

    /// Returns the message that a file is not written, since the run ended with this outcome; `None` for other outputs.
    #[must_use]
    pub(crate) fn left_untouched(&self, outcome: Outcome) -> Option<Diagnostic> {
        let text = format!("left as it was: the exit code is {}", outcome.code());
        let message = || Diagnostic::note(text).of(self.name.as_str());
        self.is_replacement().then(message)
    }

    /// Returns whether results go to a device that was named as a file, which may be a terminal.
    #[must_use]
    pub(crate) const fn is_device(&self) -> bool {
        matches!(self.target, OutputTarget::Device(_))
    }

    /// Ends a text without a line feed before anything else is written.
    pub(crate) fn owe_feed(&mut self) {
        self.drain();
        self.buffer = Vec::new();
        self.owes_feed = true;
    }

    /// Writes `text` followed by the byte `end`.
    ///
    /// # Errors
    ///
    /// Never fails, like [`Write::write_all`] here.
    #[inline(always)]
    pub(crate) fn write_ended(&mut self, text: &[u8], end: u8) -> io::Result<()> {
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

    /// Ends the run: writes what is buffered and, if the results are `complete`, puts the file in its place.
    /// `before_rename` is called when everything is written and only the name is missing: from then on a signal must
    /// not end the run.
    ///
    /// Returns the outcome of the run and its output: `success` if the reader closed the stream, whatever the outcome
    /// was before.
    ///
    /// # Errors
    ///
    /// Fails if a write failed.
    pub(crate) fn commit(
        mut self,
        outcome: Outcome,
        complete: bool,
        before_rename: &dyn Fn(),
    ) -> anyhow::Result<Outcome> {
        self.drain();
        if let OutputTarget::Replacement { path, results } = &mut self.target
            && complete
            && self.end.is_none()
        {
            let failed = replace(path, results, before_rename).err();
            self.end = failed.map(WriteEnd::Failed);
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

    /// Writes what is buffered.
    fn drain(&mut self) {
        self.pass(&[], &[]);
    }

    /// Writes text that the buffer has no room for, or that is too large to be copied.
    #[cold]
    fn overflow(&mut self, text: &[u8], end: &[u8]) -> io::Result<()> {
        if text.len() >= LARGE {
            self.pay_feed();
            self.pass(text, end);
            return Ok(());
        }
        self.make_room(text.len() + end.len());
        self.write_all(text)?;
        self.write_all(end)
    }

    /// Makes room for `size` bytes, at most [`LARGE`] and one, by writing the buffer if it would be full, or by growing
    /// it.
    #[cold]
    fn make_room(&mut self, size: usize) {
        self.pay_feed();
        if self.filled + size > BUFFER {
            self.drain();
        }
        let end = (self.filled + size).next_multiple_of(GROWTH);
        if self.buffer.len() < end {
            self.buffer.reserve_exact(BUFFER - self.buffer.len());
            self.buffer.resize(end, 0);
        }
    }

    /// Writes the line feed that an earlier text lacks.
    fn pay_feed(&mut self) {
        if std::mem::take(&mut self.owes_feed) {
            self.pass(b"\n", &[]);
        }
    }

    /// Writes what is buffered, then `text` and `end`; drops them if the output is closed.
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
        if let Some(last) = parts.iter().rev().find_map(|part| part.last()) {
            self.written = true;
            self.open_line = !matches!(last, b'\n' | b'\r');
        }
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

impl OutputTarget<'_> {
    fn replacement(path: PathBuf) -> io::Result<Self> {
        let folder = folder(&path);
        let results = unnamed(folder).or_else(|_| tempfile::tempfile_in(folder))?;
        Ok(Self::Replacement { path, results })
    }
}

/// Returns whether a file is a character device, as terminals are.
#[cfg(unix)]
fn is_device(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device()
}

/// Returns whether a file is a character device, as terminals are.
#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

/// Writes like `Write::write_all`, but waits if another program made the stream non-blocking.
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

/// Replaces the file at `path` by `results`: puts them next to it under another name first, then renames that.
///
/// Signals that can be handled do not end the run between these two steps. If it is killed there, a file is left over,
/// so nothing that takes time happens in between.
fn replace(path: &Path, results: &mut File, before_rename: &dyn Fn()) -> io::Result<()> {
    keep_mode(path, results)?;
    results.sync_all()?;
    before_rename();
    let linked = builder().make_in(folder(path), |alongside| link(results, alongside));
    match linked {
        Ok(alongside) => drop(alongside.persist(path)?),
        Err(_) => copy(path, results)?,
    }
    // The results are in place already; syncing the folder only makes the new name durable, where that is possible.
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Gives a file the permissions of the one at `path`, if that exists. Whoever executes the new file must not get the
/// rights of its owner, who may be another than that of the old file: the set-user-ID, set-group-ID and sticky bits are
/// left out.
fn keep_mode(path: &Path, file: &File) -> io::Result<()> {
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut permissions = metadata.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        permissions.set_mode(permissions.mode() & 0o777);
    }
    file.set_permissions(permissions)
}

/// Works like [`replace`] on systems where a file without a name cannot be given one.
fn copy(path: &Path, results: &mut File) -> io::Result<()> {
    let mut file = builder().tempfile_in(folder(path))?;
    keep_mode(path, file.as_file())?;
    results.rewind()?;
    io::copy(results, file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Returns a builder of files in the same folder as another one.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut alongside = tempfile::Builder::new();
    alongside.prefix(".jsift-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        alongside.permissions(fs::Permissions::from_mode(NEW));
    }
    alongside
}

/// The mode of a new file, before the umask is applied.
#[cfg(unix)]
const NEW: u32 = 0o666;

/// Returns a new file in a folder, without a name; [`link`] can give it one.
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

/// Returns the folder that contains a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Returns one path for all spellings of a regular file, even if it does not exist yet. Several reports may go to one
/// terminal, so the path of any other file stays as it is.
pub(crate) fn one_path(path: &Path) -> PathBuf {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return path.to_owned();
    }
    let path = after_links(path);
    let in_folder = || {
        Some(
            fs::canonicalize(folder(&path))
                .ok()?
                .join(path.file_name()?),
        )
    };
    let canonical = fs::canonicalize(&path).ok().or_else(in_folder);
    canonical.unwrap_or(path)
}

/// Returns the path that symbolic links lead to, even if no file exists there yet.
fn after_links(path: &Path) -> PathBuf {
    /// The number of links that Linux follows.
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
