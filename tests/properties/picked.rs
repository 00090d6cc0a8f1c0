//! What of a long test is done after each change.

/// Returns the one of these variations that a text is tried in, which its bytes decide; with `--features slow` all of them.
pub fn picked<'v, V>(variations: &'v [V], text: &[u8]) -> &'v [V] {
    if cfg!(feature = "slow") {
        return variations;
    }
    let sum = text.iter().fold(0_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
    });
    let at = sum as usize % variations.len();
    &variations[at..=at]
}
