//! Pseudorandom numbers that are the same in every run, and what is made of them.

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number of at least `low` and at most `high`.
    pub(crate) const fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.bits() % (high - low + 1)
    }

    /// A number from 0 to 99.
    pub(crate) const fn percent(&mut self) -> u64 {
        self.within(0, 99)
    }

    /// A number from 0 to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        self.within(0, (1 << 52) - 1) as f64 / (1u64 << 52) as f64
    }

    pub(crate) fn choice<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.within(0, of.len() as u64 - 1) as usize]
    }

    pub(crate) fn word(&mut self) -> &'static str {
        self.choice(WORDS)
    }

    /// Some words, `low` to `high` of them.
    pub(crate) fn words(&mut self, low: u64, high: u64) -> String {
        let count = self.within(low, high);
        let words: Vec<&str> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    /// What a model might write, at least `length` bytes of it: words, and now and then something else.
    pub(crate) fn text(&mut self, length: u64) -> String {
        let mut text = String::new();
        while (text.len() as u64) < length {
            let rare = self.percent() >= 93;
            text.push_str(if rare { self.choice(RARE) } else { self.word() });
            text.push(' ');
        }
        text.pop();
        text
    }

    /// A time stamp of RFC 3339.
    pub(crate) fn time(&mut self) -> String {
        format!(
            "2026-01-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            self.within(1, 28),
            self.within(0, 23),
            self.within(0, 59),
            self.within(0, 59),
            self.within(0, 999)
        )
    }
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "the", "build", "failed", "because", "module", "resolution", "could", "not", "find", "package", "request",
    "handler", "returned", "status", "cache", "miss", "for", "key", "worker", "thread", "started", "listening", "on",
    "port", "retrying", "connection", "to", "database", "after", "timeout", "user", "session", "token", "refreshed",
    "file", "written", "bytes", "compiled", "in", "test", "suite", "passed", "warning", "deprecated", "option", "use",
    "instead", "agent", "tool", "call", "result", "model", "response", "tokens",
];

const RARE: &[&str] = &[
    "\n",
    "\n\n```ts\nconst a = {b: [1,2]};\n```\n",
    "\"quoted\"",
    "é—漢字",
    "C:\\path\\x",
    "\t",
];
