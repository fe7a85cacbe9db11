//! What was recorded, as text: the whole buffer, or the stream while it fills.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::{Ended, Error, Stop, Tracefs, sys};

/// The kernel formats a page at a time; few system calls, little memory.
const BLOCK: usize = 64 << 10;

/// Writes the buffer as the kernel's text. The buffer stays as it is.
///
/// # Errors
/// If it cannot be read or written.
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

/// The same text as a zlib stream.
///
/// # Errors
/// If it cannot be read or written.
pub fn dump_compressed(tree: &dyn Tracefs, out: &mut dyn Write) -> Result<(), Error> {
    let mut encoder = ZlibEncoder::new(out, Compression::default());
    dump_text(tree, &mut encoder)?;
    encoder
        .finish()
        .map_err(Error::Output)?
        .flush()
        .map_err(Error::Output)
}

/// Nothing happens for so long that it does not matter how long it is.
const LONG: Duration = Duration::from_secs(3600);

/// Reading is something that the kernel records. Who reads at each event, records himself reading: so
/// there is a rest after each look, unless much came, when a small buffer could not bear it.
const REST: Duration = Duration::from_millis(10);
const MUCH: usize = 64 << 10;

/// Copies the kernel's text as it is recorded, until `stop` is asked or the reader is gone. What is
/// streamed is no longer in the buffer.
///
/// # Errors
/// If it cannot be read or written.
pub fn stream_text(
    tree: &dyn Tracefs,
    out: &mut (impl Write + AsFd),
    stop: &Stop,
) -> Result<Ended, Error> {
    let path = tree.path("trace_pipe");
    let mut pipe = tree
        .open("trace_pipe")
        .map_err(Error::file("opening", &path))?;
    let mut block = vec![0; BLOCK];
    loop {
        let copied = match copy_what_is_there(&mut pipe, out, &mut block) {
            Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Ok(Ended::NoReader);
            }
            copied => copied?,
        };
        if stop.is_asked() {
            return Ok(Ended::Asked);
        }
        if copied < MUCH {
            let seen = sys::poll(&[stop.file()], Some(out.as_fd()), REST).map_err(Error::Input)?;
            if seen[0].readable {
                return Ok(Ended::Asked);
            }
        }
        let waited = sys::poll(&[pipe.as_fd(), stop.file()], Some(out.as_fd()), LONG);
        let seen = waited.map_err(Error::Input)?;
        if seen[1].readable {
            return Ok(Ended::Asked);
        }
        if seen[2].gone {
            return Ok(Ended::NoReader);
        }
    }
}

/// Copies what a stream left in the buffer, once nothing more is recorded.
///
/// # Errors
/// If it cannot be read or written.
pub fn stream_rest(tree: &dyn Tracefs, out: &mut impl Write) -> Result<(), Error> {
    let path = tree.path("trace_pipe");
    let mut pipe = tree
        .open("trace_pipe")
        .map_err(Error::file("opening", &path))?;
    let mut block = vec![0; BLOCK];
    while copy_what_is_there(&mut pipe, out, &mut block)? >= MUCH {}
    Ok(())
}

/// Copies until there is nothing for now; the bytes it was. Of a flood no more than [`MUCH`], so that
/// somebody looks whether to stop.
fn copy_what_is_there(
    pipe: &mut File,
    out: &mut impl Write,
    block: &mut [u8],
) -> Result<usize, Error> {
    let mut copied = 0;
    while copied < MUCH {
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
