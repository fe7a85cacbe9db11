//! A memory meter: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Constant and without a destructor, so that using them never allocates.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, counting per thread: cases that run side by side do not disturb each
/// other. Memory that one thread takes and another gives back counts against the first alone.
///
/// ```
/// use testkit::PeakAlloc;
///
/// #[global_allocator]
/// static ALLOCATOR: PeakAlloc = PeakAlloc;
///
/// let (_, peak) = PeakAlloc::measure(|| vec![0u8; 1 << 20].len());
/// assert!(peak >= 1 << 20);
/// ```
pub struct PeakAlloc;

impl PeakAlloc {
    /// Runs `work` and says how many bytes more than before it held at its peak, on this thread.
    pub fn measure<T>(work: impl FnOnce() -> T) -> (T, usize) {
        let before = NOW.get();
        PEAK.set(before);
        let result = work();
        (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
    }

    fn count(bytes: isize) {
        // Fails only while a thread is being torn down, when nobody measures any more.
        let _ = NOW.try_with(|now| {
            now.set(now.get() + bytes);
            let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
        });
    }
}

// SAFETY: every call goes on to the system's allocator with the same arguments; counting touches
// only thread-local cells and neither allocates nor panics.
unsafe impl GlobalAlloc for PeakAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Self::count(-(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // While it moves, both blocks exist. The system may do better (a page remap), but the
        // promise must hold on those that do not.
        Self::count(new_size as isize);
        Self::count(-(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(block, layout, new_size) }
    }
}
