//! The functions that stand in for others, and what they stand in for.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::{size_t, ssize_t};

use super::{later, marker};

/// What is stood in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Write,
    /// `write` as C code with `_FORTIFY_SOURCE` calls it on Android.
    WriteChk,
    Dlopen,
    AndroidDlopenExt,
    Dlsym,
}

impl Function {
    pub const ALL: [Self; 5] = [
        Self::Write,
        Self::WriteChk,
        Self::Dlopen,
        Self::AndroidDlopenExt,
        Self::Dlsym,
    ];

    pub fn name(self) -> &'static [u8] {
        match self {
            Self::Write => b"write",
            Self::WriteChk => b"__write_chk",
            Self::Dlopen => b"dlopen",
            Self::AndroidDlopenExt => b"android_dlopen_ext",
            Self::Dlsym => b"dlsym",
        }
    }

    /// Whether it is a function of the linker, which tells that libraries come.
    pub fn is_linkers(self) -> bool {
        !matches!(self, Self::Write | Self::WriteChk)
    }

    /// What to put into a word that leads to `original`; `None` where words lead to too many functions of
    /// this name, as when several other hooks are at work.
    pub fn stand_in(self, original: usize, trusted: bool) -> Option<usize> {
        match self {
            Self::Write => Some(WRITE[usize::from(trusted)][way(&WRITES, original)?] as usize),
            Self::WriteChk => {
                Some(WRITE_CHK[usize::from(trusted)][way(&CHECKED_WRITES, original)?] as usize)
            }
            _ => later::stand_in(self, original),
        }
    }
}

/// Whether `value` leads to a function of this room.
pub fn is_ours(value: usize) -> bool {
    let is = |entry: usize| entry == value;
    WRITE.as_flattened().iter().any(|entry| is(*entry as usize))
        || WRITE_CHK
            .as_flattened()
            .iter()
            .any(|entry| is(*entry as usize))
        || later::is_ours(value)
}

/// Whether words that lead to `value` were changed before.
pub fn is_known_original(function: Function, value: usize) -> bool {
    let among = |originals: &Originals| {
        originals
            .iter()
            .any(|known| known.load(Ordering::Relaxed) == value)
    };
    match function {
        Function::Write => among(&WRITES),
        Function::WriteChk => among(&CHECKED_WRITES),
        _ => false,
    }
}

type Write = extern "C" fn(c_int, *const c_void, size_t) -> ssize_t;
type WriteChk = extern "C" fn(c_int, *const c_void, size_t, size_t) -> ssize_t;

/// Words may lead to different functions of one name: the C library's, a sanitizer's, another hook's. Each of
/// them has a function of its own that stands in for it.
const WAYS: usize = 8;
type Originals = [AtomicUsize; WAYS];

static WRITES: Originals = [const { AtomicUsize::new(0) }; WAYS];
static CHECKED_WRITES: Originals = [const { AtomicUsize::new(0) }; WAYS];

/// The place of `original`, which it keeps for ever: a thread may be on its way there after the hook is gone.
fn way(originals: &Originals, original: usize) -> Option<usize> {
    originals.iter().position(|place| {
        let taken = place.compare_exchange(0, original, Ordering::AcqRel, Ordering::Acquire);
        taken.is_ok() || taken == Err(original)
    })
}

macro_rules! ways {
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

// Statics: a function of a generic may have several addresses, those in here are the ones that count.
static WRITE: [[Write; WAYS]; 2] = [ways!(write, false), ways!(write, true)];
static WRITE_CHK: [[WriteChk; WAYS]; 2] = [ways!(write_chk, false), ways!(write_chk, true)];

extern "C" fn write<const WAY: usize, const TRUSTED: bool>(
    fd: c_int,
    data: *const c_void,
    count: size_t,
) -> ssize_t {
    let original = WRITES[WAY].load(Ordering::Relaxed);
    // SAFETY: set before any word led here, to what such a word led to: a function like `write`.
    let original = unsafe { std::mem::transmute::<usize, Write>(original) };
    if !marker::is_marker(fd, TRUSTED) {
        return original(fd, data, count);
    }
    marker::write_mark(fd, data, count, || original(fd, data, count))
}

extern "C" fn write_chk<const WAY: usize, const TRUSTED: bool>(
    fd: c_int,
    data: *const c_void,
    count: size_t,
    size: size_t,
) -> ssize_t {
    let original = CHECKED_WRITES[WAY].load(Ordering::Relaxed);
    // SAFETY: set before any word led here, to what such a word led to: a function like `__write_chk`.
    let original = unsafe { std::mem::transmute::<usize, WriteChk>(original) };
    // More than the buffer holds: the original ends the process, and says why.
    if count > size || !marker::is_marker(fd, TRUSTED) {
        return original(fd, data, count, size);
    }
    marker::write_mark(fd, data, count, || original(fd, data, count, size))
}
