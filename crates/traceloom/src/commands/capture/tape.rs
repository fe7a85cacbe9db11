//! The tape of a recording whose events are examined while it runs (`--ring`, `--until`, `--live`).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
#[cfg(target_os = "linux")]
use traceloom_capture::live::{PageTape, PageWindow};
use traceloom_capture::live::{Tape, Watched, Window};

use super::live::Show;
use super::options::CaptureArgs;
use super::wait::{Ended, Wait};
use crate::print::plain;
use crate::progress::print_line;

/// Makes the tape of a device. Its trigger ends the recording, and it reports losses at once.
///
/// # Errors
/// If no temporary file can be created.
pub fn tape(
    args: &CaptureArgs,
    wait: &Wait,
    show: Option<&Show>,
    window: Option<Arc<Window>>,
) -> Result<Tape> {
    let tape = Tape::new(args.ring, args.until.clone(), report(wait, show));
    let tape = match window {
        Some(window) => tape.shown_in(window),
        None => tape,
    };
    Ok(match args.ring {
        Some(_) => tape,
        // Without --ring everything is kept, however long the recording.
        None => tape.stored_in(tempfile::tempfile().context("cannot store the recording")?),
    })
}

/// Makes the tape of this machine. Its trigger ends the recording.
#[cfg(target_os = "linux")]
pub fn page_tape(
    args: &CaptureArgs,
    wait: &Wait,
    show: Option<&Show>,
    window: Option<Arc<PageWindow>>,
) -> PageTape {
    let tape = PageTape::new(args.ring, args.until.clone(), report(wait, show));
    let tape = match window {
        Some(window) => tape.shown_in(window),
        None => tape,
    };
    match args.ring {
        Some(_) => tape,
        None => tape.stored_in(tempfile::tempfile),
    }
}

/// Handles what a tape reports.
fn report(wait: &Wait, show: Option<&Show>) -> impl Fn(Watched) + Send + 'static {
    let ends = wait.sender();
    let losses = Losses::default();
    let because = show.map(Show::because);
    let because = move |why: &str| {
        if let Some(because) = &because {
            because.set(why);
        }
    };
    move |watched| match watched {
        Watched::Fired(what) => {
            print_line(&plain(&what));
            because(&what);
            // The receiver is gone if the recording has already ended.
            _ = ends.send(Ended::Trigger);
        }
        Watched::Lost(events) => losses.add(events),
        Watched::BrokeOff(why) => {
            print_line(&format!("Warning: the data stream ended: {}", plain(&why)));
            because(&why);
            _ = ends.send(Ended::BrokeOff);
        }
        _ => {}
    }
}

/// Reports lost events at once, but at most once a second.
#[derive(Default)]
struct Losses(Mutex<(u64, Option<Instant>)>);

impl Losses {
    fn add(&self, events: u64) {
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lost.0 += events;
        let is_new = lost
            .1
            .is_none_or(|last| last.elapsed() >= Duration::from_secs(1));
        if is_new {
            print_line(&format!(
                "Warning: {} events were lost so far; --buf-size makes the buffer larger",
                lost.0
            ));
            lost.1 = Some(Instant::now());
        }
    }
}
