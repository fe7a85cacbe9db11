//! Faults in the mapped file. If another program truncates the file, or its disk fails, the next access to the missing
//! part raises SIGBUS. It must end the recording, not the app.
//!
//! ```text
//! fault in the map ──► nothing is recorded any more; zeros replace the whole map; the access is repeated
//! any other fault  ──► the previous handler, or the default action
//! ```
//!
//! A sealed memfd could not be truncated, but its content would be lost when the process is killed.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::current::ACTIVE;

/// First address of the map; 0 if there is none.
static START: AtomicUsize = AtomicUsize::new(0);
/// End of the map. Stored before `START`.
static END: AtomicUsize = AtomicUsize::new(0);

/// The previous signal action; never freed.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

type WithInfo = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);
type Plain = extern "C" fn(libc::c_int);

/// Installs the handler, once. It is never removed, because a handler that is installed later may call it.
pub(super) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: zeros are valid for the struct: no flags, an empty set, the default action.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let before = Box::into_raw(Box::new(action));
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        // SAFETY: the first call only reads the previous action. Its result is stored before the handler can run.
        unsafe {
            libc::sigaction(libc::SIGBUS, std::ptr::null(), before);
            BEFORE.store(before, Ordering::Release);
            libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
        }
    });
}

/// From now on, faults at these addresses end the recording.
pub(super) fn expect_in(addresses: Range<usize>) {
    START.store(0, Ordering::Release);
    END.store(addresses.end, Ordering::Release);
    START.store(addresses.start, Ordering::Release);
}

/// From now on, no fault belongs to the recording.
pub(super) fn expect_none() {
    START.store(0, Ordering::Release);
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid struct. The address is set for faults, which have a positive code.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    if code > 0 && end_recording(address) {
        return;
    }
    // SAFETY: `prepare` stored a struct that is never freed.
    let Some(before) = (unsafe { BEFORE.load(Ordering::Acquire).as_ref() }) else {
        return;
    };
    match before.sa_sigaction {
        libc::SIG_IGN if code <= 0 => {}
        libc::SIG_DFL | libc::SIG_IGN => take_default_action(signal, code),
        handler => call(before, handler, signal, info, context),
    }
}

/// Ends the recording if the address is in its map. False for foreign faults.
fn end_recording(address: usize) -> bool {
    let (start, end) = (START.load(Ordering::Acquire), END.load(Ordering::Acquire));
    if start == 0 || !(start..end).contains(&address) {
        return false;
    }
    ACTIVE.store(0, Ordering::Release);
    // SAFETY: the range is the map of the recording. All access to it tolerates zeros.
    let zeros = unsafe {
        libc::mmap(
            std::ptr::with_exposed_provenance_mut(start),
            end - start,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    zeros != libc::MAP_FAILED
}

/// Restores the default action. A fault then happens again when the handler returns; a sent signal is sent again.
fn take_default_action(signal: libc::c_int, code: libc::c_int) {
    // SAFETY: zeros are the default action, and the system calls take no other pointers.
    unsafe {
        let action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, &action, std::ptr::null_mut());
        if code <= 0 {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), signal);
        }
    }
}

/// Calls the previous handler. The signals in its mask are blocked during the call.
fn call(
    before: &libc::sigaction,
    handler: usize,
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
) {
    // SAFETY: `sigaction` returned this handler and this mask; the flags determine its type.
    unsafe {
        let mut mask = before.sa_mask;
        libc::pthread_sigmask(libc::SIG_BLOCK, &before.sa_mask, &mut mask);
        if before.sa_flags & libc::SA_SIGINFO != 0 {
            std::mem::transmute::<usize, WithInfo>(handler)(signal, info, context);
        } else {
            std::mem::transmute::<usize, Plain>(handler)(signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, std::ptr::null_mut());
    }
}
