//! What of a long test is done after each change.

/// Returns the one of these variations that a text is tried in, which its bytes decide; with `--features slow` all of
/// them.
pub(crate) fn picked<'v, V>(variations: &'v [V], text: &[u8]) -> &'v [V] {
    if cfg!(feature = "slow") {
        return variations;
    }
    let at = sum(text) % variations.len();
    &variations[at..=at]
}

/// Returns whether a text is one of the sixth that is tried, which its bytes decide; with `--features slow` all are.
pub(crate) fn is_picked(text: &[u8]) -> bool {
    cfg!(feature = "slow") || sum(text).is_multiple_of(6)
}

fn sum(text: &[u8]) -> usize {
    let sum = text.iter().fold(0_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
    });
    // The low bits of such a sum are those of the last bytes.
    (sum >> 8) as usize
}
