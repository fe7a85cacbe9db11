//! What was recorded, as text: the whole buffer, or the stream while it fills.

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
        match pipe.read(&mut block) {
            Ok(0) => {}
            Ok(count) => match out.write_all(&block[..count]).and_then(|()| out.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    return Ok(Ended::NoReader);
                }
                written => written.map_err(Error::Output)?,
            },
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                _ => return Err(Error::Input(error)),
            },
        }
        if stop.is_asked() {
            return Ok(Ended::Asked);
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
