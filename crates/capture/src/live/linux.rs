//! Live recordings of this machine.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use traceloom_tracefs::{Instance, Mounted, StopSignal, stream_text};

use super::tape::Tape;
use crate::agent::{Agent, PartKind, Sink};
use crate::agents::LinuxAgent;
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// Records this machine onto a tape, from the kernel's `trace_pipe`.
pub struct LiveLinuxAgent<'t> {
    kernel: LinuxAgent<'t>,
    tree: Mounted,
    tape: Arc<Mutex<Tape>>,
    stop: Arc<StopSignal>,
    threads: Vec<JoinHandle<Result<()>>>,
}

impl<'t> LiveLinuxAgent<'t> {
    /// An agent that records what `kernel` would, in `tree`.
    ///
    /// # Errors
    /// If the process has too many open files.
    pub fn new(kernel: LinuxAgent<'t>, tree: &Mounted, tape: Tape) -> Result<Self> {
        Ok(Self {
            kernel,
            tree: tree.clone(),
            tape: Arc::new(Mutex::new(tape)),
            stop: Arc::new(StopSignal::new().map_err(CaptureError::Sink)?),
            threads: Vec::new(),
        })
    }

    fn follow(&mut self) -> Result<()> {
        let (mut from, mut to) = std::io::pipe().map_err(CaptureError::Sink)?;
        let (tree, stop, name) = (
            self.tree.clone(),
            Arc::clone(&self.stop),
            self.kernel.instance(),
        );
        let tape = Arc::clone(&self.tape);
        self.threads.push(thread::spawn(move || {
            let tree = match &name {
                Some(name) => Instance::named(&tree, name)?,
                None => Instance::top(&tree),
            };
            let streamed = stream_text(&tree, &mut to, &stop);
            if let Err(error) = &streamed {
                let tape = tape.lock().unwrap_or_else(PoisonError::into_inner);
                tape.report_end(error.to_string());
            }
            streamed?;
            Ok(())
        }));
        let tape = Arc::clone(&self.tape);
        self.threads.push(thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                match from.read(&mut buffer).map_err(CaptureError::Sink)? {
                    0 => return Ok(()),
                    length => tape
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(&buffer[..length]),
                }
            }
        }));
        Ok(())
    }
}

impl Agent for LiveLinuxAgent<'_> {
    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let messages = self.kernel.start(limit)?;
        self.follow()?;
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        self.kernel.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.kernel.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        // The tape reports losses.
        let status = self.kernel.status(limit)?;
        Some(Status { lost: 0, ..status })
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.kernel.stop(limit);
        self.stop.request();
        for thread in self.threads.drain(..) {
            if let Ok(followed) = thread.join() {
                followed?;
            }
        }
        stopped
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        // Append what is left in the ring buffer.
        let collected = self.kernel.collect(limit, &mut Rest(&mut tape));
        tape.hand_over("ftrace", sink).map_err(CaptureError::Sink)?;
        collected
    }
}

/// Appends the rest of the ring buffer to a tape.
struct Rest<'t>(&'t mut Tape);

impl Sink for Rest<'_> {
    fn begin(&mut self, _: PartKind, _: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.push(bytes);
        Ok(())
    }
}
