//! Reads the ring buffer as text after a recording.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::losses::TextLosses;
use crate::{Error, Tracefs};

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
pub(crate) fn write_losses(
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
