//! A recording that is shown while it runs.
//!
//! ```text
//! recorder ──snapshot──► Recording ──the newest, and the one before──► /api?snapshot=N
//!     ▲                     │ ▲
//!     └── a page wants ◄────┘ └── /live: status, and the number of the newest
//!         a newer one
//! ```
//! A page moves from snapshot to snapshot: it fetches the next one while it draws the current one.
//! Snapshots are made only while a page requests them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use traceloom_engine::Engine;
use traceloom_trace::Trace;

/// The number of snapshots in memory: the one on the page and the next one.
const HELD: usize = 2;

/// Statistics of a recording, for the page.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LiveStats {
    /// Events since the start.
    pub events: u64,
    /// Lost events since the start.
    pub lost: u64,
    /// Recorded bytes since the start.
    pub bytes: u64,
}

/// The recorder's interface for a server that shows the recording.
#[derive(Clone)]
pub struct LiveOptions {
    /// Returns the current statistics.
    pub stats: Arc<dyn Fn() -> LiveStats + Send + Sync>,
    /// Ends the recording, at the request of the user in the page.
    pub stop: Arc<dyn Fn() + Send + Sync>,
}

/// The recording of a server.
pub(crate) struct Recording {
    options: LiveOptions,
    begun: Instant,
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Default)]
struct Now {
    /// Oldest first, numbered from 1.
    snapshots: VecDeque<(u64, Arc<Engine>)>,
    /// The origin of all snapshots' times: the first event of the recording.
    origin_ns: Option<i64>,
    /// Whether a page that has the newest snapshot requests another one.
    is_wanted: bool,
    step: Step,
    /// Whether a page has received the final state.
    is_reported: bool,
}

/// The state of a recording.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
enum Step {
    #[default]
    Recording,
    /// The recording has ended for this reason, and its trace is being assembled.
    Saving(String),
    /// The trace is set, or the recording gave none. `said` is the result for the page.
    Ended { said: String, is_whole: bool },
}

impl Recording {
    pub fn new(options: LiveOptions) -> Self {
        let now = Now {
            is_wanted: true,
            ..Now::default()
        };
        Self {
            options,
            begun: Instant::now(),
            now: Mutex::new(now),
            changed: Condvar::new(),
        }
    }

    /// The number of the newest snapshot, until the whole trace is available.
    pub fn newest(&self) -> Option<u64> {
        let now = self.now();
        match now.step {
            Step::Ended { .. } => None,
            _ => now.snapshots.back().map(|(number, _)| *number),
        }
    }

    pub fn is_recording(&self) -> bool {
        self.now().step == Step::Recording
    }

    /// The result of a recording that has ended.
    pub fn ended(&self) -> Option<String> {
        match &self.now().step {
            Step::Ended { said, .. } => Some(said.clone()),
            _ => None,
        }
    }

    /// The snapshot with this number, unless newer ones have replaced it.
    pub fn snapshot(&self, number: u64) -> Option<Arc<Engine>> {
        let now = self.now();
        let found = now.snapshots.iter().find(|(held, _)| *held == number);
        found.map(|(_, engine)| Arc::clone(engine))
    }

    /// Waits until a page requests a newer snapshot. False if the recording has ended or `limit`
    /// has passed.
    pub fn wait_until_wanted(&self, limit: Duration) -> bool {
        let waits = |now: &mut Now| now.step == Step::Recording && !now.is_wanted;
        let waited = self.changed.wait_timeout_while(self.now(), limit, waits);
        let (now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        now.step == Step::Recording && now.is_wanted
    }

    pub fn show(&self, trace: Trace) {
        let origin_ns = *self.now().origin_ns.get_or_insert(trace.bounds.0);
        let engine = Engine::with_origin(trace, origin_ns);
        // Otherwise a small question would have to wait for the timeline.
        engine.prepare_timeline();
        let mut now = self.now();
        let number = now.snapshots.back().map_or(0, |(number, _)| *number) + 1;
        now.snapshots.push_back((number, Arc::new(engine)));
        if now.snapshots.len() > HELD {
            now.snapshots.pop_front();
        }
        now.is_wanted = false;
    }

    pub fn saving(&self, why: String) {
        self.step(Step::Saving(why));
    }

    /// From now on, questions are answered from the whole trace. If there is none, the last snapshots remain.
    pub fn has_ended(&self, said: String, is_whole: bool) {
        self.step(Step::Ended { said, is_whole });
        if is_whole {
            self.now().snapshots.clear();
        }
    }

    fn step(&self, step: Step) {
        let mut now = self.now();
        now.step = step;
        now.is_reported = false;
        self.changed.notify_all();
    }

    /// Waits until a page has received the final state, at most for `limit`.
    pub fn wait_until_reported(&self, limit: Duration) {
        let waits = |now: &mut Now| !now.is_reported;
        drop(self.changed.wait_timeout_while(self.now(), limit, waits));
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        // The state is always consistent, even after a panic.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The status for a page that shows the snapshot `shown` and requests a newer one.
    pub fn status(&self, shown: Option<u64>) -> serde_json::Value {
        let stats = (self.options.stats)();
        let mut now = self.now();
        let newest = now.snapshots.back();
        let held = newest.map(|(_, engine)| engine.trace().bounds);
        let newest = newest.map_or(0, |(number, _)| *number);
        now.is_wanted |= shown == Some(newest);
        now.is_reported = true;
        self.changed.notify_all();
        let (step, said) = match &now.step {
            Step::Recording => ("recording", ""),
            Step::Saving(why) => ("saving", &**why),
            Step::Ended { said, is_whole } => match is_whole {
                true => ("ended", &**said),
                false => ("failed", &**said),
            },
        };
        json!({
            "state": step,
            "said": said,
            "snapshot": newest,
            "ms": self.begun.elapsed().as_millis() as u64,
            "events": stats.events,
            "lost": stats.lost,
            "bytes": stats.bytes,
            "held_ns": held.map(|(first, last)| last.saturating_sub(first)),
        })
    }

    /// Ends the recording.
    pub fn stop(&self) {
        (self.options.stop)();
    }
}
