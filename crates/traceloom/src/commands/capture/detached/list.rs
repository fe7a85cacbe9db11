//! `capture list`: shows the recordings in the background.

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use traceloom_capture::Status;
use traceloom_capture::agents::buffer_status;
use traceloom_tracefs::{Instance, Mounted};

use super::folder::{About, Folder, State};
use crate::output::print;
use crate::print::{plain, thousands};

/// Show the recordings in the background
///
/// For each one: since when it runs, what it records, how much is recorded, how full the fullest CPU's
/// buffer is, and how many events the kernel has lost.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example:\n  traceloom capture list")]
pub struct ListArgs {}

/// Runs the command.
///
/// # Errors
/// If another user owns the folder of the recordings.
pub fn list(_: &ListArgs) -> Result<ExitCode> {
    let all = Folder::all()?;
    print(|out| {
        if all.is_empty() {
            writeln!(out, "nothing is recorded in the background")?;
        }
        for folder in &all {
            writeln!(out, "{}", plain(&line(folder)))?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn line(folder: &Folder) -> String {
    let name = &folder.name;
    let about = folder.about();
    match (folder.state(), about) {
        (State::Recording, Some(about)) => format!("{name}: {}", running(&about)),
        (State::Recording, None) => format!("{name}: starting"),
        (State::Ended(ending), _) => match ending.written {
            Some(file) => format!("{name}: ended, written to {}", file.display()),
            None => {
                format!("{name}: ended and not written; traceloom capture stop {name} shows why")
            }
        },
        (State::Killed, _) => format!("{name}: the recorder was killed; nothing was saved"),
        (State::Restarted, _) => {
            format!("{name}: ended by a restart of the machine; nothing was saved")
        }
    }
}

fn running(about: &About) -> String {
    let what = match &about.what[..] {
        [] if about.buffers.len() > 1 => "marks".to_owned(),
        [] => "the default categories".to_owned(),
        what => what.join(" "),
    };
    let mut words = format!(
        "recording for {} (process {}): {what}",
        age(about),
        about.pid
    );
    for (name, instance) in &about.buffers {
        if let Some(status) = status(instance) {
            words += &format!(", {}", shown(name, &status));
        }
    }
    words
}

fn age(about: &About) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let age = now
        .unwrap_or_default()
        .saturating_sub(Duration::from_secs(about.began_s));
    let seconds = age.as_secs();
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

fn status(instance: &str) -> Option<Status> {
    let tree = Mounted::find().ok()?;
    let instance = match instance {
        "" => Instance::top(&tree),
        name => Instance::named(&tree, name).ok()?,
    };
    buffer_status(&instance)
}

fn shown(buffer: &str, status: &Status) -> String {
    let place = match buffer {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let fill = status.fill.unwrap_or(0.0) * 100.0;
    format!(
        "{place}{} events, buffer {fill:.0} % full, {} lost",
        thousands(status.events),
        thousands(status.lost)
    )
}
