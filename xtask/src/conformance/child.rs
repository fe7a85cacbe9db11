//! Runs the program with a time limit.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::run::shown;

/// The time limit of a run.
const LIMIT: Duration = Duration::from_secs(30);

/// The output of a run.
pub struct Printed {
    /// `None` if it took too long and was ended.
    pub status: Option<ExitStatus>,
    pub out: String,
    pub errors: String,
}

impl Printed {
    /// The exit code; `None` also for a run that a signal ended.
    pub fn code(&self) -> Option<i32> {
        self.status?.code()
    }
}

/// Runs a command. What it prints goes to files, so that it never waits for a reader.
pub fn run(mut command: Command) -> Result<Printed> {
    let [mut out, mut errors] = [tempfile()?, tempfile()?];
    command
        .stdin(Stdio::null())
        .stdout(out.try_clone()?)
        .stderr(errors.try_clone()?);
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| shown(&command))?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (out, errors) = (content(&mut out)?, content(&mut errors)?);
    Ok(Printed {
        status,
        out,
        errors,
    })
}

fn tempfile() -> Result<File> {
    tempfile::tempfile().context("no temporary file")
}

fn content(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
