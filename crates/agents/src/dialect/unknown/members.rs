//! The members of an unknown agent's records that say who wrote them, what they contain, and what is said, and the
//! objects in them.

use crate::dialect::prelude::*;
use std::ops::Range;

/// Objects inside a record that may contain its subject.
const INNER: NameList = names!(
    "event data payload msg item part params update result step_update assistantMessageEvent llm_message message \
     turn completion response init info chunk properties raw_item rawItem artifact status delta content tool \
     metadata value output required_action submit_tool_outputs"
);
/// Members that contain what the agent says.
pub(super) const SAID: NameList = names!(
    "content text text_delta delta deltaContent content_delta textDelta answer message data parts items blocks"
);
/// The names in `SAID` that contain a piece of a text.
pub(super) const PIECES: Range<usize> = 2..8;
/// Members that contain what the model thinks.
pub(super) const THOUGHT: NameList = names!("thinking reasoning text content delta thought data");
/// Members that name the call of the subagent that wrote a record.
pub(super) const PARENTS: NameList =
    names!("parent_tool_use_id parentToolCallId parent_tool_call_id");
/// Members that identify the message that a record belongs to.
pub(super) const MESSAGES: NameList = names!("messageId message_id messageID item_id artifactId");
/// Members with lists of calls: the blocks of a message, or a list next to its content.
pub(super) const CALLS: NameList = names!("content parts tool_calls toolCalls toolRequests");
/// The number of names in `CALLS` whose lists contain more than calls.
pub(super) const MIXED: usize = 2;

/// Returns the objects in an object that may contain its subject.
pub(super) fn inner<'a>(object: &Object<'a>) -> impl Iterator<Item = Object<'a>> {
    INNER.objects(object)
}

/// Returns what `find` finds in an object, or else in the first of the [objects in it](inner) that has it.
pub(super) fn find_with_inner<'a, T>(
    object: &Object<'a>,
    find: impl Fn(&Object<'a>) -> Option<T>,
) -> Option<T> {
    find(object).or_else(|| inner(object).find_map(|inner| find(&inner)))
}
