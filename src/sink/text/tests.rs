//! Events of real recordings, and attacks in them, as lines.
