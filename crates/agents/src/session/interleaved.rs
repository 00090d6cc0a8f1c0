//! Messages of one thread whose deltas come by turns: each delta belongs to the message with its id.

use super::recent::push_latest;
use super::speech::{Run, TextKind, Track};
use jsift_json::text::Text;

/// How many messages may be open next to the last one of their thread.
const MOST: usize = 16;

/// The deltas of messages that stay open while another message of their thread goes on.
#[derive(Debug, Default)]
pub(super) struct OtherRuns(Vec<OtherRun>);

#[derive(Debug)]
struct OtherRun {
    parent: Option<Text<'static>>,
    kind: TextKind,
    run: Run,
}

impl OtherRuns {
    /// Keeps the deltas of a message open, if they name it: others cannot be distinguished from those of the next
    /// message.
    pub(super) fn keep(&mut self, track: Track<'_>, run: Run) {
        if run.open.is_some() && run.id.is_some() {
            let parent = track.parent.map(|parent| parent.clone().into_owned());
            let kind = track.kind;
            push_latest(&mut self.0, OtherRun { parent, kind, run }, MOST);
        }
    }

    /// Removes the open deltas of the message with this id, and returns them.
    pub(super) fn take(&mut self, track: Track<'_>, id: Option<&Text<'_>>) -> Option<Run> {
        let is_it = |other: &OtherRun| {
            other.kind == track.kind
                && other.parent.as_ref() == track.parent
                && other.run.id.as_ref() == id
        };
        let at = self.0.iter().position(is_it)?;
        Some(self.0.remove(at).run)
    }

    /// Closes all deltas of a thread.
    pub(super) fn close(&mut self, parent: Option<&Text<'_>>) {
        self.0.retain(|other| other.parent.as_ref() != parent);
    }
}
