//! Records that a source states again: an at-least-once queue doubles them, a resumed session prints its history again,
//! and `cat` may be given a file twice.
//!
//! A record with an id or a time of its own that comes again byte for byte is the same record. Deltas are an exception
//! unless they are numbered, since a model may well write the same word twice within a millisecond. After a repeated
//! record, its source may be repeating itself as a whole; until a new record follows, everything that was read before
//! is repeated, deltas and records without an id or a time included. The end of a session that directly follows the
//! same end is that end. After an end, the start of a run that names that run, whatever its id, and the first delta of
//! a response that has an id begin a repetition, too.

use crate::dialect::names::{NameList, names};
use crate::dialect::unknown::envelope::names_run;
use crate::dialect::usual::TIMES;
use crate::fact::{Fact, Form, Statement};
use crate::hashes::{HashedMap, TextHash};
use crate::session::is_own_id;
use jsift_json::view::{Object, Value};

/// How many records are remembered at least.
const REMEMBERED: usize = 1 << 16;

/// What matters of a record when it comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum RecordKind {
    #[default]
    Other,
    /// It starts a run.
    Start,
    /// It contains a delta.
    Delta,
    /// It contains the first delta of a response.
    Begin,
    /// It ends a session or a turn.
    End,
}

impl RecordKind {
    /// Returns the kind of a record that states this fact and nothing else.
    const fn of(fact: &Fact<'_>) -> Self {
        match fact {
            Fact::End(_) => Self::End,
            Fact::Message(message) | Fact::Reasoning(message) => match message.form {
                Form::Delta => Self::Delta,
                Form::Block | Form::Whole => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

/// What a record is to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// A new one, to be [added](Repeats::add) with this hash when its facts are known.
    None(TextHash),
    /// A new one with this hash, or a repeated one, as a later record will show.
    Possible(TextHash),
    /// It only repeats an earlier one.
    Certain,
}

/// The records that were read, as hashes.
#[derive(Default)]
pub(super) struct Repeats {
    seen: HashedMap<RecordKind, REMEMBERED>,
    /// Whether the last record was a repeated one.
    repeating: bool,
    /// The last record if it was the end of a session.
    end: Option<TextHash>,
    /// Whether no delta has followed an end.
    ended: bool,
    /// Whether a start has come again after an end, and no record after it has decided whether all of them are
    /// repeated.
    restarted: bool,
}

impl Repeats {
    /// Returns what a record is to those before it.
    pub(super) fn of(&mut self, record: &Object<'_>) -> Repetition {
        let hash = TextHash::of(record.value().raw());
        let repeating = std::mem::take(&mut self.repeating);
        let restarted = std::mem::take(&mut self.restarted);
        let Some(kind) = self.seen.get_or_insert(hash, RecordKind::Other) else {
            return Repetition::None(hash);
        };
        self.repeating = repeating
            || match kind {
                RecordKind::Delta => has_number(record),
                // After the end it is no word that the model writes twice.
                RecordKind::Begin => self.ended && is_about(record, has_own_id),
                // Where a clock stands still, as in tests, two turns may end alike.
                RecordKind::End => is_about(record, has_own_id),
                RecordKind::Start if self.ended && names_run(record) => true,
                RecordKind::Other | RecordKind::Start => {
                    is_about(record, has_own_id) || is_about(record, |it| TIMES.of(it).any(is_time))
                }
            };
        if self.repeating || !restarted && self.end == Some(hash) {
            return Repetition::Certain;
        }
        self.restarted = restarted || *kind == RecordKind::Start && self.ended;
        if self.restarted {
            return Repetition::Possible(hash);
        }
        *kind = RecordKind::Other;
        Repetition::None(hash)
    }

    /// Remembers what a new record stated.
    pub(super) fn add(&mut self, hash: TextHash, record: &Object<'_>, statement: &Statement<'_>) {
        let kinds = statement.facts.iter().map(RecordKind::of);
        let starts = statement.start().is_some();
        let kind = match kinds.max().unwrap_or_default() {
            RecordKind::Other if starts => RecordKind::Start,
            RecordKind::Delta if starts => RecordKind::Begin,
            kind => kind,
        };
        if kind != RecordKind::Other {
            self.ended = kind == RecordKind::End;
        }
        if kind != RecordKind::Other
            && let Some(before) = self.seen.get_mut(hash)
        {
            *before = kind;
        }
        // Two envelopes without an id or a time may be those of two runs.
        let is_own = |it: &Object<'_>| it.has("id") || TIMES.of(it).any(is_time);
        let is_end = kind == RecordKind::End
            && (statement.session.is_some() || !statement.is_answer() || is_about(record, is_own));
        self.end = is_end.then_some(hash);
    }
}

/// Whether something is true of a record or of the one thing that it is about.
fn is_about(record: &Object<'_>, is_true: fn(&Object<'_>) -> bool) -> bool {
    const ABOUT: NameList = names!("message part item data event response");
    let about = || ABOUT.objects(record);
    let meta = || record.object("params")?.object("_meta");
    is_true(record) || about().chain(meta()).any(|about| is_true(&about))
}

/// Whether a record has a number of its own, and not only what it is a piece of.
fn has_number(record: &Object<'_>) -> bool {
    has_own(record, names!("uuid event_id eventId"))
}

/// Whether an object has an id that no other has. The id of its session is shared by others.
fn has_own_id(object: &Object<'_>) -> bool {
    has_own(object, names!("uuid id event_id eventId"))
}

fn has_own(object: &Object<'_>, ids: NameList) -> bool {
    let mut ids = ids.of(object).filter_map(Value::text);
    ids.any(|id| is_own_id(&id))
}

/// Whether a value is a point in time, to the second at least: a text, or the seconds since 1970 or a finer count.
fn is_time(value: Value<'_>) -> bool {
    const TEXT: usize = "1970-01-01T00:00:00".len();
    const NUMBER: f64 = 1e9;
    match value.text() {
        Some(text) => text.len() >= TEXT,
        None => value.as_f64().is_some_and(|number| number >= NUMBER),
    }
}

#[cfg(test)]
mod tests {
    use super::{Repeats, Repetition};
    use crate::fact::{Fact, Form, Message, Statement};
    use jsift_json::text::Text;
    use jsift_json::view::{Object, Value};

    /// A record, and what it states.
    type Read = (&'static str, Fact<'static>);

    fn is_new(repeats: &mut Repeats, (record, fact): Read) -> bool {
        let record = Object::new(Value::new(record.as_bytes())).unwrap();
        let mut statement = Statement::default();
        statement.push(fact);
        match repeats.of(&record) {
            Repetition::None(hash) | Repetition::Possible(hash) => {
                repeats.add(hash, &record, &statement);
                true
            }
            Repetition::Certain => false,
        }
    }

    fn said(form: Form) -> Fact<'static> {
        Fact::Message(Message::new(None, Text::from("x"), form))
    }

    #[test]
    fn a_record_with_a_time_is_read_once_and_a_delta_in_a_replay() {
        let mut repeats = Repeats::default();
        let init = || {
            (
                r#"{"type":"init","timestamp":1700000001}"#,
                said(Form::Whole),
            )
        };
        let delta = || {
            (
                r#"{"type":"delta","timestamp":"2026-01-02T03:04:05.6Z"}"#,
                said(Form::Delta),
            )
        };
        let none = || (r#"{"type":"none","id":"1"}"#, said(Form::Whole));
        let part = || {
            (
                r#"{"part":{"id":"prt_1ffe1ab69001f72o"}}"#,
                said(Form::Whole),
            )
        };
        let new = || (r#"{"type":"none","id":"2"}"#, said(Form::Whole));
        for (record, expected) in [
            (init(), true),
            (delta(), true),
            (delta(), true),
            (none(), true),
            (none(), true),
            (part(), true),
            (part(), false),
            (init(), false),
            (delta(), false),
            (none(), false),
            (new(), true),
            (delta(), true),
            (none(), true),
        ] {
            let text = record.0;
            assert_eq!(is_new(&mut repeats, record), expected, "{text}");
        }
    }

    #[test]
    fn a_numbered_delta_is_read_once_and_a_piece_of_a_part_each_time() {
        let mut repeats = Repeats::default();
        let numbered = || (r#"{"uuid":"0123456789abcdef"}"#, said(Form::Delta));
        let piece = || (r#"{"part":{"id":"0123456789abcdef"}}"#, said(Form::Delta));
        let new = || ("{}", said(Form::Whole));
        let all = [numbered(), numbered(), new(), piece(), piece()];
        let read = all.map(|read| is_new(&mut repeats, read));
        assert_eq!(read, [true, false, true, true, true]);
        let update =
            r#"{"method":"session/update","params":{"_meta":{"eventId":"0123456789abcdef"}}}"#;
        let read = [update; 2].map(|text| is_new(&mut repeats, (text, said(Form::Whole))));
        assert_eq!(read, [true, false]);
    }

    #[test]
    fn after_an_end_a_start_that_names_its_run_begins_a_repetition() {
        let start = || Fact::Start(crate::fact::Start::default());
        let run = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
        let chunk = r#"{"id":"chatcmpl-0123456789","choices":[]}"#;
        for (text, delta) in [(run, false), (chunk, true)] {
            let mut repeats = Repeats::default();
            let object = Object::new(Value::new(text.as_bytes())).unwrap();
            let mut first = Statement::default();
            first.push(start());
            first.extend(delta.then(|| said(Form::Delta)));
            for _ in 0..2 {
                let Repetition::None(hash) = repeats.of(&object) else {
                    panic!("the run goes on");
                };
                repeats.add(hash, &object, &first);
            }
            let call = || (r#"{"id":"1"}"#, said(Form::Whole));
            let end = || (r#"{"type":"end"}"#, Fact::ended(true));
            let read = [call(), end()].map(|read| is_new(&mut repeats, read));
            assert_eq!(read, [true, true]);
            assert_eq!(repeats.of(&object), Repetition::Certain, "{text}");
            let read = [call(), end()].map(|read| is_new(&mut repeats, read));
            assert_eq!(read, [false, false], "{text}");
        }
    }

    #[test]
    fn what_follows_a_start_that_comes_again_decides_whether_it_is_one() {
        let of = |repeats: &mut Repeats, (text, fact): Read| {
            let object = Object::new(Value::new(text.as_bytes())).unwrap();
            let mut statement = Statement::default();
            statement.push(fact);
            let repetition = repeats.of(&object);
            if let Repetition::None(hash) = repetition {
                repeats.add(hash, &object, &statement);
            }
            repetition
        };
        let start = || ("{}", Fact::Start(crate::fact::Start::default()));
        let said = |id| (id, said(Form::Whole));
        let numbered = || said(r#"{"id":"0123456789abcdef"}"#);
        let end = || (r#"{"type":"end"}"#, Fact::ended(true));
        let after_run = || {
            let mut repeats = Repeats::default();
            for read in [start(), said(r#"{"n":1}"#), numbered(), end()] {
                assert!(matches!(of(&mut repeats, read), Repetition::None(_)));
            }
            repeats
        };
        let (mut repeats, again) = (after_run(), said(r#"{"n":1}"#));
        let read = [start(), again, numbered(), said(r#"{"n":1}"#), end()];
        let [first, second, rest @ ..] = read.map(|read| of(&mut repeats, read));
        for possible in [first, second] {
            assert!(matches!(possible, Repetition::Possible(_)));
        }
        assert_eq!(rest, [Repetition::Certain; 3]);
        let (mut repeats, new) = (after_run(), said(r#"{"n":2}"#));
        let read = [start(), new, said(r#"{"n":1}"#)].map(|read| of(&mut repeats, read));
        assert!(matches!(
            read,
            [
                Repetition::Possible(_),
                Repetition::None(_),
                Repetition::None(_)
            ]
        ));
    }

    #[test]
    fn an_end_is_read_once_unless_something_comes_between() {
        let mut repeats = Repeats::default();
        let end = || ("{\"type\":\"end\"}", Fact::ended(true));
        let turn = || ("{\"type\":\"turn\"}", Fact::Turn);
        let read = [turn(), end(), end(), turn(), end()].map(|read| is_new(&mut repeats, read));
        assert_eq!(read, [true, true, false, true, true]);
    }
}
