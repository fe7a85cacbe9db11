//! This machine, as pages.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use traceloom_tracefs::{DatVersion, RawCapture, Stop};

use super::RawOptions;
use crate::agent::{Agent, PartKind, Sink};
use crate::agents::{LinuxAgent, Output};
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// What is handed over at a time, bytes.
const PIECE: usize = 1 << 20;

/// Records this machine from the kernel's `trace_pipe_raw`.
pub struct RawLinuxAgent<'t> {
    kernel: LinuxAgent<'t>,
    version: DatVersion,
    folder: PathBuf,
    stop: Arc<Stop>,
    taken: Arc<AtomicU64>,
    state: State,
}

enum State {
    Idle,
    Recording(JoinHandle<Recorded>),
    Stopped(Recorded),
}

/// What was recorded, and how the recording ended.
type Recorded = (RawCapture, Result<()>);

impl<'t> RawLinuxAgent<'t> {
    /// What `kernel` records; pages wait in `folder`, in files without names.
    ///
    /// # Errors
    /// [`CaptureError::Option`]; where the system has no more descriptors.
    pub fn new(kernel: LinuxAgent<'t>, options: &RawOptions, folder: PathBuf) -> Result<Self> {
        let (version, packed) = (options.version.as_deref(), options.compression.as_deref());
        Ok(Self {
            kernel,
            version: DatVersion::chosen(version, packed).map_err(CaptureError::Option)?,
            folder,
            stop: Arc::new(Stop::new().map_err(CaptureError::Sink)?),
            taken: Arc::default(),
            state: State::Idle,
        })
    }
}

/// Takes pages until it is asked to stop.
fn follow(mut capture: RawCapture, stop: &Stop) -> Recorded {
    let recorded = capture.record(None, stop, None);
    (capture, recorded.map(drop).map_err(Into::into))
}

impl Agent for RawLinuxAgent<'_> {
    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let said = self.kernel.start(limit)?;
        let capture = self.kernel.capture_pages(&self.folder)?;
        self.taken = capture.taken();
        let stop = Arc::clone(&self.stop);
        self.state = State::Recording(thread::spawn(move || follow(capture, &stop)));
        Ok(said)
    }

    fn takes_marks(&self) -> bool {
        self.kernel.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.kernel.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        let mut status = self.kernel.status(limit)?;
        status.bytes += self.taken.load(Ordering::Relaxed);
        Some(status)
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.kernel.stop(limit);
        self.stop.ask();
        if let State::Recording(thread) = std::mem::replace(&mut self.state, State::Idle)
            && let Ok(recorded) = thread.join()
        {
            self.state = State::Stopped(recorded);
        }
        stopped
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let State::Stopped((capture, recorded)) = std::mem::replace(&mut self.state, State::Idle)
        else {
            return self.kernel.restore();
        };
        let begun = sink.begin(PartKind::RawTrace, "ftrace");
        let written = begun.map_err(CaptureError::Sink).and_then(|()| {
            let mut out = BufWriter::with_capacity(PIECE, Output(sink));
            self.kernel.write_pages(capture, self.version, &mut out)?;
            out.flush().map_err(CaptureError::Sink)
        });
        let restored = self.kernel.restore();
        recorded.and(written).and(restored)
    }
}
