//! The interface between agents, which record, and the sink that takes their data.

use std::io;
use std::time::Duration;

use crate::error::{CaptureError, Result};
use crate::status::Status;

/// Time limits for the steps of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For starting, and for stopping.
    pub start_stop: Duration,
    /// For handing over the recorded data.
    pub collect: Duration,
}

impl Default for Limits {
    /// 20 s, and 10 minutes, which is enough for a full buffer over a slow connection.
    fn default() -> Self {
        Self {
            start_stop: Duration::from_secs(20),
            collect: Duration::from_secs(600),
        }
    }
}

/// The kind of data in a part of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PartKind {
    /// ftrace text.
    SystemTrace,
    /// The kernel's ring buffer pages, as a `trace.dat`.
    RawTrace,
    /// A Perfetto trace.
    PerfettoTrace,
    /// Lists of processes and threads.
    ProcessDump,
    /// Control groups and their tasks.
    CgroupDump,
    /// A method trace.
    MethodTrace,
    /// Memory of processes, as ATRACE_PROCESS_DUMP.
    MemoryDump,
    /// Latencies measured by a WALT, as ftrace text with `CLOCK_MONOTONIC` times.
    Walt,
    /// Power measured by a BattOr.
    Power,
    /// The times at which agents wrote clock markers.
    ClockMarks,
    /// A trace that was recorded earlier, in any format that can be read.
    File,
}

/// Receives the recorded data.
pub trait Sink {
    /// Begins a part. The following calls of [`data`](Self::data) belong to it.
    ///
    /// # Errors
    /// If the part cannot be stored.
    fn begin(&mut self, kind: PartKind, name: &str) -> io::Result<()>;

    /// Takes the next bytes of the part.
    ///
    /// # Errors
    /// If they cannot be stored.
    fn data(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// Records one kind of data. The controller calls `start`, `stop` and `collect` in this order.
pub trait Agent {
    /// Name for messages.
    fn name(&self) -> &str;

    /// Whether its data only explains the data of other agents.
    fn is_aid(&self) -> bool {
        false
    }

    /// Starts recording. Returns messages for the user. The default does nothing, for agents that
    /// only take a snapshot when their data is collected.
    ///
    /// # Errors
    /// If it cannot record. It leaves nothing behind then.
    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        _ = limit;
        Ok(Vec::new())
    }

    /// Whether it can write clock markers. Agents without a clock of their own need none.
    fn takes_marks(&self) -> bool {
        false
    }

    /// Writes a clock marker into the recording. Markers later synchronize the agents' clocks.
    ///
    /// # Errors
    /// If the marker cannot be written.
    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        _ = (name, limit);
        Ok(())
    }

    /// The progress of the recording, if known. Takes at most `limit`.
    fn status(&mut self, limit: Duration) -> Option<Status> {
        _ = limit;
        None
    }

    /// Whether a status request affects the recording, because it starts a process on the device.
    fn status_disturbs(&self) -> bool {
        false
    }

    /// Why the recording has ended before it was stopped, if it has. Returned once.
    fn broke_off(&mut self) -> Option<String> {
        None
    }

    /// Stops recording. The default does nothing, for agents that only take a snapshot.
    ///
    /// # Errors
    /// If it cannot be stopped. The controller still collects its data.
    fn stop(&mut self, limit: Duration) -> Result<()> {
        _ = limit;
        Ok(())
    }

    /// Hands over the recorded data. Data that was handed over before an error is valid.
    ///
    /// # Errors
    /// If data is missing.
    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()>;
}

/// Hands over a part that is in memory.
pub(crate) fn hand_over(
    sink: &mut dyn Sink,
    kind: PartKind,
    name: &str,
    bytes: &[u8],
) -> Result<()> {
    let begun = sink.begin(kind, name);
    let written = begun.and_then(|()| sink.data(bytes));
    written.map_err(CaptureError::Sink)
}

/// Writes to the current part of a sink.
pub(crate) struct SinkWriter<'s>(pub &'s mut dyn Sink);

impl io::Write for SinkWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.data(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
