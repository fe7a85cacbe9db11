//! Stopping work that nobody waits for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Answered, EngineError};

/// A flag that the asker raises when it no longer wants the answer. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The answer is not wanted any more.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the answer is not wanted any more.
    // A report has one thread, where nobody could raise it meanwhile: there nothing looks.
    pub fn is_raised(&self) -> bool {
        !cfg!(target_family = "wasm") && self.0.load(Ordering::Relaxed)
    }

    /// For loops over many rows: an error once the flag is up.
    pub(crate) fn check(&self) -> Answered {
        if self.is_raised() {
            Err(EngineError::Cancelled.into())
        } else {
            Ok(())
        }
    }
}
