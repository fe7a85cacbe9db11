//! `--raw`: the same steps, with pages instead of text. Standard output is the file's alone, so
//! progress goes to stderr unless `-o` names a file.

use std::io::{self, Write};
use std::os::fd::AsFd;

use super::record::{Job, Outcome, open_output, say, seconds, unbuffered};
use super::tell;
use crate::{Ended, Error, RawCapture, Session, Stop, spool_folder};

/// Records, or takes what was recorded, and writes it.
pub(super) fn record(
    job: &Job<'_>,
    session: &mut Session<'_>,
    stop: &Stop,
) -> Result<Outcome, Error> {
    let steps = job.options.steps;
    if !steps.dump && !steps.stream {
        progress(job, "capturing trace...");
        return Ok(Outcome::Done); // it goes on in the buffer
    }
    let mut capture =
        RawCapture::start(session.tree(), &spool_folder(job.options.output.as_deref()))?;
    let mut ended = Ended::Time;
    if steps.start {
        progress(job, "capturing trace...");
        ended = wait(job, &mut capture, stop)?;
    }
    if steps.stop {
        session.stop()?;
    }
    // A stream has no other end than a signal.
    let asked_for = steps.stream && ended == Ended::Asked;
    if ended != Ended::Time && !asked_for {
        progress(job, "\ntrace aborted.\n");
        return Ok(Outcome::Aborted);
    }
    progress(job, " done\n");
    let mut out = match &job.options.output {
        None => unbuffered(&io::stdout())?,
        Some(path) => open_output(path).map_err(Error::file("opening", path))?,
    };
    let lost = capture.lost(session.tree());
    if lost > 0 {
        tell(&format!(
            "{lost} events were lost: -b makes the buffer larger"
        ));
    }
    capture.finish(session.tree(), job.dat, &mut out)?;
    Ok(Outcome::Done)
}

fn wait(job: &Job<'_>, capture: &mut RawCapture, stop: &Stop) -> Result<Ended, Error> {
    let steps = job.options.steps;
    if steps.is_async && !steps.stream {
        return Ok(Ended::Time);
    }
    let time = (!steps.stream).then(|| seconds(job.options.duration_s));
    let stdout = io::stdout();
    let reader = job.options.output.is_none().then(|| stdout.as_fd());
    capture.record(time, stop, reader)
}

fn progress(job: &Job<'_>, text: &str) {
    match job.options.output {
        Some(_) => say(text),
        None => {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}
