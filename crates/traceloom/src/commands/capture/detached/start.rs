//! `capture start`: begins a recording in the background.

use std::fs::File;
use std::io::{PipeReader, Read};
use std::os::fd::AsRawFd;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::super::console::Console;
use super::super::options::{CaptureArgs, Target};
use super::super::run;
use super::about::redirected;
use super::folder::{Folder, State};
use super::recorder::Detached;
use crate::output::check_recording;
use crate::print::{message, plain};

/// Record this machine in the background, until capture stop
///
/// Takes the options of capture, and always records this machine. The recording goes on after log-out.
/// It also ends by itself, with --time, --until, or the end of COMMAND; its file is then written at once.
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  traceloom capture start sched irq\n  traceloom capture start --name flight --ring 60s sched\n  traceloom capture stop flight -o last-minute.html",
    mut_arg("target", |target| target.default_value("linux")),
    mut_args(without_others)
)]
pub struct StartArgs {
    /// Name of the recording, for stop and list
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub name: String,

    #[command(flatten)]
    pub capture: CaptureArgs,
}

/// Leaves options that are refused here out of the help.
fn without_others(arg: clap::Arg) -> clap::Arg {
    const HEADINGS: [&str; 4] = ["Live", "Android", "Methods", "Perfetto"];
    const OPTIONS: [&str; 4] = ["target", "from_file", "list_categories", "walt"];
    let heading = arg.get_help_heading();
    let is_other = heading.is_some_and(|heading| HEADINGS.contains(&heading))
        || OPTIONS.contains(&arg.get_id().as_str());
    if is_other { arg.hide(true) } else { arg }
}

/// Runs the command.
///
/// # Errors
/// If a recording of this name exists, or this one cannot begin.
pub fn start(args: &StartArgs) -> Result<ExitCode> {
    let mut capture = args.capture.clone();
    check(&mut capture)?;
    let folder = Folder::of(&args.name)?;
    let lock = claim(&folder)?;
    let (ready, begun) = std::io::pipe().context("cannot create a pipe")?;
    // SAFETY: this process has no other threads yet, so the child may continue like a new process. It never returns: it
    // ends with `_exit`.
    match unsafe { libc::fork() } {
        -1 => {
            folder.remove();
            Err(std::io::Error::last_os_error()).context("cannot start the recorder")
        }
        0 => {
            drop(ready);
            let code = record(capture, &folder, Detached::new(folder.clone(), begun));
            drop(lock);
            // SAFETY: `_exit` has no preconditions. The parent's exit handlers must not run twice.
            unsafe { libc::_exit(code) }
        }
        _ => {
            drop((begun, lock));
            report(&folder, ready)
        }
    }
}

/// Fails for options that are not possible in the background, and completes the other options.
fn check(args: &mut CaptureArgs) -> Result<()> {
    if args.target == Target::Android {
        bail!(
            "only this machine is recorded in the background; for a device, use capture without start"
        );
    }
    if args.live.live {
        bail!("--live needs a recording in the foreground; use capture without start");
    }
    if args.from_file.is_some() || args.list_categories || args.android.resume {
        bail!(
            "--from-file, --list-categories and --resume record nothing; use capture without start"
        );
    }
    args.check()?;
    check_recording(&args.output())?;
    args.output = Some(std::path::absolute(args.output())?);
    // Pages can be converted to any output file that is given to `stop`.
    args.raw.raw = true;
    Ok(())
}

/// Creates the folder of the recording and locks it.
fn claim(folder: &Folder) -> Result<File> {
    if let Some(lock) = folder.create()? {
        return Ok(lock);
    }
    let name = &folder.name;
    let pid = folder
        .about()
        .map_or(String::new(), |about| format!(" (process {})", about.pid));
    match folder.state() {
        State::Recording => bail!(
            "a recording named {name} is running{pid}: end it with traceloom capture stop {name}, or choose another --name"
        ),
        State::Ended(_) => bail!(
            "a recording named {name} has ended and waits for traceloom capture stop {name}; or choose another --name"
        ),
        State::Killed | State::Restarted => {
            message!(
                "Warning: the recorder of the recording {name}{pid} was killed; that recording is lost"
            );
            folder.remove();
            let lock = folder.create()?;
            lock.context("another recording of this name has just started")
        }
    }
}

/// Records, in the child. Returns the exit code.
fn record(mut args: CaptureArgs, folder: &Folder, detached: Detached) -> i32 {
    if let Err(error) = detach(folder) {
        crate::failure::report(&error);
        return 2;
    }
    args.detached = Some(detached.clone());
    let recorded = run::run(&args, &mut Console::Stderr);
    if let Err(error) = &recorded {
        crate::failure::report(error);
    }
    let written = recorded.is_ok().then(|| redirected(&args).output());
    if let Err(error) = detached.ended(written) {
        crate::failure::report(&error);
    }
    if recorded.is_ok() { 0 } else { 2 }
}

/// Leaves the terminal and its session. Messages go to the log.
fn detach(folder: &Folder) -> Result<()> {
    let log = File::create(folder.file("log")).context("cannot create the log")?;
    let null = File::options().read(true).write(true).open("/dev/null");
    let null = null.context("cannot open /dev/null")?;
    // SAFETY: all are open files, and setsid has no preconditions.
    unsafe {
        libc::setsid();
        libc::dup2(null.as_raw_fd(), 0);
        libc::dup2(null.as_raw_fd(), 1);
        libc::dup2(log.as_raw_fd(), 2);
    }
    std::env::set_current_dir("/").context("cannot leave the folder")
}

/// Waits until the recording has begun, or the recorder has failed.
fn report(folder: &Folder, mut ready: PipeReader) -> Result<ExitCode> {
    let is_begun = ready.read_exact(&mut [0]).is_ok();
    let log = folder.log();
    let log: Vec<_> = log.lines().map(plain).collect();
    if !is_begun {
        // After this, the recorder no longer holds its lock.
        _ = folder.wait();
        folder.remove();
        log.iter().for_each(|line| message!("{line}"));
        return Ok(ExitCode::from(2));
    }
    let notes = log.iter().filter(|line| !line.is_empty());
    notes.for_each(|line| message!("{line}"));
    let name = &folder.name;
    message!("Recording {name} in the background; traceloom capture stop {name} saves it");
    Ok(ExitCode::SUCCESS)
}
