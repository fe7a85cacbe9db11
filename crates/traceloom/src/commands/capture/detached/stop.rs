//! `capture stop`: ends a recording in the background and saves it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::super::options::OutputKind;
use super::folder::{About, Folder, State};
use crate::output::check_recording;
use crate::print::{message, plain};

/// End a recording in the background and save it
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example:\n  traceloom capture stop -o trace.html")]
pub struct StopArgs {
    /// The recording; may be left out if there is only one
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// The file to write: .html, .json, .txt, .gz or .dat [default: the file given to start]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If there is no such recording, its recorder was killed, or the file cannot be written.
pub fn stop(args: &StopArgs) -> Result<ExitCode> {
    let folder = chosen(args.name.as_deref())?;
    let name = &folder.name;
    match folder.state() {
        State::Recording => end(&folder, args)?,
        State::Ended(_) => {}
        State::Killed => {
            folder.remove();
            bail!(
                "the recorder of {name} was killed; the kernel's settings were restored, and nothing was saved"
            );
        }
        State::Restarted => {
            folder.remove();
            bail!("the machine was restarted while {name} was recorded, and nothing was saved");
        }
    }
    let log = folder.log();
    for line in log.lines() {
        message!("{}", plain(line));
    }
    let state = folder.state();
    folder.remove();
    let State::Ended(ending) = state else {
        bail!("the recorder of {name} was killed while it saved the recording");
    };
    let Some(written) = ending.written else {
        return Ok(ExitCode::from(2));
    };
    match &args.output {
        Some(output) if std::path::absolute(output)? != written => bail!(
            "{name} had ended by itself; its file is {}, and {} was not written",
            written.display(),
            output.display()
        ),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn chosen(name: Option<&str>) -> Result<Folder> {
    if let Some(name) = name {
        let folder = Folder::of(name)?;
        if !folder.exists() {
            bail!("there is no recording named {name}; traceloom capture list shows all");
        }
        return Ok(folder);
    }
    let mut all = Folder::all()?;
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => bail!("nothing is recorded in the background"),
        (Some(last), false) => {
            all.push(last);
            let names: Vec<_> = all.iter().map(|folder| folder.name.as_str()).collect();
            bail!("several recordings exist, name one: {}", names.join(", "))
        }
    }
}

/// Asks the recorder to save the recording, and waits for its end.
fn end(folder: &Folder, args: &StopArgs) -> Result<()> {
    let Some(about) = folder.about() else {
        bail!("{} is just starting; try again", folder.name);
    };
    if let Some(output) = &args.output {
        let output = std::path::absolute(output)?;
        OutputKind::of(&output)?;
        check_recording(&output)?;
        folder.write("output", &serde_json::to_vec(&output)?)?;
    }
    interrupt(&about)?;
    folder.wait()
}

/// Sends Ctrl-C. The recorder holds its lock, so its process id is still its own.
fn interrupt(about: &About) -> Result<()> {
    let pid = i32::try_from(about.pid).context("the process id is too large")?;
    // SAFETY: kill only takes numbers.
    match unsafe { libc::kill(pid, libc::SIGINT) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()).context("cannot reach the recorder"),
    }
}
