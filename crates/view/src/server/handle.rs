//! Controls a running server from other threads.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use traceloom_engine::Engine;
use traceloom_trace::Trace;

use super::recording::Recording;
use super::state::State;
use super::traces::Slot;

/// Controls a running server. Clones control the same server.
#[derive(Clone)]
pub struct Handle {
    pub(super) state: Arc<State>,
    pub(super) stop: watch::Sender<bool>,
}

impl Handle {
    /// Sets the first trace. From now on, questions are answered. Returns once the expensive
    /// results for the first views are cached.
    pub fn ready(&self, trace: impl Into<Arc<Trace>>) {
        let engine = Arc::new(Engine::new(trace));
        self.state.traces.set(0, Slot::Ready(Arc::clone(&engine)));
        engine.prepare();
    }

    /// Reports the reason why the first trace cannot be read.
    pub fn failed(&self, why: &str) {
        self.state.traces.set(0, Slot::Failed(why.into()));
    }

    /// Whether traces from the page are open, in addition to the first.
    pub fn has_others(&self) -> bool {
        self.state.traces.has_others()
    }

    /// Reports that `done` of `total` bytes of the first trace are read. A `total` of 0 is unknown.
    pub fn progress(&self, done: u64, total: u64) {
        self.state.traces.progress(0, done, total);
    }

    /// Waits until a page requests a newer snapshot of the recording. False if the recording has
    /// ended, or if no page requests one within `limit`.
    pub fn wait_until_wanted(&self, limit: Duration) -> bool {
        let recording = self.state.recording.as_ref();
        recording.is_some_and(|recording| recording.wait_until_wanted(limit))
    }

    /// Whether the recording is still running.
    pub fn is_recording(&self) -> bool {
        let recording = self.state.recording.as_ref();
        recording.is_some_and(Recording::is_recording)
    }

    /// Shows a new snapshot of the recording.
    pub fn show(&self, trace: Trace) {
        if let Some(recording) = &self.state.recording {
            recording.show(trace);
        }
    }

    /// Reports the end of the recording and its reason. Its trace is being assembled.
    pub fn saving(&self, why: &str) {
        if let Some(recording) = &self.state.recording {
            recording.saving(why.to_owned());
        }
    }

    /// Sets the whole recording as the first trace, as [`ready`](Self::ready) does. The page shows `said` as its
    /// result.
    pub fn recorded(&self, trace: impl Into<Arc<Trace>>, said: &str) {
        let engine = Arc::new(Engine::new(trace));
        self.state.traces.set(0, Slot::Ready(Arc::clone(&engine)));
        if let Some(recording) = &self.state.recording {
            recording.has_ended(said.to_owned(), true);
        }
        engine.prepare();
    }

    /// Reports the reason why the recording gave no trace. Waits at most `limit` until a page has
    /// received it.
    pub fn not_recorded(&self, why: &str, limit: Duration) {
        self.failed(why);
        if let Some(recording) = &self.state.recording {
            recording.has_ended(why.to_owned(), false);
            recording.wait_until_reported(limit);
        }
    }

    /// Ends `Server::run` after the current answers.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }
}
