//! The steps of a recording with `--raw`, which writes a `trace.dat` instead of text. Without `-o` the
//! file goes to stdout, so progress is printed on stderr.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

use super::console::{print_error, print_progress};
use super::job::{Job, Outcome};
use super::options::seconds;
use super::output::{unbuffered_stdout, write_output};
use crate::{Ended, Error, RawCapture, Session, StopSignal, spool_folder};

/// Records, or reads an existing recording, and writes the `trace.dat`.
pub(super) fn record(
    job: &Job<'_>,
    session: &mut Session<'_>,
    stop: &StopSignal,
) -> Result<Outcome, Error> {
    let steps = job.options.steps;
    if !steps.dump && !steps.stream {
        progress(job, "capturing trace...");
        return Ok(Outcome::Done); // the recording continues in the ring buffer
    }
    let mut capture =
        RawCapture::start(session.tree(), &spool_folder(job.options.output.as_deref()))?;
    let mut ended = Ended::TimeUp;
    if steps.start {
        progress(job, "capturing trace...");
        ended = wait(job, &mut capture, stop)?;
    }
    if steps.stop {
        session.stop()?;
    }
    // A signal is the normal end of a stream.
    let is_end_of_stream = steps.stream && ended == Ended::Requested;
    if ended != Ended::TimeUp && !is_end_of_stream {
        progress(job, "\ntrace aborted.\n");
        return Ok(Outcome::Aborted);
    }
    progress(job, " done\n");
    let lost = capture.lost(session.tree());
    if lost > 0 {
        print_error(&format!(
            "{lost} events were lost: use a larger buffer (-b)"
        ));
    }
    capture.end(job.dat)?;
    let mut write = |out: &mut File| capture.write(session.tree(), job.dat, out);
    match &job.options.output {
        None => write(&mut unbuffered_stdout()?)?,
        Some(path) => write_output(path, write)?,
    }
    Ok(Outcome::Done)
}

fn wait(job: &Job<'_>, capture: &mut RawCapture, stop: &StopSignal) -> Result<Ended, Error> {
    let steps = job.options.steps;
    if steps.is_async && !steps.stream {
        return Ok(Ended::TimeUp);
    }
    let time = (!steps.stream).then(|| seconds(job.options.duration_s));
    let stdout = io::stdout();
    let reader = job.options.output.is_none().then(|| stdout.as_fd());
    capture.record(time, stop, reader)
}

fn progress(job: &Job<'_>, text: &str) {
    match job.options.output {
        Some(_) => print_progress(text),
        None => {
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }
}
