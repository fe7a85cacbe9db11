//! Sets the variables of one library, and puts them back.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use super::categories::{NOT_READY, Tags};
use super::find::{Found, Kept};
use crate::hook::{MAGIC_FD, is_trace_marker};

/// A library whose trace points are on.
#[derive(Debug)]
pub struct Applied {
    pub found: Found,
    tags: Change<u64>,
    /// Where a number that stands for the missing file was put.
    marker_fd: Option<Change<c_int>>,
    _kept: Kept,
}

#[derive(Debug)]
struct Change<T> {
    before: T,
    ours: T,
}

impl Applied {
    /// Has the library set itself up, which would overwrite what is set before, then sets it.
    pub fn to(found: Found, tags: Tags) -> Self {
        let kept = Kept::library(&found.path);
        found.set_up();
        let marker_fd = found.stand_in();
        let tags = found.add(tags);
        Self {
            found,
            tags,
            marker_fd,
            _kept: kept,
        }
    }

    /// Sets it again where somebody has reset it.
    pub fn again(&mut self, tags: Tags) {
        if self.found.tags().load(Ordering::Relaxed) != self.tags.ours {
            self.tags = self.found.add(tags);
        }
    }

    /// Puts the variables back, unless somebody has set them since.
    pub fn restore(self) {
        let Change { before, ours } = self.tags;
        let tags = self.found.tags();
        tags.compare_exchange(ours, before, Ordering::SeqCst, Ordering::Relaxed)
            .ok();
        if let Some((fd, Change { before, ours })) = self.found.marker_fd().zip(self.marker_fd) {
            fd.compare_exchange(ours, before, Ordering::SeqCst, Ordering::Relaxed)
                .ok();
        }
    }
}

impl Found {
    fn tags(&self) -> &AtomicU64 {
        // SAFETY: an aligned, writable word of a library that is kept; its own code reads and writes it in one
        // step, as all that Android runs on does for such a word.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(self.tags)) }
    }

    fn marker_fd(&self) -> Option<&AtomicI32> {
        let at = std::ptr::with_exposed_provenance_mut(self.marker_fd);
        // SAFETY: as above, for an `int`.
        (self.marker_fd != 0).then(|| unsafe { AtomicI32::from_ptr(at) })
    }

    fn set_up(&self) {
        if self.setup == 0 {
            return;
        }
        let setup: *const () = std::ptr::with_exposed_provenance(self.setup);
        // SAFETY: the library's own function of this name, which takes nothing and may be called by anybody at
        // any time (what it returns, if anything, fits into a register and is dropped).
        unsafe { std::mem::transmute::<*const (), extern "C" fn()>(setup)() }
    }

    /// Where the library has no `trace_marker`, or one that was closed, whose number may be another file's by
    /// now: has it write to a number that stands for one.
    fn stand_in(&self) -> Option<Change<c_int>> {
        let fd = self.marker_fd()?;
        let before = fd.load(Ordering::SeqCst);
        if is_trace_marker(before) {
            return None;
        }
        fd.store(MAGIC_FD, Ordering::SeqCst);
        Some(Change {
            before,
            ours: MAGIC_FD,
        })
    }

    fn add(&self, tags: Tags) -> Change<u64> {
        let before = self.tags().load(Ordering::SeqCst);
        let ours = (before & !NOT_READY) | tags.mask();
        self.tags().store(ours, Ordering::SeqCst);
        Change { before, ours }
    }
}
