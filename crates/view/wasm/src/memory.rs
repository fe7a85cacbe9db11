//! The module's memory as the heap of all that the engine allocates.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::{null_mut, with_exposed_provenance_mut};

use crate::heap::{ALIGN, Heap, Memory, PAGE};

/// What lies behind the memory that the module began with.
struct Pages;

// SAFETY: nobody else makes the memory longer and uses that, and it never becomes shorter.
unsafe impl Memory for Pages {
    fn grow(&mut self, bytes: u32) -> Option<u32> {
        let pages = core::arch::wasm32::memory_grow(0, (bytes / PAGE) as usize);
        (pages != usize::MAX).then_some(pages as u32 * PAGE)
    }

    fn pointer(&self, place: u32) -> *mut u8 {
        with_exposed_provenance_mut(place as usize)
    }

    fn place(&self, pointer: *mut u8) -> u32 {
        pointer.expose_provenance() as u32
    }
}

struct OneThread(UnsafeCell<Heap<Pages>>);

// SAFETY: there is one thread, as this target has no atomics.
#[cfg(not(target_feature = "atomics"))]
unsafe impl Sync for OneThread {}

#[global_allocator]
static HEAP: OneThread = OneThread(UnsafeCell::new(Heap::new(Pages)));

// SAFETY: blocks of the heap don't overlap, are as long as asked for and aligned to `ALIGN`; nothing
// here panics. There is one thread, and the heap calls nobody that allocates, so that it is borrowed
// once at a time.
unsafe impl GlobalAlloc for OneThread {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.align() {
            // SAFETY: see above.
            ..=ALIGN => unsafe { &mut *self.0.get() }.take(layout.size()),
            // No type of the engine needs that.
            _ => null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        // SAFETY: see above; the caller got the block of this heap and gives it up.
        unsafe { (*self.0.get()).give_back(pointer) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let kept = layout.size().min(size);
        // SAFETY: see above; the caller got the block of this heap, with the layout's bytes.
        unsafe { (*self.0.get()).resize(pointer, kept, size) }
    }
}
