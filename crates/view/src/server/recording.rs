//! A recording that is shown while it goes on.
//!
//! ```text
//! recorder ──snapshot──► Recording ──the newest, and the one before──► /api?snapshot=N
//!     ▲                     │ ▲
//!     └── a page wants ◄────┘ └── /live: how it goes, and the number of the newest
//!         a newer one
//! ```
//! A page goes from snapshot to snapshot: it asks for what the next one shows while it draws the
//! last. Where no page asks, none are made.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use traceloom_engine::Engine;
use traceloom_trace::Trace;

/// Snapshots that are held: what pages draw, and what they go to.
const HELD: usize = 2;

/// How a recording goes, for the page.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LiveStats {
    /// Events since it began.
    pub events: u64,
    /// Events that were lost since then.
    pub lost: u64,
    /// Bytes recorded since then.
    pub bytes: u64,
}

/// What a server that shows a recording needs of the recorder.
#[derive(Clone)]
pub struct LiveOptions {
    /// Tells how it goes.
    pub stats: Arc<dyn Fn() -> LiveStats + Send + Sync>,
    /// Ends the recording, as somebody asked for in the page.
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
    /// Oldest first, with their numbers from 1 on.
    snapshots: VecDeque<(u64, Arc<Engine>)>,
    /// What all snapshots count their times from: the first event of the recording.
    origin_ns: Option<i64>,
    /// A page that has the newest looked for another.
    is_wanted: bool,
    step: Step,
    /// Whether a page has heard of the last step.
    is_told: bool,
}

/// How far a recording is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
enum Step {
    #[default]
    Recording,
    /// It has ended: why.
    Saving(String),
    /// Its trace is the server's, or there is none: what became of it.
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

    /// The number of the newest snapshot, as long as the whole is not there to ask.
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

    /// What became of a recording that has ended.
    pub fn ended(&self) -> Option<String> {
        match &self.now().step {
            Step::Ended { said, .. } => Some(said.clone()),
            _ => None,
        }
    }

    /// The snapshot of a number, unless newer ones took its place.
    pub fn snapshot(&self, number: u64) -> Option<Arc<Engine>> {
        let now = self.now();
        let found = now.snapshots.iter().find(|(held, _)| *held == number);
        found.map(|(_, engine)| Arc::clone(engine))
    }

    /// Waits until a page wants a newer snapshot; false if the recording has ended, or the wait.
    pub fn wait_until_wanted(&self, limit: Duration) -> bool {
        let waits = |now: &mut Now| now.step == Step::Recording && !now.is_wanted;
        let waited = self.changed.wait_timeout_while(self.now(), limit, waits);
        let (now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        now.step == Step::Recording && now.is_wanted
    }

    pub fn show(&self, trace: Trace) {
        let origin_ns = *self.now().origin_ns.get_or_insert(trace.bounds.0);
        let engine = Engine::with_origin(trace, origin_ns);
        // Nobody who asks for something small should wait for that.
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

    /// From now on the whole answers; without one the last snapshots stay.
    pub fn has_ended(&self, said: String, is_whole: bool) {
        self.step(Step::Ended { said, is_whole });
        if is_whole {
            self.now().snapshots.clear();
        }
    }

    fn step(&self, step: Step) {
        let mut now = self.now();
        now.step = step;
        now.is_told = false;
        self.changed.notify_all();
    }

    /// Waits until a page has heard of the last step, but not longer than `limit`.
    pub fn wait_until_told(&self, limit: Duration) {
        let waits = |now: &mut Now| !now.is_told;
        drop(self.changed.wait_timeout_while(self.now(), limit, waits));
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        // What is held is whole at any time, so what a panic left behind is as good.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The status for a page that shows the snapshot `shown` and wants the one after it.
    pub fn status(&self, shown: Option<u64>) -> serde_json::Value {
        let stats = (self.options.stats)();
        let mut now = self.now();
        let newest = now.snapshots.back();
        let held = newest.map(|(_, engine)| engine.trace().bounds);
        let newest = newest.map_or(0, |(number, _)| *number);
        now.is_wanted |= shown == Some(newest);
        now.is_told = true;
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
