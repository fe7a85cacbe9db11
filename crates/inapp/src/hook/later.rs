//! Libraries that are loaded later.
//!
//! The word through which somebody calls `dlopen` cannot simply lead to a function that calls `dlopen` and
//! then looks at what came: linkers go by the caller's address (its namespace on Android, its `RUNPATH` in
//! glibc), which would be ours. So these functions do their work *before*, and leave by a jump: the linker
//! sees the caller it would have seen. What a `dlopen` brought is seen before the next `dlsym`, which is how
//! its functions are reached, `JNI_OnLoad` first of all.
//!
//! ```text
//! dlopen("x.so")  ─► look (an earlier one's?) ─► jump to the linker's dlopen     x.so is loaded
//! dlsym(x, "f")   ─► look: x.so is hooked     ─► jump to the linker's dlsym      f is found
//! f()             marks that f writes are caught
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use super::entries::Function;
use super::{marker, scan};

static DLOPEN: AtomicUsize = AtomicUsize::new(0);
static ANDROID_DLOPEN_EXT: AtomicUsize = AtomicUsize::new(0);
static DLSYM: AtomicUsize = AtomicUsize::new(0);

/// Called before the linker's function, with `errno` kept.
extern "C" fn look() {
    let errno = marker::errno();
    scan::scan_if_changed();
    marker::set_errno(errno);
}

/// Whether this machine has the functions below.
pub const SUPPORTED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// A function that saves what arguments come in, looks, and jumps on.
macro_rules! before {
    ($name:ident, $original:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "endbr64",
                "push rbp",
                "mov rbp, rsp",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "call {look}",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "pop rbp",
                "mov rax, qword ptr [rip + {original}]",
                "jmp rax",
                look = sym look,
                original = sym $original,
            )
        }

        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "hint #34", // bti c
                "stp x29, x30, [sp, #-80]!",
                "mov x29, sp",
                "stp x0, x1, [sp, #16]",
                "stp x2, x3, [sp, #32]",
                "stp x4, x5, [sp, #48]",
                "stp x6, x7, [sp, #64]",
                "bl {look}",
                "ldp x0, x1, [sp, #16]",
                "ldp x2, x3, [sp, #32]",
                "ldp x4, x5, [sp, #48]",
                "ldp x6, x7, [sp, #64]",
                "ldp x29, x30, [sp], #80",
                "adrp x16, {original}",
                "ldr x16, [x16, :lo12:{original}]",
                "br x16",
                look = sym look,
                original = sym $original,
            )
        }

        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        unsafe extern "C" fn $name() {
            // No word ever leads here: `stand_in` has nothing for this machine.
            let _ = ($original.load(Ordering::Relaxed), look as extern "C" fn());
        }
    };
}

before!(before_dlopen, DLOPEN);
before!(before_android_dlopen_ext, ANDROID_DLOPEN_EXT);
before!(before_dlsym, DLSYM);

type Entry = unsafe extern "C" fn();
static ENTRIES: [(Function, Entry, &AtomicUsize); 3] = [
    (Function::Dlopen, before_dlopen, &DLOPEN),
    (
        Function::AndroidDlopenExt,
        before_android_dlopen_ext,
        &ANDROID_DLOPEN_EXT,
    ),
    (Function::Dlsym, before_dlsym, &DLSYM),
];

/// What to put into a word that leads to `original`, where words lead to one function of this name.
pub fn stand_in(function: Function, original: usize) -> Option<usize> {
    let (_, entry, place) = ENTRIES.iter().find(|(known, ..)| *known == function)?;
    let taken = place.compare_exchange(0, original, Ordering::AcqRel, Ordering::Acquire);
    let same = taken.is_ok() || taken == Err(original);
    (SUPPORTED && same).then_some(*entry as usize)
}

pub fn is_ours(value: usize) -> bool {
    ENTRIES.iter().any(|(_, entry, _)| *entry as usize == value)
}
