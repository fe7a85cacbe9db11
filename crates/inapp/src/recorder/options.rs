//! How to record.

use std::path::PathBuf;
use std::time::Duration;

use traceloom_ring::layout::{MAX_CHUNK_BYTES, MIN_CHUNK_BYTES};
pub use traceloom_ring::{ClockSource, Policy};

/// How to record. The usual: 16 MB, the oldest events give way, the processor's counter where it can be trusted.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The ring file. One that an earlier process left there is kept beside it; see
    /// [`Started::previous`](super::Started).
    pub path: PathBuf,
    /// Bytes of the file, about.
    pub bytes: usize,
    /// Bytes that a thread takes from it at a time; becomes a power of two from 1 KB to 1 MB. Threads that
    /// live at once need one each.
    pub chunk_bytes: usize,
    /// What happens when all of it is used.
    pub policy: Policy,
    /// The clock; `None` for the processor's counter where that runs evenly, else `CLOCK_BOOTTIME`.
    pub clock: Option<ClockSource>,
    /// How many names (of up to 56 bytes) there is room for.
    pub names: u32,
    /// Notes CPU time with each method: a system call each time.
    pub cpu_time: bool,
    /// Notes CPU time, page faults, context switches and memory of the process as counters this often.
    pub sample_every: Option<Duration>,
    /// What makes the recorder save on its own.
    pub triggers: Triggers,
}

/// What makes the recorder save the last seconds on its own, each time into a file of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Triggers {
    /// A frame that took longer; frames are told by [`frame`](super::frame).
    pub slow_frame: Option<Duration>,
    /// A task of the main thread that runs longer; tasks are told by [`task_begin`](super::task_begin).
    pub blocked: Option<Duration>,
    /// SIGQUIT, which Android sends when an app does not respond.
    pub sigquit: bool,
    /// How much is saved.
    pub last: Duration,
    /// How many files at most; later triggers are only marked in the recording.
    pub most_files: u32,
}

impl Default for Triggers {
    fn default() -> Self {
        Self {
            slow_frame: None,
            blocked: None,
            sigquit: false,
            last: Duration::from_secs(10),
            most_files: 5,
        }
    }
}

impl Triggers {
    /// Whether any of them is on.
    pub(crate) fn any(&self) -> bool {
        self.slow_frame.is_some() || self.blocked.is_some() || self.sigquit
    }
}

impl Options {
    /// The usual ones for a file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            bytes: 16 << 20,
            chunk_bytes: 8 << 10,
            policy: Policy::DropOldest,
            clock: None,
            names: 1024,
            cpu_time: false,
            sample_every: None,
            triggers: Triggers::default(),
        }
    }

    /// Bytes of a chunk as the file has them.
    pub(crate) fn chunk_size(&self) -> usize {
        let clamped = self.chunk_bytes.clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
        clamped.next_power_of_two()
    }

    /// How many chunks the file has: at least two, so that one can be emptied while another is used.
    pub(crate) fn chunk_count(&self) -> u32 {
        u32::try_from(self.bytes / self.chunk_size())
            .unwrap_or(u32::MAX)
            .clamp(2, 1 << 20)
    }
}
