//! The functions that are replaced, and the replacements of `write` and `__write_chk`.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::{size_t, ssize_t};

use super::waits::{Wait, slot_of};
use super::{marker, waits};

/// A function that is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Write,
    /// Called instead of `write` by C code with `_FORTIFY_SOURCE` on Android.
    WriteChk,
    Dlopen,
    AndroidDlopenExt,
    Dlsym,
    /// A function in which threads wait.
    Waits(&'static str),
}

impl Function {
    pub const ALL: [Self; 27] = [
        Self::Write,
        Self::WriteChk,
        Self::Dlopen,
        Self::AndroidDlopenExt,
        Self::Dlsym,
        Self::Waits("ioctl"),
        Self::Waits("read"),
        Self::Waits("pread"),
        Self::Waits("pread64"),
        Self::Waits("readv"),
        Self::Waits("__read_chk"),
        Self::Waits("__pread_chk"),
        Self::Waits("__pread64_chk"),
        Self::Waits("pwrite"),
        Self::Waits("pwrite64"),
        Self::Waits("__pwrite_chk"),
        Self::Waits("__pwrite64_chk"),
        Self::Waits("writev"),
        Self::Waits("flock"),
        Self::Waits("fsync"),
        Self::Waits("fdatasync"),
        Self::Waits("pthread_mutex_lock"),
        Self::Waits("pthread_mutex_timedlock"),
        Self::Waits("pthread_cond_wait"),
        Self::Waits("pthread_cond_timedwait"),
        Self::Waits("pthread_rwlock_rdlock"),
        Self::Waits("pthread_rwlock_wrlock"),
    ];

    pub fn name(self) -> &'static [u8] {
        match self {
            Self::Write => b"write",
            Self::WriteChk => b"__write_chk",
            Self::Dlopen => b"dlopen",
            Self::AndroidDlopenExt => b"android_dlopen_ext",
            Self::Dlsym => b"dlsym",
            Self::Waits(name) => name.as_bytes(),
        }
    }

    /// Whether this is a function of the dynamic linker. Calls of these functions are used to notice newly loaded
    /// libraries.
    pub fn is_linkers(self) -> bool {
        matches!(self, Self::Dlopen | Self::AndroidDlopenExt | Self::Dlsym)
    }

    /// Whether threads wait in this function.
    pub fn is_wait(self) -> bool {
        matches!(self, Self::Waits(_))
    }
}

/// The function that replaces `original` as `write` or `__write_chk`. `None` if there are too many different originals,
/// as when several other hooks are installed.
pub fn replacement(function: Function, original: usize, trusted: bool) -> Option<usize> {
    let trusted = usize::from(trusted);
    match function {
        Function::Write => Some(WRITE[trusted][slot_of(&WRITES, original)?] as usize),
        Function::WriteChk => {
            Some(WRITE_CHK[trusted][slot_of(&CHECKED_WRITES, original)?] as usize)
        }
        Function::Waits(name) => waits::replacement(name.as_bytes(), original),
        _ => None,
    }
}

/// Whether `value` is the address of a replacement in this file or in `waits`.
pub fn is_replacement(value: usize) -> bool {
    let write = WRITE.as_flattened().iter().map(|entry| *entry as usize);
    let write_chk = WRITE_CHK.as_flattened().iter().map(|entry| *entry as usize);
    write.chain(write_chk).any(|entry| entry == value) || waits::is_replacement(value)
}

/// Whether a function at `value` has been replaced before.
pub fn is_known_original(function: Function, value: usize) -> bool {
    let among = |originals: &Originals| {
        originals
            .iter()
            .any(|original| original.load(Ordering::Relaxed) == value)
    };
    match function {
        Function::Write => among(&WRITES),
        Function::WriteChk => among(&CHECKED_WRITES),
        Function::Waits(name) => waits::is_known_original(name.as_bytes(), value),
        _ => false,
    }
}

type Write = extern "C" fn(c_int, *const c_void, size_t) -> ssize_t;
type WriteChk = extern "C" fn(c_int, *const c_void, size_t, size_t) -> ssize_t;

/// Maximum number of different originals of one name: the C library's, a sanitizer's, another hook's. Each has a separate
/// replacement.
const MAX_ORIGINALS: usize = 8;
type Originals = [AtomicUsize; MAX_ORIGINALS];

static WRITES: Originals = [const { AtomicUsize::new(0) }; MAX_ORIGINALS];
static CHECKED_WRITES: Originals = [const { AtomicUsize::new(0) }; MAX_ORIGINALS];

macro_rules! for_each_original {
    ($function:ident, $trusted:literal) => {
        [
            $function::<0, $trusted>,
            $function::<1, $trusted>,
            $function::<2, $trusted>,
            $function::<3, $trusted>,
            $function::<4, $trusted>,
            $function::<5, $trusted>,
            $function::<6, $trusted>,
            $function::<7, $trusted>,
        ]
    };
}

// Statics, because a generic function may have several addresses. Only the addresses in these tables are used.
static WRITE: [[Write; MAX_ORIGINALS]; 2] = [
    for_each_original!(write, false),
    for_each_original!(write, true),
];
static WRITE_CHK: [[WriteChk; MAX_ORIGINALS]; 2] = [
    for_each_original!(write_chk, false),
    for_each_original!(write_chk, true),
];

extern "C" fn write<const ORIGINAL: usize, const TRUSTED: bool>(
    fd: c_int,
    data: *const c_void,
    count: size_t,
) -> ssize_t {
    let original = WRITES[ORIGINAL].load(Ordering::Relaxed);
    // SAFETY: the pointer is set before any hooked word refers to this function. It holds the word's previous value,
    // which is a function with the type of `write`.
    let original = unsafe { std::mem::transmute::<usize, Write>(original) };
    if !marker::may_be_marker(fd) {
        return waits::during(Wait::Write, || original(fd, data, count));
    }
    marker::write(fd, TRUSTED, data, count, || original(fd, data, count))
}

extern "C" fn write_chk<const ORIGINAL: usize, const TRUSTED: bool>(
    fd: c_int,
    data: *const c_void,
    count: size_t,
    size: size_t,
) -> ssize_t {
    let original = CHECKED_WRITES[ORIGINAL].load(Ordering::Relaxed);
    // SAFETY: set, before any word led here, to the previous value of such a word: a function like `__write_chk`.
    let original = unsafe { std::mem::transmute::<usize, WriteChk>(original) };
    // A write beyond the buffer: the original aborts with a message.
    if count > size || !marker::may_be_marker(fd) {
        return waits::during(Wait::Write, || original(fd, data, count, size));
    }
    marker::write(fd, TRUSTED, data, count, || original(fd, data, count, size))
}
