//! The kernel's `trace_marker` file.

use std::fs::File;
use std::io::{self, Write};

/// Its path, and the path on older kernels.
const PATHS: [&str; 2] = [
    "/sys/kernel/tracing/trace_marker",
    "/sys/kernel/debug/tracing/trace_marker",
];

/// The kernel's `trace_marker`, opened for writing. All threads may write to it.
#[derive(Debug)]
pub struct Marker(File);

impl Marker {
    /// Opens the file.
    ///
    /// # Errors
    /// If it does not exist or may not be written.
    pub fn open() -> io::Result<Self> {
        let open = |path| File::options().write(true).open(path).map(Self);
        let [first, second] = PATHS;
        open(first).or_else(|error| open(second).map_err(|_| error))
    }
}

impl Write for &Marker {
    fn write(&mut self, mark: &[u8]) -> io::Result<usize> {
        (&self.0).write(mark)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
