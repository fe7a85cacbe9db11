//! Setting and restoring the variables of one library.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use super::categories::{NOT_READY, Tags};
use super::find::{Found, LibraryReference};
use crate::hook::{MAGIC_FD, is_trace_marker};

/// A library whose trace points are on.
#[derive(Debug)]
pub struct Applied {
    pub found: Found,
    tags: Change<u64>,
    /// Set if the file was missing and the variable got a fake descriptor.
    marker_fd: Option<Change<c_int>>,
    _library: LibraryReference,
}

#[derive(Debug)]
struct Change<T> {
    before: T,
    ours: T,
}

impl Applied {
    /// Sets the variables. The library must have been [set up](Found::set_up), because that overwrites them.
    pub fn to(found: Found, tags: Tags) -> Self {
        let library = LibraryReference::new(&found.path);
        let marker_fd = found.stand_in();
        let tags = found.add(tags);
        Self {
            found,
            tags,
            marker_fd,
            _library: library,
        }
    }

    /// Sets the tags again if other code has changed them.
    pub fn refresh(&mut self, tags: Tags) {
        if self.found.tags().load(Ordering::Relaxed) != self.tags.ours {
            self.tags = self.found.add(tags);
        }
    }

    /// Restores the variables, unless other code has changed them since.
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
        // SAFETY: an aligned, writable 64-bit variable of a library that stays loaded. The library's own accesses are
        // single instructions on all of Android's architectures.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(self.tags)) }
    }

    fn marker_fd(&self) -> Option<&AtomicI32> {
        let at = std::ptr::with_exposed_provenance_mut(self.marker_fd);
        // SAFETY: as above, for an `int`.
        (self.marker_fd != 0).then(|| unsafe { AtomicI32::from_ptr(at) })
    }

    /// Calls the library's set-up function, whose first call sets the variables.
    pub fn set_up(&self) {
        if self.setup == 0 {
            return;
        }
        let setup: *const () = std::ptr::with_exposed_provenance(self.setup);
        // SAFETY: the library's function of this name takes no arguments and may be called at any time. Its result, if
        // any, fits into a register and is ignored.
        unsafe { std::mem::transmute::<*const (), extern "C" fn()>(setup)() }
    }

    /// Makes the library write to the fake descriptor if it has no `trace_marker`, or if its `trace_marker` was closed
    /// and the descriptor may now be another file.
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
