//! Segments of address space for the arenas. Only the pages in use take memory.

use std::cell::Cell;
use std::ptr;

use dlmalloc::Allocator;

use crate::huge;

/// A source of segments.
pub struct Segments {
    /// The largest segment, bytes.
    longest: usize,
    /// The total size of the segments, bytes.
    taken: Cell<usize>,
}

impl Segments {
    /// The smallest segment, bytes. A power of two.
    pub const LEAST: usize = 1 << 20;

    /// Segments of one size on normal pages.
    #[cfg(target_env = "musl")]
    pub const fn short() -> Self {
        Self::up_to(Self::LEAST)
    }

    /// Each segment is as long as all before it, and the long ones ask for huge pages. A small trace thus
    /// does not wait until the kernel has cleared 2 MB, and a big trace causes few page faults.
    pub const fn growing() -> Self {
        Self::up_to(32 << 20)
    }

    const fn up_to(longest: usize) -> Self {
        let taken = Cell::new(0);
        Self { longest, taken }
    }
}

// SAFETY: segments are mappings of this process alone, of the length that is told.
unsafe impl Allocator for Segments {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let before = self.taken.get();
        let size = size.max(before.min(self.longest));
        let segment = map(size);
        if segment.is_null() {
            return (segment, 0, 0);
        }
        self.taken.set(before.saturating_add(size));
        (huge::advised(segment, size), size, 0)
    }

    fn remap(&self, segment: *mut u8, size: usize, new: usize, can_move: bool) -> *mut u8 {
        let flags = if can_move { libc::MREMAP_MAYMOVE } else { 0 };
        // SAFETY: the caller's segment, whose new place the caller learns.
        mapped(unsafe { libc::mremap(segment.cast(), size, new, flags) })
    }

    fn free_part(&self, segment: *mut u8, size: usize, new: usize) -> bool {
        // SAFETY: the end of the caller's segment, which the caller gives up.
        self.free(unsafe { segment.add(new) }, size - new)
    }

    fn free(&self, segment: *mut u8, size: usize) -> bool {
        // SAFETY: the caller's segment, or the end of one, which the caller gives up.
        let freed = unsafe { libc::munmap(segment.cast(), size) } == 0;
        if freed {
            self.taken.set(self.taken.get().saturating_sub(size));
        }
        freed
    }

    fn can_release_part(&self, _flags: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4 << 10
    }
}

fn map(size: usize) -> *mut u8 {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, wherever the kernel has room.
    mapped(unsafe { libc::mmap(ptr::null_mut(), size, access, kind, -1, 0) })
}

fn mapped(place: *mut libc::c_void) -> *mut u8 {
    match place {
        libc::MAP_FAILED => ptr::null_mut(),
        place => place.cast(),
    }
}
