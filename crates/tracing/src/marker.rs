//! The kernel's file for marks of programs.

use std::fs::File;
use std::io::{self, Write};

/// Where it is, and where older kernels had it.
const PLACES: [&str; 2] = [
    "/sys/kernel/tracing/trace_marker",
    "/sys/kernel/debug/tracing/trace_marker",
];

/// The kernel's `trace_marker`, to be written from any thread.
#[derive(Debug)]
pub struct Marker(File);

impl Marker {
    /// Opens it.
    ///
    /// # Errors
    /// What the system says of the first place.
    pub fn open() -> io::Result<Self> {
        let open = |place| File::options().write(true).open(place).map(Self);
        let [first, second] = PLACES;
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
