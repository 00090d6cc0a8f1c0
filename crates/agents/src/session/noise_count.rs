//! How much noise stands between the records of a session.

/// How many samples of noise are kept.
pub const SAMPLES_KEPT: usize = 3;

/// The noise between the records of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NoiseCount {
    /// Lines that contain noise.
    pub lines: u64,
    /// Bytes of noise, without line ends and blank lines.
    pub bytes: u64,
    /// Records that broke.
    pub broken: u64,
    /// The first few lines of noise: line number and text.
    pub samples: Vec<(u64, String)>,
}

impl NoiseCount {
    /// Keeps a sample of noise if there is room. A sample of the same line as the last sample replaces it.
    #[inline]
    pub fn sample(&mut self, line: u64, text: impl FnOnce() -> String) {
        self.samples.pop_if(|(last, _)| *last == line);
        if self.samples.len() < SAMPLES_KEPT {
            self.samples.push((line, text()));
        }
    }
}
