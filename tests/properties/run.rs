//! Running a subcommand inside of the process, as the binary does.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jsift::Outcome;
use jsift::command::run::environment::Environment;
use jsift::command::{cli, run};

/// A writer into memory that is shared.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        page.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a run prints, what it says and how it ends.
pub(crate) struct Given {
    pub results: String,
    pub messages: String,
    pub code: u8,
}

/// What a run on a file gives. `None` for a command line that this build does not know.
pub(crate) fn on<'a>(args: impl IntoIterator<Item = &'a str>, file: &Path) -> Option<Given> {
    on_with(args, file, Environment::default())
}

/// What a run on a file gives in this environment. `None` as above.
pub(crate) fn on_with<'a>(
    args: impl IntoIterator<Item = &'a str>,
    file: &Path,
    environment: Environment,
) -> Option<Given> {
    let args = ["jsift"].into_iter().chain(args).map(OsString::from);
    let Ok(cli::Request::Run(command)) = cli::parse(args.chain([file.into()])) else {
        return None;
    };
    let page = Page::default();
    let mut messages = Vec::new();
    let stdout = Box::new(page.clone());
    let outcome = run::run(&command, environment, stdout, &mut messages);
    let code = outcome.unwrap_or(Outcome::Usage).code();
    let results = page.0.lock().unwrap_or_else(PoisonError::into_inner);
    let [results, messages] =
        [&*results, &messages].map(|text| String::from_utf8_lossy(text).into_owned());
    Some(Given {
        results,
        messages,
        code,
    })
}

/// What a run on a text gives: its results, its messages and its code. `None` as above.
pub(crate) fn given(args: &[&str], text: &[u8]) -> Option<(String, String, u8)> {
    let mut source = tempfile::NamedTempFile::new().ok()?;
    source.write_all(text).ok()?;
    let given = on(args.iter().copied(), source.path())?;
    Some((given.results, given.messages, given.code))
}
