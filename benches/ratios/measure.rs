//! What a command costs: processor time and peak memory.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a command is run; the cheapest run counts.
const RUNS: usize = 3;
/// A command that takes longer is run once.
const LONG: Duration = Duration::from_millis(200);
/// The time from one sample of a running command to the next.
const PERIOD: Duration = Duration::from_micros(500);

/// What one run cost.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Processor time, user and system; wall time on systems that do not report it.
    pub time: Duration,
    /// Peak memory in KiB, as far as it was seen.
    pub memory: Option<u64>,
}

/// A program and its arguments, to which a file is added.
#[derive(Clone, Copy)]
pub(crate) struct Tool<'a> {
    pub program: &'a str,
    pub arguments: &'a [&'a str],
}

impl Tool<'_> {
    /// The cost of running it on a file, output to nowhere. `None` if there is no such program.
    pub(crate) fn cost(&self, file: &Path) -> io::Result<Option<Cost>> {
        let mut best: Option<Cost> = None;
        for _ in 0..RUNS {
            let Some(cost) = self.run(file)? else {
                return Ok(None);
            };
            if best.is_none_or(|best| cost.time < best.time) {
                best = Some(cost);
            }
            if cost.time > LONG {
                break;
            }
        }
        Ok(best)
    }

    fn run(&self, file: &Path) -> io::Result<Option<Cost>> {
        let start = Instant::now();
        let child = Command::new(self.program)
            .args(self.arguments)
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match child {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok(child) => watch(child, start).map(Some),
        }
    }
}

/// Samples a command until it ends. Linux reports the time of a process that has ended until its parent has waited for
/// it, but its memory only while it lives.
fn watch(mut child: Child, start: Instant) -> io::Result<Cost> {
    let process = format!("/proc/{}", child.id());
    let mut memory = None;
    while let Some(status) = alive(&process) {
        memory = peak(&status).max(memory);
        sleep(PERIOD);
    }
    let time = fs::read_to_string(format!("{process}/schedstat"))
        .ok()
        .and_then(|stat| stat.split(' ').next()?.parse().ok())
        .map(Duration::from_nanos);
    child.wait()?;
    Ok(Cost {
        time: time.unwrap_or_else(|| start.elapsed()),
        memory,
    })
}

/// The status of a process that has not ended.
fn alive(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("{process}/status")).ok()?;
    (!status.contains("\nState:\tZ")).then_some(status)
}

/// Returns the peak memory in the text of a process's status.
fn peak(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
