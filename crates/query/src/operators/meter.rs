//! Limits the memory and time of operators. SQLite's limits do not cover them, because their tables are not SQLite's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::failure::Failure;
use crate::stop::Clock;

/// The number of calls of [`Meter::grow`] between two checks of the clock.
const BETWEEN_LOOKS: u32 = 4096;

/// The memory that all operators of a session use together.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    held: Arc<AtomicU64>,
    /// The limit, bytes.
    limit: Option<u64>,
    clock: Clock,
}

impl Pool {
    /// A pool with a limit in bytes.
    pub fn new(limit: Option<u64>, clock: Clock) -> Self {
        Self {
            held: Arc::default(),
            limit,
            clock,
        }
    }

    /// Begins to measure an operation.
    pub fn meter(&self) -> Meter {
        Meter {
            pool: self.clone(),
            held: 0,
            calls: 0,
        }
    }
}

/// The memory that one operation uses. It is released when the meter is dropped.
#[derive(Debug)]
pub(crate) struct Meter {
    pool: Pool,
    held: u64,
    calls: u32,
}

impl Meter {
    /// Counts memory that is about to be allocated, and checks the clock from time to time.
    ///
    /// # Errors
    ///
    /// If the memory would exceed the limit, or the query was stopped or timed out.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Failure> {
        self.tick()?;
        let before = self.pool.held.fetch_add(bytes as u64, Ordering::Relaxed);
        self.held += bytes as u64;
        match self.pool.limit {
            Some(limit) if before.saturating_add(bytes as u64) > limit => Err(Failure::Memory),
            _ => Ok(()),
        }
    }

    /// Checks the clock from time to time.
    ///
    /// # Errors
    ///
    /// If the query must end.
    pub fn tick(&mut self) -> Result<(), Failure> {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(BETWEEN_LOOKS) && self.pool.clock.is_over() {
            return Err(Failure::Interrupted);
        }
        Ok(())
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.pool.held.fetch_sub(self.held, Ordering::Relaxed);
    }
}
