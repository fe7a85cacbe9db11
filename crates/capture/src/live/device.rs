//! Live recordings of a device.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::tape::Tape;
use crate::adb::{Closer, ShellEvent};
use crate::agent::{Agent, Sink};
use crate::agents::AtraceAgent;
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// How often lost events are looked for. Each look starts a process on the device.
const LOSSES_EVERY: Duration = Duration::from_secs(5);

/// How long to wait for the first text: the marks of the clocks, which atrace writes when everything records.
/// There is no other sign of that.
const START: Duration = Duration::from_secs(5);

/// Records a device onto a tape, from the output of `atrace --stream`.
pub struct LiveAtraceAgent {
    atrace: AtraceAgent,
    tape: Arc<Mutex<Tape>>,
    running: Option<(Closer, JoinHandle<Result<()>>)>,
    stopping: Arc<AtomicBool>,
    /// When lost events were last looked for.
    looked: Option<Instant>,
}

impl LiveAtraceAgent {
    /// An agent that records what `atrace` would.
    pub fn new(atrace: AtraceAgent, tape: Tape) -> Self {
        Self {
            atrace,
            tape: Arc::new(Mutex::new(tape)),
            running: None,
            stopping: Arc::default(),
            looked: None,
        }
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (begun, has_begun) = mpsc::channel();
        let follow = move || -> Result<()> {
            let tape = || tape.lock().unwrap_or_else(PoisonError::into_inner);
            let why = loop {
                match shell.next_event() {
                    Ok(ShellEvent::Stdout(bytes)) => {
                        tape().push(bytes);
                        // After the start, nobody waits.
                        _ = begun.send(());
                    }
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
        // An end is reported on the tape.
        _ = has_begun.recv_timeout(limit.min(START));
        Ok(messages)
    }

    fn takes_marks(&self) -> bool {
        self.atrace.takes_marks()
    }

    fn mark(&mut self, name: &str, limit: Duration) -> Result<()> {
        self.atrace.mark(name, limit)
    }

    fn status(&mut self, limit: Duration) -> Option<Status> {
        if self.looked.is_none_or(|at| at.elapsed() >= LOSSES_EVERY) {
            let dropped = self.atrace.dropped_by_cpu(limit);
            self.tape().add_losses(&dropped);
            self.looked = Some(Instant::now());
        }
        // The tape reports them.
        None
    }

    fn stop(&mut self, limit: Duration) -> Result<()> {
        self.stopping.store(true, Ordering::Release);
        let stopped = self.atrace.stop(limit);
        // The end of atrace clears the counts.
        let dropped = self.atrace.dropped_by_cpu(limit);
        if let Some((closer, thread)) = self.running.take() {
            // atrace runs until its connection is closed. The resulting error is expected.
            closer.close();
            _ = thread.join();
        }
        self.tape().add_losses(&dropped);
        let reset = self.atrace.reset(limit);
        stopped.and(reset)
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        self.tape()
            .hand_over("atrace", sink)
            .map_err(CaptureError::Sink)
    }
}
