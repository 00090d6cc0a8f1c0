//! Shortens commands to what people would type, and finds the informative parts of their output.

/// How lines begin that only prepare for a command.
const PREPARE: [&str; 7] = ["#", "set ", "cd ", "export ", "source ", ". ", "trap "];

/// Returns the command that a shell is called with, from the first line that does more than prepare. A change to the
/// `folder` that the agent works in is left out.
pub(crate) fn shown(command: &str, folder: Option<&str>) -> String {
    let own = of_shell(command);
    let unquoted = own.map(|own| unquoted(own).unwrap_or_else(|| own.to_owned()));
    let command = unquoted.as_deref().unwrap_or(command).trim();
    let here = folder.and_then(|folder| after_change(command, folder));
    let command = here.unwrap_or(command);
    let mut at = 0;
    for line in command.split_inclusive('\n') {
        let prepares = PREPARE
            .iter()
            .any(|begin| line.trim_start().starts_with(begin));
        let is_one = !line.contains(" && ") && !line.contains(';');
        if !(line.trim().is_empty() || prepares && is_one) {
            return command.get(at..).unwrap_or(command).to_owned();
        }
        at += line.len();
    }
    command.to_owned()
}

/// Returns the command that a shell is called with: `/bin/bash -lc COMMAND`, `sh -c COMMAND`.
fn of_shell(command: &str) -> Option<&str> {
    let called = command.strip_prefix("/bin/").unwrap_or(command);
    let (shell, rest) = called.split_once(' ')?;
    let own = (rest.strip_prefix("-lc ")).or_else(|| rest.strip_prefix("-c "))?;
    matches!(shell, "bash" | "zsh" | "sh").then_some(own)
}

/// Returns the command after `cd FOLDER && `.
fn after_change<'c>(command: &'c str, folder: &str) -> Option<&'c str> {
    let rest = command.strip_prefix("cd ")?;
    let quoted = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    let rest = quoted.strip_prefix(folder)?;
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    rest.trim_start().strip_prefix("&&").map(str::trim_start)
}

/// Returns the word that a shell makes of a quoted text; `None` if it is more than one.
fn unquoted(text: &str) -> Option<String> {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, c) if c.is_whitespace() => return None,
            (None, '\\') => word.extend(chars.next()),
            (Some('"'), '\\') => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                other => word.extend(std::iter::once('\\').chain(other)),
            },
            (_, c) => word.push(c),
        }
    }
    quote.is_none().then_some(word)
}

/// Returns a message without the tags that an agent puts around it (`<tool_use_error>…</tool_use_error>`).
pub(super) fn without_tags(message: &str) -> &str {
    let mut message = message.trim();
    while let Some(inner) = inside_tag(message) {
        message = inner.trim();
    }
    message
}

fn inside_tag(message: &str) -> Option<&str> {
    let (name, rest) = message.strip_prefix('<')?.split_once('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let sound = !name.is_empty() && name.chars().all(is_name);
    let inner = rest.strip_suffix('>')?.strip_suffix(name)?;
    inner.strip_suffix("</").filter(|_| sound)
}

/// Returns the exit code if a line contains nothing else: `Exit code 1`, `Exit Code: 1`. It is shown next to the call.
pub(super) fn exit_code(line: &str) -> Option<i64> {
    let line = line.trim().to_ascii_lowercase();
    let code = line.strip_prefix("exit code")?;
    code.trim_start_matches([':', ' ']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let folder = Some("/home/me/project");
        for (command, reported) in [
            ("cargo test", "cargo test"),
            ("/bin/bash -lc 'echo two'", "echo two"),
            ("/bin/bash -lc false", "false"),
            ("bash -lc echo two", "echo two"),
            (
                r#"/bin/zsh -lc "echo \"$HOME\" 'a'""#,
                r#"echo "$HOME" 'a'"#,
            ),
            (r#"bash -lc 'it'"'"'s'"#, "it's"),
            ("bash -lc 'open", "'open"),
            ("cd /home/me/project && make", "make"),
            ("cd \"/home/me/project/\" && make", "make"),
            (
                "cd /home/me/project2 && make",
                "cd /home/me/project2 && make",
            ),
            ("bash -lc 'cd /home/me/project && make'", "make"),
            (
                "#!/bin/sh\nset -e\n\ncd sub\nmake all\nmake install",
                "make all\nmake install",
            ),
            ("set -e; make", "set -e; make"),
            ("# nothing\nset -e", "# nothing\nset -e"),
            ("", ""),
        ] {
            assert_eq!(shown(command, folder), reported, "{command}");
        }
        assert_eq!(shown("cd /a && b", None), "cd /a && b");
    }

    #[test]
    fn what_agents_put_around_a_message_is_taken_off() {
        for (message, reported) in [
            (
                "<tool_use_error>File does not exist.</tool_use_error>",
                "File does not exist.",
            ),
            ("<a><b-c>\nx\n</b-c></a>", "x"),
            ("<a>x</b>", "<a>x</b>"),
            ("<a>x</a> y", "<a>x</a> y"),
            ("a < b > c", "a < b > c"),
            ("<></>", "<></>"),
        ] {
            assert_eq!(without_tags(message), reported);
        }
        assert_eq!(exit_code("Exit code 1"), Some(1));
        assert_eq!(exit_code(" exit code: 12 "), Some(12));
        assert_eq!(exit_code("Exit code 1 of make"), None);
        assert_eq!(exit_code("exit code"), None);
    }
}
