//! Noticing newly loaded libraries.
//!
//! A replacement for `dlopen` cannot simply call `dlopen` and then look at the result. The linker depends on the
//! caller's address, for its namespace on Android and its `RUNPATH` in glibc, and would see ours. So these functions do
//! their work *before* the call and then jump to the linker's function, which sees the real caller. A library loaded by
//! `dlopen` is hooked at the next `dlsym`. Its functions, first of all `JNI_OnLoad`, are reached only through `dlsym`.
//!
//! ```text
//! dlopen("x.so")  ─► scan (for earlier loads)  ─► jump to the linker's dlopen     x.so is loaded
//! dlsym(x, "f")   ─► scan: x.so is hooked      ─► jump to the linker's dlsym      f is found
//! f()             marks that f writes are caught
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use super::replacements::Function;
use super::{marker, scan};

static DLOPEN: AtomicUsize = AtomicUsize::new(0);
static ANDROID_DLOPEN_EXT: AtomicUsize = AtomicUsize::new(0);
static DLSYM: AtomicUsize = AtomicUsize::new(0);

/// Called before the linker's function. Preserves `errno`.
extern "C" fn scan_first() {
    let errno = marker::errno();
    scan::scan_if_changed();
    marker::set_errno(errno);
}

/// Whether the functions below exist for this architecture.
pub const SUPPORTED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Defines a function that saves the argument registers, scans, and jumps to the original.
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
                "call {scan_first}",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "pop rbp",
                "mov rax, qword ptr [rip + {original}]",
                "jmp rax",
                scan_first = sym scan_first,
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
                "bl {scan_first}",
                "ldp x0, x1, [sp, #16]",
                "ldp x2, x3, [sp, #32]",
                "ldp x4, x5, [sp, #48]",
                "ldp x6, x7, [sp, #64]",
                "ldp x29, x30, [sp], #80",
                "adrp x16, {original}",
                "ldr x16, [x16, :lo12:{original}]",
                "br x16",
                scan_first = sym scan_first,
                original = sym $original,
            )
        }

        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        unsafe extern "C" fn $name() {
            // Never called: `replacement` returns nothing on this architecture.
            let _ = (
                $original.load(Ordering::Relaxed),
                scan_first as extern "C" fn(),
            );
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

/// The function that replaces `original`. `None` if it already replaces a different function of the same name.
pub fn replacement(function: Function, original: usize) -> Option<usize> {
    let (_, entry, place) = ENTRIES.iter().find(|entry| entry.0 == function)?;
    let taken = place.compare_exchange(0, original, Ordering::AcqRel, Ordering::Acquire);
    let same = taken.is_ok() || taken == Err(original);
    (SUPPORTED && same).then_some(*entry as usize)
}

/// Whether `value` is the address of a replacement in this file.
pub fn is_replacement(value: usize) -> bool {
    ENTRIES.iter().any(|(_, entry, _)| *entry as usize == value)
}
