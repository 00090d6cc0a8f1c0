//! The meaning of a name by the words in it: `agent_message_chunk`, `toolExecutionEnd`, `item.completed`.

/// A set of subjects of a record, by the words in its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::dialect) struct Words(u32);

/// The longest word with a meaning, in bytes.
const LONGEST_WORD: usize = 16;

/// Returns the meaning of one word in lower case.
const fn meaning(word: &[u8]) -> Words {
    match word {
        b"message" | b"text" | b"response" | b"say" => Words::SAY.with(Words::INNER),
        b"answer" | b"output" => Words::SAY,
        b"artifact" => Words::SAY.with(Words::ARTIFACT),
        b"aimessage" => Words::SAY.with(Words::AGENT),
        b"assistant" => Words::AGENT.with(Words::MODEL),
        b"agent" | b"model" | b"ai" => Words::AGENT,
        b"llm" => Words::MODEL.with(Words::LLM),
        b"content" | b"part" => Words::CONTENT.with(Words::INNER),
        b"parts" => Words::CONTENT,
        b"user" | b"human" => Words::USER,
        b"reasoning" | b"thinking" => Words::THINK.with(Words::MODEL),
        b"thought" | b"think" | b"thoughts" | b"redacted" => Words::THINK,
        b"tool" | b"tools" | b"toolcall" => Words::TOOL.with(Words::MODEL),
        b"call" | b"function" | b"command" | b"effect" | b"action" | b"observation" | b"exec"
        | b"mcp" | b"patch" => Words::TOOL,
        b"delta" => Words::PART.with(Words::PIECE).with(Words::MODEL),
        b"chunk" | b"generation" | b"choice" => Words::PART.with(Words::PIECE),
        b"updated" => Words::PART.with(Words::SO_FAR),
        b"update" | b"partial" | b"status" => Words::PART,
        b"progress" => Words::PART.with(Words::PROGRESS),
        b"start" | b"started" | b"begin" | b"init" | b"created" | b"create" | b"opened"
        | b"open" => Words::START,
        b"result" | b"completion" | b"complete" | b"completed" | b"finished" | b"finish"
        | b"done" | b"return" | b"end" | b"ended" | b"shutdown" | b"final" | b"idle" | b"stop"
        | b"stopped" | b"succeeded" => Words::END,
        b"item" | b"step" | b"iteration" | b"block" | b"log" | b"hook" | b"compaction"
        | b"subagent" | b"request" | b"input" | b"context" | b"node" => Words::INNER,
        b"replace" | b"replaced" => Words::REPLACE,
        b"reset" | b"rewind" | b"retract" | b"retracted" | b"withdrawn" => Words::REMOVE,
        b"error" | b"failed" | b"failure" | b"exception" | b"abort" | b"aborted" | b"cancelled"
        | b"canceled" | b"interrupted" | b"timed" => Words::WRONG,
        b"turn" => Words::TURN,
        b"run" => Words::RUN,
        b"task" => Words::TASK,
        b"retry" | b"retrying" | b"reconnecting" => Words::AGAIN,
        b"token" => Words::COUNT
            .with(Words::CONTENT)
            .with(Words::PART)
            .with(Words::PIECE),
        b"usage" | b"tokens" | b"cost" | b"stats" => Words::COUNT,
        _ => Words(0),
    }
}

/// Declares the meanings, each with a bit of its own.
macro_rules! meanings {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The numbers of the meanings.
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names are those of the constants")]
        enum Bit { $($name),* }

        impl Words {
            $($(#[$doc])* pub(in crate::dialect) const $name: Self = Self(1 << Bit::$name as u32);)*
        }
    };
}
meanings! {
    /// Something is said.
    SAY,
    /// The agent acts.
    AGENT,
    /// A part of a message, by anyone.
    CONTENT,
    /// The user acts.
    USER,
    /// Something is thought.
    THINK,
    /// A tool is called or gives its result.
    TOOL,
    /// A piece of something.
    PART,
    /// Something starts.
    START,
    /// Something ends.
    END,
    /// The start or end is that of a part of a run.
    INNER,
    /// A turn, which may be the whole run.
    TURN,
    /// Something went wrong.
    WRONG,
    /// Something is tried again.
    AGAIN,
    /// Something is counted.
    COUNT,
    /// A piece that continues what came before it.
    PIECE,
    /// A piece that repeats what came before it.
    SO_FAR,
    /// Only programs around a language model speak of it.
    MODEL,
    /// It is about what a task makes, which grows piece by piece or is stated again.
    ARTIFACT,
    /// It says how far the work is.
    PROGRESS,
    /// What was said before is replaced.
    REPLACE,
    /// What was said before is withdrawn.
    REMOVE,
    /// A language model is called by this name.
    LLM,
    /// A whole run.
    RUN,
    /// A task, which may be the whole run or a part of it.
    TASK,
}

impl Words {
    /// Whether `self` has any of `some`.
    pub(in crate::dialect) const fn has(self, some: Self) -> bool {
        self.0 & some.0 != 0
    }

    /// Whether `self` has all of `some`.
    pub(in crate::dialect) const fn has_all(self, some: Self) -> bool {
        self.0 & some.0 == some.0
    }

    /// Returns the union of both sets.
    pub(in crate::dialect) const fn with(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Returns the intersection of both sets.
    pub(in crate::dialect) const fn only(self, some: Self) -> Self {
        Self(self.0 & some.0)
    }

    /// Returns the meaning of all words of a name.
    pub(in crate::dialect) fn of(name: &[u8]) -> Self {
        let mut words = Self::default();
        for word in split(name) {
            let mut lower = [0; LONGEST_WORD];
            if let Some(lower) = lower.get_mut(..word.len()) {
                lower.copy_from_slice(word);
                lower.make_ascii_lowercase();
                words = words.with(meaning(lower));
            }
        }
        words
    }
}

/// Returns the words of a name that are letters, without the signs and numbers between them.
pub(in crate::dialect) fn alphabetic_words(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    split(name).filter(|word| word.iter().all(u8::is_ascii_alphabetic))
}

/// Splits a name into its words.
pub(in crate::dialect) fn split(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = |pair: &[u8]| match pair {
        [_, next] if !next.is_ascii_alphabetic() => true,
        [last, _] if !last.is_ascii_alphabetic() => true,
        [last, next] => last.is_ascii_lowercase() && next.is_ascii_uppercase(),
        _ => false,
    };
    let mut rest = name;
    std::iter::from_fn(move || {
        let end = rest.windows(2).position(parts);
        let end = end.map_or(rest.len(), |last| last + 1);
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}
