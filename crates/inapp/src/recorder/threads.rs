//! The threads that record.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use traceloom_ring::layout::THREAD_NAME_BYTES;

use super::writer::{Identity, Writer};

/// How many threads may record at once.
pub(crate) const MAX_THREADS: usize = 4096;

/// Levels of nesting: the thread itself, and signal handlers that interrupt it in the middle of a record. Events of
/// more deeply nested handlers are lost and counted.
pub(crate) const NESTINGS: usize = 3;

/// State of a thread. A slot is never freed, so that a thread that takes chunks from others may always read it. When
/// its thread ends, the slot is reused for another.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Slot {
    is_used: AtomicBool,
    /// Number of records that the thread is in the middle of.
    pub depth: AtomicU32,
    pub index: u32,
    pub key: u32,
    pub tid: u32,
    /// One writer for each depth. Only the slot's own thread uses them.
    pub writers: [UnsafeCell<Writer>; NESTINGS],
}

static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(null_mut());
static NEXT_SLOT: AtomicU32 = AtomicU32::new(0);
static NEXT_KEY: AtomicU32 = AtomicU32::new(1);

/// The key whose destructor the system calls when a thread ends.
static EXIT_KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

thread_local! {
    static OWN: Cell<*const Slot> = const { Cell::new(null()) };
}

/// Allocates what threads need. Must be called before anything is recorded. The system calls `thread_ends` with the slot
/// of each thread that ends.
pub(crate) fn prepare(thread_ends: unsafe extern "C" fn(*mut c_void)) {
    EXIT_KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: `key` is a local variable, and the destructor has the required type.
        let result = unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) };
        (result == 0).then_some(key)
    });
    if SLOTS.load(Ordering::Acquire).is_null() {
        make_slots();
    }
    has_barrier();
}

fn make_slots() {
    let length = MAX_THREADS * size_of::<Slot>();
    // SAFETY: creates a new mapping at an address that the system chooses.
    let start = unsafe {
        libc::mmap(
            null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return;
    }
    // A forked child finds its slots zeroed, however it was forked; that is how it notices the fork. Kernels before
    // 4.14 lack this flag; there, only the `pthread_atfork` handler notices.
    // SAFETY: the mapping was just created.
    unsafe { libc::madvise(start, length, libc::MADV_WIPEONFORK) };
    let slots = SLOTS.compare_exchange(
        null_mut(),
        start.cast(),
        Ordering::AcqRel,
        Ordering::Relaxed,
    );
    if slots.is_err() {
        // SAFETY: another thread was first, and nobody else knows this mapping.
        unsafe { libc::munmap(start, length) };
    }
}

fn slot(index: u32) -> Option<*mut Slot> {
    let slots = SLOTS.load(Ordering::Acquire);
    // SAFETY: the index is within the mapping of `MAX_THREADS` slots, which is never unmapped.
    (!slots.is_null() && (index as usize) < MAX_THREADS)
        .then(|| unsafe { slots.add(index as usize) })
}

/// The slot of the calling thread, if it has one.
#[inline(always)]
pub(crate) fn own() -> Option<&'static Slot> {
    // The thread-locals of an ending thread may be gone already.
    let slot = OWN.try_with(Cell::get).unwrap_or(null());
    // SAFETY: null, or a slot of this thread; slots are never freed.
    unsafe { slot.as_ref() }
}

/// Gives the calling thread a slot; `None` if all are in use.
#[cold]
pub(crate) fn register() -> Option<&'static Slot> {
    let key = (*EXIT_KEY.get()?)?;
    for _ in 0..MAX_THREADS {
        let index = NEXT_SLOT.fetch_add(1, Ordering::Relaxed) % MAX_THREADS as u32;
        let found = slot(index)?;
        // SAFETY: slots start as zeros, which is valid for all their fields, and are never freed.
        let is_used = unsafe { &(*found).is_used };
        let free = is_used.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed);
        if free.is_err() {
            continue;
        }
        // SAFETY: the slot now belongs to this thread alone; other threads read only `depth`, which is atomic.
        unsafe { fill(found, index) };
        OWN.try_with(|own| own.set(found)).ok()?;
        // SAFETY: the key was created by `prepare`, and the pointer stays valid.
        unsafe { libc::pthread_setspecific(key, found as *const c_void) };
        // SAFETY: as for `is_used`.
        return unsafe { found.as_ref() };
    }
    None
}

/// Forgets the calling thread's slot if it is from before a fork.
pub(crate) fn forget_wiped_slot() {
    if own().is_some_and(Slot::is_wiped) {
        forget_own();
    }
}

fn forget_own() {
    let _ = OWN.try_with(|own| own.set(null()));
}

/// # Safety
/// The slot must belong to the calling thread.
unsafe fn fill(slot: *mut Slot, index: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*slot).depth.store(0, Ordering::Relaxed);
        (&raw mut (*slot).index).write(index);
        (&raw mut (*slot).key).write(next_key());
        (&raw mut (*slot).tid).write(libc::gettid() as u32);
        for writer in &(*slot).writers {
            (&raw mut (*writer.get()).session).write(0);
            (&raw mut (*writer.get()).room).write(0);
        }
    }
}

/// A thread number that was never used before in this process.
pub(crate) fn next_key() -> u32 {
    NEXT_KEY.fetch_add(1, Ordering::Relaxed)
}

/// The name of the calling thread. A system call.
fn thread_name() -> [u8; THREAD_NAME_BYTES] {
    let mut name = [0u8; THREAD_NAME_BYTES];
    // SAFETY: the kernel writes at most 16 bytes, the size of `name`.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name
}

impl Slot {
    /// The thread with its current name. A system call.
    pub fn identity(&self) -> Identity {
        Identity {
            key: self.key,
            tid: self.tid,
            name: thread_name(),
        }
    }

    /// Whether the process was forked since the slot was filled.
    pub fn is_wiped(&self) -> bool {
        !self.is_used.load(Ordering::Relaxed)
    }

    /// Gives the slot back when the calling thread, its owner, ends.
    pub fn release(&self) {
        forget_own();
        self.is_used.store(false, Ordering::Release);
    }
}

/// Whether the thread of the slot `writer` is in the middle of a record. `own` is the slot of the calling thread.
pub(crate) fn is_writing(writer: u32, own: u32) -> bool {
    if writer == own {
        // A signal handler is about to take the chunk of the code it interrupted.
        return true;
    }
    let Some(slot) = slot(writer) else {
        return false;
    };
    // SAFETY: slots are never freed, and the field is atomic.
    let depth = unsafe { &(*slot).depth };
    depth.load(Ordering::Acquire) > 0
}

/// Whether any other thread is in the middle of a record.
pub(crate) fn anybody_writes() -> bool {
    let own = own().map_or(u32::MAX, |slot| slot.index);
    (0..MAX_THREADS as u32).any(|index| {
        index != own && {
            let Some(slot) = slot(index) else {
                return false;
            };
            // SAFETY: slots are never freed, and both fields are atomic.
            let (is_used, depth) = unsafe { (&(*slot).is_used, &(*slot).depth) };
            is_used.load(Ordering::Acquire) && depth.load(Ordering::Acquire) > 0
        }
    })
}

/// `MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED`
const REGISTER: i32 = 1 << 4;
/// `MEMBARRIER_CMD_PRIVATE_EXPEDITED`
const BARRIER: i32 = 1 << 3;

/// Whether the system can run a memory barrier on all threads of the process: `membarrier`, since Linux 4.14.
pub(crate) fn has_barrier() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    // SAFETY: the system call takes no pointers.
    *HAS.get_or_init(|| unsafe { libc::syscall(libc::SYS_membarrier, REGISTER, 0, 0) } == 0)
}

/// Runs a memory barrier on all threads of the process: whatever any of them did before is visible afterwards.
pub(crate) fn barrier() {
    std::sync::atomic::fence(Ordering::SeqCst);
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_membarrier, BARRIER, 0, 0) };
}
