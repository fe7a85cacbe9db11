//! Live recordings of a device.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::tape::Tape;
use crate::adb::{AdbError, Closer, Shell, ShellEvent};
use crate::agent::{Agent, Sink};
use crate::agents::AtraceAgent;
use crate::error::{CaptureError, Result};
use crate::status::Status;
use crate::threads::result_of;

/// How often lost events are checked. Each check starts a process on the device.
const LOSSES_EVERY: Duration = Duration::from_secs(5);

/// How long to wait for the first text: the marks of the clocks, which atrace writes when everything records.
/// There is no other sign of that.
const START: Duration = Duration::from_secs(5);

/// How long to wait for more text of a recording that was stopped.
const QUIET: Duration = Duration::from_secs(3);

/// A connection to atrace on the device.
struct Running {
    closer: Closer,
    follow: JoinHandle<()>,
    /// Receives a message after each piece of text. Disconnected after the last one.
    news: mpsc::Receiver<()>,
}

/// Records a device onto a tape, from the output of `atrace --stream`.
pub struct LiveAtraceAgent {
    atrace: AtraceAgent,
    tape: Arc<Mutex<Tape>>,
    running: Option<Running>,
    stopping: Arc<AtomicBool>,
    /// When lost events were last checked.
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

    /// Waits until the text of a stopped recording is complete: its last mark has arrived, or atrace has ended, as
    /// Android's own atrace does.
    ///
    /// # Errors
    /// [`AdbError::Timeout`] if no more text arrives.
    fn wait_for_rest(&self, news: &mpsc::Receiver<()>, limit: Duration) -> Result<()> {
        let begun = Instant::now();
        while !self.tape().has_ended() {
            let came = news.recv_timeout(QUIET);
            if came == Err(mpsc::RecvTimeoutError::Disconnected) {
                return Ok(());
            }
            if came.is_err() || begun.elapsed() > limit {
                let request = "waiting for the end of the trace".to_owned();
                let limit = if came.is_err() { QUIET } else { limit };
                return Err(AdbError::Timeout { request, limit }.into());
            }
        }
        Ok(())
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads what atrace prints until it ends or the connection is closed.
fn follow(
    shell: &mut Shell,
    tape: &Mutex<Tape>,
    stopping: &AtomicBool,
    has_come: &mpsc::SyncSender<()>,
) {
    let tape = || tape.lock().unwrap_or_else(PoisonError::into_inner);
    let why = loop {
        match shell.next_event() {
            Ok(ShellEvent::Stdout(bytes)) => {
                tape().push(bytes);
                // If the channel is full, its receiver has not taken the last message yet.
                _ = has_come.try_send(());
            }
            Ok(ShellEvent::Stderr(_)) => {}
            Ok(ShellEvent::Exit(code)) => break format!("atrace ended with status {code}"),
            Err(error) => break error.to_string(),
        }
    };
    // Do not report an end that was requested.
    if !stopping.load(Ordering::Acquire) {
        tape().report_end(why);
    }
}

impl Agent for LiveAtraceAgent {
    fn name(&self) -> &str {
        self.atrace.name()
    }

    fn start(&mut self, limit: Duration) -> Result<Vec<String>> {
        let (messages, mut shell) = self.atrace.stream_live(limit)?;
        let closer = shell.closer()?;
        // One message is enough, however much text has arrived.
        let (has_come, news) = mpsc::sync_channel(1);
        let (tape, stopping) = (Arc::clone(&self.tape), Arc::clone(&self.stopping));
        let follow = thread::spawn(move || follow(&mut shell, &tape, &stopping, &has_come));
        // An end is reported on the tape.
        _ = news.recv_timeout(limit.min(START));
        self.running = Some(Running {
            closer,
            follow,
            news,
        });
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
        let mark = self.tape().end_mark().to_owned();
        let lost = self.atrace.end_stream(&mark, limit);
        let mut complete = Ok(());
        if let Some(running) = self.running.take() {
            // If the shell has no permission to stop recording, atrace continues until the connection is closed.
            if lost.as_ref().is_ok_and(|lost| !lost.is_empty()) {
                complete = self.wait_for_rest(&running.news, limit);
            }
            // Our own atrace always runs until then. The resulting error is expected.
            running.closer.close();
            result_of(running.follow);
        }
        // The text reports overwritten events only before the next event of their CPU. There may be no such event.
        let stopped = lost.map(|lost| self.tape().add_losses(&lost));
        let reset = self.atrace.reset(limit);
        stopped.and(complete).and(reset)
    }

    fn collect(&mut self, _: Duration, sink: &mut dyn Sink) -> Result<()> {
        self.tape()
            .hand_over("atrace", sink)
            .map_err(CaptureError::Sink)
    }
}
