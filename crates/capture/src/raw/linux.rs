//! Recordings of this machine's ring buffer pages.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use traceloom_tracefs::{DatVersion, RawCapture, StopSignal};

use super::RawOptions;
use crate::agent::{Agent, PartKind, Sink, SinkWriter};
use crate::agents::LinuxAgent;
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// Size of the output buffer, bytes.
const BUFFER: usize = 1 << 20;

/// Records this machine from the kernel's `trace_pipe_raw`.
pub struct RawLinuxAgent<'t> {
    kernel: LinuxAgent<'t>,
    version: DatVersion,
    folder: PathBuf,
    stop: Arc<StopSignal>,
    bytes_read: Arc<AtomicU64>,
    state: State,
}

enum State {
    Idle,
    Recording(JoinHandle<Recorded>),
    Stopped(Recorded),
}

/// The recorded pages, and how the recording ended.
type Recorded = (RawCapture, Result<()>);

impl<'t> RawLinuxAgent<'t> {
    /// An agent that records what `kernel` would. Pages are stored in unnamed files in `folder`.
    ///
    /// # Errors
    /// [`CaptureError::Option`]; if the process has too many open files.
    pub fn new(kernel: LinuxAgent<'t>, options: &RawOptions, folder: PathBuf) -> Result<Self> {
        let (version, compression) = (options.version.as_deref(), options.compression.as_deref());
        Ok(Self {
            kernel,
            version: DatVersion::from_options(version, compression)
                .map_err(CaptureError::Option)?,
            folder,
            stop: Arc::new(StopSignal::new().map_err(CaptureError::Sink)?),
            bytes_read: Arc::default(),
            state: State::Idle,
        })
    }
}

impl RawLinuxAgent<'_> {
    /// Waits for the end of reading.
    fn join(&mut self) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Recording(thread) => {
                if let Ok(recorded) = thread.join() {
                    self.state = State::Stopped(recorded);
                }
            }
            other => self.state = other,
        }
    }
}

/// Reads pages until `stop` is requested.
fn read_pages(mut capture: RawCapture, stop: &StopSignal) -> Recorded {
    let recorded = capture.record(None, stop, None);
    (capture, recorded.map(drop).map_err(Into::into))
}

impl Agent for RawLinuxAgent<'_> {
    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let messages = self.kernel.start(limit)?;
        let capture = self.kernel.capture_pages(&self.folder)?;
        self.bytes_read = capture.bytes_read();
        let stop = Arc::clone(&self.stop);
        self.state = State::Recording(thread::spawn(move || read_pages(capture, &stop)));
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        self.kernel.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.kernel.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        let mut status = self.kernel.status(limit)?;
        status.bytes += self.bytes_read.load(Ordering::Relaxed);
        Some(status)
    }

    fn broke_off(&mut self) -> Option<String> {
        let State::Recording(thread) = &self.state else {
            return None;
        };
        if !thread.is_finished() {
            return None;
        }
        self.join();
        match &self.state {
            State::Stopped((_, Err(error))) => Some(error.to_string()),
            _ => None,
        }
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.kernel.stop(limit);
        self.stop.request();
        self.join();
        stopped
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let State::Stopped((capture, recorded)) = std::mem::replace(&mut self.state, State::Idle)
        else {
            return self.kernel.restore();
        };
        let begun = sink.begin(PartKind::RawTrace, "ftrace");
        let written = begun.map_err(CaptureError::Sink).and_then(|()| {
            let mut out = BufWriter::with_capacity(BUFFER, SinkWriter(sink));
            self.kernel.write_pages(capture, self.version, &mut out)?;
            out.flush().map_err(CaptureError::Sink)
        });
        let restored = self.kernel.restore();
        recorded.and(written).and(restored)
    }
}
