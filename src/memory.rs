//! Room for what is held as a whole, however long it is.

/// Buffers from this size on, in bytes, ask for large pages: several of those of most processors.
const LARGE: usize = 4 << 20;

/// Makes room for `size` bytes behind those of a buffer. A long one lies on large pages where the system has them: to take
/// hundreds of megabytes into use page by page costs as much as to read a document of that length.
pub(crate) fn reserve(buffer: &mut Vec<u8>, size: usize) {
    let before = buffer.capacity();
    // Mostly room for as much again is had for the asking, and not taken into use before it is filled.
    if buffer.try_reserve(size).is_err() {
        buffer.reserve_exact(size);
    }
    if buffer.capacity() > before && buffer.capacity() >= LARGE {
        ask_for_large_pages(buffer);
    }
}

/// What it buys: to read a pretty-printed document of 256 MiB takes 0.195 s instead of 0.25 s.
#[cfg(all(target_os = "linux", feature = "cli"))]
#[allow(unsafe_code)]
fn ask_for_large_pages(buffer: &mut Vec<u8>) {
    use rustix::mm::{Advice, madvise};
    use rustix::param::page_size;

    // All of the first and the last page: if the advice were of a part of a mapping, that would be two for the system, and
    // could not grow without being copied.
    let before = buffer.as_ptr().addr() % page_size();
    let begin = buffer.as_mut_ptr().wrapping_byte_sub(before);
    let size = (before + buffer.capacity()).next_multiple_of(page_size());
    // SAFETY: the advice changes nothing that stands in these pages, whether it is followed or not, and all of them are
    // mapped: each holds a byte of the buffer's allocation.
    let _ = unsafe { madvise(begin.cast(), size, Advice::LinuxHugepage) };
}

#[cfg(not(all(target_os = "linux", feature = "cli")))]
fn ask_for_large_pages(_: &mut Vec<u8>) {}

#[cfg(test)]
mod tests {
    use super::{LARGE, reserve};

    #[test]
    fn what_stands_in_a_buffer_stays_as_it_grows() {
        let mut buffer = Vec::new();
        let piece: Vec<u8> = (0..100_003).map(|at| (at % 251) as u8).collect();
        while buffer.len() < 5 * LARGE {
            let room = 2 * piece.len();
            reserve(&mut buffer, room);
            assert!(buffer.capacity() - buffer.len() >= room);
            buffer.extend_from_slice(&piece);
        }
        assert!(buffer.chunks(piece.len()).all(|found| found == piece));
    }
}
