//! Live recordings of this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use traceloom_formats::page_events;
use traceloom_tracefs::{DatHead, Mounted, PageReader, StopSignal};

use super::follow::{Buffer, Follower};
use super::page_tape::PageTape;
use crate::agent::{Agent, PartKind, Sink};
use crate::agents::LinuxAgent;
use crate::error::{CaptureError, Result};
use crate::status::Status;
use crate::threads::result_of;

/// Records the pages of this machine onto a tape.
pub struct LiveLinuxAgent<'t> {
    kernel: LinuxAgent<'t>,
    tree: Mounted,
    stop: Arc<StopSignal>,
    bytes_read: Arc<AtomicU64>,
    state: State,
}

enum State {
    Ready(PageTape),
    Recording(JoinHandle<Recorded>),
    Stopped(Box<Recorded>),
    Done,
}

/// The recorded pages, and how the recording ended.
type Recorded = (Follower, Result<()>);

impl<'t> LiveLinuxAgent<'t> {
    /// An agent that records what `kernel` would, in `tree`.
    ///
    /// # Errors
    /// If the process has too many open files.
    pub fn new(kernel: LinuxAgent<'t>, tree: &Mounted, tape: PageTape) -> Result<Self> {
        Ok(Self {
            kernel,
            tree: tree.clone(),
            stop: Arc::new(StopSignal::new().map_err(CaptureError::Sink)?),
            bytes_read: Arc::default(),
            state: State::Ready(tape),
        })
    }

    fn follower(&self, mut tape: PageTape) -> Result<Follower> {
        let buffer = Buffer {
            tree: self.tree.clone(),
            name: self.kernel.instance(),
        };
        let reader = PageReader::open(&buffer.instance()?)?;
        let head = DatHead::read(&buffer.instance()?)?;
        let events = page_events(&head.bytes(&vec![0; reader.cpus()]));
        let events = Arc::new(events.map_err(|error| CaptureError::Formats(error.to_string()))?);
        tape.open(reader.cpus()).map_err(CaptureError::Sink)?;
        if let Some(window) = tape.window() {
            window.begin(
                buffer.clone().head(head),
                Arc::clone(&events),
                reader.cpus(),
            );
        }
        Ok(Follower {
            reader,
            events,
            tape,
            buffer,
            bytes_read: Arc::clone(&self.bytes_read),
        })
    }

    fn write(&self, follower: &mut Follower, sink: &mut dyn Sink) -> Result<()> {
        let begun = sink.begin(PartKind::RawTrace, "ftrace");
        begun.map_err(CaptureError::Sink)?;
        let head = self.kernel.dat_head()?;
        let (cpus, events) = (follower.reader.cpus(), Arc::clone(&follower.events));
        let head = |sizes: &[u64]| head.bytes(sizes);
        let mut take = |bytes: &[u8]| sink.data(bytes);
        let written = follower.tape.hand_over(cpus, &events, head, &mut take);
        written.map_err(CaptureError::Sink)
    }
}

impl Agent for LiveLinuxAgent<'_> {
    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let State::Ready(tape) = std::mem::replace(&mut self.state, State::Done) else {
            return Err(CaptureError::NotStarted);
        };
        let messages = self.kernel.start(limit)?;
        match self.follower(tape) {
            Ok(mut follower) => {
                let stop = Arc::clone(&self.stop);
                let read = move || {
                    let ended = follower.run(&stop);
                    (follower, ended)
                };
                self.state = State::Recording(thread::spawn(read));
                Ok(messages)
            }
            Err(error) => {
                // Only the first error matters.
                _ = self.kernel.restore();
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
        status.bytes += self.bytes_read.load(Ordering::Relaxed);
        Some(status)
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.kernel.stop(limit);
        self.stop.request();
        match std::mem::replace(&mut self.state, State::Done) {
            State::Recording(thread) => {
                self.state = State::Stopped(Box::new(result_of(thread)));
            }
            other => self.state = other,
        }
        stopped
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let State::Stopped(recorded) = std::mem::replace(&mut self.state, State::Done) else {
            return self.kernel.restore();
        };
        let (mut follower, ended) = *recorded;
        let written = self.write(&mut follower, sink);
        // An instance with open files cannot be removed.
        drop(follower);
        let restored = self.kernel.restore();
        ended.and(written).and(restored)
    }
}
