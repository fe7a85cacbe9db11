//! Counts the files that fail.

use std::process::ExitCode;

use anyhow::{Error, Result, bail};

use crate::failure::report;
use crate::print::message;

/// The files that have no answer.
#[derive(Default)]
pub(super) struct Failures {
    count: usize,
}

impl Failures {
    /// Prints the error of a file, and counts it.
    pub fn note(&mut self, error: &Error) {
        report(error);
        self.count += 1;
    }

    /// Prints how many of the files failed. The exit code is 1 if any failed and `is_strict` is set.
    ///
    /// # Errors
    /// If all files failed.
    pub fn finish(self, files: usize, is_strict: bool) -> Result<ExitCode> {
        match self.count {
            0 => return Ok(ExitCode::SUCCESS),
            count if count == files => bail!("the query failed for every file"),
            count => message!("traceloom: {count} of {files} files have no answer"),
        }
        Ok(ExitCode::from(u8::from(is_strict)))
    }
}
