//! The threads that record.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use traceloom_ring::layout::THREAD_NAME_BYTES;

use super::session::Taken;

/// How many threads may record at once.
pub(crate) const MOST_THREADS: usize = 4096;

/// A thread's own writing, and that of a signal handler that interrupts it. Handlers deeper than that lose
/// their events, and they are counted.
pub(crate) const NESTINGS: usize = 3;

/// Whose events a chunk holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub key: u32,
    pub tid: u32,
    pub name: [u8; THREAD_NAME_BYTES],
}

/// Where a thread writes.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The number of the recording that its chunk is of; 0 while there is none. A number, as the next recording may stand
    /// where the last one stood.
    pub session: u64,
    /// Where the chunk's records begin in the map, and end.
    pub body: usize,
    pub used: u32,
    pub room: u32,
    pub taken: Taken,
    /// The time of the last record.
    pub last: u64,
    /// The number of the next chunk.
    pub ordinal: u32,
    /// Who it writes for.
    pub identity: Identity,
}

/// A thread. It stays where it is for as long as the process lives, and is given to another thread when its own
/// has ended, so that a thief may always look at it.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Slot {
    is_used: AtomicBool,
    /// How many records it is in the middle of.
    pub depth: AtomicU32,
    pub index: u32,
    pub key: u32,
    pub tid: u32,
    /// One for each depth. Only its own thread uses them.
    pub writers: [UnsafeCell<Writer>; NESTINGS],
}

static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(null_mut());
static NEXT_SLOT: AtomicU32 = AtomicU32::new(0);
static NEXT_KEY: AtomicU32 = AtomicU32::new(1);

/// The key whose destructor the system calls when a thread ends.
static EXIT: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

thread_local! {
    static OWN: Cell<*const Slot> = const { Cell::new(null()) };
}

/// Makes what threads need. Before anything is recorded.
pub(crate) fn prepare() {
    EXIT.get_or_init(|| {
        let mut key = 0;
        // SAFETY: `key` is ours, and the destructor has the type that is asked for.
        let result = unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) };
        (result == 0).then_some(key)
    });
    if SLOTS.load(Ordering::Acquire).is_null() {
        make_slots();
    }
    has_barrier();
}

fn make_slots() {
    let length = MOST_THREADS * size_of::<Slot>();
    // SAFETY: a new mapping at an address that the system chooses.
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
    // A forked child finds its slots empty, however it was forked, and so knows that it is one. Kernels before
    // 4.14 don't have this; there the handler of `fork` tells it.
    // SAFETY: the mapping that was just made.
    unsafe { libc::madvise(start, length, libc::MADV_WIPEONFORK) };
    let slots = SLOTS.compare_exchange(
        null_mut(),
        start.cast(),
        Ordering::AcqRel,
        Ordering::Relaxed,
    );
    if slots.is_err() {
        // SAFETY: somebody else made them meanwhile; nobody knows these.
        unsafe { libc::munmap(start, length) };
    }
}

fn slot(index: u32) -> Option<*mut Slot> {
    let slots = SLOTS.load(Ordering::Acquire);
    // SAFETY: within the mapping of `MOST_THREADS` slots, which is never taken away.
    (!slots.is_null() && (index as usize) < MOST_THREADS)
        .then(|| unsafe { slots.add(index as usize) })
}

/// The slot of the calling thread, if it has one.
#[inline(always)]
pub(crate) fn own() -> Option<&'static Slot> {
    // A thread that is ending may have lost its locals already.
    let slot = OWN.try_with(Cell::get).unwrap_or(null());
    // SAFETY: null, or a slot of this thread; slots are never taken away.
    unsafe { slot.as_ref() }
}

/// Gives the calling thread a slot; `None` where all are taken.
#[cold]
pub(crate) fn register() -> Option<&'static Slot> {
    let key = (*EXIT.get()?)?;
    for _ in 0..MOST_THREADS {
        let index = NEXT_SLOT.fetch_add(1, Ordering::Relaxed) % MOST_THREADS as u32;
        let found = slot(index)?;
        // SAFETY: slots are zeros at first, which is a value of all their fields, and are never taken away.
        let is_used = unsafe { &(*found).is_used };
        let free = is_used.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed);
        if free.is_err() {
            continue;
        }
        // SAFETY: it is this thread's alone now; thieves read `depth` only, which is atomic.
        unsafe { fill(found, index) };
        OWN.try_with(|own| own.set(found)).ok()?;
        // SAFETY: a key of ours, and a pointer that stays.
        unsafe { libc::pthread_setspecific(key, found as *const c_void) };
        // SAFETY: as for `is_used`.
        return unsafe { found.as_ref() };
    }
    None
}

/// Forgets a slot from before a fork.
pub(crate) fn forget() {
    if own().is_some_and(Slot::is_wiped) {
        let _ = OWN.try_with(|own| own.set(null()));
    }
}

/// # Safety
/// The slot must be the calling thread's.
unsafe fn fill(slot: *mut Slot, index: u32) {
    // SAFETY: the caller promises it.
    unsafe {
        (*slot).depth.store(0, Ordering::Relaxed);
        (&raw mut (*slot).index).write(index);
        (&raw mut (*slot).key).write(next_key());
        (&raw mut (*slot).tid).write(libc::gettid() as u32);
        for writer in &(*slot).writers {
            (&raw mut (*writer.get()).session).write(0);
        }
    }
}

/// A number that no thread of any recording had.
pub(crate) fn next_key() -> u32 {
    NEXT_KEY.fetch_add(1, Ordering::Relaxed)
}

/// The name of the calling thread. A system call.
pub(crate) fn thread_name() -> [u8; THREAD_NAME_BYTES] {
    let mut name = [0u8; THREAD_NAME_BYTES];
    // SAFETY: the kernel writes 16 bytes at most, and `name` has them.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name
}

impl Slot {
    /// The thread, with the name that it has now. A system call.
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
}

/// Called by the system with the slot of a thread that ends: its chunks go back.
unsafe extern "C" fn thread_ends(slot: *mut c_void) {
    // SAFETY: the key's values are slots, which stay; it is this thread's.
    let slot = unsafe { &*slot.cast::<Slot>() };
    super::write::close_all(slot);
    let _ = OWN.try_with(|own| own.set(null()));
    slot.is_used.store(false, Ordering::Release);
}

/// Whether the thread of another slot is in the middle of a record.
pub(crate) fn is_writing(writer: u32, own: u32) -> bool {
    if writer == own {
        // A signal handler that takes the chunk of what it interrupted.
        return true;
    }
    let Some(slot) = slot(writer) else {
        return false;
    };
    // SAFETY: slots stay, and the field is atomic.
    let depth = unsafe { &(*slot).depth };
    depth.load(Ordering::Acquire) > 0
}

/// Whether any thread but the calling one is in the middle of a record.
pub(crate) fn anybody_writes() -> bool {
    let own = own().map_or(u32::MAX, |slot| slot.index);
    (0..MOST_THREADS as u32).any(|index| {
        index != own && {
            let Some(slot) = slot(index) else {
                return false;
            };
            // SAFETY: slots stay, and both fields are atomic.
            let (is_used, depth) = unsafe { (&(*slot).is_used, &(*slot).depth) };
            is_used.load(Ordering::Acquire) && depth.load(Ordering::Acquire) > 0
        }
    })
}

const REGISTER: i32 = 1 << 4;
const BARRIER: i32 = 1 << 3;

/// Whether the system can put a barrier into all threads of the process: `membarrier`, since Linux 4.14.
pub(crate) fn has_barrier() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    // SAFETY: a system call without pointers.
    *HAS.get_or_init(|| unsafe { libc::syscall(libc::SYS_membarrier, REGISTER, 0, 0) } == 0)
}

/// A barrier in all threads of the process: what any of them did before it is seen after it.
pub(crate) fn barrier() {
    std::sync::atomic::fence(Ordering::SeqCst);
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_membarrier, BARRIER, 0, 0) };
}
