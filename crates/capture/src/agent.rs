//! What an agent is, and what it hands over.

use std::io;
use std::time::Duration;

use crate::error::Result;
use crate::status::Status;

/// How long agents may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For starting, and for stopping.
    pub start_stop: Duration,
    /// For handing over what was recorded.
    pub collect: Duration,
}

impl Default for Limits {
    /// 20 s, and 10 minutes: a full buffer over a slow connection.
    fn default() -> Self {
        Self {
            start_stop: Duration::from_secs(20),
            collect: Duration::from_secs(600),
        }
    }
}

/// What kind of data a part holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PartKind {
    /// ftrace text, or a stream of `atrace -z`.
    SystemTrace,
    /// The kernel's own pages, as a `trace.dat`.
    RawTrace,
    /// Lists of processes and threads.
    ProcessDump,
    /// Control groups.
    CgroupDump,
    /// A method trace.
    MethodTrace,
    /// Memory of processes, ATRACE_PROCESS_DUMP.
    MemoryDump,
    /// What a WALT noted, ftrace text with `CLOCK_MONOTONIC`'s times.
    Walt,
    /// What a BattOr measured.
    Power,
    /// When each agent was asked for its clock markers.
    ClockMarks,
    /// A trace that was recorded before, of any kind that can be read.
    File,
}

/// Takes what agents hand over, while it comes in.
pub trait Sink {
    /// A part begins; the bytes that follow are its.
    ///
    /// # Errors
    /// Where it cannot be kept.
    fn begin(&mut self, kind: PartKind, name: &str) -> io::Result<()>;

    /// The next bytes of the part.
    ///
    /// # Errors
    /// Where they cannot be kept.
    fn data(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// Something that records: started, stopped, asked for what it has, in this order.
pub trait Agent {
    /// What messages call it.
    fn name(&self) -> &str;

    /// Whether what it hands over only explains what others record.
    fn is_aid(&self) -> bool {
        false
    }

    /// Starts recording, and gives back what the user should know.
    ///
    /// # Errors
    /// Where it does not record. Nothing of it is left behind then.
    fn start(&mut self, limit: Duration) -> Result<Vec<String>>;

    /// Whether it has a place for clock markers: those without a clock of their own need none.
    fn takes_marks(&self) -> bool {
        false
    }

    /// Notes a marker in what is being recorded, by which clocks are put together later.
    ///
    /// # Errors
    /// Where the mark cannot be written.
    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        _ = (name, limit);
        Ok(())
    }

    /// How the recording goes, where that is known. It takes at most `limit`.
    fn status(&mut self, limit: Duration) -> Option<Status> {
        _ = limit;
        None
    }

    /// Whether asking for the status disturbs what is recorded: on a device it is a process there.
    fn status_disturbs(&self) -> bool {
        false
    }

    /// Stops recording.
    ///
    /// # Errors
    /// Where it cannot be stopped; it is asked for its data all the same.
    fn stop(&mut self, limit: Duration) -> Result<()>;

    /// Hands over what was recorded, as it comes. What came before an error counts.
    ///
    /// # Errors
    /// Where not everything came.
    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()>;
}
