//! The end of a recording, as a signal handler or another thread may ask for it.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::sys;

/// Asks a recording to end.
#[derive(Debug)]
pub struct Stop {
    asked: AtomicBool,
    reader: PipeReader,
    writer: PipeWriter,
}

/// Why waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The time is over.
    Time,
    /// It was asked for.
    Asked,
    /// Nobody reads the output any more.
    NoReader,
}

impl Stop {
    /// Nobody asked yet.
    ///
    /// # Errors
    /// If there is no pipe to be had.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let asked = AtomicBool::new(false);
        Ok(Self {
            asked,
            reader,
            writer,
        })
    }

    /// Asks. May be called from a signal handler: it sets a flag and writes a byte.
    pub fn ask(&self) {
        if !self.asked.swap(true, Ordering::Relaxed) {
            let byte: libc::c_char = 0;
            let pipe = self.writer.as_raw_fd();
            // SAFETY: one byte of our own; write is safe in a signal handler. The pipe is empty, so
            // it does not wait.
            unsafe { libc::write(pipe, (&raw const byte).cast(), 1) };
        }
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Readable once somebody asked.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }

    /// Waits for a time, for the question, or for the reader of `out` to go, whatever is first.
    ///
    /// # Errors
    /// If the system cannot wait.
    pub fn wait(&self, time: Duration, out: Option<BorrowedFd<'_>>) -> io::Result<Ended> {
        let end = Instant::now() + time;
        loop {
            if self.is_asked() {
                return Ok(Ended::Asked);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Ended::Time);
            }
            // The system counts whole milliseconds.
            let millis = Duration::from_millis(left.as_millis() as u64 + 1);
            let seen = sys::poll(&[self.file()], out, millis)?;
            if seen[0].readable {
                return Ok(Ended::Asked);
            }
            if out.is_some() && seen.last().is_some_and(|out| out.gone) {
                return Ok(Ended::NoReader);
            }
        }
    }
}
