//! That colours change nothing, asserted of random texts and of the inputs of other tests.

use super::{inputs_of_other_tests, random_text};
use crate::properties::colours::change_nothing;
use crate::random::Random;

#[test]
fn colours_change_nothing_in_random_texts() {
    let mut random = Random(3);
    let rounds = if cfg!(feature = "slow") { 20_000 } else { 2000 };
    let mut any = 0;
    for _ in 0..rounds {
        let text = random_text(&mut random);
        any += usize::from(change_nothing(text.as_bytes(), random.below(256) as u8));
    }
    assert!(any > rounds / 20, "{any} of {rounds}");
}

#[test]
fn colours_change_nothing_in_the_inputs_of_other_tests() {
    let mut random = Random(4);
    let (mut any, mut all) = (0, 0);
    for text in inputs_of_other_tests(&["cases", "samples"]) {
        any += usize::from(change_nothing(&text, random.below(256) as u8));
        all += 1;
    }
    assert!(any > all / 10, "{any} of {all}");
}
