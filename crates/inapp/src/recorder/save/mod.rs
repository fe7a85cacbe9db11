//! Writing files where the app is.

mod ftrace;
mod method_trace;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use traceloom_ring::{OpenError, Recording};

/// What a recording is saved as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Format {
    /// The ring file: small, and everything is in it.
    #[default]
    Ring = 0,
    /// ftrace text, as systrace, catapult and Perfetto open it. Methods are sections there.
    Ftrace = 1,
    /// A Traceview `.trace` of the methods (version 3), with the wall clock, and with the threads' CPU clocks where they
    /// were recorded.
    MethodTrace = 2,
}

/// Writes the recording in the bytes of a ring file. The file appears under its name once it is whole.
pub(crate) fn write(ring: &[u8], path: &Path, format: Format) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    let result = write_to(ring, Path::new(&unfinished), format)
        .and_then(|()| std::fs::rename(&unfinished, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    result
}

fn write_to(ring: &[u8], path: &Path, format: Format) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
    let open = || Recording::open(ring).map_err(invalid);
    match format {
        Format::Ring => out.write_all(ring)?,
        Format::Ftrace => ftrace::write(&open()?, &mut out)?,
        Format::MethodTrace => method_trace::write(&open()?, &mut out)?,
    }
    out.flush()
}

fn invalid(error: OpenError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
