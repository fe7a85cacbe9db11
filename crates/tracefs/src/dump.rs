//! Reads the ring buffer as text: all of it after a recording, or continuously during one.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::{Ended, Error, StopSignal, TextLosses, Tracefs, sys};

/// Size of a read, bytes.
const BLOCK: usize = 64 << 10;

/// Writes the ring buffer as the kernel's text, and lines for events that did not fit into it. Does not
/// change the ring buffer.
///
/// # Errors
/// If the ring buffer cannot be read, or `out` cannot be written.
pub fn dump_text(tree: &dyn Tracefs, out: &mut dyn Write) -> Result<(), Error> {
    let mut trace = tree
        .open("trace")
        .map_err(Error::file("opening", &tree.path("trace")))?;
    let mut block = vec![0; BLOCK];
    loop {
        match trace.read(&mut block) {
            Ok(0) => break,
            Ok(count) => out.write_all(&block[..count]).map_err(Error::Output)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Input(error)),
        }
    }
    write_losses(tree, out, &mut TextLosses::default())?;
    out.flush().map_err(Error::Output)
}

/// Writes lines for the events that were dropped since the last time.
fn write_losses(
    tree: &dyn Tracefs,
    out: &mut (impl Write + ?Sized),
    losses: &mut TextLosses,
) -> Result<(), Error> {
    let lines = losses.lines(tree);
    out.write_all(lines.as_bytes()).map_err(Error::Output)
}

/// Writes the same text as a zlib stream.
///
/// # Errors
/// As for [`dump_text`].
pub fn dump_compressed(tree: &dyn Tracefs, out: &mut dyn Write) -> Result<(), Error> {
    let mut encoder = ZlibEncoder::new(out, Compression::default());
    dump_text(tree, &mut encoder)?;
    encoder
        .finish()
        .map_err(Error::Output)?
        .flush()
        .map_err(Error::Output)
}

/// The longest wait for events. After it, the wait starts again.
const IDLE_WAIT: Duration = Duration::from_secs(3600);

/// Pause between reads. The kernel also records the events that reading causes, so reading after each
/// event would never end.
const PAUSE: Duration = Duration::from_millis(10);
/// After a read of this many bytes there is no pause, since a small ring buffer might overflow.
const BUSY_BYTES: usize = 64 << 10;
/// How often a stream looks for lost events.
const LOSSES_EVERY: Duration = Duration::from_millis(200);

/// Writes the kernel's text during a recording, until `stop` is requested or the reader of `out` is
/// gone. Removes the events from the ring buffer. Losses are written as they occur.
///
/// # Errors
/// As for [`dump_text`].
pub fn stream_text(
    tree: &dyn Tracefs,
    out: &mut (impl Write + AsFd),
    stop: &StopSignal,
    losses: &mut TextLosses,
) -> Result<Ended, Error> {
    match stream_until(tree, out, stop, losses) {
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(Ended::NoReader)
        }
        Ok(Ended::Requested) => write_losses(tree, out, losses).map(|()| Ended::Requested),
        ended => ended,
    }
}

fn stream_until(
    tree: &dyn Tracefs,
    out: &mut (impl Write + AsFd),
    stop: &StopSignal,
    losses: &mut TextLosses,
) -> Result<Ended, Error> {
    let _urgent = sys::Urgent::new();
    let mut pipe = open_pipe(tree)?;
    let mut block = vec![0; BLOCK];
    let mut looked = Instant::now();
    loop {
        let copied = copy_available(&mut pipe, out, &mut block)?;
        if looked.elapsed() >= LOSSES_EVERY {
            // The kernel returns whole lines, so this does not split one.
            write_losses(tree, out, losses)?;
            looked = Instant::now();
        }
        if stop.is_requested() {
            return Ok(Ended::Requested);
        }
        if copied < BUSY_BYTES {
            let files = sys::poll(&[stop.file()], Some(out.as_fd()), PAUSE);
            if files.map_err(Error::Input)?[0].readable {
                return Ok(Ended::Requested);
            }
        }
        let files = sys::poll(&[pipe.as_fd(), stop.file()], Some(out.as_fd()), IDLE_WAIT);
        let files = files.map_err(Error::Input)?;
        if files[1].readable {
            return Ok(Ended::Requested);
        }
        if files[2].closed {
            return Ok(Ended::NoReader);
        }
    }
}

/// Writes what [`stream_text`] left in the ring buffer, after recording has stopped.
///
/// # Errors
/// As for [`dump_text`].
pub fn stream_rest(
    tree: &dyn Tracefs,
    out: &mut impl Write,
    losses: &mut TextLosses,
) -> Result<(), Error> {
    let mut pipe = open_pipe(tree)?;
    let mut block = vec![0; BLOCK];
    while copy_available(&mut pipe, out, &mut block)? >= BUSY_BYTES {}
    write_losses(tree, out, losses)
}

fn open_pipe(tree: &dyn Tracefs) -> Result<File, Error> {
    const FILE: &str = "trace_pipe";
    let opened = tree.open(FILE);
    opened.map_err(Error::file("opening", &tree.path(FILE)))
}

/// Copies the available text and returns its size in bytes. Returns after [`BUSY_BYTES`], so that the
/// caller can check for a stop request.
fn copy_available(pipe: &mut File, out: &mut impl Write, block: &mut [u8]) -> Result<usize, Error> {
    let mut copied = 0;
    while copied < BUSY_BYTES {
        match pipe.read(block) {
            Ok(0) => break,
            Ok(count) => {
                out.write_all(&block[..count]).map_err(Error::Output)?;
                copied += count;
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock => break,
                io::ErrorKind::Interrupted => {}
                _ => return Err(Error::Input(error)),
            },
        }
    }
    out.flush().map_err(Error::Output)?;
    Ok(copied)
}
