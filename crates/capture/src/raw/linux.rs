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
use crate::threads::result_of;

/// Size of the output buffer, bytes.
const BUFFER: usize = 1 << 20;

/// Records this machine from the kernel's `trace_pipe_raw`.
pub struct RawLinuxAgent<'t> {
    kernel: LinuxAgent<'t>,
    version: DatVersion,
    folder: PathBuf,
    stop: Arc<StopSignal>,
    bytes_read: Vec<Arc<AtomicU64>>,
    /// Whether a recording that fits into the kernel's buffer is handed over as text.
    prefers_text: bool,
    /// The recorders of additional buffers, with their names.
    extra: Vec<(String, LinuxAgent<'t>)>,
    state: State,
}

/// The main buffer is the first one.
enum State {
    Idle,
    Recording(Vec<JoinHandle<Recorded>>),
    Stopped(Vec<Recorded>),
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
            bytes_read: Vec::new(),
            prefers_text: false,
            extra: Vec::new(),
            state: State::Idle,
        })
    }

    /// Leaves the pages in the kernel's buffer while there is room, and hands over the kernel's text of
    /// a recording that fits into it. Pages are only read if the buffer fills up.
    #[must_use]
    pub fn or_text(mut self) -> Self {
        self.prefers_text = true;
        self
    }
}

impl RawLinuxAgent<'_> {
    /// Waits for the end of reading.
    fn join(&mut self) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Recording(threads) => {
                let recorded = threads.into_iter().map(result_of);
                self.state = State::Stopped(recorded.collect());
            }
            other => self.state = other,
        }
    }

    /// Starts to read the pages of all buffers.
    fn read_all(&mut self) -> Result<()> {
        let mut captures = vec![self.kernel.capture_pages(&self.folder)?];
        for (_, agent) in &mut self.extra {
            captures.push(agent.capture_pages(&self.folder)?);
        }
        self.bytes_read = captures.iter().map(RawCapture::bytes_read).collect();
        let threads = captures.into_iter().map(|mut capture| {
            if self.prefers_text {
                capture = capture.lazy();
            }
            let stop = Arc::clone(&self.stop);
            thread::spawn(move || read_pages(capture, &stop))
        });
        self.state = State::Recording(threads.collect());
        Ok(())
    }

    /// Writes the pages of all buffers.
    fn write(&mut self, mut captures: Vec<RawCapture>, sink: &mut dyn Sink) -> Result<()> {
        sink.begin(PartKind::RawTrace, "ftrace")
            .map_err(CaptureError::Sink)?;
        let mut out = BufWriter::with_capacity(BUFFER, SinkWriter(sink));
        let main = captures.remove(0);
        if self.extra.is_empty() {
            self.kernel.write_pages(main, self.version, &mut out)?;
        } else {
            let others = self.extra.iter().zip(captures);
            let others = others.map(|((name, agent), pages)| (name.as_str(), pages, agent));
            self.kernel
                .write_all_pages(main, others.collect(), &mut out)?;
        }
        out.flush().map_err(CaptureError::Sink)
    }

    /// Restores the settings of all buffers. Returns the first failure.
    fn restore(&mut self) -> Result<()> {
        let restored = self.kernel.restore();
        let others = self.extra.iter_mut().map(|(_, agent)| agent.restore());
        others.fold(restored, Result::and)
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
        self.extra = self.kernel.extra_agents()?;
        let mut messages = Vec::new();
        for (_, agent) in &mut self.extra {
            messages.extend(agent.start(limit)?);
        }
        // The main buffer has the marks, so it is the last to start.
        messages.extend(self.kernel.start(limit)?);
        match self.read_all() {
            Ok(()) => Ok(messages),
            Err(error) => {
                // Only the first error matters.
                _ = self.restore();
                Err(error)
            }
        }
    }

    fn takes_marks(&self) -> bool {
        self.kernel.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.kernel.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        let mut status = self.kernel.status(limit)?;
        for (_, agent) in &mut self.extra {
            status.add(&agent.status(limit)?);
        }
        let read = self.bytes_read.iter();
        status.bytes += read.map(|bytes| bytes.load(Ordering::Relaxed)).sum::<u64>();
        Some(status)
    }

    fn broke_off(&mut self) -> Option<String> {
        let State::Recording(threads) = &self.state else {
            return None;
        };
        if !threads.iter().any(JoinHandle::is_finished) {
            return None;
        }
        // The threads of other buffers continue to read until then.
        self.stop.request();
        self.join();
        match &self.state {
            State::Stopped(recorded) => {
                let mut errors = recorded
                    .iter()
                    .filter_map(|(_, ended)| ended.as_ref().err());
                errors.next().map(ToString::to_string)
            }
            _ => None,
        }
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.kernel.stop(limit);
        let others = self.extra.iter_mut().map(|(_, agent)| agent.stop(limit));
        let stopped = others.fold(stopped, Result::and);
        self.stop.request();
        self.join();
        stopped
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let State::Stopped(recorded) = std::mem::replace(&mut self.state, State::Idle) else {
            return self.restore();
        };
        let (captures, ended): (Vec<_>, Vec<_>) = recorded.into_iter().unzip();
        let ended: Result<()> = ended.into_iter().collect();
        if self.prefers_text && captures.iter().all(RawCapture::is_untouched) {
            // The kernel removes no instance with open files.
            drop(captures);
            return ended.and(self.kernel.collect(limit, sink));
        }
        let written = self.write(captures, sink);
        let restored = self.restore();
        ended.and(written).and(restored)
    }
}
