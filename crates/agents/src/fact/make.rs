//! Facts that most dialects state in the same way, and what is asked of them.

use super::{Channel, End, EndScope, Fact, Form, Message, Problem, Scope, Tokens, Usage, User};
use crate::dialect::names::{NameList, names};
use jsift_json::text::Text;
use jsift_json::view::{Object, Value};
use jsift_outcome::Outcome;

impl<'a> Fact<'a> {
    /// The request that is counted, if it counts once in all sessions.
    #[must_use]
    pub const fn request(&self) -> Option<&Text<'a>> {
        match self {
            Self::Usage(Usage {
                scope: Scope::Once(id),
                ..
            }) => Some(id),
            _ => None,
        }
    }

    /// Counts of one model or of all.
    #[must_use]
    pub const fn usage(scope: Scope<'a>, model: Option<Text<'a>>, tokens: Tokens) -> Self {
        Self::Usage(Usage {
            scope,
            model,
            tokens,
        })
    }

    /// What the process has cost so far, in US dollars.
    #[must_use]
    pub fn cost(cost_usd: Option<f64>) -> Self {
        let tokens = Tokens {
            cost_usd,
            ..Tokens::default()
        };
        Self::usage(Scope::Session, None, tokens)
    }

    /// A whole message of the assistant.
    #[must_use]
    pub const fn said(text: Text<'a>) -> Self {
        Self::Message(Message::whole(text))
    }

    /// A whole thought of the model.
    #[must_use]
    pub const fn thought(text: Text<'a>) -> Self {
        Self::Reasoning(Message::whole(text))
    }

    /// What the user asked for.
    #[must_use]
    pub const fn prompt(text: Text<'a>) -> Self {
        Self::given(true, text)
    }

    /// A text that was given to the agent, which is a `prompt` or not.
    #[must_use]
    pub const fn given(prompt: bool, text: Text<'a>) -> Self {
        Self::User(User { text, prompt })
    }

    /// Returns the end of a turn that is a success unless there is a `failure`, with `answer`: of a record that states
    /// nothing else about how the turn ended.
    #[must_use]
    pub fn end(failure: Option<Problem<'a>>, answer: Option<Text<'a>>) -> Self {
        Self::over(failure.is_none(), failure, answer)
    }

    /// Returns the end of a turn of which nothing else is known; if it failed, the last stated failure says why.
    #[must_use]
    pub fn ended(success: bool) -> Self {
        Self::over(success, None, None)
    }

    /// Returns the end of a turn of a record that says whether the turn succeeded, next to why it failed or the answer
    /// of a success: one that failed may not say why.
    #[must_use]
    pub fn over(success: bool, error: Option<Problem<'a>>, answer: Option<Text<'a>>) -> Self {
        Self::End(End {
            success,
            error,
            text: answer.filter(|_| success),
            scope: EndScope::Run,
        })
    }

    /// Returns this fact with the id of the block that it states, if it is a text.
    pub(crate) fn of_block(mut self, id: Option<Text<'a>>) -> Self {
        if let Self::Message(message) | Self::Reasoning(message) = &mut self {
            message.block = id;
        }
        self
    }
}

impl Channel {
    /// Members that say what a text is for: `phase` in Codex and agents built on it, `channel` in the Harmony format of
    /// OpenAI's models, `stream` in acpx, `field` in the events of opencode's server.
    pub(crate) const NAMES: NameList = names!("phase channel stream field");

    /// The types of messages by the assistant that are no answers: what it tells the program around it, and questions
    /// that the user may ask next (Coze).
    const ASIDES: [&str; 3] = ["verbose", "follow_up", "knowledge"];

    /// Returns the channel of a text whose record may name it.
    pub(crate) fn of(record: &Object<'_>) -> Self {
        let is_aside = |kind: Value<'_>| Self::ASIDES.iter().any(|aside| kind.is(aside));
        let commented = Self::NAMES.of(record).any(|name| name.is("commentary"));
        match commented
            || record.is("role", "assistant") && record.get("type").is_some_and(is_aside)
        {
            true => Self::Commentary,
            false => Self::Answer,
        }
    }
}

impl<'a> Problem<'a> {
    /// What ended a turn, where there is no code.
    #[must_use]
    pub const fn fatal(class: Outcome, message: Text<'a>) -> Self {
        Self {
            class,
            message,
            code: None,
            fatal: true,
            resets_at: None,
        }
    }

    /// The problem as one that does not end the session.
    #[must_use]
    pub fn passing(self) -> Self {
        let fatal = false;
        Self { fatal, ..self }
    }

    /// The problem with this class, if its own says only that something failed.
    #[must_use]
    pub fn or_class(self, class: Outcome) -> Self {
        match self.class {
            Outcome::Failed => Self { class, ..self },
            _ => self,
        }
    }
}

impl Form {
    /// Whether a text is a piece.
    #[must_use]
    pub const fn of(is_piece: bool) -> Self {
        match is_piece {
            true => Self::Delta,
            false => Self::Whole,
        }
    }
}

impl<'a> Message<'a> {
    /// A message or a piece of one.
    #[must_use]
    pub const fn new(id: Option<Text<'a>>, text: Text<'a>, form: Form) -> Self {
        Self {
            id,
            block: None,
            text,
            form,
            channel: Channel::Answer,
        }
    }

    /// Returns this text as one for that channel.
    pub(crate) fn on(self, channel: Channel) -> Self {
        Self { channel, ..self }
    }

    /// A whole message without an id.
    #[must_use]
    pub const fn whole(text: Text<'a>) -> Self {
        Self::new(None, text, Form::Whole)
    }

    /// A piece of a message without an id.
    #[must_use]
    pub const fn piece(text: Text<'a>) -> Self {
        Self::new(None, text, Form::Delta)
    }
}
