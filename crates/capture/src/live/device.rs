//! Live recordings of a device.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::tape::Tape;
use crate::adb::{Closer, ShellEvent};
use crate::agent::{Agent, Sink};
use crate::agents::AtraceAgent;
use crate::error::{CaptureError, Result};

/// Records a device onto a tape, from the output of `atrace --stream`.
pub struct LiveAtraceAgent {
    atrace: AtraceAgent,
    tape: Arc<Mutex<Tape>>,
    running: Option<(Closer, JoinHandle<Result<()>>)>,
    stopping: Arc<AtomicBool>,
}

impl LiveAtraceAgent {
    /// An agent that records what `atrace` would.
    pub fn new(atrace: AtraceAgent, tape: Tape) -> Self {
        Self {
            atrace,
            tape: Arc::new(Mutex::new(tape)),
            running: None,
            stopping: Arc::default(),
        }
    }
}

impl Agent for LiveAtraceAgent {
    fn name(&self) -> &str {
        self.atrace.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let (messages, mut shell) = self.atrace.stream_live(limit)?;
        let closer = shell.closer()?;
        let tape = Arc::clone(&self.tape);
        let stopping = Arc::clone(&self.stopping);
        let follow = move || -> Result<()> {
            let tape = || tape.lock().unwrap_or_else(PoisonError::into_inner);
            let why = loop {
                match shell.next_event() {
                    Ok(ShellEvent::Stdout(bytes)) => tape().push(bytes),
                    Ok(ShellEvent::Stderr(_)) => {}
                    Ok(ShellEvent::Exit(code)) => {
                        break format!("atrace ended with status {code}");
                    }
                    Err(error) => break error.to_string(),
                }
            };
            // Do not report an end that was requested.
            if !stopping.load(Ordering::Acquire) {
                tape().report_end(why);
            }
            Ok(())
        };
        self.running = Some((closer, thread::spawn(follow)));
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        self.atrace.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.atrace.mark(name, limit)
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        self.stopping.store(true, Ordering::Release);
        let stopped = self.atrace.stop(limit);
        if let Some((closer, thread)) = self.running.take() {
            // atrace runs until its connection is closed. The resulting error is expected.
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
