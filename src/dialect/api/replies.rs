//! Puts together what the documents of a source say as an API's.

use super::{Failure, Form, Part, Place, errors, failure, part};
use crate::dialect::Claims;
use crate::json::text::Text;
use crate::json::view::{Object, Value};
use crate::outcome::Outcome;

/// A response, be it that more of it has to come.
#[derive(Debug)]
pub struct Reply {
    form: Form,
    id: Option<Text<'static>>,
    text: Text<'static>,
    chunks: u64,
    /// The stream of its chunks has not ended.
    open: bool,
    failure: Option<Failure>,
}

impl Reply {
    /// One that begins with that part.
    pub(super) fn new(part: Part) -> Self {
        let mut reply = Self {
            form: part.form,
            id: part.id.clone(),
            text: Text::EMPTY,
            chunks: 0,
            open: true,
            failure: None,
        };
        reply.add(part);
        reply
    }

    fn add(&mut self, part: Part) {
        self.chunks += 1;
        self.text.push(&part.text);
        self.open &= matches!(part.place, Place::First | Place::Next);
        self.failure = self.failure.take().or(part.failure);
    }

    /// Whether a part goes on with it: behind its end only in one array, or where Gemini gives each chunk a reason to end.
    fn has(&self, part: &Part, joined: bool) -> bool {
        let later = !matches!(part.place, Place::Whole | Place::First);
        let by_id = part.form == Form::Gemini && part.id.is_some();
        let goes_on = self.open || joined || by_id;
        later && self.form == part.form && self.id == part.id && goes_on
    }

    /// How it ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        // What is trimmed for a test has no reason to end. Of several chunks the last one has.
        let alone = self.form == Form::Gemini && self.chunks == 1;
        match &self.failure {
            Some(failure) => failure.class,
            None if self.open && !alone => Outcome::Truncated,
            None => Outcome::Success,
        }
    }

    /// What it says, as far as it goes.
    #[must_use]
    pub fn into_text(self) -> Text<'static> {
        self.text
    }

    /// What the API says went wrong.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }
}

/// Reads the documents of one source.
#[derive(Debug, Default)]
pub struct Replies {
    last: Option<Reply>,
    failure: Option<Failure>,
}

impl Replies {
    /// Reads a document, which may be nobody's.
    pub fn read(&mut self, document: Value<'_>) {
        let Some(object) = Object::new(document) else {
            return self.read_array(document);
        };
        if let Some(failure) = errors::of_body(&object) {
            self.fail(failure);
        } else if let Some(part) = part(&object) {
            self.add(part, false);
        }
    }

    /// Reads an array, if all of its elements are parts.
    fn read_array(&mut self, document: Value<'_>) {
        // Most arrays in a log are nobody's.
        if document.elements().next().is_none_or(is_no_apis) {
            return;
        }
        if let Some(failure) = failure(document) {
            return self.fail(failure);
        }
        let parts = || {
            let elements = document.elements();
            elements.map(|element| part(&Object::new(element)?))
        };
        if parts().all(|part| part.is_some()) {
            for (number, part) in parts().flatten().enumerate() {
                self.add(part, number > 0);
            }
        }
    }

    fn fail(&mut self, failure: Failure) {
        if let Some(reply) = self.last.as_mut().filter(|reply| reply.open) {
            reply.open = false;
            reply.failure.get_or_insert_with(|| failure.clone());
        }
        self.failure = Some(failure);
    }

    fn add(&mut self, part: Part, joined: bool) {
        match &mut self.last {
            Some(reply) if reply.has(&part, joined) => reply.add(part),
            _ if part.place == Place::End => {}
            last => *last = Some(Reply::new(part)),
        }
    }

    /// The last response, and what the last error body says.
    #[must_use]
    pub fn finish(self) -> (Option<Reply>, Option<Failure>) {
        (self.last, self.failure)
    }
}

fn is_no_apis(element: Value<'_>) -> bool {
    Claims::of_document(element, None).is_no_apis()
}
