//! The parts of a tool call that are shown: its key argument and its to-do list.

use super::command;
use super::flow::relative;
use jsift_agents::event::Event;
use jsift_json::text::Text;
use jsift_json::view::{Kind, Object, Value};

/// Parameters that say what a call is about, the most informative first.
const KEYS: &str = "command cmd file_path filePath absolute_path notebook_path path pattern query url \
    description subject prompt skill name title dir_path directory";

/// The members that contain a to-do list.
const TODO_LISTS: [&str; 3] = ["todos", "plan", "items"];
/// The maximum number of to-do items that are shown.
const TODOS: usize = 20;

/// Returns what a call is about, in a few words, and whether that is a path. Paths are as seen from `folder`.
pub(crate) fn argument(
    event: &Event<'_>,
    parameters: Value<'_>,
    folder: Option<&str>,
) -> (String, bool) {
    let key = key_argument(parameters).or_else(|| event.path.cloned());
    let key = key.unwrap_or_default();
    let is_path = event.path == Some(&key);
    let text = key.to_string_lossy();
    let text = match is_path {
        true => relative(&text, folder).to_owned(),
        false if is_command(parameters) => command::shown(&text, folder),
        false => text.into_owned(),
    };
    (text, is_path)
}

/// Returns the argument of a call that is most informative about it.
fn key_argument<'a>(parameters: Value<'a>) -> Option<Text<'a>> {
    let object = Object::new(parameters)?;
    KEYS.split(' ')
        .find_map(|key| object.get(key).and_then(words))
        .or_else(|| object.members().find_map(|(_, value)| words(value)))
}

/// Returns whether the key argument is a command.
pub(crate) fn is_command(parameters: Value<'_>) -> bool {
    let commands = ["command", "cmd"]
        .iter()
        .filter_map(|key| parameters.get(key));
    commands.filter_map(words).next().is_some()
}

/// Returns a string, or the joined strings of an array, such as the words of a command.
fn words(value: Value<'_>) -> Option<Text<'_>> {
    if value.kind() != Kind::Array {
        return value.text().filter(|text| !text.is_blank());
    }
    let words: Option<Vec<Text<'_>>> = value.elements().map(Value::text).collect();
    let words = words.filter(|words| !words.is_empty())?;
    let mut line = Text::EMPTY;
    for (place, word) in words.iter().enumerate() {
        line.push_str(if place == 0 { "" } else { " " });
        line.push(word);
    }
    Some(line)
}

/// How far a to-do item has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepProgress {
    Open,
    Begun,
    Done,
}

/// Returns whether the parameter with this name may contain a to-do list.
#[cfg(feature = "html")]
pub(crate) fn is_todos(name: &str) -> bool {
    TODO_LISTS.contains(&name)
}

/// Returns the to-do list that a call sets; empty if it sets none.
pub(crate) fn todos(parameters: Value<'_>) -> Vec<(StepProgress, Text<'_>)> {
    let list = TODO_LISTS.iter().find_map(|key| parameters.get(key));
    list.map(todos_in).unwrap_or_default()
}

/// Returns the items of a to-do list.
pub(crate) fn todos_in(list: Value<'_>) -> Vec<(StepProgress, Text<'_>)> {
    list.elements().take(TODOS).filter_map(todo).collect()
}

/// Returns an item of a to-do list; `None` if it has no text.
fn todo(element: Value<'_>) -> Option<(StepProgress, Text<'_>)> {
    let element = Object::new(element)?;
    let text = ["content", "description", "step", "text", "title"]
        .iter()
        .find_map(|key| element.text(key))?;
    let status = element.text("status");
    let done = element.get("completed").and_then(Value::as_bool) == Some(true);
    let progress = match status.as_ref().and_then(Text::as_str) {
        Some("completed" | "done") => StepProgress::Done,
        Some("in_progress" | "in-progress") => StepProgress::Begun,
        _ if done => StepProgress::Done,
        _ => StepProgress::Open,
    };
    Some((progress, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parameters: &str) -> Option<String> {
        key_argument(Value::new(parameters.as_bytes()))
            .map(|text| text.to_string_lossy().into_owned())
    }

    #[test]
    fn the_telling_argument_is_shown() {
        let shell = r#"{"description":"Run the tests","command":"cargo test"}"#;
        assert_eq!(key(shell).as_deref(), Some("cargo test"));
        let write = r#"{"content":"long text","file_path":"a.rs"}"#;
        assert_eq!(key(write).as_deref(), Some("a.rs"));
        assert_eq!(key(r#"{"command":["ls","-l"]}"#).as_deref(), Some("ls -l"));
        assert_eq!(key(r#"{"n":1,"some":"thing"}"#).as_deref(), Some("thing"));
        assert_eq!(key(r#"{"n":1}"#), None);
        assert_eq!(key("[]"), None);
    }

    #[test]
    fn lists_of_things_to_do_are_read_in_every_agents_form() {
        let list = |parameters: &'static str| {
            let todos = todos(Value::new(parameters.as_bytes()));
            let list = todos.into_iter();
            list.map(|(progress, text)| (progress, text.to_string_lossy().into_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            list(
                r#"{"todos":[{"content":"a","status":"completed"},{"description":"b","status":"in_progress"}]}"#
            ),
            [
                (StepProgress::Done, "a".to_owned()),
                (StepProgress::Begun, "b".to_owned())
            ]
        );
        assert_eq!(
            list(r#"{"plan":[{"step":"a","status":"pending"},{"text":"b","completed":true},1]}"#),
            [
                (StepProgress::Open, "a".to_owned()),
                (StepProgress::Done, "b".to_owned())
            ]
        );
        assert_eq!(list(r#"{"todos":"a"}"#), []);
    }
}
