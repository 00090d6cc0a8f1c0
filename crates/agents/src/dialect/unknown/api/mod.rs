//! The output of model APIs: whole responses (`bodies`), the `chunks` of streamed responses, and `errors`.
//!
//! A document counts as an API's only if it has several members that belong together. `Api` states its facts: the text,
//! the calls, whose pieces are put together, the counts, and how the response ended.

mod bodies;
mod chunks;
pub(in crate::dialect) mod errors;
mod gemini;
mod part;
mod programs;
mod side_by_side;
#[cfg(test)]
mod tests;
mod wrapped;

use crate::dialect::prelude::*;
use crate::session::MESSAGE_KEPT;
use crate::session::recent::push_latest;
use part::{CallPiece, Part, PartForm, PartPlace};
pub(in crate::dialect) use programs::workers_chunk;
use side_by_side::OPEN_RESPONSES;
use wrapped::{batch_failure, wrapped};

/// Members of which every body and chunk has at least one.
pub(in crate::dialect) const NAMES: NameList = names!(
    "response result data body candidates promptFeedback prompt_feedback usageMetadata usage_metadata choices output usage done stop generated_text generation outputText custom_id errors results \
     type error event_type steps done_reason outputs generation_id completion task artifacts messageStart \
     modelOutput tasks_output chatMessageId request_id \
     contentBlockStart contentBlockDelta contentBlockStop messageStop metadata base_resp throttlingException \
     validationException modelStreamErrorException modelTimeoutException internalServerException serviceUnavailableException"
);

/// A chunk that ends a response and says nothing.
pub(in crate::dialect) const END: &[u8] = br#"{"choices":[{"finish_reason":"stop"}]}"#;

/// Returns the part of a response in a document; `None` if there is none, or the document is only an error.
fn part<'a>(document: &Object<'a>) -> Option<Part<'a>> {
    let wrapped = wrapped(document);
    let inner = wrapped.as_ref().unwrap_or(document);
    let part = bodies::part(inner).or_else(|| chunks::part(inner));
    part.or_else(|| {
        let failure = batch_failure(document)?;
        Some(Part::whole(Text::EMPTY).failed(Some(failure)))
    })
    .or_else(|| {
        // The last chunk of Ollama's stream, if it fails.
        let message = document.text("error").filter(|_| wrapped.is_none())?;
        let is_alone = document.members().count() == 1;
        is_alone.then(|| Part::at(PartPlace::End).failed_with(message, None))
    })
}

/// Whether a document is a part of a response.
pub(in crate::dialect) fn is_part(document: &Object<'_>) -> bool {
    part(document).is_some() || errors::of_body(document).is_some()
}

/// Whether a document is an event of a streamed response, as agents print them among their own records.
pub(in crate::dialect) fn is_chunk(document: &Object<'_>) -> bool {
    let wrapped = wrapped(document);
    let chunk = chunks::part(wrapped.as_ref().unwrap_or(document));
    chunk.is_some_and(|chunk| {
        matches!(
            chunk.form,
            PartForm::Chat
                | PartForm::Responses
                | PartForm::Messages
                | PartForm::Converse
                | PartForm::Langchain
        )
    })
}

/// Returns the event of a streamed response that a record of an agent carries as its data (OpenAI's Agents SDK).
pub(in crate::dialect) fn carried_chunk<'a>(record: &Object<'a>) -> Option<Object<'a>> {
    let data = record.object("data")?;
    let is_event = data.word("type")?.starts_with(b"response.");
    (is_event && is_chunk(&data)).then_some(data)
}

/// Whether a document is the message with which the result of a call goes into the next request of Chat Completions.
pub(in crate::dialect) fn answers_call(document: &Object<'_>) -> bool {
    document.is("role", "tool") && document.holds("tool_call_id", Kind::String)
}

/// Whether a document is a message of LangChain, or a piece of one: its calls are answered in messages, too.
pub(in crate::dialect) fn is_langchain(document: &Object<'_>) -> bool {
    let part = chunks::part(document);
    part.is_some_and(|part| part.form == PartForm::Langchain)
}

/// Whether a document is such an event in an agent's own record (Strands Agents).
pub(in crate::dialect) fn is_wrapped_chunk(document: &Object<'_>) -> bool {
    document.has("event") && is_chunk(document)
}

/// Whether a response may start with this document.
pub(in crate::dialect) fn begins(document: &Object<'_>) -> bool {
    part(document).is_some_and(|part| !part.place.needs_response())
}

/// Whether a document is a response with an answer, which may be empty.
pub(crate) fn is_answer(document: &Object<'_>) -> bool {
    let part = bodies::part(document);
    part.is_some_and(|part| {
        let alone = match part.place {
            PartPlace::Whole | PartPlace::Last => true,
            place => part.form == PartForm::Gemini && place == PartPlace::Next,
        };
        alone && part.failure.is_none()
    })
}

/// The id of the message that all pieces of a response belong to, unless they name an item.
pub(in crate::dialect) const RESPONSE: &str = "response";

/// Reads responses: each response is a session of its own.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Api {
    /// The form and the id of the last part.
    last: Option<(PartForm, Option<Text<'static>>)>,
    /// Whether more of the response has to follow.
    open: bool,
    /// Whether more had to follow after a part that said something.
    paused: bool,
    /// Whether it goes on or waits for somebody: what comes after its chunks does not end it.
    waits: bool,
    /// Whether the response said anything.
    said: bool,
    /// Whether the response made a call, so that more has to follow.
    pub(in crate::dialect) did: bool,
    /// Whether the response failed.
    failed: bool,
    /// Whether it was an error by which the response failed, and not its end, which may follow.
    broke: bool,
    /// Whether what follows is a thought.
    thinks: bool,
    /// What the model said so far instead of an answer.
    refusal: Text<'static>,
    /// What was said so far, if later parts repeat it.
    so_far: Text<'static>,
    /// The ids of items that are comments.
    comments: Vec<Text<'static>>,
    /// The call of which further pieces may follow.
    call: Option<CallPiece<'static>>,
    /// Whether the next part is in the same array.
    pub(in crate::dialect) joined: bool,
    /// Whether the next part is the data of an event.
    pub(in crate::dialect) streamed: bool,
    /// The responses with ids before this one, whose parts may still come.
    others: Vec<Self>,
    /// Distinguishes the response from the others.
    pub(in crate::dialect) number: u32,
    /// How many responses have begun.
    pub(in crate::dialect) begun: u32,
}

impl Api {
    /// Whether a part continues the response before it; `streamed` says that it is the data of an event. After the end
    /// of that response this is so only within one array, or if Gemini gives a `finishReason` in each chunk, which it
    /// does in all or only in the last one.
    fn goes_on(&self, part: &Part<'_>, streamed: bool) -> bool {
        let later = !matches!(part.place, PartPlace::Whole | PartPlace::First);
        let each_ends = || streamed && (!self.paused || part.says_nothing());
        let by_id = part.form == PartForm::Gemini && (part.id.is_some() || each_ends());
        later && self.has_id_of(part) && (self.open || self.joined || by_id)
    }

    /// Whether a part has the form and the id of the response, or neither has an id.
    fn has_id_of(&self, part: &Part<'_>) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|(form, id)| *form == part.form && *id == part.id)
    }

    /// Whether a part that needs a response may be one of the open response. Other programs, too, say `finish` or
    /// `abort`.
    fn may_end_with(&self, part: &Part<'_>) -> bool {
        let is_of = |(form, _): &(PartForm, Option<Text<'_>>)| *form == part.form;
        self.open && (part.form != PartForm::Ui || self.last.as_ref().is_some_and(is_of))
    }

    /// Whether a part only counts the tokens of the response before it: it comes after the end, and says nothing.
    fn is_count(&self, part: &Part<'_>) -> bool {
        let ends = matches!(part.place, PartPlace::End | PartPlace::Counts);
        let later = ends || part.id.is_some() && part.says_nothing();
        let is_last = |(form, id): &(PartForm, Option<Text<'_>>)| {
            *form == part.form && (ends || *id == part.id)
        };
        !self.open && later && self.last.as_ref().is_some_and(is_last)
    }

    /// Decides what a part is that has no answer or looks like a response: a whole response, unless there is one that
    /// it may belong to.
    fn place(&self, part: &mut Part<'_>) {
        let in_pieces = matches!(part.form, PartForm::Snapshots | PartForm::Pieces);
        if in_pieces && part.place == PartPlace::Whole && self.open && self.has_id_of(part) {
            part.place = PartPlace::Last;
        }
        let is_of = |(form, id): &(PartForm, Option<Text<'_>>)| {
            *form == part.form && (part.id.is_none() || *id == part.id)
        };
        if part.place == PartPlace::CountsOrWhole {
            part.place = match self.last.as_ref().is_some_and(is_of) {
                true if part.failure.is_none() => PartPlace::Counts,
                true if self.open => PartPlace::End,
                true => PartPlace::Last,
                false => PartPlace::Whole,
            };
        }
    }

    /// Adds a piece of a call. A call is stated when the next one starts.
    fn piece<'a>(&mut self, piece: CallPiece<'_>, out: &mut Statement<'a>) {
        let open = self.call.as_mut();
        if let Some(open) = open.filter(|open| piece.name.is_none() || open.index == piece.index) {
            open.input.push(&piece.input);
            return;
        }
        self.close(out);
        self.call = Some(CallPiece {
            index: piece.index,
            id: piece.id.map(Text::into_owned),
            name: piece.name.map(Text::into_owned),
            input: piece.input.into_owned(),
        });
    }

    /// States the call whose pieces are complete.
    fn close(&mut self, out: &mut Statement<'_>) {
        if let Some(call) = self.call.take() {
            self.did = true;
            let (id, name) = (call.id.unwrap_or_default(), call.name.unwrap_or_default());
            let given = Value::new(call.input.as_bytes());
            let given = Some(given).filter(|_| !call.input.is_empty());
            out.push(Fact::Call(usual::call_of(id, name, given).into_owned()));
        }
    }

    /// Takes from a part the text that was said before: each of LangGraph's partial messages repeats the one before,
    /// and OpenAI's texts are repeated when they are complete. DashScope's pieces may repeat what came before them or
    /// not. What RAGFlow repeats may be another text.
    fn take_new(&mut self, part: &mut Part<'_>) {
        let so_far = self.so_far.as_bytes();
        let said = part.text.as_bytes().starts_with(so_far);
        part.repeats |= part.form == PartForm::Snapshots && said && !so_far.is_empty();
        if part.repeats && so_far.ends_with(part.text.as_bytes()) {
            (part.text, part.repeats) = (Text::EMPTY, false);
        } else if part.repeats && !said && part.form == PartForm::RagFlow {
            self.so_far = part.text.clone();
        } else if !part.repeats || !said {
            self.so_far.push(&part.text);
            part.repeats &= part.form == PartForm::Langchain;
        } else if !self.so_far.is_empty() || part.place == PartPlace::Next {
            let new = part.text.since(self.so_far.len()).into_owned();
            self.so_far = std::mem::replace(&mut part.text, new);
            part.repeats = false;
        }
    }

    /// Returns the refusal whose pieces are complete, and forgets it.
    fn refused(&mut self) -> Option<Problem<'static>> {
        let said = std::mem::take(&mut self.refusal);
        (!said.is_empty()).then(|| Problem::fatal(Outcome::Blocked, said))
    }

    /// States what the parts so far say, if no further ones follow.
    pub(in crate::dialect) fn finish(&mut self, out: &mut Statement<'_>) {
        out.extend(self.refused().map(Fact::Error));
        if self.open && self.broke {
            out.push(Fact::over(false, None, None));
        }
    }

    /// Ends the response with an error. OpenAI's responses say after an error that they have failed.
    fn fail<'a>(&mut self, failure: Problem<'a>, out: &mut Statement<'a>) {
        self.open &= matches!(self.last, Some((PartForm::Responses, _)));
        let error = Some(failure);
        match self.open {
            true => self.conclude(error, false, out),
            false => out.push(Fact::end(error, None)),
        }
    }

    /// Finds out what the text of a part is for: the first part of an item may say so for all of them.
    fn find_channel(&mut self, part: &mut Part<'_>) {
        let Some(item) = &part.item else {
            return;
        };
        if part.channel == Channel::Commentary {
            push_latest(&mut self.comments, item.clone(), OPEN_RESPONSES);
        } else if self.comments.contains(item) {
            part.channel = Channel::Commentary;
        }
    }

    /// States the text and the calls of a part.
    fn say<'a>(&mut self, mut part: Part<'a>, out: &mut Statement<'a>) {
        let of_item = part.form == PartForm::Responses && part.place == PartPlace::Next;
        let is_text = |fact: &Fact<'_>| matches!(fact, Fact::Message(_));
        let is_said = |fact: &Fact<'_>| is_text(fact) || matches!(fact, Fact::Structured(_));
        let is_act = |fact: &Fact<'_>| matches!(fact, Fact::Call(_) | Fact::Result(_));
        let acts = part.done.iter().any(is_act);
        // A repetition of everything cannot place the texts that were between calls, nor comments.
        let known = self.did || self.said && !part.done.is_empty() && !acts;
        let again = part.repeats && known && !of_item;
        self.find_channel(&mut part);
        self.thinks = part.thinks.unwrap_or(self.thinks);
        if self.thinks {
            let thought = std::mem::take(&mut part.text);
            out.push(Fact::Reasoning(Message::piece(thought)));
        }
        let may_repeat = [PartForm::Langchain, PartForm::Snapshots, PartForm::RagFlow];
        if of_item || may_repeat.contains(&part.form) {
            self.take_new(&mut part);
        }
        let whole = part.place == PartPlace::Whole || part.repeats;
        let empty = part.text.is_empty() && (self.said || !whole || !part.done.is_empty());
        if !again && !empty {
            self.close(out);
            // All pieces without an item are of one message, also if each of them says why it ends.
            let item = part.item.unwrap_or(Text::from(RESPONSE));
            let replaces = part.form == PartForm::RagFlow;
            let id = (!whole || replaces).then_some(item);
            let message = Message::new(id, part.text, Form::of(!whole));
            out.push(Fact::Message(message.on(part.channel)));
            self.said = true;
        }
        for piece in part.pieces {
            self.piece(piece, out);
        }
        if !again && !part.done.is_empty() {
            self.close(out);
            self.did |= acts;
            self.said |= part.done.iter().any(is_said);
            out.extend(part.done);
        }
    }

    /// States how the response ends, if this was its last part, or the problem of a part. `rests` says that a response
    /// may end here.
    fn conclude<'a>(&mut self, error: Option<Problem<'a>>, rests: bool, out: &mut Statement<'a>) {
        // A refusal comes in pieces.
        let again = self.failed;
        self.failed |= error.is_some();
        if !self.open {
            out.push(Fact::over(!self.failed, error, None));
        } else if let Some(error) = error {
            self.broke = matches!(self.last, Some((PartForm::Responses, _)));
            out.extend((!again).then_some(Fact::Error(error)));
        } else if rests {
            out.push(Fact::Rest);
        }
    }
}

impl Api {
    /// States the facts of a part of a response.
    pub(in crate::dialect) fn facts<'a>(&mut self, record: &Object<'a>, out: &mut Statement<'a>) {
        let joined = std::mem::take(&mut self.joined);
        let streamed = std::mem::take(&mut self.streamed);
        let line = record;
        let wrapped = wrapped(record);
        let record = wrapped.as_ref().unwrap_or(record);
        if let Some(failure) = errors::of_body(record) {
            return self.fail(failure, out);
        }
        if answers_call(record) {
            return out.push(Fact::Result(usual::own_result(record)));
        }
        self.joined = joined;
        let mut part = part(line);
        part.iter().for_each(|part| self.select_response(part));
        part.iter_mut().for_each(|part| self.place(part));
        let part = part.filter(|part| {
            self.may_end_with(part) || !part.place.needs_response() || self.is_count(part)
        });
        let Some(mut part) = part else {
            return out.push(Fact::known(None));
        };
        let (form, place) = (part.form, part.place);
        if self.is_count(&part) {
            out.response = self.apart();
            return count(record, line, place, out);
        }
        let begins = !place.needs_response() && !self.goes_on(&part, streamed);
        // A response shortened for a test has no `finishReason`. Of several chunks only the last has one; recorded ones
        // name their response. RAGFlow's response looks like a piece.
        let is_whole = form == PartForm::Gemini && part.id.is_none() || form == PartForm::RagFlow;
        let rests = begins && is_whole && !streamed;
        if begins {
            self.begin(&part, record, out);
        }
        self.note_place(&mut part);
        out.response = out.response.take().or_else(|| self.apart());
        let (failure, silence) = (part.failure.take(), part.silence.take());
        // A session keeps no more of a message.
        if self.refusal.len() <= MESSAGE_KEPT {
            self.refusal.push(&part.refusal);
        }
        self.say(part, out);
        if !self.open {
            self.close(out);
        }
        let refusal = (!self.open).then(|| self.refused()).flatten();
        let silence = silence.filter(|_| !self.said && !self.did);
        count(record, line, place, out);
        self.conclude(failure.or(refusal).or(silence), rests, out);
        out.or_known(None);
    }

    /// Begins the response whose first part this is.
    fn begin<'a>(&mut self, part: &Part<'a>, record: &Object<'a>, out: &mut Statement<'a>) {
        self.go_on_with(Self::default());
        self.others.retain(|other| other.id() != part.id.as_ref());
        self.begun += 1;
        self.number = self.begun;
        out.response.clone_from(&part.id);
        out.push(start(record));
    }

    /// Notes what follows from the place of a part in its response: whether more parts may come, and what was last.
    fn note_place(&mut self, part: &mut Part<'_>) {
        let place = part.place;
        self.joined = false;
        self.waits = part.waits || self.waits && place.needs_response();
        self.open = self.waits
            || matches!(
                place,
                PartPlace::First | PartPlace::Next | PartPlace::Inside | PartPlace::Counts
            );
        self.paused |= self.open && !part.says_nothing();
        if !matches!(place, PartPlace::Inside | PartPlace::Counts) {
            self.last = Some((part.form, part.id.take()));
        }
    }
}

/// Returns the start of a response, with the model that it names.
fn start<'a>(record: &Object<'a>) -> Fact<'a> {
    Fact::Start(Start {
        model: inner(record, |object| {
            names!("model modelVersion model_version").text(object)
        }),
        ..Start::default()
    })
}

/// States the tokens that a record, or else the object around it, counts. The first record of a stream knows only the
/// input.
fn count(record: &Object<'_>, around: &Object<'_>, place: PartPlace, out: &mut Statement<'_>) {
    let counts = |object: &Object<'_>| {
        let tokens = usual::usage(object).unwrap_or_else(|| usual::tokens(object));
        tokens.is_known().then_some(tokens)
    };
    let Some(mut tokens) = inner(record, counts).or_else(|| inner(around, counts)) else {
        return;
    };
    match place {
        PartPlace::First => (tokens.output, tokens.total) = (None, None),
        // A later part may count more of the output, and not repeat the input.
        PartPlace::Next => {
            let both = tokens.input.zip(tokens.output);
            let sum = both.map(|(input, output)| input.saturating_add(output));
            tokens.total = tokens.total.filter(|_| tokens.total != sum);
        }
        _ => {}
    }
    // All parts of a response count the same request.
    let request = Scope::Request(Some(Text::from(RESPONSE)));
    out.push(Fact::usage(request, None, tokens));
}

/// Returns what `say` finds in a record or in an object inside it.
fn inner<'a, T>(record: &Object<'a>, say: impl Fn(&Object<'a>) -> Option<T>) -> Option<T> {
    const INNER: NameList =
        names!("response result message interaction metadata messageMetadata metrics x_groq usage");
    say(record).or_else(|| INNER.objects(record).find_map(|inner| say(&inner)))
}

/// Returns a text that is a string or a list of parts.
fn content(value: Option<Value<'_>>) -> Text<'static> {
    value.map(blocks::text).unwrap_or_default().into_owned()
}
