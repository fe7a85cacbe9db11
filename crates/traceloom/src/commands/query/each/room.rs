//! Limits how many bytes of files are open at the same time.

use std::sync::{Condvar, Mutex, PoisonError};

/// A number of bytes that jobs share.
pub(super) struct Room {
    bytes: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// A part of a [`Room`], which is free again when this is dropped.
pub(super) struct Taken<'r> {
    room: &'r Room,
    bytes: u64,
}

impl Room {
    /// Room for `bytes`.
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes,
            used: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    /// Waits until `bytes` are free, and takes them. A request for more than the whole room waits until all of it is
    /// free.
    pub fn take(&self, bytes: u64) -> Taken<'_> {
        let bytes = bytes.min(self.bytes);
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |used: &mut u64| *used + bytes > self.bytes;
        let used = self.freed.wait_while(used, is_full);
        *used.unwrap_or_else(PoisonError::into_inner) += bytes;
        Taken { room: self, bytes }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self
            .room
            .used
            .lock()
            .unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.room.freed.notify_all();
    }
}
