//! Calls of tools, their results, and the files that they write.

use jsift_json::text::Text;

/// A tool call.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The id that the call's result refers to.
    pub id: Text<'a>,
    /// The name of the tool.
    pub name: Text<'a>,
    /// The parameters: JSON text without white space between its tokens.
    pub parameters: Text<'a>,
    /// The file or directory that the call is about.
    pub path: Option<Text<'a>>,
    /// The files that the call writes if it succeeds, if the call states them.
    pub writes: Vec<Write<'a>>,
}

/// A file that a tool writes.
#[derive(Debug, Clone)]
pub struct Write<'a> {
    /// The path of the file, as the record has it. Empty in a result that does not name the file; it is then the file
    /// that the call writes.
    pub path: Text<'a>,
    /// What is done to the file, if known.
    pub operation: Option<Operation>,
    /// How many lines are added and removed.
    pub lines: LineCounts,
}

/// How many lines of a file, or of several, are added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// Lines added, if known for every write.
    pub added: Option<u64>,
    /// Lines removed, if known for every write.
    pub removed: Option<u64>,
}

impl LineCounts {
    /// Returns what `count` makes of both numbers of each pair.
    fn with(self, other: Self, count: impl Fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        Self {
            added: count(self.added, other.added),
            removed: count(self.removed, other.removed),
        }
    }

    /// Returns the sum. A number that is unknown in either part is unknown in the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| Some(a?.saturating_add(b?)))
    }
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The file is new.
    Create,
    /// The file existed before.
    Update,
    /// The file is deleted.
    Delete,
}

impl Operation {
    /// Returns what was done to a file that `existed` before or not.
    pub(crate) const fn on(existed: bool) -> Self {
        match existed {
            true => Self::Update,
            false => Self::Create,
        }
    }

    /// Returns the word for this operation in the member `operation`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// How a tool call ended, according to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolStatus {
    /// The tool did its work.
    #[default]
    Success,
    /// The tool failed.
    Error,
    /// The call was not permitted.
    Denied,
}

/// The result of a tool call.
#[derive(Debug, Clone)]
pub struct ToolResult<'a> {
    /// The id of the call.
    pub id: Text<'a>,
    /// How the call ended.
    pub status: ToolStatus,
    /// The tool's output.
    pub output: Option<Text<'a>>,
    /// What went wrong.
    pub error: Option<Text<'a>>,
    /// The exit code of a command, if the record states it.
    pub exit_code: Option<i64>,
    /// The duration of the call in milliseconds.
    pub duration_ms: Option<u64>,
    /// The files that the call wrote, if the result states them. Otherwise the files stated by the call count.
    pub writes: Vec<Write<'a>>,
    /// The call itself, if one record states both call and result. It counts only if no call with this id is waiting
    /// for its result.
    pub call: Option<Box<Call<'a>>>,
}

/// How often a tool was called and how these calls ended. A call without a result counts only in `calls`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All calls.
    pub calls: u64,
    /// Calls that succeeded.
    pub success: u64,
    /// Calls that failed.
    pub error: u64,
    /// Calls that were denied; they are not included in `error`.
    pub denied: u64,
    /// The duration of all calls together, in milliseconds, if known.
    pub duration_ms: Option<u64>,
}

impl<'a> Call<'a> {
    /// Returns a call that is about the first file that it writes.
    pub(crate) fn writing(
        id: Text<'a>,
        name: Text<'a>,
        parameters: Text<'a>,
        writes: Vec<Write<'a>>,
    ) -> Self {
        Self {
            id,
            name,
            parameters,
            path: writes.first().map(|write| write.path.clone()),
            writes,
        }
    }

    /// Returns an owned copy of the call.
    #[must_use]
    pub fn into_owned(self) -> Call<'static> {
        Call {
            id: self.id.into_owned(),
            name: self.name.into_owned(),
            parameters: self.parameters.into_owned(),
            path: self.path.map(Text::into_owned),
            writes: self.writes.into_iter().map(Write::into_owned).collect(),
        }
    }
}

impl<'a> Write<'a> {
    /// Returns a write of a file, with the lines that it adds and removes, if these are known.
    #[must_use]
    pub fn new(path: Text<'a>, operation: Option<Operation>, lines: Option<(u64, u64)>) -> Self {
        let (added, removed) = lines.unzip();
        Self {
            path,
            operation,
            lines: LineCounts { added, removed },
        }
    }

    /// Returns the write that a result states, with what it leaves open filled in from the call.
    #[must_use]
    pub fn or(self, call: &Self) -> Self {
        Self {
            path: match self.path.is_empty() {
                true => call.path.clone(),
                false => self.path,
            },
            operation: self.operation.or(call.operation),
            lines: self.lines.with(call.lines, Option::or),
        }
    }

    /// Returns an owned copy of the write.
    #[must_use]
    pub fn into_owned(self) -> Write<'static> {
        Write {
            path: self.path.into_owned(),
            operation: self.operation,
            lines: self.lines,
        }
    }
}

impl ToolStatus {
    /// How a call ended that `failed` or not; a failure may be because the call was `denied`.
    #[must_use]
    pub const fn of(failed: bool, denied: bool) -> Self {
        match (failed, denied) {
            (false, _) => Self::Success,
            (true, true) => Self::Denied,
            (true, false) => Self::Error,
        }
    }
}

impl<'a> ToolResult<'a> {
    /// The result of a call of which nothing is known but how it ended.
    #[must_use]
    pub const fn new(id: Text<'a>, status: ToolStatus) -> Self {
        Self {
            id,
            status,
            output: None,
            error: None,
            exit_code: None,
            duration_ms: None,
            writes: Vec::new(),
            call: None,
        }
    }

    /// The result of a call that the same record states.
    pub(crate) fn of_call(call: Call<'a>, status: ToolStatus) -> Self {
        let id = call.id.clone();
        Self {
            call: Some(Box::new(call)),
            ..Self::new(id, status)
        }
    }

    /// The result of a call with one text, which is the output or says what went wrong.
    #[must_use]
    pub fn of_text(id: Text<'a>, status: ToolStatus, text: Option<Text<'a>>) -> Self {
        let (output, error) = match status {
            ToolStatus::Success => (text, None),
            ToolStatus::Error | ToolStatus::Denied => (None, text),
        };
        Self {
            output,
            error,
            ..Self::new(id, status)
        }
    }
}
