//! Runs a case and compares the result with the expected one.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, anyhow};

use super::child::{Printed, run};
use super::compare::is_same;
use super::suite::Case;

/// The outcome of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The answer is Perfetto's.
    Passed,
    /// The answer differs, or there is none.
    Differs,
    /// traceloom does not read traces of this format.
    NotRead,
}

/// Runs the queries of cases with a program.
pub struct Judge<'b> {
    binary: &'b Path,
    /// Whether the program does not read the format of a trace, for the traces that were checked so far.
    unread: Mutex<HashMap<PathBuf, bool>>,
}

impl<'b> Judge<'b> {
    pub fn new(binary: &'b Path) -> Self {
        Self {
            binary,
            unread: Mutex::default(),
        }
    }

    /// Runs a case.
    pub fn verdict(&self, case: &Case) -> Result<Verdict> {
        let mut command = self.query(&case.trace);
        command.arg("--file").arg(&case.query);
        if self.is_right(case, &run(command)?)? {
            Ok(Verdict::Passed)
        } else if self.is_unread(&case.trace)? {
            Ok(Verdict::NotRead)
        } else {
            Ok(Verdict::Differs)
        }
    }

    fn is_right(&self, case: &Case, printed: &Printed) -> Result<bool> {
        if case.is_refused() {
            // traceloom refuses a format that it does not read, but not for Perfetto's reason.
            return Ok(printed.code() == Some(2) && !names_a_format(&printed.errors));
        }
        if printed.code() != Some(0) {
            return Ok(false);
        }
        let expected = fs::read_to_string(&case.expected).context(case.name.clone())?;
        Ok(is_same(&printed.out, &expected).unwrap_or(false))
    }

    /// Whether the program refuses the trace before it runs the query.
    fn is_unread(&self, trace: &Path) -> Result<bool> {
        let known = || self.unread.lock().map_err(|_| anyhow!("a thread failed"));
        if let Some(&unread) = known()?.get(trace) {
            return Ok(unread);
        }
        let mut command = self.query(trace);
        command.arg("SELECT 1");
        let unread = run(command)?.code() != Some(0);
        known()?.insert(trace.to_owned(), unread);
        Ok(unread)
    }

    fn query(&self, trace: &Path) -> Command {
        let mut command = Command::new(self.binary);
        command.arg("query").arg(trace).args(["--format", "json"]);
        command
    }
}

/// Whether the error says that traceloom recognizes the input's format but does not read it.
fn names_a_format(errors: &str) -> bool {
    errors.contains("which traceloom does not read")
}
