//! The thread that watches a recording: it samples counters, and saves files when a trigger fires.

mod frames;
mod native;
mod samples;
mod sigquit;

use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use traceloom_ring::Kind;

use super::current::{is_recording, with_current};
use super::options::{Options, Triggers};
use super::save::Format;
use super::saving::save;
use super::session::Session;
use super::ticks;
use super::write::{text_event, with_session};
use samples::Samples;

/// The longest pause between two checks. It also limits the age of the clocks in the file of a killed process.
const MAX_PAUSE: Duration = Duration::from_millis(100);

/// A function that the watching thread calls before it saves a file. Null for none.
static BEFORE_SAVING: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Makes the watching thread call `record` before it saves a file. `record` can add the events that
/// led to the trigger.
pub(crate) fn before_saving(record: fn()) {
    BEFORE_SAVING.store(record as *mut (), Ordering::Release);
}

/// The longest frame since the last check, ns.
static SLOWEST_FRAME: AtomicU64 = AtomicU64::new(0);

/// Reports the duration of a frame that was shown. See [`Triggers::slow_frame`].
pub fn frame(took: Duration) {
    if is_recording() {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        SLOWEST_FRAME.fetch_max(ns, Ordering::Relaxed);
    }
}

/// Reports that the main thread begins a task, such as a message of its event loop. See [`Triggers::blocked`].
pub fn task_begin() {
    native::is_main();
    set_task(true);
}

/// Reports that the main thread's task has ended.
pub fn task_end() {
    set_task(false);
}

fn set_task(is_busy: bool) {
    with_session(|session| {
        let since = if is_busy {
            ticks::now(session.clock).max(1)
        } else {
            0
        };
        session.task_since.store(since, Ordering::Relaxed);
    });
}

/// Handle of the watching thread.
pub(crate) struct Watch {
    /// Whether the thread should end, and the means to wake it.
    end: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
    sigquit: Option<sigquit::Handler>,
}

impl Watch {
    /// Starts the thread.
    pub fn start(options: &Options) -> Self {
        let end = Arc::new((Mutex::new(false), Condvar::new()));
        SLOWEST_FRAME.store(0, Ordering::Relaxed);
        let sigquit = options.triggers.sigquit.then(sigquit::Handler::install);
        let watcher = Watcher {
            triggers: options.triggers.clone(),
            path: options.path.clone(),
            files: 0,
            last_task: 0,
            samples: options.sample_every.map(Samples::new),
        };
        let thread_end = Arc::clone(&end);
        let builder = std::thread::Builder::new().name("traceloom".to_owned());
        // If the thread cannot start, nothing is sampled or triggered, but the app's events are still recorded.
        let thread = builder.spawn(move || watcher.run(&thread_end)).ok();
        Self {
            end,
            thread,
            sigquit,
        }
    }

    /// Ends the thread. A signal that arrived before is still handled.
    pub fn end(self) {
        *self.end.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end.1.notify_all();
        if let Some(thread) = self.thread {
            let _ = thread.join();
        }
        drop(self.sigquit);
    }
}

struct Watcher {
    triggers: Triggers,
    path: PathBuf,
    /// Number of files saved so far.
    files: u32,
    /// Start of the last task that triggered, ticks.
    last_task: u64,
    samples: Option<Samples>,
}

impl Watcher {
    fn run(mut self, (should_end, wake): &(Mutex<bool>, Condvar)) {
        sigquit::unblock();
        let lock = || should_end.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            // Read before the check, so that the last check is after the request to end.
            let is_last = *lock();
            self.check();
            if is_last {
                return;
            }
            let pause = self.pause();
            let guard = lock();
            if !*guard {
                drop(wake.wait_timeout(guard, pause));
            }
        }
    }

    fn pause(&self) -> Duration {
        let blocked = self.triggers.blocked.map(|blocked| blocked / 4);
        let sample = self.samples.as_ref().map(Samples::until_next);
        let shortest = [blocked, sample].into_iter().flatten().min();
        shortest
            .unwrap_or(MAX_PAUSE)
            .clamp(Duration::from_millis(1), MAX_PAUSE)
    }

    fn check(&mut self) {
        if let Some(samples) = &mut self.samples {
            samples.take_if_due(Instant::now());
        }
        with_current(Session::note_clocks);
        if let Some(slow) = self.triggers.slow_frame {
            let slowest = Duration::from_nanos(SLOWEST_FRAME.swap(0, Ordering::Relaxed));
            if slowest > slow {
                self.trigger(
                    &format!("slow frame: {} ms", slowest.as_millis()),
                    "slow-frame",
                );
            }
        }
        if let Some(blocked) = self.triggers.blocked {
            self.check_task(blocked);
        }
        if self.triggers.sigquit && sigquit::take() {
            self.trigger("SIGQUIT", "sigquit");
            sigquit::pass_on();
        }
    }

    fn check_task(&mut self, blocked: Duration) {
        let blocked_task = with_current(|session| {
            let since = session.task_since.load(Ordering::Relaxed);
            let ticks = ticks::now(session.clock).saturating_sub(since);
            let ns = u128::from(ticks) * 1_000_000_000 / u128::from(session.ticks_per_second);
            (since != 0 && ns > blocked.as_nanos()).then_some((since, ns / 1_000_000))
        });
        let is_new = |(since, _): &(u64, _)| *since != self.last_task;
        if let Some((since, ms)) = blocked_task.flatten().filter(is_new) {
            self.last_task = since;
            self.trigger(&format!("main thread blocked for {ms} ms"), "blocked");
        }
    }

    /// Records an instant and saves the events that led to it.
    fn trigger(&mut self, what: &str, name: &str) {
        text_event(Kind::InstantNamed, 0, what.as_bytes());
        if self.files >= self.triggers.max_files {
            return;
        }
        self.files += 1;
        record_native_stack();
        let before = BEFORE_SAVING.load(Ordering::Acquire);
        if !before.is_null() {
            // SAFETY: only `before_saving` stores a value, and it is such a function.
            let record = unsafe { std::mem::transmute::<*mut (), fn()>(before) };
            record();
        }
        let mut path = self.path.as_os_str().to_owned();
        path.push(format!(".{name}-{}.ring", self.files));
        if save(path.as_ref(), Format::Ring, Some(self.triggers.last)).is_err() {
            text_event(Kind::InstantNamed, 0, b"the file could not be saved");
        }
    }
}

/// Records where the main thread is, if it is in a task.
fn record_native_stack() {
    let since = with_current(|session| session.task_since.load(Ordering::Relaxed));
    if since.is_some_and(|since| since != 0) {
        native::record();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_before_the_end_is_handled() {
        let _handler = sigquit::Handler::install();
        let watcher = Watcher {
            triggers: Triggers {
                sigquit: true,
                max_files: 0,
                ..Triggers::default()
            },
            path: PathBuf::new(),
            files: 0,
            last_task: 0,
            samples: None,
        };
        let end = (Mutex::new(false), Condvar::new());
        std::thread::scope(|scope| {
            let mut should_end = end.0.lock().unwrap();
            scope.spawn(|| watcher.run(&end));
            // The watcher now waits for the lock.
            std::thread::sleep(Duration::from_millis(50));
            // SAFETY: the signal is handled.
            unsafe { libc::raise(libc::SIGQUIT) };
            *should_end = true;
        });
        assert!(!sigquit::take());
    }
}
