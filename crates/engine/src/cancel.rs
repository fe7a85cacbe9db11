//! Cancels work whose result is no longer needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Answered, EngineError};

/// A flag that the caller raises when the answer is no longer needed. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Raises the flag.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// For use in loops over many rows.
    ///
    /// # Errors
    /// If the flag is raised.
    pub(crate) fn check(&self) -> Answered {
        if self.is_raised() {
            Err(EngineError::Cancelled.into())
        } else {
            Ok(())
        }
    }
}
