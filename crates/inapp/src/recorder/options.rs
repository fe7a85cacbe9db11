//! Options of a recording.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use traceloom_ring::layout::{MAX_CHUNK_BYTES, MIN_CHUNK_BYTES};
pub use traceloom_ring::{ClockSource, Policy};

/// Size of the largest ring file, bytes. The disk space is reserved at the start, and opening a file reads all of it.
const MAX_BYTES: usize = 1 << 30;

/// Options of a recording. [`Options::new`] documents the defaults.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Path of the ring file. A recording that an earlier process left there is moved aside; see
    /// [`Started::previous`](super::Started).
    pub path: PathBuf,
    /// Approximate size of the file, bytes; at most 1 GB.
    pub bytes: usize,
    /// Size of a chunk, bytes: the part of the file that a thread takes at a time. Rounded up to a power of two between
    /// 1 KB and 1 MB. Each live thread needs one chunk.
    pub chunk_bytes: usize,
    /// The action when the file is full.
    pub policy: Policy,
    /// The clock. `None` chooses the processor's counter if it is reliable, else `CLOCK_BOOTTIME`.
    pub clock: Option<ClockSource>,
    /// Room for names of ids, as a number of names of up to 56 bytes.
    pub names: u32,
    /// Records the thread's CPU time with each method. Costs a system call per event.
    pub cpu_time: bool,
    /// Drops method calls that are shorter than this and contain no other event; `None` drops none. The calls of their
    /// callers are not changed.
    pub min_call: Option<Duration>,
    /// Interval at which CPU time, page faults, context switches and memory of the process are recorded as counters;
    /// `None` for never.
    pub sample_every: Option<Duration>,
    /// Events that make the recorder save a file.
    pub triggers: Triggers,
}

/// Events that make the recorder save the last seconds, each to a separate file.
#[derive(Clone, PartialEq, Debug)]
pub struct Triggers {
    /// A frame took longer than this. The app reports frames with [`frame`](super::frame).
    pub slow_frame: Option<Duration>,
    /// A task of the main thread has been running for longer than this. The app reports tasks with
    /// [`task_begin`](super::task_begin).
    pub blocked: Option<Duration>,
    /// SIGQUIT arrived, which Android sends to an app that does not respond.
    pub sigquit: bool,
    /// How much is saved.
    pub last: Duration,
    /// Maximum number of files. Further triggers are only marked in the recording.
    pub max_files: u32,
}

impl Default for Triggers {
    fn default() -> Self {
        Self {
            slow_frame: None,
            blocked: None,
            sigquit: false,
            last: Duration::from_secs(10),
            max_files: 5,
        }
    }
}

impl Triggers {
    /// Whether any trigger is on.
    pub(crate) fn any(&self) -> bool {
        self.slow_frame.is_some() || self.blocked.is_some() || self.sigquit
    }
}

impl Options {
    /// The defaults for a file at `path`: 16 MB in chunks of 8 KB, the oldest events are overwritten, the clock is
    /// chosen automatically, room for 1024 names, no CPU time, calls of any length, no counters, no triggers.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            bytes: 16 << 20,
            chunk_bytes: 8 << 10,
            policy: Policy::DropOldest,
            clock: None,
            names: 1024,
            cpu_time: false,
            min_call: None,
            sample_every: None,
            triggers: Triggers::default(),
        }
    }

    /// Size of a chunk in the file, bytes.
    pub(crate) fn chunk_size(&self) -> usize {
        let clamped = self.chunk_bytes.clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
        clamped.next_power_of_two()
    }

    /// Number of chunks: at least two, so that one chunk can be emptied while another is in use.
    ///
    /// # Errors
    /// If the file would be larger than [`MAX_BYTES`].
    pub(crate) fn chunk_count(&self) -> io::Result<u32> {
        if self.bytes > MAX_BYTES {
            let text = "a ring file may have at most 1 GB";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let count = u32::try_from(self.bytes / self.chunk_size());
        Ok(count.unwrap_or(u32::MAX).max(2))
    }
}
