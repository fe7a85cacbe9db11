//! The traces that this server has: the one it was started with, and those dropped on the page.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use traceloom_engine::Engine;

/// How far a trace is.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// So many bytes are read, of so many (0: not known).
    Loading {
        done: u64,
        total: u64,
    },
    Ready(Arc<Engine>),
    Failed(Arc<str>),
}

/// Traces by number. Numbers are not used again.
#[derive(Debug)]
pub(crate) struct Traces {
    slots: Mutex<Vec<watch::Sender<Slot>>>,
}

impl Traces {
    pub fn with_one_loading() -> Self {
        let traces = Self {
            slots: Mutex::default(),
        };
        traces.add();
        traces
    }

    /// A new trace that is still loading; its number.
    pub fn add(&self) -> usize {
        let loading = Slot::Loading { done: 0, total: 0 };
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.push(watch::Sender::new(loading));
        slots.len() - 1
    }

    pub fn set(&self, number: usize, slot: Slot) {
        if let Some(sender) = self.sender(number) {
            sender.send_replace(slot);
        }
    }

    /// How far a trace is that still loads; what is loaded stays so.
    pub fn progress(&self, number: usize, done: u64, total: u64) {
        if let Some(sender) = self.sender(number) {
            sender.send_modify(|slot| {
                if let Slot::Loading { .. } = slot {
                    *slot = Slot::Loading { done, total };
                }
            });
        }
    }

    pub fn get(&self, number: usize) -> Option<Slot> {
        Some(self.sender(number)?.borrow().clone())
    }

    /// The trace once it is loaded, or why it cannot be. None if there is no such trace.
    pub async fn loaded(&self, number: usize) -> Option<Result<Arc<Engine>, Arc<str>>> {
        let sender = self.sender(number)?;
        let mut slot = sender.subscribe();
        let loaded = |slot: &Slot| !matches!(slot, Slot::Loading { .. });
        // `sender` lives as long as this function, so the channel stays open.
        let slot = slot.wait_for(loaded).await.ok()?.clone();
        match slot {
            Slot::Ready(engine) => Some(Ok(engine)),
            Slot::Failed(why) => Some(Err(why)),
            Slot::Loading { .. } => None,
        }
    }

    /// Forgets the oldest trace that was dropped on the page and is still held. False if there is
    /// none.
    pub fn forget_oldest(&self) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let held = |slot: &&watch::Sender<Slot>| matches!(*slot.borrow(), Slot::Ready(_));
        // The first is the one that the user named when the server was started.
        let Some(oldest) = slots.iter().skip(1).find(held) else {
            return false;
        };
        oldest.send_replace(Slot::Failed(
            "this trace made room for newer ones; drop it on the page again".into(),
        ));
        true
    }

    /// Forgets what the engine of the trace that came first, of those that have any such, worked out
    /// for the scope asked for longest ago. False if none has any.
    pub fn forget_oldest_scope(&self) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.iter().any(|slot| match &*slot.borrow() {
            Slot::Ready(engine) => engine.forget_oldest_scope(),
            _ => false,
        })
    }

    /// Bytes that all traces hold.
    pub fn heap_bytes(&self) -> u64 {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |slot: &watch::Sender<Slot>| match &*slot.borrow() {
            Slot::Ready(engine) => engine.trace().heap_bytes() as u64,
            _ => 0,
        };
        slots.iter().map(bytes).sum()
    }

    fn sender(&self, number: usize) -> Option<watch::Sender<Slot>> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.get(number).cloned()
    }
}
