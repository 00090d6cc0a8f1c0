//! Decides whether the words of a message are that message, or just words, by their place in the line.

use crate::dialect::names::has_word;
use crate::syslog::after_header;
use memchr::memchr_iter;

/// Names of commands.
pub(in crate::dialect) type Commands = &'static [&'static str];

/// The place in a line at which a phrase is an agent's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum PhrasePlace {
    /// Any place: nobody else prints it.
    Anywhere,
    /// At the start of the line, after the prefix of a log or of the agent.
    First,
    /// At the start of the line as `First`, with a message after it.
    Coded,
    /// After or before the name of one of these commands: `bash: line 1: gemini: `, `: codex`.
    Alongside(Commands),
    /// After the name of one of these commands in the message of a program that starts it: `env: 'gemini': `.
    Started(Commands),
    /// A shell's message that starts with the name of a command.
    Name,
}

impl PhrasePlace {
    /// Whether a phrase between `before` and `after` is in this place.
    pub(in crate::dialect) fn is_between(self, before: &[u8], after: &[u8]) -> bool {
        match self {
            Self::Anywhere => true,
            Self::First => is_prefix(before),
            Self::Coded => is_prefix(before) && after.starts_with(b" - "),
            Self::Alongside(names) => {
                before_command(before, names).is_some() || begins_with_command(after, names)
            }
            Self::Started(names) => before_command(before, names).is_some_and(is_starter),
            Self::Name => is_of_shell(before),
        }
    }
}

/// Words that logs put before a message although they look like prose: parts of dates, and the streams of containers.
const LOGGED: [&str; 21] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon",
    "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "stdout", "stderr",
];

/// Whether the text before a message is a prefix of a log or of the agent, such as `agent-1  | `, `ERROR:`, times,
/// levels or paths, or what syslog writes. Prose, quotes and lists are no prefix.
fn is_prefix(before: &[u8]) -> bool {
    let stops = |byte: &u8| matches!(byte, b'|' | b'\t');
    let text = before.rsplit(stops).next().unwrap_or_default();
    let text = after_header(text).unwrap_or(text);
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
    let is_time = |word: &[u8]| memchr_iter(b':', word).count() > 1;
    // The word after a time is the name of a host.
    let mut is_host = false;
    !words.clone().next().is_some_and(is_bullet)
        && words.all(|word| std::mem::replace(&mut is_host, is_time(word)) || is_of_prefix(word))
}

/// Returns the text before the name of one of these commands, if `text` ends with the name as shells write it: `gemini:
/// `, `‘gemini’: `, `"/opt/gemini": `.
fn before_command(text: &[u8], names: Commands) -> Option<&[u8]> {
    let end = text.iter().rposition(|byte| !matches!(byte, b' ' | b':'))?;
    let text = unquoted_end(text.get(..=end)?);
    let path = text.iter().rposition(|byte| !is_of_path(*byte));
    let (before, path) = text.split_at_checked(path.map_or(0, |last| last + 1))?;
    is_command(path, names).then(|| unquoted_end(before))
}

/// Whether a text ends with the words of a program that starts another command.
fn is_starter(text: &[u8]) -> bool {
    let starters = ["env: ", "failed to run command ", "can't execute "];
    starters
        .iter()
        .any(|words| text.ends_with(words.as_bytes()))
}

/// Whether the first word of `text` is one of these commands, as after a shell's `command not found: `.
fn begins_with_command(text: &[u8], names: Commands) -> bool {
    let mut words = text
        .split(|byte| !is_of_path(*byte))
        .filter(|word| !word.is_empty());
    words.next().is_some_and(|word| is_command(word, names))
}

/// Whether `text` is a shell's prefix before the name of a command: `sh: 1: `, optionally with the command's folder.
fn is_of_shell(text: &[u8]) -> bool {
    let blank = text.iter().rposition(|&byte| byte == b' ');
    let (shell, folder) = text.split_at(blank.map_or(0, |blank| blank + 1));
    (shell.is_empty() || shell.ends_with(b": ")) && (folder.is_empty() || folder.ends_with(b"/"))
}

/// Whether a word is one of these commands, with or without its folder.
fn is_command(word: &[u8], names: Commands) -> bool {
    let name = word.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    has_word(names, name)
}

const fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/')
}

/// Returns the text without a quote at its end.
fn unquoted_end(text: &[u8]) -> &[u8] {
    let quotes = ["'", "\"", "`", "‘", "’"];
    let strip = |quote: &&str| text.strip_suffix(quote.as_bytes());
    quotes.iter().find_map(strip).unwrap_or(text)
}
