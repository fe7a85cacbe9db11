//! Streams output that may be too large for memory.

use std::io::{self, BufWriter, Write};

use anyhow::{Error, Result};
use traceloom_host::Screen;

/// Writes to standard output in pieces. A pipe closed early is not an error.
///
/// # Errors
/// If `write` fails or standard output cannot be written.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    stream_into(
        Screen::lock(&io::stdout()),
        "cannot write to standard output",
        write,
    )
}

/// Writes to `out` in pieces. A pipe closed early is not an error. `cannot` is the message if `out`
/// fails otherwise.
///
/// # Errors
/// If `write` or `out` fails.
pub fn stream_into(
    out: impl Write,
    cannot: &str,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, Watched { out, failed: None });
    let result = write(&mut out).and_then(|()| Ok(out.flush()?));
    // The rest of the buffer cannot be written either.
    let (watched, _) = out.into_parts();
    match watched.failed {
        None => result,
        Some(io::ErrorKind::BrokenPipe) => Ok(()),
        Some(kind) => {
            let reason = result.err().map(|error| error.root_cause().to_string());
            let reason = reason.unwrap_or_else(|| kind.to_string());
            // The system's reason, without the context added on the way.
            Err(Error::msg(reason).context(cannot.to_owned()))
        }
    }
}

/// Stores the reason why an output failed, because callers may report it in their own way.
struct Watched<W> {
    out: W,
    failed: Option<io::ErrorKind>,
}

impl<W: Write> Watched<W> {
    fn watch<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some(error.kind());
        }
        result
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.watch(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.watch(flushed)
    }
}
