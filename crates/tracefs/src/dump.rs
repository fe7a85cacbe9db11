//! Reads the ring buffer as text: all of it after a recording, or continuously during one.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::{Ended, Error, StopSignal, Tracefs, sys};

/// Size of a read, bytes.
const BLOCK: usize = 64 << 10;

/// Writes the ring buffer as the kernel's text. Does not change the ring buffer.
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
            Ok(0) => return out.flush().map_err(Error::Output),
            Ok(count) => out.write_all(&block[..count]).map_err(Error::Output)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Input(error)),
        }
    }
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

/// Writes the kernel's text during a recording, until `stop` is requested or the reader of `out` is
/// gone. Removes the events from the ring buffer.
///
/// # Errors
/// As for [`dump_text`].
pub fn stream_text(
    tree: &dyn Tracefs,
    out: &mut (impl Write + AsFd),
    stop: &StopSignal,
) -> Result<Ended, Error> {
    let path = tree.path("trace_pipe");
    let mut pipe = tree
        .open("trace_pipe")
        .map_err(Error::file("opening", &path))?;
    let mut block = vec![0; BLOCK];
    loop {
        let copied = match copy_available(&mut pipe, out, &mut block) {
            Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Ok(Ended::NoReader);
            }
            copied => copied?,
        };
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
pub fn stream_rest(tree: &dyn Tracefs, out: &mut impl Write) -> Result<(), Error> {
    let path = tree.path("trace_pipe");
    let mut pipe = tree
        .open("trace_pipe")
        .map_err(Error::file("opening", &path))?;
    let mut block = vec![0; BLOCK];
    while copy_available(&mut pipe, out, &mut block)? >= BUSY_BYTES {}
    Ok(())
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
