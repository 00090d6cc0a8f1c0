//! What a call changes in files, as its parameters state it: replaced text, a patch, or a whole file.
//!
//! The dialects count the lines of a replacement; writers show all of them.

use crate::dialect::names::{NameList, names};
use jsift_json::text::Text;
use jsift_json::view::{Kind, Object, Value};

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<'a> {
    /// A text is replaced by another one.
    Replacement {
        /// The text that is replaced; empty if the file is a new one.
        old: Text<'a>,
        /// The text in its place.
        new: Text<'a>,
        /// Whether it is replaced in one place only.
        once: bool,
    },
    /// A unified diff, or a patch between `*** Begin Patch` and `*** End Patch`.
    Patch(Text<'a>),
    /// The whole file is written.
    Contents(Text<'a>),
}

/// The members that contain the text to be replaced.
const OLD: NameList = names!("old_string oldString old_str old_text oldText old before");
/// The members that contain its replacement, in the same order.
const NEW: NameList = names!("new_string newString new_str new_text newText new after");
/// The last name in `OLD`, which a time may have, too: next to a text there is a file.
const BEFORE: &str = "before";
/// The members that name a file, the surest first.
pub(crate) const FILES: NameList = names!(
    "file_path filePath path absolute_path notebook_path filename file target_file dir_path TargetFile \
     AbsolutePath"
);
/// The members that contain a patch.
pub(crate) const PATCHES: NameList = names!("unified_diff patch patchText diff input");
/// The members that contain a whole file.
const CONTENTS: NameList = names!("content contents file_text new_source");
/// The members that contain an edit or several.
const EDITS: NameList = names!("edits edit");

/// Returns whether a parameter of this name is a change or a part of one.
#[must_use]
pub fn is_part(name: &str) -> bool {
    let lists = [OLD, NEW, PATCHES, CONTENTS, EDITS];
    let mut names = lists.iter().flat_map(|list| list.names);
    name == "changes" || names.any(|one| one.text == name)
}

/// Returns the changes that a call with these parameters makes, in order: `None` for one that is stated in another
/// form.
pub fn changes_of<'a>(parameters: &Object<'a>) -> impl Iterator<Item = Option<Change<'a>>> {
    // Codex writes {"changes":{PATH:{"update":{"unified_diff"}}}}, or "add" with "content".
    let by_path = parameters.object("changes");
    let by_path = by_path.iter().flat_map(Object::members);
    let of_file = |(_, file): (_, Value<'a>)| file.members().map(|(_, change)| change);
    let mut all: Vec<Value<'a>> = by_path.flat_map(of_file).collect();
    if let Some(edits) = EDITS.first(parameters).filter(|_| all.is_empty()) {
        match edits.kind() {
            Kind::Array => all.extend(edits.elements()),
            Kind::Object => all.push(edits),
            _ => {}
        }
    }
    let own = all.is_empty().then(|| {
        let dated = parameters.has(BEFORE) && !FILES.is_in(parameters);
        Change::of(parameters).filter(|_| !dated)
    });
    let inner = all.into_iter().map(|one| Change::of(&Object::new(one)?));
    own.into_iter().chain(inner)
}

impl<'a> Change<'a> {
    /// Returns the change that an edit states.
    fn of(edit: &Object<'a>) -> Option<Self> {
        let texts = |(at, old): (usize, Value<'a>)| {
            let new = edit.get_named(*NEW.names.get(at)?)?;
            Some((old.text()?, new.text()?))
        };
        if let Some((old, new)) = OLD.numbered(edit).find_map(texts) {
            let all = names!("replace_all change_all").is_set(edit)
                || names!("expected_replacements allow_multiple").is_in(edit);
            let once = !all;
            return Some(Self::Replacement { old, new, once });
        }
        let patch = PATCHES.string(edit).map(Self::Patch);
        patch.or_else(|| CONTENTS.string(edit).map(Self::Contents))
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, FILES, changes_of};
    use jsift_json::view::{Object, Value};

    #[test]
    fn the_changes_of_a_call_are_in_their_order() {
        let changes =
            r#"{"changes":{"a":{"update":{"unified_diff":"@@"}},"b":{"add":{"content":"x"}}}}"#;
        let changes = Object::new(Value::new(changes.as_bytes())).unwrap();
        let all: Vec<_> = changes_of(&changes).flatten().collect();
        assert_eq!(
            all,
            [Change::Patch("@@".into()), Change::Contents("x".into())]
        );
    }

    #[test]
    fn before_and_after_are_texts_next_to_the_name_of_a_file_and_times_elsewhere() {
        let count = |json: &str| {
            let parameters = Object::new(Value::new(json.as_bytes())).unwrap();
            changes_of(&parameters).flatten().count()
        };
        for name in FILES.names {
            let json = format!(r#"{{"{}":"a","before":"x","after":"y"}}"#, name.text);
            assert_eq!(count(&json), 1, "{json}");
        }
        assert_eq!(count(r#"{"before":"10:00","after":"9:00"}"#), 0);
    }
}
