//! The end of a running recording of pages, for a reader in another thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use traceloom_formats::PageEvents;

use super::pages::{Page, Pages};
use super::window::{Recent, WindowLimits, WindowStats};

/// Makes the start of a `trace.dat` whose CPUs have these numbers of bytes.
pub(super) type Head = Box<dyn FnMut(&[u64]) -> Vec<u8> + Send>;

/// The pages of the last seconds of a recording.
pub struct PageWindow {
    limits: WindowLimits,
    state: Mutex<State>,
    source: Mutex<Option<Source>>,
}

#[derive(Default)]
struct State {
    pages: Pages,
    stats: WindowStats,
}

struct Source {
    head: Head,
    events: Arc<PageEvents>,
    cpus: usize,
}

impl PageWindow {
    /// An empty window.
    pub fn new(limits: WindowLimits) -> Self {
        Self {
            limits,
            state: Mutex::default(),
            source: Mutex::default(),
        }
    }

    /// Sets what is needed to read the pages of `cpus` CPUs.
    pub(super) fn begin(&self, head: Head, events: Arc<PageEvents>, cpus: usize) {
        let source = Source { head, events, cpus };
        *self.source.lock().unwrap_or_else(PoisonError::into_inner) = Some(source);
    }

    /// Appends a page with this number of events.
    pub(super) fn push(&self, cpu: usize, page: Arc<Page>, events: u64) {
        let mut state = self.lock();
        state.stats.events += events;
        state.stats.bytes += page.bytes.len() as u64;
        let oldest_ns = page.begin_ns.saturating_sub(self.limits.keep_ns);
        state.pages.push(cpu, page);
        state.pages.drop_before(oldest_ns);
        state.pages.drop_to(self.limits.max_bytes);
    }

    /// Sets the number of events that the kernel lost so far.
    pub(super) fn set_lost(&self, events: u64) {
        self.lock().stats.lost = events;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The pages are consistent at any time, even after a panic of the other thread.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent for PageWindow {
    fn stats(&self) -> WindowStats {
        let state = self.lock();
        let held_ns = state.pages.times().map_or(0, |(old, new)| new - old);
        WindowStats {
            held_ns,
            ..state.stats
        }
    }

    fn newest(&self, max_bytes: usize) -> Vec<u8> {
        let mut pages = self.lock().pages.clone();
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(source) = &mut *source else {
            return Vec::new();
        };
        pages.drop_to(max_bytes);
        let cpus = pages.whole(source.cpus, i64::MIN, &source.events);
        let sizes: Vec<u64> = cpus.iter().map(|cpu| cpu.len() as u64).collect();
        let mut file = (source.head)(&sizes);
        cpus.iter().for_each(|cpu| file.extend_from_slice(cpu));
        file
    }
}
