//! The functions that replace those in which threads wait: calls of other processes through binder, files, locks.
//!
//! Each one calls the original, with a callback before and after. A lock is first tried without waiting, so a free lock
//! causes no callback.

use std::ffi::{c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use libc::{
    iovec, off_t, off64_t, pthread_cond_t, pthread_mutex_t, pthread_rwlock_t, size_t, ssize_t,
    timespec,
};

use super::binder;
use super::marker::{errno, set_errno};

/// The reason why a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The reply of another process: a binder transaction.
    Binder,
    /// `read` and its relatives, of a file, a pipe or a socket.
    Read,
    /// `write` and its relatives.
    Write,
    /// `fsync` or `fdatasync`.
    Sync,
    /// A mutex, a read-write lock or a file lock that somebody else holds.
    Lock,
    /// A condition variable for which the main thread waits. Other threads wait for work there.
    Condition,
}

/// Called when a thread begins to wait (`true`) and when it continues (`false`). It must not block or allocate.
pub type OnWait = fn(wait: Wait, begins: bool);

static ON_WAIT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Passes waits to `on_wait`, or to no function if `None`.
pub fn catch(on_wait: Option<OnWait>) {
    let on_wait = on_wait.map_or(std::ptr::null_mut(), |on_wait| on_wait as *mut c_void);
    ON_WAIT.store(on_wait, Ordering::Release);
}

/// Calls `original` between two callbacks. Preserves its `errno`.
pub(super) fn during<T>(wait: Wait, original: impl FnOnce() -> T) -> T {
    let on_wait = ON_WAIT.load(Ordering::Acquire);
    if on_wait.is_null() {
        return original();
    }
    // SAFETY: only `catch` stores a non-null value, and it is an `OnWait`.
    let on_wait = unsafe { std::mem::transmute::<*mut c_void, OnWait>(on_wait) };
    let before = errno();
    on_wait(wait, true);
    set_errno(before);
    let result = original();
    let after = errno();
    on_wait(wait, false);
    set_errno(after);
    result
}

/// Whether the calling thread is the process's main thread.
fn is_main_thread() -> bool {
    // SAFETY: the system calls have no arguments and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) }
}

/// Maximum number of different originals of one name; see [`replacements`](super::replacements).
const MAX_ORIGINALS: usize = 4;
type Originals = [AtomicUsize; MAX_ORIGINALS];

/// Defines, for each function, a module with its replacements. `$body` has the original under the function's name.
macro_rules! replace {
    ($($function:ident($($argument:ident: $type:ty),*) -> $answer:ty, $original:ty, $body:expr;)*) => {
        $(mod $function {
            use super::*;

            pub static ORIGINALS: Originals = [const { AtomicUsize::new(0) }; MAX_ORIGINALS];
            pub static REPLACEMENTS: [extern "C" fn($($type),*) -> $answer; MAX_ORIGINALS] =
                [replaced::<0>, replaced::<1>, replaced::<2>, replaced::<3>];

            extern "C" fn replaced<const ORIGINAL: usize>($($argument: $type),*) -> $answer {
                let original = ORIGINALS[ORIGINAL].load(Ordering::Relaxed);
                // SAFETY: set, before any word led here, to the previous value of such a word: a function of this name.
                let $function = unsafe { std::mem::transmute::<usize, $original>(original) };
                $body
            }
        })*

        /// The replacement of `original` for the function with this name. `None` if there are too many originals, or the
        /// function is not one of these.
        pub fn replacement(name: &[u8], original: usize) -> Option<usize> {
            $(if name == stringify!($function).as_bytes() {
                let slot = slot_of(&$function::ORIGINALS, original)?;
                return Some($function::REPLACEMENTS[slot] as usize);
            })*
            None
        }

        /// Whether `value` is the address of one of the replacements.
        pub fn is_replacement(value: usize) -> bool {
            $($function::REPLACEMENTS.iter().any(|entry| *entry as usize == value))||*
        }

        /// Whether the function of this name at `value` has been replaced before.
        pub fn is_known_original(name: &[u8], value: usize) -> bool {
            $((name == stringify!($function).as_bytes()
                && $function::ORIGINALS.iter().any(|place| place.load(Ordering::Relaxed) == value)))||*
        }
    };
}

replace! {
    ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int,
        // The C library's function has a variable number of arguments.
        unsafe extern "C" fn(c_int, c_ulong, ...) -> c_int,
        {
            // SAFETY: the arguments come from the caller. If there was no third one, the kernel
            // ignores it.
            let original = || unsafe { ioctl(fd, request, argument) };
            // SAFETY: the argument of this request is such a struct.
            if binder::is_request(request) && unsafe { binder::awaits_reply(argument) } {
                during(Wait::Binder, original)
            } else {
                original()
            }
        };
    read(fd: c_int, data: *mut c_void, count: size_t) -> ssize_t,
        extern "C" fn(c_int, *mut c_void, size_t) -> ssize_t,
        during(Wait::Read, || read(fd, data, count));
    pread(fd: c_int, data: *mut c_void, count: size_t, at: off_t) -> ssize_t,
        extern "C" fn(c_int, *mut c_void, size_t, off_t) -> ssize_t,
        during(Wait::Read, || pread(fd, data, count, at));
    pread64(fd: c_int, data: *mut c_void, count: size_t, at: off64_t) -> ssize_t,
        extern "C" fn(c_int, *mut c_void, size_t, off64_t) -> ssize_t,
        during(Wait::Read, || pread64(fd, data, count, at));
    readv(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t,
        extern "C" fn(c_int, *const iovec, c_int) -> ssize_t,
        during(Wait::Read, || readv(fd, parts, count));
    // Called by C code with `_FORTIFY_SOURCE`; the last argument is the size of the buffer.
    __read_chk(fd: c_int, data: *mut c_void, count: size_t, size: size_t) -> ssize_t,
        extern "C" fn(c_int, *mut c_void, size_t, size_t) -> ssize_t,
        during(Wait::Read, || __read_chk(fd, data, count, size));
    __pread_chk(fd: c_int, data: *mut c_void, count: size_t, at: off_t, size: size_t) -> ssize_t,
        extern "C" fn(c_int, *mut c_void, size_t, off_t, size_t) -> ssize_t,
        during(Wait::Read, || __pread_chk(fd, data, count, at, size));
    __pread64_chk(fd: c_int, data: *mut c_void, count: size_t, at: off64_t, size: size_t) -> ssize_t,
        extern "C" fn(c_int, *mut c_void, size_t, off64_t, size_t) -> ssize_t,
        during(Wait::Read, || __pread64_chk(fd, data, count, at, size));
    pwrite(fd: c_int, data: *const c_void, count: size_t, at: off_t) -> ssize_t,
        extern "C" fn(c_int, *const c_void, size_t, off_t) -> ssize_t,
        during(Wait::Write, || pwrite(fd, data, count, at));
    pwrite64(fd: c_int, data: *const c_void, count: size_t, at: off64_t) -> ssize_t,
        extern "C" fn(c_int, *const c_void, size_t, off64_t) -> ssize_t,
        during(Wait::Write, || pwrite64(fd, data, count, at));
    __pwrite_chk(fd: c_int, data: *const c_void, count: size_t, at: off_t, size: size_t) -> ssize_t,
        extern "C" fn(c_int, *const c_void, size_t, off_t, size_t) -> ssize_t,
        during(Wait::Write, || __pwrite_chk(fd, data, count, at, size));
    __pwrite64_chk(fd: c_int, data: *const c_void, count: size_t, at: off64_t, size: size_t) -> ssize_t,
        extern "C" fn(c_int, *const c_void, size_t, off64_t, size_t) -> ssize_t,
        during(Wait::Write, || __pwrite64_chk(fd, data, count, at, size));
    writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t,
        extern "C" fn(c_int, *const iovec, c_int) -> ssize_t,
        during(Wait::Write, || writev(fd, parts, count));
    flock(fd: c_int, operation: c_int) -> c_int,
        extern "C" fn(c_int, c_int) -> c_int,
        during(Wait::Lock, || flock(fd, operation));
    fsync(fd: c_int) -> c_int,
        extern "C" fn(c_int) -> c_int,
        during(Wait::Sync, || fsync(fd));
    fdatasync(fd: c_int) -> c_int,
        extern "C" fn(c_int) -> c_int,
        during(Wait::Sync, || fdatasync(fd));
    pthread_mutex_lock(lock: *mut pthread_mutex_t) -> c_int,
        extern "C" fn(*mut pthread_mutex_t) -> c_int,
        // SAFETY: the caller passed a mutex.
        match unsafe { libc::pthread_mutex_trylock(lock) } {
            libc::EBUSY => during(Wait::Lock, || pthread_mutex_lock(lock)),
            taken => taken,
        };
    pthread_mutex_timedlock(lock: *mut pthread_mutex_t, until: *const timespec) -> c_int,
        extern "C" fn(*mut pthread_mutex_t, *const timespec) -> c_int,
        // SAFETY: the caller passed a mutex.
        match unsafe { libc::pthread_mutex_trylock(lock) } {
            libc::EBUSY => during(Wait::Lock, || pthread_mutex_timedlock(lock, until)),
            taken => taken,
        };
    pthread_cond_wait(condition: *mut pthread_cond_t, lock: *mut pthread_mutex_t) -> c_int,
        extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int,
        if is_main_thread() {
            during(Wait::Condition, || pthread_cond_wait(condition, lock))
        } else {
            pthread_cond_wait(condition, lock)
        };
    pthread_cond_timedwait(
        condition: *mut pthread_cond_t,
        lock: *mut pthread_mutex_t,
        until: *const timespec
    ) -> c_int,
        extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int,
        if is_main_thread() {
            during(Wait::Condition, || pthread_cond_timedwait(condition, lock, until))
        } else {
            pthread_cond_timedwait(condition, lock, until)
        };
    pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int,
        extern "C" fn(*mut pthread_rwlock_t) -> c_int,
        // SAFETY: the caller passed a lock.
        match unsafe { libc::pthread_rwlock_tryrdlock(lock) } {
            libc::EBUSY => during(Wait::Lock, || pthread_rwlock_rdlock(lock)),
            taken => taken,
        };
    pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int,
        extern "C" fn(*mut pthread_rwlock_t) -> c_int,
        // SAFETY: as above.
        match unsafe { libc::pthread_rwlock_trywrlock(lock) } {
            libc::EBUSY => during(Wait::Lock, || pthread_rwlock_wrlock(lock)),
            taken => taken,
        };
}

/// The index of `original`. It is never reused, because a thread may still be in the original after the hook is removed.
pub(super) fn slot_of(originals: &[AtomicUsize], original: usize) -> Option<usize> {
    originals.iter().position(|place| {
        let taken = place.compare_exchange(0, original, Ordering::AcqRel, Ordering::Acquire);
        taken.is_ok() || taken == Err(original)
    })
}
