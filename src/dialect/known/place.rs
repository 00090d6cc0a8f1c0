//! Where in a line the words of a message are that message, and not just words.

use memchr::memmem;

/// Names of commands.
pub(super) type Commands = &'static [&'static str];

/// Where in a line a phrase is the message of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhrasePlace {
    /// Wherever it stands: nobody else says it.
    Anywhere,
    /// At the beginning, behind what a log or the agent puts before every message.
    First,
    /// The same, and a message stands behind it.
    Coded,
    /// Behind or before the name of one of these commands: `bash: line 1: gemini: `, `: codex`.
    Beside(Commands),
    /// Behind that name, as what starts another command says it: `env: 'gemini': `.
    Started(Commands),
    /// It begins with the name of a command.
    Name,
}

impl PhrasePlace {
    /// Whether it is between what is before and behind a phrase.
    pub(super) fn is_between(self, before: &[u8], behind: &[u8]) -> bool {
        match self {
            Self::Anywhere => true,
            Self::First => is_prefix(before),
            Self::Coded => is_prefix(before) && behind.starts_with(b" - "),
            Self::Beside(names) => {
                before_command(before, names).is_some() || begins_with_command(behind, names)
            }
            Self::Started(names) => before_command(before, names).is_some_and(is_starter),
            Self::Name => is_of_shell(before),
        }
    }
}

/// Words that logs put before a message although they look like prose: those of dates and the streams of containers.
const LOGGED: [&str; 21] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon",
    "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "stdout", "stderr",
];

/// Whether words before a message are what a log or the agent puts there: times, levels, paths, `ERROR:`, `agent-1  | `.
/// Prose, quotes and lists are not.
fn is_prefix(before: &[u8]) -> bool {
    let stops = |byte: &u8| matches!(byte, b'|' | b'\t');
    let text = behind_tag(before.rsplit(stops).next().unwrap_or_default());
    let quotes = |byte: &u8| matches!(byte, b'`' | b'"' | b'\'' | b'*');
    if text.iter().any(quotes) {
        return false;
    }
    let mut words = text
        .split(|&byte| byte == b' ')
        .filter(|word| !word.is_empty());
    let is_bullet = |word: &[u8]| {
        word.iter()
            .all(|byte| matches!(byte, b'-' | b'+' | b'#' | b'>'))
    };
    let is_of_prefix = |word: &[u8]| {
        word.iter()
            .any(|byte| byte.is_ascii_digit() || *byte == b'/')
            || matches!(word.last(), Some(b':' | b']' | b'>'))
            || !word.iter().any(u8::is_ascii_lowercase)
            || LOGGED.iter().any(|logged| logged.as_bytes() == word)
    };
    !words.clone().next().is_some_and(is_bullet) && words.all(is_of_prefix)
}

/// What stands behind the host and the tag that syslog puts before a message: `host claude[4711]: `.
fn behind_tag(text: &[u8]) -> &[u8] {
    const END: &[u8] = b"]: ";
    let parts = memmem::rfind(text, END).and_then(|at| text.split_at_checked(at));
    let Some((tag, behind)) = parts else {
        return text;
    };
    let number = tag.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let number = number.count();
    match tag.get(..tag.len() - number) {
        Some([.., b'[']) if number > 0 => behind.get(END.len()..).unwrap_or_default(),
        _ => text,
    }
}

/// What stands before the name of one of these commands, if a text ends with it as shells write it: `gemini: `,
/// `‘gemini’: `, `"/opt/gemini": `.
fn before_command(text: &[u8], names: Commands) -> Option<&[u8]> {
    let end = text.iter().rposition(|byte| !matches!(byte, b' ' | b':'))?;
    let text = unquoted_end(text.get(..=end)?);
    let path = text.iter().rposition(|byte| !is_of_path(*byte));
    let (before, path) = text.split_at_checked(path.map_or(0, |last| last + 1))?;
    is_command(path, names).then(|| unquoted_end(before))
}

/// Whether a text ends with the words of a command that starts another.
fn is_starter(text: &[u8]) -> bool {
    let starters = ["env: ", "failed to run command ", "can't execute "];
    starters
        .iter()
        .any(|words| text.ends_with(words.as_bytes()))
}

/// Whether one of these commands is the first word, as behind a shell's `command not found: `.
fn begins_with_command(text: &[u8], names: Commands) -> bool {
    let mut words = text
        .split(|byte| !is_of_path(*byte))
        .filter(|word| !word.is_empty());
    words.next().is_some_and(|word| is_command(word, names))
}

/// Whether a text is what a shell writes before the name of a command: `sh: 1: `, maybe with its folder.
fn is_of_shell(text: &[u8]) -> bool {
    let blank = text.iter().rposition(|&byte| byte == b' ');
    let (shell, folder) = text.split_at(blank.map_or(0, |blank| blank + 1));
    (shell.is_empty() || shell.ends_with(b": ")) && (folder.is_empty() || folder.ends_with(b"/"))
}

/// Whether a word is one of these commands, maybe with its folder.
fn is_command(word: &[u8], names: Commands) -> bool {
    let name = word.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    names.iter().any(|command| command.as_bytes() == name)
}

const fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/')
}

/// A text without a quote at its end.
fn unquoted_end(text: &[u8]) -> &[u8] {
    let quotes = ["'", "\"", "`", "‘", "’"];
    let strip = |quote: &&str| text.strip_suffix(quote.as_bytes());
    quotes.iter().find_map(strip).unwrap_or(text)
}
