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

    /// Segments that grow: each is as long as all before it together, up to 32 MB. Long ones ask for huge pages. So a
    /// small trace does not wait until the kernel has cleared 2 MB, and a big trace causes few page faults.
    pub const fn growing() -> Self {
        Self::up_to(32 << 20)
    }

    const fn up_to(longest: usize) -> Self {
        let taken = Cell::new(0);
        Self { longest, taken }
    }
}

// SAFETY: segments are private mappings of the returned length.
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
        // SAFETY: the caller owns the segment and uses the returned address from now on.
        mapped(unsafe { libc::mremap(segment.cast(), size, new, flags) })
    }

    fn free_part(&self, segment: *mut u8, size: usize, new: usize) -> bool {
        // SAFETY: the caller owns the segment and gives up its end.
        self.free(unsafe { segment.add(new) }, size - new)
    }

    fn free(&self, segment: *mut u8, size: usize) -> bool {
        // SAFETY: the caller owns this segment, or this end of a segment, and gives it up.
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
    // SAFETY: a new mapping at an address that the kernel chooses.
    mapped(unsafe { libc::mmap(ptr::null_mut(), size, access, kind, -1, 0) })
}

fn mapped(place: *mut libc::c_void) -> *mut u8 {
    match place {
        libc::MAP_FAILED => ptr::null_mut(),
        place => place.cast(),
    }
}
