//! Controls a running server from other threads.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use traceloom_engine::Engine;
use traceloom_trace::Trace;

use super::recording::Recording;
use super::state::State;
use super::traces::Slot;

/// Tells a running server what is new. Clones tell the same server.
#[derive(Clone)]
pub struct Handle {
    pub(super) state: Arc<State>,
    pub(super) stop: watch::Sender<bool>,
}

impl Handle {
    /// The first trace is read: questions are answered from now on. Returns once all is worked out
    /// that a person would otherwise wait for later.
    pub fn ready(&self, trace: Trace) {
        let engine = Arc::new(Engine::new(trace));
        self.state.traces.set(0, Slot::Ready(Arc::clone(&engine)));
        engine.prepare();
    }

    /// The first trace cannot be read, and why.
    pub fn failed(&self, why: &str) {
        self.state.traces.set(0, Slot::Failed(why.into()));
    }

    /// So many bytes of the first trace are read, of so many (0: not known).
    pub fn progress(&self, done: u64, total: u64) {
        self.state.traces.progress(0, done, total);
    }

    /// Waits until a page wants to see more of the recording; false if the recording has ended, or
    /// nobody asked for so long.
    pub fn wait_until_wanted(&self, limit: Duration) -> bool {
        let recording = self.state.recording.as_ref();
        recording.is_some_and(|recording| recording.wait_until_wanted(limit))
    }

    /// Whether the recording goes on.
    pub fn is_recording(&self) -> bool {
        let recording = self.state.recording.as_ref();
        recording.is_some_and(Recording::is_recording)
    }

    /// Shows the end of the recording as it is now.
    pub fn show(&self, trace: Trace) {
        if let Some(recording) = &self.state.recording {
            recording.show(trace);
        }
    }

    /// The recording has ended, and why; its trace is put together.
    pub fn saving(&self, why: &str) {
        if let Some(recording) = &self.state.recording {
            recording.saving(why.to_owned());
        }
    }

    /// The recording's trace is the first trace now, as with [`ready`](Self::ready); `said` says
    /// what became of it.
    pub fn recorded(&self, trace: Trace, said: &str) {
        let engine = Arc::new(Engine::new(trace));
        self.state.traces.set(0, Slot::Ready(Arc::clone(&engine)));
        if let Some(recording) = &self.state.recording {
            recording.has_ended(said.to_owned(), true);
        }
        engine.prepare();
    }

    /// The recording gave no trace, and why. Waits for a page to hear of it, but not longer than
    /// `limit`.
    pub fn not_recorded(&self, why: &str, limit: Duration) {
        self.failed(why);
        if let Some(recording) = &self.state.recording {
            recording.has_ended(why.to_owned(), false);
            recording.wait_until_told(limit);
        }
    }

    /// Ends [`Server::run`] after the answers that are under way.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }
}
