//! Calls of tools, their results, and the files that they write.

use super::problems::{FAILED, SUCCEEDED};
use super::words::{Words, split};
use super::{EXIT_CODES, KINDS, exit_code, failure, is_over, text, took};
use crate::change::{Change, FILES, changes_of};
use crate::dialect::names::has_word_in_any_case;
use crate::dialect::prelude::*;
use crate::session::recent::push_latest;

/// Members that identify a call, both in the call and in its result.
const CALL_IDS: NameList = names!(
    "tool_call_id toolCallId toolCallID tool_use_id toolUseId call_id callId callID tool_id"
);
const TOOL_NAMES: NameList = names!("tool_name toolName toolCallName name tool");
const PARAMETERS: NameList =
    names!("parameters input arguments args rawInput params command changes");
/// Members with the output of a tool.
const OUTPUTS: NameList = names!(
    "output result response content aggregated_output observation value rawOutput stdout outputText partialResult \
     return_value tool_return"
);

/// Flags that say that a call was not permitted.
const REFUSED: NameList = names!("denied rejected");

/// Returns the id of the call that a record of any kind names.
pub(in crate::dialect) fn named_call_id<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    CALL_IDS.text(record)
}

/// Returns the id of the call that a record is about: if it names none, its own `id` is the call's.
pub(in crate::dialect) fn call_id<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    named_call_id(record).or_else(|| record.text("id"))
}

/// Returns the call that a record or a block states, with the id that it states.
pub(in crate::dialect) fn own_call<'a>(record: &Object<'a>) -> Call<'a> {
    call(record, call_id(record).unwrap_or_default())
}

/// Returns the result that a record or a block states, with the id that it states.
pub(in crate::dialect) fn own_result<'a>(record: &Object<'a>) -> ToolResult<'a> {
    result(record, call_id(record).unwrap_or_default())
}

/// Whether a record calls the id of a call the id of a tool's call: `call_id` may be a telephone's.
pub(in crate::dialect) fn names_tool(record: &Object<'_>) -> bool {
    let mut ids = CALL_IDS.numbered(record);
    ids.any(|(at, _)| CALL_IDS.names[at].text.starts_with("tool"))
}

/// The calls without ids that wait for a result: the names of their tools, and the ids that they are given.
#[derive(Debug, Default)]
pub(in crate::dialect) struct NumberedCalls {
    waiting: Vec<(Text<'static>, u64)>,
    /// The number of the last call.
    last: u64,
}

impl NumberedCalls {
    /// The maximum number of calls that are remembered while they wait for a result.
    const MOST: usize = 64;

    /// Adds a call of a tool, and returns its id.
    pub(in crate::dialect) fn add(&mut self, tool: Text<'static>) -> Text<'static> {
        self.last += 1;
        push_latest(&mut self.waiting, (tool, self.last), Self::MOST);
        Self::id(self.last)
    }

    /// Removes the first call of that tool, or of any, and returns its id.
    pub(in crate::dialect) fn take(&mut self, tool: Option<&Text<'_>>) -> Option<Text<'static>> {
        let is_its = |(of, _): &(Text<'_>, u64)| tool.is_none_or(|tool| of == tool);
        let at = self.waiting.iter().position(is_its)?;
        Some(Self::id(self.waiting.remove(at).1))
    }

    /// Removes the only call, if it may be one of that tool, and returns its id.
    pub(in crate::dialect) fn take_only(
        &mut self,
        tool: Option<&Text<'_>>,
    ) -> Option<Text<'static>> {
        match self.waiting.len() {
            1 => self.take(tool),
            _ => None,
        }
    }

    fn id(number: u64) -> Text<'static> {
        Text::from(format!("#{number}"))
    }
}

/// Returns the name of the tool that a record or a block is about.
pub(in crate::dialect) fn tool_name<'a>(record: &Object<'a>) -> Option<Text<'a>> {
    TOOL_NAMES.text(record)
}

/// Whether a record says by its type that a tool is called: that it starts, or that this is a call.
pub(in crate::dialect) fn says_call(record: &Object<'_>, words: Words) -> bool {
    let calls = |word: &[u8]| has_word_in_any_case(words!("call calls use invocation"), word);
    let mut kinds = KINDS.of(record).filter_map(Value::word);
    words.has(Words::START) || kinds.any(|kind| split(&kind).any(calls))
}

/// Returns the parameters of a call in a record or a block.
pub(in crate::dialect) fn parameters_of<'a>(record: &Object<'a>) -> Option<Value<'a>> {
    PARAMETERS.first(record)
}

/// Returns the call that a record or a block states.
pub(in crate::dialect) fn call<'a>(record: &Object<'a>, id: Text<'a>) -> Call<'a> {
    let inner = names!("function tool_call toolCall toolInvocation tool_info detail state action");
    let inner = inner.objects(record).next();
    let own = tool_name(record).or_else(|| tool_name(inner.as_ref()?));
    let named = own.or_else(|| names!("title type kind").text(record));
    let given = |record: &Object<'a>| PARAMETERS.first(record);
    let given = given(record).or_else(|| given(inner.as_ref()?));
    call_of(id, named.unwrap_or_default(), given)
}

/// Returns the call of the tool `name` with the parameters `given`.
pub(in crate::dialect) fn call_of<'a>(
    id: Text<'a>,
    name: Text<'a>,
    given: Option<Value<'a>>,
) -> Call<'a> {
    let text = given.filter(|given| given.kind() == Kind::String);
    if let Some(json) = text.and_then(Value::text)
        && json.as_bytes().starts_with(b"{")
        && jsift_json::is_json(json.as_bytes())
    {
        // Some agents write the parameters as JSON in a string.
        return call_of(id, name, Some(Value::new(json.as_bytes()))).into_owned();
    }
    let members = given.and_then(Object::new);
    let path = members.as_ref().and_then(|input| FILES.text(input));
    let writes = writes(&name, path.as_ref(), members.as_ref());
    Call {
        id,
        name,
        parameters: given.map(parameters).unwrap_or_default(),
        path,
        writes,
    }
}

/// Returns the call with the parameters that came in pieces.
pub(in crate::dialect) fn call_in_pieces<'a>(call: Call<'static>, pieces: &[u8]) -> Call<'a> {
    match jsift_json::is_json(pieces) {
        true => call_of(call.id, call.name, Some(Value::new(pieces))).into_owned(),
        false => call,
    }
}

/// The tools that write files, by name.
pub(in crate::dialect) type Writers = &'static [(&'static str, Writer)];

/// What the parameters of a tool say about the file that it writes.
#[derive(Clone, Copy)]
pub(in crate::dialect) enum Writer {
    /// No more than its path: only the result says whether it existed.
    File,
    /// It is new, and this member is its content.
    New(&'static str),
    /// It existed, and an [`edit`] may say what is replaced in it.
    Old,
    /// It is new if an [`edit`] replaces an empty text.
    Edited,
    /// What this function returns for its path.
    By(for<'a> fn(Text<'a>, &Object<'a>) -> Option<Write<'a>>),
}

impl Writer {
    fn write<'a>(self, path: Text<'a>, input: &Object<'a>) -> Option<Write<'a>> {
        let edited = || {
            let (operation, lines) = edit(input).unzip();
            (operation.or(Some(Operation::Update)), lines.flatten())
        };
        let (operation, lines) = match self {
            Self::File => (None, None),
            Self::New(content) => {
                let content = input.text(content).as_ref().map(lines::created);
                (Some(Operation::Create), content)
            }
            Self::Old => (Some(Operation::Update), edited().1),
            Self::Edited => edited(),
            Self::By(write) => return write(path, input),
        };
        Some(Write::new(path, operation, lines))
    }
}

/// Returns the call of the tool `name`; `input` are its parameters as an object.
#[inline(always)]
pub(in crate::dialect) fn call_about<'a>(
    id: Text<'a>,
    name: Text<'a>,
    given: Option<Value<'a>>,
    input: Option<Object<'a>>,
    writers: Writers,
) -> Call<'a> {
    let path = |input: &Object<'a>| FILES.string(input);
    let call = Call {
        id,
        name,
        parameters: given.map(Text::of_json).unwrap_or_default(),
        path: input.as_ref().and_then(path),
        writes: Vec::new(),
    };
    writing(call, input.as_ref(), writers)
}

/// Returns the call with the file that it writes if its tool is one of `writers`, and no other.
pub(in crate::dialect) fn writing<'a>(
    call: Call<'a>,
    input: Option<&Object<'a>>,
    writers: Writers,
) -> Call<'a> {
    let writer = writers.iter().find(|(tool, _)| call.name == *tool);
    let write = writer.and_then(|(_, writer)| writer.write(call.path.clone()?, input?));
    Call {
        writes: write.into_iter().collect(),
        ..call
    }
}

/// The parameters of a call that has none.
pub(in crate::dialect) fn no_parameters<'a>() -> Value<'a> {
    Value::new(b"{}")
}

/// Returns parameters as JSON text; some agents write them as JSON in a string, which is empty if there are none.
fn parameters(given: Value<'_>) -> Text<'_> {
    match given.text() {
        Some(json) if json.is_empty() => Text::of_json(no_parameters()),
        Some(json) if jsift_json::is_json(json.as_bytes()) => {
            Text::written(Value::new(json.as_bytes()))
        }
        _ => Text::of_json(given),
    }
}

/// Returns the file that a call writes, if the tool's name says that it writes files.
fn writes<'a>(
    tool: &Text<'a>,
    path: Option<&Text<'a>>,
    input: Option<&Object<'a>>,
) -> Vec<Write<'a>> {
    let is_writing = |word: &[u8]| {
        let all = words!("write edit create replace editor multiedit");
        has_word_in_any_case(all, word)
    };
    let views = input.is_some_and(|input| input.is("command", "view"));
    let path = path.filter(|_| !views && split(tool.as_bytes()).any(is_writing));
    let write = |path: &Text<'a>| {
        let (operation, lines) = input.and_then(edit).unzip();
        Write::new(path.clone(), operation, lines.flatten())
    };
    path.map(write).into_iter().collect()
}

/// Returns what is done to a file, by the word for it in a list of changes.
pub(in crate::dialect) fn operation(word: Option<Text<'_>>) -> Option<Operation> {
    match word?.as_str()? {
        "add" | "create" => Some(Operation::Create),
        "update" | "edit" => Some(Operation::Update),
        "delete" => Some(Operation::Delete),
        _ => None,
    }
}

/// Returns what an edit does to a file, and the number of lines that it adds and removes if each text is replaced once.
/// An edit that replaces an empty text creates the file, unless it is one of a list.
pub(in crate::dialect) fn edit(input: &Object<'_>) -> Option<(Operation, Option<(u64, u64)>)> {
    let mut changes = changes_of(input);
    let first = changes.next()?;
    let operation = match &first {
        _ if input.has("edits") => Operation::Update,
        Some(Change::Replacement { old, .. }) => Operation::on(!old.is_empty()),
        _ => return None,
    };
    let count = |change: Option<Change<'_>>| match change? {
        Change::Replacement {
            old,
            new,
            once: true,
        } => Some(lines::replaced(&old, &new)),
        _ => None,
    };
    let all = std::iter::once(first).chain(changes).map(count);
    let sum = all.reduce(|sum, one| Some((sum?.0 + one?.0, sum?.1 + one?.1)));
    Some((operation, sum.flatten()))
}

/// Returns the result of a call that a record or a block states.
pub(in crate::dialect) fn result<'a>(record: &Object<'a>, id: Text<'a>) -> ToolResult<'a> {
    let state = record.object("state");
    let inner = state.as_ref().unwrap_or(record);
    let given = OUTPUTS.first(inner).or_else(|| OUTPUTS.first(record));
    let details = given.and_then(Object::new);
    let shown = inner.object("display");
    let places = [Some(record), Some(inner), details.as_ref(), shown.as_ref()];
    let failed = places.into_iter().flatten().find_map(failure);
    let failed = failed.or_else(|| {
        let each = given.into_iter().flat_map(Value::elements);
        let mut each = each
            .filter_map(Object::new)
            .filter(|one| one.has("success"));
        each.find_map(|one| failure(&one))
    });
    let failed = failed.or_else(|| named_error(details.as_ref()?));
    let nested = details.as_ref().and_then(|details| OUTPUTS.first(details));
    let output = given.and_then(text).or_else(|| nested.and_then(text));
    let output = output.or_else(|| Some(Text::of_json(details.as_ref()?.value())));
    let refuses =
        |word: &Text<'_>| matches!(word.as_str(), Some("declined" | "denied" | "rejected"));
    let is_refused = REFUSED.is_set(record);
    let denied = failed.as_ref().is_some_and(|problem| {
        let coded = matches!(&problem.code, Some(Code::Word(word)) if refuses(word));
        coded || record.text("status").is_some_and(|word| refuses(&word))
    });
    let denied = denied || is_refused;
    let status = ToolStatus::of(failed.is_some() || asks_again(record) || denied, denied);
    ToolResult {
        output,
        error: failed.map(|it| it.message).filter(|it| !it.is_empty()),
        exit_code: exit_code(record),
        duration_ms: took(record),
        ..ToolResult::new(id, status)
    }
}

/// Returns the failure that an output is by its type: `web_search_tool_result_error` (Anthropic).
fn named_error<'a>(output: &Object<'a>) -> Option<Problem<'a>> {
    let is_error = output.word("type")?.ends_with(b"_result_error");
    let message = output.text("error_code").unwrap_or_default();
    is_error.then(|| Problem::fatal(Outcome::Failed, message))
}

/// Whether a part of a message tells the model what was wrong with its call (Pydantic AI).
pub(in crate::dialect) fn asks_again(part: &Object<'_>) -> bool {
    part.is("part_kind", "retry-prompt")
}

/// Whether a record about a call states the call's result.
pub(in crate::dialect) fn has_result(record: &Object<'_>, words: Words) -> bool {
    if asks_again(record) {
        return true;
    }
    let state = record.object("state");
    let status = state.as_ref().unwrap_or(record).text("status");
    match status.or_else(|| record.text("state")) {
        Some(status) => is_over(&status),
        None => {
            let results = names!("output result response observation value tool_use_id error");
            let flags = [FAILED, SUCCEEDED, REFUSED];
            // An end that gives nothing but the call's id is the end of its parameters (AG-UI's `TOOL_CALL_END`).
            let whole = names!("name toolName tool_name tool tool_call item");
            words.has(Words::END)
                && (whole.first(record).is_some() || OUTPUTS.first(record).is_some())
                || results.first(record).is_some()
                || flags.into_iter().any(|flags| flags.first(record).is_some())
                || EXIT_CODES.first(record).is_some()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fact::Operation;
    use jsift_json::view::{Object, Value};

    fn edit(parameters: &str) -> Option<(Operation, Option<(u64, u64)>)> {
        super::edit(&Object::new(Value::new(parameters.as_bytes())).unwrap())
    }

    #[test]
    fn the_lines_of_a_replacement_are_counted_whatever_its_texts_are_called() {
        for (old, new) in [
            ("old_string", "new_string"),
            ("oldString", "newString"),
            ("old_str", "new_str"),
            ("oldText", "newText"),
            ("old_text", "new_text"),
            ("old", "new"),
            ("before", "after"),
        ] {
            let one = format!(r#"{{"path":"f","{old}":"a","{new}":"b\nc"}}"#);
            let update = Operation::Update;
            assert_eq!(edit(&one), Some((update, Some((2, 1)))), "{one}");
            let inner = format!(r#"{{"edit":{one}}}"#);
            assert_eq!(edit(&inner), Some((update, Some((2, 1)))), "{inner}");
            let list = format!(r#"{{"edits":[{one},{one}]}}"#);
            assert_eq!(edit(&list), Some((update, Some((4, 2)))), "{list}");
            let other = format!(r#"{{"edits":[{one},"s/a/b/"]}}"#);
            assert_eq!(edit(&other), Some((update, None)), "{other}");
            let all = format!(r#"{{"path":"f","{old}":"","{new}":"b","replace_all":true}}"#);
            assert_eq!(edit(&all), Some((Operation::Create, None)), "{all}");
        }
        assert_eq!(edit(r#"{"content":"a"}"#), None);
        assert_eq!(
            edit(r#"{"before":"2026-01-02","after":"2026-01-01"}"#),
            None
        );
    }

    #[test]
    fn an_exit_code_is_the_result_of_a_call_whatever_it_is_called() {
        for name in super::EXIT_CODES.names {
            let json = format!(r#"{{"{}":2}}"#, name.text);
            let record = Object::new(Value::new(json.as_bytes())).unwrap();
            assert_eq!(super::exit_code(&record), Some(2), "{json}");
            assert!(
                super::has_result(&record, super::Words::default()),
                "{json}"
            );
        }
    }
}
