//! Tool calls of a session: paired with their results, counted, with the files that they wrote.

mod counts;
mod denied;

use super::named::Named;
use super::recent::{Recent, Weighed};
use super::speech::{in_turn, is_own_id};
use crate::fact::{Call, Counts, LineCounts, Operation, ToolResult, ToolStatus, Write};
use crate::hashes::{HashedMap, TextHash};
use jsift_json::text::Text;

/// How many calls that had their results are known at least.
const SETTLED_CALLS: usize = 4096;
/// How many calls with the same id may wait for their results.
const SAME_ID: usize = 64;

/// What was done to a file in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct File {
    /// The sum of all operations on the file, if known.
    pub operation: Option<Operation>,
    /// The tool that wrote the file first.
    pub tool: Text<'static>,
    /// How often the file was written.
    pub writes: u64,
    /// How many lines its writes added and removed.
    pub lines: LineCounts,
}

/// A call that waits for its result.
#[derive(Debug, Default)]
struct Pending {
    /// The number of the step that the call is in its session.
    step: u64,
    /// The hash of the call's content, if its id may be another call's, too.
    content: u64,
    name: Text<'static>,
    path: Option<Text<'static>>,
    writes: Vec<Write<'static>>,
    /// Whether the call was denied, and counted as such, before its result arrived.
    denied: bool,
    /// Later calls with the same id, of which there are rarely any.
    later: Vec<Self>,
}

impl Pending {
    fn new(call: &Call<'_>, name: Text<'static>, step: u64) -> Self {
        let path = call.path.as_ref().map(Text::to_shared);
        let owned = |write: &Write<'_>| Write {
            // Nearly always, the file that is written is the file that the call is about.
            path: match &path {
                Some(path) if *path == write.path => path.clone(),
                _ => write.path.to_shared(),
            },
            operation: write.operation,
            lines: write.lines,
        };
        Self {
            step,
            content: content_of(call),
            writes: call.writes.iter().map(owned).collect(),
            name,
            path,
            denied: false,
            later: Vec::new(),
        }
    }
}

impl Weighed for Pending {
    fn weight(&self) -> usize {
        let text = |text: &Text<'_>| text.len() + size_of::<Write<'_>>();
        let writes = self.writes.iter().map(|write| text(&write.path));
        let later: usize = self.later.iter().map(Self::weight).sum();
        text(&self.name) + self.path.as_ref().map_or(0, text) + writes.sum::<usize>() + later
    }
}

/// What a call is to the records before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedCall {
    /// A new one.
    New,
    /// One whose result came before it.
    Late,
    /// One that was stated before.
    Known,
}

/// A call that had its result.
#[derive(Debug, Default)]
struct SettledCall {
    step: u64,
    name: Text<'static>,
    status: ToolStatus,
    /// The hash of the content of the call that the result states.
    call: Option<u64>,
    /// The hash of the result's content.
    result: u64,
    /// Whether no record has stated the call so far.
    lacks_call: bool,
    /// Whether the result stated what the call wrote.
    wrote: bool,
}

/// Returns the hash of what a call says; 0 if its id alone identifies it.
fn content_of(call: &Call<'_>) -> u64 {
    if is_own_id(&call.id) {
        return 0;
    }
    let name = TextHash::of(call.name.as_bytes()).half();
    TextHash::of(call.parameters.as_bytes()).with(name).half()
}

/// Returns the hash of what a result says; 0 if its id alone identifies it.
fn content_of_result(result: &ToolResult<'_>) -> u64 {
    if is_own_id(&result.id) {
        return 0;
    }
    let text = result.error.as_ref().or(result.output.as_ref());
    let text = text.map_or(&[][..], Text::as_bytes);
    TextHash::of(text).with(result.status as u64).half()
}

/// A result, with what is known of its call.
#[derive(Debug, Default)]
pub struct Settled {
    /// The number of the step that the call is in its session.
    pub step: u64,
    /// The name of the tool; empty if the call is unknown.
    pub name: Text<'static>,
    /// The status, with denials taken into account.
    pub status: ToolStatus,
    /// The file that the call was about.
    path: Option<Text<'static>>,
    /// The files that the call wrote, or would have written.
    writes: Vec<Write<'static>>,
    /// What the call changed in files, if it succeeded and wrote any.
    pub change: Option<LineCounts>,
    /// Whether the record stated the call, too, and no earlier record did.
    pub states_call: bool,
    /// Whether no record has stated the call so far.
    pub lacks_call: bool,
    /// Whether the result was stated before, in the same words or with the same status.
    pub repeated: bool,
}

impl Settled {
    /// Returns a result with an unknown call.
    fn new(step: u64, name: Text<'static>, status: ToolStatus) -> Self {
        Self {
            step,
            name,
            status,
            ..Self::default()
        }
    }

    /// Returns the file that the call was about, or else the first file that was written.
    #[must_use]
    pub fn path(&self) -> Option<&Text<'static>> {
        let first = self.writes.first().map(|write| &write.path);
        self.path.as_ref().or(first)
    }

    /// Returns the files that the call wrote, each once, with the last operation on it; none if the call failed.
    pub fn written(&self) -> Named<Option<Operation>> {
        let mut files = Named::default();
        if self.status == ToolStatus::Success {
            for write in &self.writes {
                *files.entry(&write.path) = write.operation;
            }
        }
        files
    }
}

/// Returns the writes that a result states, or else those that its call stated. If each states a single write, both are
/// about the same file, and the two are combined.
fn written(result: &ToolResult<'_>, of_call: Vec<Write<'static>>) -> Vec<Write<'static>> {
    let stated = result.writes.iter().cloned().map(Write::into_owned);
    let mut writes = match (result.writes.len(), of_call.as_slice()) {
        (0, _) => of_call,
        (1, [call]) => stated.map(|write| write.or(call)).collect(),
        _ => stated.collect(),
    };
    writes.retain(|write| !write.path.is_empty());
    writes
}

/// All tool calls of a session.
#[derive(Debug, Default)]
pub struct Tools {
    by_name: Named<Counts>,
    /// The counts of the calls whose tool is unknown: they are not in the input, or no record names it.
    unnamed: Counts,
    totals: Named<Counts>,
    /// The calls that wait for their results, by id.
    pending: Recent<Pending>,
    /// The calls that had their results, by id.
    settled: HashedMap<SettledCall, SETTLED_CALLS>,
    /// How many calls of each tool were denied according to records that name no call.
    denied: Named<u64>,
    files: Named<File>,
}

impl Tools {
    /// Adds a call of that turn, as the step of that number. Returns what it is to the records before it.
    pub fn call(&mut self, call: &Call<'_>, turn: u64, step: u64) -> StatedCall {
        let id = TextHash::of(call.id.as_bytes());
        if let Some(known) = self.known(call, id, turn) {
            return known;
        }
        let name = self.count_call(&call.name);
        let pending = Pending::new(call, name, step);
        self.pending.change(id, |first| {
            let Some(mut first) = first else {
                return pending;
            };
            if first.later.len() + 1 < SAME_ID {
                first.later.push(pending);
            }
            first
        });
        StatedCall::New
    }

    /// Returns what a call is that was stated before, or whose result was; `None` if it is new. A call that waits for
    /// its result is replaced by another one with the same id, unless the id is so short that both may have it.
    fn known(&mut self, call: &Call<'_>, id: TextHash, turn: u64) -> Option<StatedCall> {
        if call.id.is_empty() {
            return None;
        }
        let is_own = is_own_id(&call.id);
        let Some(first) = self.pending.get_mut(id) else {
            return self.known_by_result(call, in_turn(id, &call.id, turn));
        };
        if is_own {
            *first = Pending {
                denied: first.denied,
                ..Pending::new(call, first.name.clone(), first.step)
            };
            return Some(StatedCall::Known);
        }
        let content = content_of(call);
        let mut all = first.later.iter().chain([&*first]);
        let is_known = all.any(|waiting| waiting.content == content);
        is_known.then_some(StatedCall::Known)
    }

    /// Returns what a call is that had its result: by its own id, or by a short one if the call was missing. The first
    /// record that names the tool counts the call under that name, and the first one that states the call says what it
    /// wrote.
    fn known_by_result(&mut self, call: &Call<'_>, in_turn: TextHash) -> Option<StatedCall> {
        let settled = self.settled.get_mut(in_turn)?;
        (settled.lacks_call || is_own_id(&call.id)).then_some(())?;
        let is_late = std::mem::take(&mut settled.lacks_call);
        let status = settled.status;
        let writes = is_late && !settled.wrote && status == ToolStatus::Success;
        if settled.name.is_empty() && !call.name.is_empty() {
            settled.name = call.name.to_shared();
            let unnamed = &mut self.unnamed;
            unnamed.calls = unnamed.calls.saturating_sub(1);
            *unnamed.of(status) = unnamed.of(status).saturating_sub(1);
            let named = self.by_name.entry(&call.name);
            named.calls += 1;
            *named.of(status) += 1;
        }
        if writes {
            let named = call.writes.iter().filter(|write| !write.path.is_empty());
            named.for_each(|write| self.write(&call.name.to_shared(), write));
        }
        Some(match is_late {
            true => StatedCall::Late,
            false => StatedCall::Known,
        })
    }

    fn take_pending(&mut self, id: TextHash) -> Option<Pending> {
        let mut first = self.pending.remove(id)?;
        if !first.later.is_empty() {
            let mut next = first.later.remove(0);
            next.later = std::mem::take(&mut first.later);
            self.pending.insert(id, next);
        }
        Some(first)
    }

    /// Returns the number of bytes that are held.
    pub(super) fn weight(&self) -> usize {
        self.pending.weight()
            + self.settled.weight()
            + self.denied.weight()
            + self.by_name.weight()
            + self.totals.weight()
            + self.files.weight()
    }

    /// Stops waiting for results. Only the counts are kept.
    pub(super) fn shrink(&mut self) {
        self.pending = Recent::default();
        self.settled = HashedMap::default();
    }

    #[cfg(test)]
    pub(super) fn has_open_calls(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns the number of the step that the call of that id in that turn is.
    pub fn step_of(&mut self, id: &Text<'_>, turn: u64) -> Option<u64> {
        let settled = &mut self.settled;
        let hash = TextHash::of(id.as_bytes());
        let waiting = self.pending.get_mut(hash).map(|pending| pending.step);
        waiting.or_else(|| Some(settled.get_mut(in_turn(hash, id, turn))?.step))
    }

    /// Returns the hash of the id of the call that a result answers. A result that names no call answers the only one
    /// that waits.
    fn answered_by(&self, result: &ToolResult<'_>) -> TextHash {
        let own = TextHash::of(result.id.as_bytes());
        let names_call = !result.id.is_empty() || result.call.is_some();
        let only = self.pending.only().filter(|_| !names_call);
        only.unwrap_or(own)
    }

    /// Adds a result in that turn and pairs it with its call. If that is unknown, it is the step of the number `next`.
    pub fn result(&mut self, result: &ToolResult<'_>, turn: u64, next: u64) -> Settled {
        let id = self.answered_by(result);
        let in_turn = in_turn(id, &result.id, turn);
        let mut pending = self.take_pending(id);
        if pending.is_none()
            && let Some(settled) = self.again(result, in_turn)
        {
            return settled;
        }
        let states_call = pending.is_none() && result.call.is_some();
        if let (None, Some(call)) = (&pending, &result.call) {
            let _ = self.call(call, turn, next);
            pending = self.take_pending(id);
        }
        let seen = pending.is_some();
        let pending = pending.unwrap_or_else(|| Pending {
            step: next,
            ..Pending::default()
        });
        let status = match result.status {
            ToolStatus::Success => ToolStatus::Success,
            _ if pending.denied => ToolStatus::Denied,
            status => status,
        };
        let counts = self.counts_of(&pending.name);
        // A call that is not in the input counts with its result, without a name.
        counts.calls += u64::from(!seen);
        counts.denied = counts.denied.saturating_sub(u64::from(pending.denied));
        counts.add(status, result.duration_ms);
        let writes = written(result, pending.writes);
        if !result.id.is_empty() {
            let settled = SettledCall {
                step: pending.step,
                name: pending.name.clone(),
                status,
                call: result.call.as_deref().map(content_of),
                // It is compared only where the call is known.
                result: if seen { content_of_result(result) } else { 0 },
                lacks_call: !seen,
                wrote: !writes.is_empty(),
            };
            self.settled.insert(in_turn, settled);
        }
        let changes = writes.iter().map(|write| write.lines);
        let mut change = changes.reduce(LineCounts::plus);
        match status {
            ToolStatus::Success => writes.iter().for_each(|it| self.write(&pending.name, it)),
            _ => change = None,
        }
        Settled {
            path: pending.path,
            change,
            writes,
            states_call,
            lacks_call: !seen,
            ..Settled::new(pending.step, pending.name, status)
        }
    }

    /// Returns what is known of a call that had its result, if this is that result again. Another status replaces the
    /// first one.
    fn again(&mut self, result: &ToolResult<'_>, in_turn: TextHash) -> Option<Settled> {
        let settled = self.settled.get_mut(in_turn)?;
        // A short id is known again only together with its call.
        let is_same = || {
            !settled.lacks_call
                && settled.result == content_of_result(result)
                && settled.call == result.call.as_deref().map(content_of)
        };
        if !is_own_id(&result.id) && !is_same() {
            return None;
        }
        // A denial is what a failure turned out to be.
        let success = settled.status == ToolStatus::Success;
        let is_new = success != (result.status == ToolStatus::Success);
        let status = match is_new {
            true => result.status,
            false => settled.status,
        };
        Some(Settled {
            repeated: !is_new,
            status: result.status,
            ..self.resettle(in_turn, status)?
        })
    }

    /// Replaces the status of a call that had its result. Returns what is known of the call.
    fn resettle(&mut self, in_turn: TextHash, status: ToolStatus) -> Option<Settled> {
        let settled = self.settled.get_mut(in_turn)?;
        let before = std::mem::replace(&mut settled.status, status);
        let known = Settled::new(settled.step, settled.name.clone(), status);
        let counts = self.counts_of(&known.name);
        *counts.of(before) = counts.of(before).saturating_sub(1);
        *counts.of(status) += 1;
        Some(known)
    }

    fn write(&mut self, tool: &Text<'static>, write: &Write<'_>) {
        let file = self.files.entry(&write.path);
        let first = file.writes == 0;
        file.writes += 1;
        if first {
            file.tool = tool.clone();
            file.lines = write.lines;
        } else {
            file.lines = file.lines.plus(write.lines);
        }
        file.operation = match (file.operation, write.operation) {
            (_, Some(Operation::Delete)) => Some(Operation::Delete),
            (Some(Operation::Delete), new) => new.or(Some(Operation::Create)),
            (Some(old), _) => Some(old),
            // A later write does not show what the unknown first one did.
            (None, new) => new.filter(|_| first),
        };
    }

    /// Returns the files that were written, in the order of their first write.
    #[must_use]
    pub const fn files(&self) -> &Named<File> {
        &self.files
    }
}
