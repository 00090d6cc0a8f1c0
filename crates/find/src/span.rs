//! Positions in a source.

/// A position in a source, counted in bytes of the source as it was read.
///
/// ```
/// let document = jsift::extract("status:\n  {\"ok\": true}\n")?;
/// let at = document.position();
/// assert_eq!((at.line, at.column, at.offset), (2, 3, 10));
/// # Ok::<(), jsift::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// 1 + the number of line feeds before the position.
    pub line: u64,
    /// 1-based, in bytes.
    pub column: u64,
    /// 0-based, in bytes.
    pub offset: u64,
}

impl Position {
    /// The position of the first byte of a source.
    pub const START: Self = Self {
        line: 1,
        column: 1,
        offset: 0,
    };
}

impl Default for Position {
    fn default() -> Self {
        Self::START
    }
}
