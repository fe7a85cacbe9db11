//! Ends a query: on a request from outside, or at its deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Stops a query from outside.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the running query and all later ones.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets later queries run again.
    pub fn allow(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Setting this flag to true has the same effect as [`stop`](Self::stop). A signal handler may do so.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// When the running query must end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    pub stop: Stop,
    deadline: Arc<Mutex<Option<Instant>>>,
}

impl Clock {
    /// Sets the deadline of the next query.
    pub fn set(&self, deadline: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Whether the query must end.
    pub fn is_over(&self) -> bool {
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.is_stopped() || deadline.is_some_and(|end| Instant::now() >= end)
    }
}
