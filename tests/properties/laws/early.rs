//! That what is picked early is picked at the end, asserted of random texts and of the inputs of other tests.

use super::{inputs_of_other_tests, random_bytes, random_text};
use crate::properties::Choices;
use crate::properties::early::{Picked, is_decided_early};
use crate::random::Random;
use jsift_find::choose::pick::Pick;

#[test]
fn what_is_picked_early_is_picked_at_the_end() {
    let mut random = Random(50);
    let rounds = if cfg!(feature = "slow") { 20_000 } else { 2000 };
    let mut early = 0;
    for _ in 0..rounds {
        let text = random_text(&mut random);
        let choices = random_bytes(&mut random, 17);
        early += usize::from(is_decided_early(text.as_bytes(), &mut Choices(&choices)));
    }
    assert!(early > rounds / 20, "{early} of {rounds}");
}

#[test]
fn what_is_picked_early_in_the_inputs_of_other_tests_is_picked_at_the_end() {
    let mut random = Random(7);
    let (mut early, mut all) = (0, 0);
    for text in inputs_of_other_tests(&["cases", "recordings", "samples"]) {
        let choices = random_bytes(&mut random, 17);
        early += usize::from(is_decided_early(&text, &mut Choices(&choices)));
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
