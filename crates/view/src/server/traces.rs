//! The traces of a server: the one given at the start, and those dropped on the page.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use traceloom_engine::Engine;

/// The state of a trace.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// Bytes read, and their total (0 if unknown).
    Loading {
        done: u64,
        total: u64,
    },
    Ready(Arc<Engine>),
    Failed(Arc<str>),
}

/// Traces by number. Numbers are never reused.
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

    /// Adds a trace that is still loading; returns its number.
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

    /// Updates the progress of a trace, unless it is loaded.
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

    /// Waits for a trace. Returns it, or the reason why it cannot be loaded. `None` if there is no
    /// such trace.
    pub async fn loaded(&self, number: usize) -> Option<Result<Arc<Engine>, Arc<str>>> {
        let sender = self.sender(number)?;
        let mut slot = sender.subscribe();
        let loaded = |slot: &Slot| !matches!(slot, Slot::Loading { .. });
        // `sender` exists as long as this function, so the channel stays open.
        let slot = slot.wait_for(loaded).await.ok()?.clone();
        match slot {
            Slot::Ready(engine) => Some(Ok(engine)),
            Slot::Failed(why) => Some(Err(why)),
            Slot::Loading { .. } => None,
        }
    }

    /// Drops the oldest trace that came from the page. False if there is none.
    pub fn forget_oldest(&self) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let held = |slot: &&watch::Sender<Slot>| matches!(*slot.borrow(), Slot::Ready(_));
        // The first trace is the one given at the start. It stays.
        let Some(oldest) = slots.iter().skip(1).find(held) else {
            return false;
        };
        oldest.send_replace(Slot::Failed(
            "this trace made room for newer ones; drop it on the page again".into(),
        ));
        true
    }

    /// Whether traces from the page are open.
    pub fn has_others(&self) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let mut others = slots.iter().skip(1);
        others.any(|slot| matches!(*slot.borrow(), Slot::Ready(_) | Slot::Loading { .. }))
    }

    /// Bytes of the traces that [`forget_oldest`](Self::forget_oldest) can drop.
    pub fn dropped_bytes(&self) -> u64 {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.iter().skip(1).map(bytes_of).sum()
    }

    /// Drops the oldest cached scope of the first engine that has any. False if none has.
    pub fn forget_oldest_scope(&self) -> bool {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.iter().any(|slot| match &*slot.borrow() {
            Slot::Ready(engine) => engine.forget_oldest_scope(),
            _ => false,
        })
    }

    /// Bytes of all traces.
    pub fn heap_bytes(&self) -> u64 {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.iter().map(bytes_of).sum()
    }

    fn sender(&self, number: usize) -> Option<watch::Sender<Slot>> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.get(number).cloned()
    }
}

fn bytes_of(slot: &watch::Sender<Slot>) -> u64 {
    match &*slot.borrow() {
        Slot::Ready(engine) => engine.trace().heap_bytes() as u64,
        _ => 0,
    }
}
