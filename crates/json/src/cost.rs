//! Counts the bytes that are looked at, each as often as it is: tests and fuzz targets compare the count with the size
//! of the input, without a clock. Only builds with debug assertions count; in any other build these functions do
//! nothing.

#[cfg(debug_assertions)]
use std::cell::Cell;

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts bytes that were looked at, one by one. Whatever loops over bytes of the input calls this or [`search`].
#[inline(always)]
pub fn look_at(bytes: usize) {
    #[cfg(debug_assertions)]
    STEPS.with(|steps| steps.set(steps.get() + bytes as u64));
    let _ = bytes;
}

/// Counts bytes that were searched, compared or copied in blocks, 16 of which take as long as one byte that is looked
/// at by itself.
#[inline(always)]
pub fn search(bytes: usize) {
    look_at(bytes / 16 + 1);
}

/// Returns how many bytes this thread has looked at; always 0 in a build without debug assertions.
#[must_use]
pub fn steps() -> u64 {
    #[cfg(debug_assertions)]
    return STEPS.with(Cell::get);
    #[cfg(not(debug_assertions))]
    0
}
