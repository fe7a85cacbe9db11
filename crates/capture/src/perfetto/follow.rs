//! Follows a recording: perfetto's messages, and the growing file.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::config::FILE_PERIOD_MS;
use super::place::{PID, Place};
use crate::adb::{AdbError, Closer, Device, Shell, ShellEvent};
use crate::error::{CaptureError, Result};
use crate::live::{SpillFile, cannot_store};
use crate::threads::result_of;

/// How often new bytes are fetched: as often as the service appends some.
const FETCH_EVERY: Duration = Duration::from_millis(FILE_PERIOD_MS as u64);

/// Time limit for the device's answer to a fetch.
const LIMIT: Duration = Duration::from_secs(60);

/// How many bytes of perfetto's messages are kept.
const MAX_MESSAGE: usize = 8192;

/// The message of every version once it talks to the service.
const CONNECTED: &str = "Connected to the Perfetto traced service";

/// How perfetto ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// With an exit status.
    Status(u8),
    /// The connection was lost.
    Lost(String),
}

/// What is known about a recording.
pub(super) struct State {
    messages: Vec<u8>,
    /// Whether all data sources have been started, if perfetto reports it.
    pub is_started: bool,
    pub ended: Option<Ended>,
    pub is_stopping: bool,
    pub stored: SpillFile,
    /// Why the file could not be fetched completely.
    pub failed: Option<CaptureError>,
}

impl State {
    /// Perfetto's messages, without control sequences and without the pid.
    pub fn message(&self) -> String {
        let text = self.text();
        let lines = text.lines().map(plain);
        let lines =
            lines.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(PID));
        let message = lines.collect::<Vec<_>>().join("\n");
        if message.is_empty() {
            return "it printed no reason; `adb logcat -s perfetto` may show one".to_owned();
        }
        message
    }

    /// Whether it records, or at least talks to the service, or has ended.
    pub fn has_begun(&self) -> bool {
        self.is_started || self.ended.is_some() || self.text().contains(CONNECTED)
    }

    pub fn pid(&self) -> Option<u32> {
        let text = self.text();
        let (_, rest) = text.split_once(PID)?;
        rest.lines().next()?.trim().parse().ok()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.messages).into_owned()
    }

    /// Keeps the first messages, which have the pid, and the last ones, which have the error.
    fn push_message(&mut self, bytes: &[u8]) {
        self.messages.extend_from_slice(bytes);
        let excess = self.messages.len().saturating_sub(MAX_MESSAGE);
        if excess > 0 {
            let middle = MAX_MESSAGE / 2;
            self.messages.drain(middle..middle + excess);
        }
    }
}

/// A line without the escape sequences that colour it on a terminal.
fn plain(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |line, piece| {
        line + piece.split_once('m').map_or("", |(_, rest)| rest)
    })
}

/// A recording that is followed by two threads.
pub(super) struct Follow {
    shared: Arc<Shared>,
    closer: Closer,
    fetcher: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    /// Waits until `is_true`, at most until `end`. Returns whether it is.
    fn wait(&self, end: Instant, mut is_true: impl FnMut(&State) -> bool) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        let waited = self
            .changed
            .wait_timeout_while(self.state(), left, |state| !is_true(&mut *state));
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        is_true(&state)
    }
}

impl Follow {
    /// Follows `shell`, in which perfetto runs, and fetches its file into `stored`.
    pub fn start(device: &Device, place: &Place, shell: Shell, stored: SpillFile) -> Result<Self> {
        let closer = shell.closer()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                messages: Vec::new(),
                is_started: false,
                ended: None,
                is_stopping: false,
                stored,
                failed: None,
            }),
            changed: Condvar::new(),
        });
        let listener = Arc::clone(&shared);
        thread::spawn(move || listen(&listener, shell));
        let fetcher = (Arc::clone(&shared), device.clone(), place.clone());
        let fetcher = thread::spawn(move || follow_file(&fetcher.0, &fetcher.1, &fetcher.2));
        Ok(Self {
            shared,
            closer,
            fetcher: Some(fetcher),
        })
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Waits for a state, at most for `limit`. Returns whether it is reached.
    pub fn wait(&self, limit: Duration, is_true: impl FnMut(&State) -> bool) -> bool {
        self.shared.wait(Instant::now() + limit, is_true)
    }

    /// Waits until perfetto has ended and its file is here, at most for `limit`.
    ///
    /// # Errors
    /// [`AdbError::Timeout`].
    pub fn finish(&mut self, limit: Duration) -> Result<()> {
        if !self.wait(limit, |state| state.ended.is_some()) {
            self.closer.close();
            return Err(CaptureError::Adb(AdbError::Timeout {
                request: "waiting for perfetto to write its trace".to_owned(),
                limit,
            }));
        }
        if let Some(fetcher) = self.fetcher.take() {
            result_of(fetcher);
        }
        Ok(())
    }
}

/// Follows the messages of perfetto until it ends.
fn listen(shared: &Shared, mut shell: Shell) {
    loop {
        let ended = match shell.next_event() {
            // The zero byte of --notify-fd, or another one after a failure.
            Ok(ShellEvent::Stdout(bytes)) => {
                let is_started = bytes.contains(&0);
                shared.change(|state| state.is_started |= is_started);
                continue;
            }
            Ok(ShellEvent::Stderr(bytes)) => {
                shared.change(|state| state.push_message(bytes));
                continue;
            }
            Ok(ShellEvent::Exit(status)) => Ended::Status(status),
            Err(error) => Ended::Lost(error.to_string()),
        };
        return shared.change(|state| state.ended = Some(ended));
    }
}

/// Fetches what is appended to the file until perfetto has ended.
fn follow_file(shared: &Shared, device: &Device, place: &Place) {
    loop {
        let has_ended = shared.wait(Instant::now() + FETCH_EVERY, |state| state.ended.is_some());
        // Read before the call, which must not hold the lock.
        let offset = shared.state().stored.bytes();
        let mut take = |bytes: &[u8]| shared.state().stored.push(bytes);
        let fetched = fetch(device, place, &mut take, offset);
        match fetched {
            Ok(()) => {}
            // The next attempt may succeed.
            Err(CaptureError::Adb(_) | CaptureError::Command { .. }) if !has_ended => {}
            Err(error) => {
                let error = Some(error);
                shared.change(|state| state.failed = state.failed.take().or(error));
            }
        }
        if has_ended {
            return;
        }
    }
}

/// Fetches the file from this byte on.
///
/// # Errors
/// If the connection is lost, or the data cannot be stored.
pub(super) fn fetch(
    device: &Device,
    place: &Place,
    take: &mut dyn FnMut(&[u8]) -> std::io::Result<()>,
    offset: u64,
) -> Result<()> {
    let mut shell = device.shell(&place.rest(offset))?;
    let mut message = Vec::new();
    loop {
        shell.limit(Some(LIMIT));
        match shell.next_event()? {
            ShellEvent::Stdout(bytes) => take(bytes).map_err(stored)?,
            ShellEvent::Stderr(bytes) => message.extend_from_slice(bytes),
            ShellEvent::Exit(0) => return Ok(()),
            ShellEvent::Exit(status) => {
                return Err(CaptureError::Command {
                    command: place.rest(offset),
                    status,
                    message: String::from_utf8_lossy(&message).trim().to_owned(),
                });
            }
        }
    }
}

fn stored(error: std::io::Error) -> CaptureError {
    let text = cannot_store(&error);
    CaptureError::Sink(std::io::Error::new(error.kind(), text))
}
