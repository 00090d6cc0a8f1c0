//! A document that is picked before the end of its source is the one that is picked at the end.

use super::{inputs_of_other_tests, random_text};
use crate::properties::shown;
use crate::random::Random;
use jsift_find::choose::choice::{Choice, Chosen, Standing};
use jsift_find::choose::filter::Filter;
use jsift_find::choose::pick::Pick;
use jsift_find::finder::{FindOptions, Parts};
use jsift_find::reading::Reading;
use jsift_find::unwrap::Mode;
use jsift_json::view::Kind;

/// What is picked, from which stages.
#[derive(Debug, Clone, Copy)]
struct Picked {
    pick: Pick,
    fence: bool,
    embedded: bool,
    whole: bool,
    /// Passes over documents of another kind.
    kind: Option<Kind>,
}

impl Picked {
    fn random(random: &mut Random) -> Self {
        let picks = [Pick::First, Pick::Nth(0), Pick::Nth(1), Pick::Nth(3)];
        Self {
            pick: picks[random.below(picks.len())],
            fence: random.below(2) == 0,
            embedded: random.below(4) > 0,
            whole: random.below(2) == 0,
            kind: [None, Some(Kind::Object), Some(Kind::Array)][random.below(3)],
        }
    }

    /// Returns what is picked of a source that is cut into reads of these sizes, early and at the end.
    fn of(self, text: &[u8], sizes: &mut dyn FnMut() -> usize) -> [Option<Chosen>; 2] {
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
        let mut reading = Reading::new(Mode::Detect, options);
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

/// Asserts the law for a text, cut into short and long reads. Returns whether anything was decided early.
fn is_decided_early(text: &[u8], random: &mut Random) -> bool {
    let picked = Picked::random(random);
    let most = [3, 40, 4000][random.below(3)];
    let [early, last] = picked.of(text, &mut || 1 + random.below(most));
    let [_, whole] = picked.of(text, &mut || text.len());
    assert_eq!(last, whole, "{picked:?}: {}", shown(text));
    if early.is_some() {
        assert_eq!(early, whole, "{picked:?}: {}", shown(text));
    }
    early.is_some()
}

/// What comes before a text, so that nothing in it can turn out to be thinking; or may, if it is empty.
fn beginning(random: &mut Random) -> &'static str {
    ["", "<think>\n</think>\n", "What <think> is:\n"][random.below(3)]
}

#[test]
fn what_is_picked_early_is_picked_at_the_end() {
    let mut random = Random(50);
    let rounds = if cfg!(feature = "slow") { 20_000 } else { 2000 };
    let mut early = 0;
    for _ in 0..rounds {
        let text = random_text(&mut random);
        let text = beginning(&mut random).to_owned() + &text;
        early += usize::from(is_decided_early(text.as_bytes(), &mut random));
    }
    assert!(early > rounds / 20, "{early} of {rounds}");
}

#[test]
fn what_is_picked_early_in_the_inputs_of_other_tests_is_picked_at_the_end() {
    let mut random = Random(7);
    let (mut early, mut all) = (0, 0);
    for text in inputs_of_other_tests(&["cases", "recordings", "samples"]) {
        let text = [beginning(&mut random).as_bytes(), &text].concat();
        early += usize::from(is_decided_early(&text, &mut random));
        all += 1;
    }
    assert!(early > all / 100, "{early} of {all}");
}

#[test]
fn documents_are_decided_where_nothing_later_can_replace_them() {
    let long = "noise\n".repeat((1 << 20) / 6 + 1);
    let fenced = "```json\n{\"a\":1}\n```\n";
    let (thinking, log) = ("<think>\n</think>\n", "log {\"a\":1}\n");
    let rows: [(&str, &str, Pick, bool, bool); 12] = [
        (thinking, fenced, Pick::First, true, true),
        (&long, fenced, Pick::First, true, true),
        ("", fenced, Pick::First, true, false),
        (thinking, log, Pick::First, true, false),
        (thinking, log, Pick::First, false, true),
        (&long, log, Pick::First, false, true),
        ("", log, Pick::First, false, false),
        (thinking, log, Pick::Nth(0), false, true),
        (thinking, log, Pick::Nth(1), false, false),
        (thinking, log, Pick::Last, false, false),
        (thinking, log, Pick::Only, false, false),
        (thinking, "log []\n", Pick::First, false, false),
    ];
    for (before, text, pick, fence, decided) in rows {
        let picked = Picked {
            pick,
            fence,
            embedded: true,
            whole: true,
            kind: None,
        };
        let all = [before, text].concat();
        let [early, _] = picked.of(all.as_bytes(), &mut || 1 << 12);
        let start = before.get(..20).unwrap_or(before);
        assert_eq!(early.is_some(), decided, "{start:?} {text:?} {pick:?}");
    }
}
