//! Measuring memory: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Constant and without a destructor, so that using them never allocates.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system allocator with counters per thread. Thus parallel tests do not disturb each other.
/// Memory counts for the thread that allocates it, even if another thread frees it.
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
    /// Runs `work` and returns its result and its peak memory on this thread, in bytes above the level before.
    pub fn measure<T>(work: impl FnOnce() -> T) -> (T, usize) {
        let before = NOW.get();
        PEAK.set(before);
        let result = work();
        (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
    }

    fn count(bytes: isize) {
        // Fails only while a thread is destroyed. Nothing is measured then.
        let _ = NOW.try_with(|now| {
            now.set(now.get() + bytes);
            let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
        });
    }
}

// SAFETY: every call is forwarded to the system allocator with the same arguments. Counting only touches thread-local
// cells, and neither allocates nor panics.
unsafe impl GlobalAlloc for PeakAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size() as isize);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count(layout.size() as isize);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Self::count(-(layout.size() as isize));
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // During a move both blocks exist. Some systems avoid that by remapping pages, but limits must hold on all.
        Self::count(new_size as isize);
        Self::count(-(layout.size() as isize));
        // SAFETY: guaranteed by the caller.
        unsafe { System.realloc(block, layout, new_size) }
    }
}
