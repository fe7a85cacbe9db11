//! This machine, watched.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use traceloom_tracefs::{Instance, Mounted, Stop, stream_text};

use super::Tape;
use crate::agent::{Agent, Sink};
use crate::agents::LinuxAgent;
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// Records this machine onto a tape, from the kernel's `trace_pipe`.
pub struct LiveLinuxAgent<'t> {
    kernel: LinuxAgent<'t>,
    tree: Mounted,
    tape: Arc<Mutex<Tape>>,
    stop: Arc<Stop>,
    threads: Vec<JoinHandle<Result<()>>>,
}

impl<'t> LiveLinuxAgent<'t> {
    /// What `kernel` records, in `tree`.
    ///
    /// # Errors
    /// Where the system has no more descriptors.
    pub fn new(kernel: LinuxAgent<'t>, tree: &Mounted, tape: Tape) -> Result<Self> {
        Ok(Self {
            kernel,
            tree: tree.clone(),
            tape: Arc::new(Mutex::new(tape)),
            stop: Arc::new(Stop::new().map_err(CaptureError::Sink)?),
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
                Some(name) => Instance::of(&tree, name)?,
                None => Instance::top(&tree),
            };
            let streamed = stream_text(&tree, &mut to, &stop);
            if let Err(error) = &streamed {
                let tape = tape.lock().unwrap_or_else(PoisonError::into_inner);
                tape.broke_off(error.to_string());
            }
            streamed?;
            Ok(())
        }));
        let tape = Arc::clone(&self.tape);
        self.threads.push(thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            loop {
                match from.read(&mut piece).map_err(CaptureError::Sink)? {
                    0 => return Ok(()),
                    length => tape
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(&piece[..length]),
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
        let said = self.kernel.start(limit)?;
        self.follow()?;
        Ok(said)
    }

    fn takes_marks(&self) -> bool {
        self.kernel.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.kernel.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        // Of losses the tape tells.
        let status = self.kernel.status(limit)?;
        Some(Status { lost: 0, ..status })
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.kernel.stop(limit);
        self.stop.ask();
        for thread in self.threads.drain(..) {
            if let Ok(followed) = thread.join() {
                followed?;
            }
        }
        stopped
    }

    fn collect(&mut self, limit: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        // What is left in the buffer comes last.
        let collected = self.kernel.collect(limit, &mut Rest(&mut tape));
        tape.hand_over("ftrace", sink).map_err(CaptureError::Sink)?;
        collected
    }
}

/// Puts the rest of the buffer behind what was streamed.
struct Rest<'t>(&'t mut Tape);

impl Sink for Rest<'_> {
    fn begin(&mut self, _: crate::agent::PartKind, _: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.push(bytes);
        Ok(())
    }
}
