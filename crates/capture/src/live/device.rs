//! A device, watched.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Tape;
use crate::adb::{Closer, ShellEvent};
use crate::agent::{Agent, Sink};
use crate::agents::AtraceAgent;
use crate::error::{CaptureError, Result};

/// Records a device onto a tape, from `atrace --stream`.
pub struct LiveAtraceAgent {
    atrace: AtraceAgent,
    tape: Arc<Mutex<Tape>>,
    running: Option<(Closer, JoinHandle<Result<()>>)>,
}

impl LiveAtraceAgent {
    /// What `atrace` records.
    pub fn new(atrace: AtraceAgent, tape: Tape) -> Self {
        Self {
            atrace,
            tape: Arc::new(Mutex::new(tape)),
            running: None,
        }
    }
}

impl Agent for LiveAtraceAgent {
    fn name(&self) -> &str {
        self.atrace.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let (said, mut shell) = self.atrace.stream_live(limit)?;
        let closer = shell.closer()?;
        let tape = Arc::clone(&self.tape);
        let follow = move || -> Result<()> {
            loop {
                match shell.next_event()? {
                    ShellEvent::Stdout(bytes) => {
                        tape.lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(bytes);
                    }
                    ShellEvent::Stderr(_) => {}
                    ShellEvent::Exit(_) => return Ok(()),
                }
            }
        };
        self.running = Some((closer, thread::spawn(follow)));
        Ok(said)
    }

    fn takes_marks(&self) -> bool {
        self.atrace.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.atrace.mark(name, limit)
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        let stopped = self.atrace.stop(limit);
        if let Some((closer, thread)) = self.running.take() {
            // It goes on for as long as its terminal is there. That the connection ends then is no
            // failure.
            closer.close();
            _ = thread.join();
        }
        let reset = self.atrace.reset(limit);
        stopped.and(reset)
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.hand_over("atrace", sink).map_err(CaptureError::Sink)
    }
}
