//! How long `jsift` takes next to `wc -l`, and next to its peers where they are installed.
//!
//!     cargo bench
//!     JSIFT_BENCH_SIZE=256M cargo bench
//!
//! Writes one [workload](workload) after the other to a temporary folder, runs each command on it, and prints the
//! processor time (user and system) as a multiple of that of `wc -l` on the same file in the same run: such ratios can
//! be compared between machines. `memory` is the peak of `jsift` in MiB. `JSIFT_BENCH_SIZE` is the size of each
//! workload, with the suffix K, M or G; it is 64M if not set.

#![expect(clippy::print_stdout, reason = "a table is what this is for")]

#[path = "ratios/measure.rs"]
mod measure;
#[path = "ratios/random.rs"]
mod random;
#[path = "ratios/workload.rs"]
mod workload;

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use measure::{Cost, Tool};
use workload::{HOSTILE, REALISTIC, Workload};

/// The command that is measured.
const JSIFT: &str = env!("CARGO_BIN_EXE_jsift");

const WC: Tool<'_> = tool("wc", &["-l"]);
const EXTRACT: Tool<'_> = tool(JSIFT, &["extract", "--all"]);

/// What is printed next to `wc -l` and `extract --all`.
const COLUMNS: [(&str, Tool<'_>); 5] = [
    ("events", tool(JSIFT, &["events"])),
    ("summary", tool(JSIFT, &["summary"])),
    ("rg -c", tool("rg", &["-c", "token"])),
    ("jq", tool("jq", &["-cR", "fromjson?"])),
    ("jaq", tool("jaq", &["-cR", "fromjson?"])),
];

const fn tool<'a>(program: &'a str, arguments: &'a [&'a str]) -> Tool<'a> {
    Tool { program, arguments }
}

fn main() -> io::Result<()> {
    let size = size()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("workload");
    println!("Processor time as a multiple of that of `wc -l`; memory in MiB.\n");
    print!(
        "{:4} {:>5} {:>8} {:>8} {:>7}",
        "", "MiB", "wc -l", "extract", "memory"
    );
    for (name, _) in COLUMNS {
        print!(" {name:>8}");
    }
    println!();
    for workload in REALISTIC {
        realistic(workload, size, &file)?;
    }
    println!("\nProcessor time of `extract --all` on input that is made to be slow.\n");
    println!(
        "{:4} {:>5} {:>8} {:>8} {:>7}",
        "", "MiB", "half", "whole", "memory"
    );
    for workload in HOSTILE {
        hostile(workload, size, &file)?;
    }
    Ok(())
}

/// The size that is asked for, in bytes.
fn size() -> io::Result<usize> {
    let text = std::env::var("JSIFT_BENCH_SIZE").unwrap_or_else(|_| "64M".to_owned());
    let size = jsift::command::cli::value::size(&text)
        .map_err(|reason| io::Error::other(format!("JSIFT_BENCH_SIZE: '{text}': {reason}")))?;
    Ok(size as usize)
}

fn write(workload: &Workload, size: usize, path: &Path) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    workload.content.write(size, &mut out)?;
    out.flush()?;
    Ok(path.metadata()?.len())
}

fn realistic(workload: &Workload, size: usize, file: &Path) -> io::Result<()> {
    let bytes = write(workload, size, file)?;
    let Some(wc) = WC.cost(file)? else {
        return Err(io::Error::other("`wc` is not there to compare with"));
    };
    print!(
        "{:4} {:5} {:5.1} ms",
        workload.name,
        bytes >> 20,
        milliseconds(wc)
    );
    let extract = EXTRACT.cost(file)?;
    print!(" {} {}", ratio(extract, wc), memory(extract));
    for (_, tool) in COLUMNS {
        print!(" {}", ratio(tool.cost(file)?, wc));
        io::stdout().flush()?;
    }
    println!("  {}", workload.about);
    Ok(())
}

fn hostile(workload: &Workload, size: usize, file: &Path) -> io::Result<()> {
    write(workload, size / 2, file)?;
    let half = EXTRACT.cost(file)?;
    let bytes = write(workload, size, file)?;
    let whole = EXTRACT.cost(file)?;
    let shown = |cost: Option<Cost>| cost.map_or(0.0, milliseconds);
    println!(
        "{:4} {:5} {:5.1} ms {:5.1} ms {}  {}",
        workload.name,
        bytes >> 20,
        shown(half),
        shown(whole),
        memory(whole),
        workload.about
    );
    Ok(())
}

fn milliseconds(cost: Cost) -> f64 {
    cost.time.as_secs_f64() * 1000.0
}

fn ratio(cost: Option<Cost>, to: Cost) -> String {
    match cost {
        Some(cost) => format!("{:8.2}", cost.time.as_secs_f64() / to.time.as_secs_f64()),
        None => format!("{:>8}", "-"),
    }
}

fn memory(cost: Option<Cost>) -> String {
    match cost.and_then(|cost| cost.memory) {
        Some(kib) => format!("{:7.1}", kib as f64 / 1024.0),
        None => format!("{:>7}", "-"),
    }
}
