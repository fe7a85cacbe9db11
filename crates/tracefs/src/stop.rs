//! Stops a recording from a signal handler or another thread.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::sys;

/// A request to stop a recording.
#[derive(Debug)]
pub struct StopSignal {
    requested: AtomicBool,
    reader: PipeReader,
    writer: PipeWriter,
}

/// Why waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The time is over.
    TimeUp,
    /// A stop was requested.
    Requested,
    /// The reader of the output went away.
    NoReader,
}

impl StopSignal {
    /// A signal without a request.
    ///
    /// # Errors
    /// If no pipe can be created.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            requested: AtomicBool::new(false),
            reader,
            writer,
        })
    }

    /// Requests a stop. Safe in a signal handler: it only sets a flag and writes a byte to an empty
    /// pipe.
    pub fn request(&self) {
        if !self.requested.swap(true, Ordering::Relaxed) {
            // Cannot fail: the pipe is empty and its reader is open.
            _ = rustix::io::write(&self.writer, &[0]);
        }
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// A file that becomes readable when a stop is requested.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }

    /// Waits until `time` is over, a stop is requested, or the reader of `out` is gone.
    ///
    /// # Errors
    /// If the system cannot wait.
    pub fn wait(&self, time: Duration, out: Option<BorrowedFd<'_>>) -> io::Result<Ended> {
        let end = Instant::now() + time;
        loop {
            if self.is_requested() {
                return Ok(Ended::Requested);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Ended::TimeUp);
            }
            let files = sys::poll(&[self.file()], out, left)?;
            if files[0].readable {
                return Ok(Ended::Requested);
            }
            if out.is_some() && files.last().is_some_and(|out| out.closed) {
                return Ok(Ended::NoReader);
            }
        }
    }
}
