//! The thread that looks after a recording: samples, and triggers that save on their own.

mod samples;
mod sigquit;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use traceloom_ring::Kind;

use super::lifecycle::{note, save};
use super::options::{Options, Triggers};
use super::save::Format;
use super::write::{is_recording, text_event};
use super::{ticks, write};
use samples::Samples;

/// How often it looks, at least: also how fresh the clocks in the file of a killed process are.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The longest frame since it looked last, ns.
static SLOWEST_FRAME: AtomicU64 = AtomicU64::new(0);

/// A frame was shown, and took that long.
pub fn frame(took: Duration) {
    if is_recording() {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        SLOWEST_FRAME.fetch_max(ns, Ordering::Relaxed);
    }
}

/// The main thread begins a task: a message of its loop, an event.
pub fn task_begin() {
    set_task(true);
}

/// The main thread's task is over.
pub fn task_end() {
    set_task(false);
}

fn set_task(is_busy: bool) {
    write::with_session(|session| {
        let since = if is_busy {
            ticks::now(session.clock).max(1)
        } else {
            0
        };
        session.task_since.store(since, Ordering::Relaxed);
    });
}

/// The thread, and what wakes it.
pub(crate) struct Watch {
    wake: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
    sigquit: Option<sigquit::Handler>,
}

impl Watch {
    /// Begins to watch.
    pub fn start(options: &Options) -> Self {
        let wake = Arc::new((Mutex::new(false), Condvar::new()));
        SLOWEST_FRAME.store(0, Ordering::Relaxed);
        let sigquit = options.triggers.sigquit.then(sigquit::Handler::install);
        let looker = Looker {
            triggers: options.triggers.clone(),
            path: options.path.clone(),
            files: 0,
            last_task: 0,
            samples: options.sample_every.map(Samples::new),
        };
        let ends = Arc::clone(&wake);
        let builder = std::thread::Builder::new().name("traceloom".to_owned());
        // Without the thread nothing is sampled or triggered; what the app records is there all the same.
        let thread = builder.spawn(move || looker.run(&ends)).ok();
        Self {
            wake,
            thread,
            sigquit,
        }
    }

    /// Ends the thread; a signal that came last is still dealt with.
    pub fn end(self) {
        *self.wake.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.wake.1.notify_all();
        if let Some(thread) = self.thread {
            let _ = thread.join();
        }
        drop(self.sigquit);
    }
}

struct Looker {
    triggers: Triggers,
    path: PathBuf,
    /// Files saved so far.
    files: u32,
    /// The task that was told already.
    last_task: u64,
    samples: Option<Samples>,
}

impl Looker {
    fn run(mut self, wake: &(Mutex<bool>, Condvar)) {
        sigquit::unblock();
        let mut ends = wake.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            drop(ends);
            self.look();
            ends = wake.0.lock().unwrap_or_else(PoisonError::into_inner);
            if *ends {
                return;
            }
            let pause = self.pause();
            let waited = wake.1.wait_timeout(ends, pause);
            ends = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn pause(&self) -> Duration {
        let blocked = self.triggers.blocked.map(|blocked| blocked / 4);
        let sample = self.samples.as_ref().map(Samples::until_next);
        let shortest = [blocked, sample].into_iter().flatten().min();
        shortest
            .unwrap_or(LOOK_EVERY)
            .clamp(Duration::from_millis(1), LOOK_EVERY)
    }

    fn look(&mut self) {
        if let Some(samples) = &mut self.samples {
            samples.take_if_due(Instant::now());
        }
        note(super::session::Session::note_clocks);
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
            self.look_at_task(blocked);
        }
        if self.triggers.sigquit && sigquit::take() {
            self.trigger("SIGQUIT", "sigquit");
            sigquit::pass_on();
        }
    }

    fn look_at_task(&mut self, blocked: Duration) {
        let mut found = None;
        note(|session| {
            let since = session.task_since.load(Ordering::Relaxed);
            let ticks = ticks::now(session.clock).saturating_sub(since);
            let ns = u128::from(ticks) * 1_000_000_000 / u128::from(session.ticks_per_second);
            if since != 0 && ns > blocked.as_nanos() {
                found = Some((since, ns / 1_000_000));
            }
        });
        if let Some((since, ms)) = found.filter(|(since, _)| *since != self.last_task) {
            self.last_task = since;
            self.trigger(&format!("main thread blocked for {ms} ms"), "blocked");
        }
    }

    /// Marks the moment, and saves what led to it.
    fn trigger(&mut self, what: &str, name: &str) {
        text_event(Kind::InstantNamed, 0, what.as_bytes());
        if self.files >= self.triggers.most_files {
            return;
        }
        self.files += 1;
        let mut path = self.path.as_os_str().to_owned();
        path.push(format!(".{name}-{}.ring", self.files));
        if save(path.as_ref(), Format::Ring, Some(self.triggers.last)).is_err() {
            text_event(Kind::InstantNamed, 0, b"what led to it could not be saved");
        }
    }
}
