//! Streams output that is too long to keep in memory.

use std::io::{self, BufWriter, Write};

use anyhow::Result;

/// Writes to standard output in pieces. A pipe closed early is not an error.
///
/// # Errors
/// If `write` fails or standard output cannot be written.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let result = write(&mut out).and_then(|()| Ok(out.flush()?));
    match result {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        result => result,
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
