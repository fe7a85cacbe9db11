//! Recordings that are watched: what ends them, and what is told meanwhile.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use traceloom_capture::live::{Tape, Watched};

use super::args::CaptureArgs;
use super::live::Show;
use super::wait::{Ended, Wait};
use crate::print::plain;
use crate::progress::tell;

/// The tape of a recording that is watched: what it waits for ends it, and losses are told.
///
/// # Errors
/// If there is no room for what is kept.
pub fn tape(args: &CaptureArgs, wait: &Wait, show: Option<&Show>) -> Result<Tape> {
    let ends = wait.sender();
    let losses = Losses::default();
    let because = show.map(Show::because);
    let because = move |why: &str| {
        if let Some(because) = &because {
            because.set(why);
        }
    };
    let tape = Tape::new(
        args.ring,
        args.until.clone(),
        move |watched| match watched {
            Watched::Fired(what) => {
                tell(&plain(&what));
                because(&what);
                // A recording that has ended already needs no end.
                _ = ends.send(Ended::Trigger);
            }
            Watched::Lost(events) => losses.add(events),
            Watched::BrokeOff(why) => {
                tell(&format!("Warning: nothing more comes: {}", plain(&why)));
                because(&why);
                _ = ends.send(Ended::BrokeOff);
            }
            _ => {}
        },
    );
    let tape = match show {
        Some(show) => tape.shown_in(show.window()),
        None => tape,
    };
    Ok(match args.ring {
        Some(_) => tape,
        // All of it is kept, however long it takes.
        None => tape.stored_in(tempfile::tempfile().context("cannot keep what is recorded")?),
    })
}

/// Tells of lost events at once, but not more often than a person can read.
#[derive(Default)]
struct Losses(Mutex<(u64, Option<Instant>)>);

impl Losses {
    fn add(&self, events: u64) {
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lost.0 += events;
        let is_new = lost
            .1
            .is_none_or(|told| told.elapsed() >= Duration::from_secs(1));
        if is_new {
            tell(&format!(
                "Warning: {} events were lost so far; --buf-size makes the buffer larger",
                lost.0
            ));
            lost.1 = Some(Instant::now());
        }
    }
}
