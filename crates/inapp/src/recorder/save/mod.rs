//! Writing recordings to files, in the app itself.

mod ftrace;
mod method_trace;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use traceloom_ring::{OpenError, Recording};

use super::new_file::NewFile;

/// The file format to save a recording in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Format {
    /// Ring file: small and complete.
    #[default]
    Ring = 0,
    /// ftrace text for systrace, catapult and Perfetto. Methods become sections.
    Ftrace = 1,
    /// Traceview `.trace` with the methods only. Wall time, and CPU time if it was recorded.
    MethodTrace = 2,
}

/// Writes the recording of a ring file. The new file, which only this user may open, appears under its name once it is
/// complete.
pub(crate) fn write(ring: &[u8], path: &Path, format: Format) -> io::Result<()> {
    let file = NewFile::create(path)?;
    write_to(ring, file.file(), format)?;
    file.publish()
}

fn write_to(ring: &[u8], file: &File, format: Format) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
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
