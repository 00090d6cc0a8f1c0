//! A document that is picked before the end of its source is the one that is picked at the end.

use jsift_find::choose::choice::{Choice, Chosen, Standing};
use jsift_find::choose::filter::Filter;
use jsift_find::choose::pick::Pick;
use jsift_find::finder::{FindOptions, Parts};
use jsift_find::reading::Reading;
use jsift_find::unwrap::Unwrap;
use jsift_json::view::Kind;

use super::{Choices, cuts, shown};

/// What comes before a text, so that nothing in it can turn out to be thinking; or may, if it is empty.
const BEGINNINGS: [&str; 3] = ["", "<think>\n</think>\n", "What <think> is:\n"];

/// What is picked, from which stages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picked {
    pub(crate) pick: Pick,
    pub(crate) fence: bool,
    pub(crate) embedded: bool,
    pub(crate) whole: bool,
    /// Passes over documents of another kind.
    pub(crate) kind: Option<Kind>,
}

impl Picked {
    fn of_choices(choices: &mut Choices<'_>) -> Self {
        let picks = [Pick::First, Pick::Nth(0), Pick::Nth(1), Pick::Nth(3)];
        Self {
            pick: picks[choices.below(picks.len())],
            fence: choices.below(2) == 0,
            embedded: choices.below(4) > 0,
            whole: choices.below(2) == 0,
            kind: [None, Some(Kind::Object), Some(Kind::Array)][choices.below(3)],
        }
    }

    /// Returns what is picked of a source that is cut into reads of these sizes, early and at the end.
    pub(crate) fn of(self, text: &[u8], sizes: &mut dyn FnMut() -> usize) -> [Option<Chosen>; 2] {
        let options = FindOptions {
            fence: self.fence,
            embedded: self.embedded,
            whole: self.whole,
            parts: Parts::if_any(true),
            ..FindOptions::default()
        };
        let filter = Filter {
            kinds: self.kind.into_iter().collect(),
            ..Filter::default()
        };
        let mut choice = Choice::new(Some(self.pick), &|_, _| Standing::Other, &filter);
        let mut reading = Reading::new(Unwrap::Detect, options);
        let (mut early, mut rest) = (None, text);
        while !rest.is_empty() {
            let (block, after) = rest.split_at(sizes().clamp(1, rest.len()));
            reading.block(block, &mut choice);
            early = early.or_else(|| choice.decided(&reading).cloned());
            rest = after;
        }
        reading.end(&mut choice);
        let whole = reading.is_whole();
        [early, choice.take(whole).map(|(chosen, _)| chosen)]
    }
}

/// Asserts the law for a text after a beginning, cut into short and long reads. Returns whether anything was decided
/// early.
pub(crate) fn is_decided_early(text: &[u8], choices: &mut Choices<'_>) -> bool {
    let beginning = BEGINNINGS[choices.below(BEGINNINGS.len())];
    let text = [beginning.as_bytes(), text].concat();
    let picked = Picked::of_choices(choices);
    let most = [3, 40, 4000][choices.below(3)];
    let mut size = || 1 + usize::from(u16::from_be_bytes([choices.byte(), choices.byte()])) % most;
    let sizes: Vec<usize> = (0..5).map(|_| size()).collect();
    let mut sizes = sizes.into_iter().cycle();
    let [early, last] = picked.of(&text, &mut || sizes.next().unwrap_or(1));
    let [_, whole] = picked.of(&text, &mut || text.len());
    assert_eq!(last, whole, "{picked:?}: {}", shown(&text));
    if early.is_some() {
        assert_eq!(early, whole, "{picked:?}: {}", shown(&text));
    }
    early.is_some()
}

/// The law for any bytes, and for texts put together of parts.
pub fn property(data: &[u8]) {
    let (first, text) = data.split_at(data.len().min(18));
    let mut choices = Choices(first);
    match choices.below(2) {
        0 => is_decided_early(text, &mut choices),
        _ => is_decided_early(cuts::text_of(text).as_bytes(), &mut choices),
    };
}
