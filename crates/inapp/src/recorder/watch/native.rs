//! The native stack of the main thread. A signal makes the thread copy its registers and the top of its stack; the
//! watching thread then follows the frame pointers and looks for names.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use traceloom_ring::Kind;

use super::frames::{Registers, Stack, frames};
use crate::loaded::Maps;
use crate::recorder::write::text_event;

/// The default action of this signal is to ignore it, and few programs use it.
const SIGNAL: c_int = libc::SIGURG;

/// How long the thread may take to handle the signal. It may be blocked in the kernel, or block the signal.
const LIMIT: Duration = Duration::from_millis(100);

/// How much of the stack is copied: pages of 4 KB.
const PAGES: usize = 16;
const PAGE: usize = 4096;
const WORDS: usize = PAGES * PAGE / size_of::<usize>();

/// Whether the registers of this processor are known.
const IS_KNOWN: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// The thread whose stack is wanted; 0 if none is.
static WANTED: AtomicI32 = AtomicI32::new(0);
static IS_DONE: AtomicBool = AtomicBool::new(false);
/// The values that the handler copied: pc, sp, fp, lr, and the number of copied bytes.
static REGISTERS: [AtomicUsize; 5] = [const { AtomicUsize::new(0) }; 5];
static STACK: [AtomicUsize; WORDS] = [const { AtomicUsize::new(0) }; WORDS];

/// The previous action, which gets signals that are not ours.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

/// The thread that began a task last.
static MAIN: AtomicI32 = AtomicI32::new(0);

/// The calling thread is the one whose stack is recorded.
pub(super) fn is_main() {
    // SAFETY: the call has no arguments and cannot fail.
    MAIN.store(unsafe { libc::gettid() }, Ordering::Relaxed);
}

/// Records the stack of the main thread as instants, innermost frame first.
pub(super) fn record() {
    let thread = MAIN.load(Ordering::Relaxed);
    // SAFETY: the call has no arguments and cannot fail.
    if !IS_KNOWN || thread == 0 || thread == unsafe { libc::gettid() } || !copy(thread) {
        return;
    }
    let Ok(maps) = Maps::of_this_process() else {
        return;
    };
    let [pc, sp, fp, lr, bytes] = REGISTERS
        .each_ref()
        .map(|word| word.load(Ordering::Acquire));
    let words = STACK.iter().take(bytes / size_of::<usize>());
    let words: Vec<usize> = words.map(|word| word.load(Ordering::Relaxed)).collect();
    let stack = Stack {
        start: sp,
        words: &words,
    };
    let is_return = |address: usize| {
        let is_code = address > LONGEST_CALL && maps.is_code(address - 1);
        is_code && is_after_call(address)
    };
    let all = frames(Registers { pc, sp, fp, lr }, &stack, &is_return);
    for (number, address) in all.into_iter().enumerate() {
        // A return address may be past the end of its function.
        let inside = address - usize::from(number > 0);
        text_event(Kind::InstantNamed, 0, name(address, inside).as_bytes());
    }
}

/// Makes a thread copy its registers and its stack. False if it does not within [`LIMIT`].
fn copy(thread: i32) -> bool {
    // SAFETY: zeros are valid for the struct: no flags, an empty set, the default action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    let mut before = action;
    action.sa_sigaction = handle as *const () as usize;
    action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
    IS_DONE.store(false, Ordering::Release);
    // SAFETY: the structs are local variables, and the handler is async-signal-safe.
    unsafe { libc::sigaction(SIGNAL, std::ptr::null(), &mut before) };
    BEFORE.store(before.sa_sigaction, Ordering::Release);
    WANTED.store(thread, Ordering::Release);
    // SAFETY: as above; the system call takes no pointers.
    unsafe {
        libc::sigaction(SIGNAL, &action, null_mut());
        libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, SIGNAL);
    }
    let until = Instant::now() + LIMIT;
    while !IS_DONE.load(Ordering::Acquire) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    // From here on, a late signal copies nothing, and is ignored once the action is the previous one.
    let is_done = WANTED.swap(0, Ordering::AcqRel) == 0;
    // SAFETY: restores the action that `sigaction` returned.
    unsafe { libc::sigaction(SIGNAL, &before, null_mut()) };
    is_done && IS_DONE.load(Ordering::Acquire)
}

type Handle = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the call has no arguments and cannot fail.
    let me = unsafe { libc::gettid() };
    let mine = WANTED.compare_exchange(me, 0, Ordering::AcqRel, Ordering::Acquire);
    if mine.is_ok() {
        // SAFETY: the kernel passes the context of the interrupted code.
        let registers = unsafe { registers_of(context) };
        let errno = crate::hook::errno();
        let bytes = copy_stack(registers.sp);
        crate::hook::set_errno(errno);
        let Registers { pc, sp, fp, lr } = registers;
        for (place, value) in REGISTERS.iter().zip([pc, sp, fp, lr, bytes]) {
            place.store(value, Ordering::Release);
        }
        IS_DONE.store(true, Ordering::Release);
        return;
    }
    let before = BEFORE.load(Ordering::Acquire);
    if before > 1 {
        // SAFETY: `sigaction` returned this handler. It has this type, or takes only the first argument, and then
        // ignores the others.
        let before: Handle = unsafe { std::mem::transmute::<usize, Handle>(before) };
        before(signal, info, context);
    }
}

/// The longest call instruction, bytes.
const LONGEST_CALL: usize = 7;

/// Whether the instruction before an address is a call. Code that cannot be read, as on Android 10, may be one.
fn is_after_call(address: usize) -> bool {
    let mut before = [0; LONGEST_CALL];
    let from = part(address - LONGEST_CALL, LONGEST_CALL);
    let to = part(before.as_mut_ptr().expose_provenance(), LONGEST_CALL);
    // SAFETY: the kernel writes to the local variable, which has this size.
    let copied = unsafe { read_own_memory(to, &[from]) };
    copied != LONGEST_CALL || is_call(&before)
}

/// Whether the bytes end with a call.
#[cfg(not(target_arch = "aarch64"))]
fn is_call(bytes: &[u8; LONGEST_CALL]) -> bool {
    // E8 and a distance; or FF with a second operand of 2, of two to seven bytes.
    let is_indirect = |pair: &[u8]| pair[0] == 0xFF && pair[1] >> 3 & 7 == 2;
    bytes[2] == 0xE8 || bytes.windows(2).any(is_indirect)
}

/// Whether the bytes end with a call.
#[cfg(target_arch = "aarch64")]
fn is_call(bytes: &[u8; LONGEST_CALL]) -> bool {
    let word = u32::from_le_bytes([bytes[3], bytes[4], bytes[5], bytes[6]]);
    // BL; BLR, also with authentication.
    word & 0xFC00_0000 == 0x9400_0000 || word & 0xFEFF_F000 == 0xD63F_0000
}

fn part(start: usize, length: usize) -> libc::iovec {
    libc::iovec {
        iov_base: std::ptr::with_exposed_provenance_mut(start),
        iov_len: length,
    }
}

/// Reads memory of this process. Unmapped memory causes no fault. Returns the number of bytes.
///
/// # Safety
/// `to` is writable.
unsafe fn read_own_memory(to: libc::iovec, from: &[libc::iovec]) -> usize {
    // SAFETY: guaranteed by the caller; the arrays outlive the call.
    let copied = unsafe {
        libc::syscall(
            libc::SYS_process_vm_readv,
            libc::getpid(),
            &raw const to,
            1usize,
            from.as_ptr(),
            from.len(),
            0usize,
        )
    };
    usize::try_from(copied).unwrap_or(0)
}

/// Copies the stack from `sp` to its end. Returns the number of bytes. The kernel does the copying, so that unmapped
/// memory causes no fault.
fn copy_stack(sp: usize) -> usize {
    // The kernel copies whole parts only, so each is within one page.
    let mut parts = [part(0, 0); PAGES];
    let (mut at, end) = (sp, sp.saturating_add(PAGES * PAGE));
    for place in &mut parts {
        let length = (PAGE - at % PAGE).min(end - at);
        *place = part(at, length);
        at += length;
    }
    let to = part(STACK.as_ptr().expose_provenance(), PAGES * PAGE);
    // SAFETY: `STACK` is large enough and has no other user while a copy is wanted.
    unsafe { read_own_memory(to, &parts) }
}

#[cfg(target_arch = "x86_64")]
unsafe fn registers_of(context: *mut c_void) -> Registers {
    // SAFETY: guaranteed by the caller.
    let all = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    Registers {
        pc: all[libc::REG_RIP as usize] as usize,
        sp: all[libc::REG_RSP as usize] as usize,
        fp: all[libc::REG_RBP as usize] as usize,
        lr: 0,
    }
}

#[cfg(target_arch = "aarch64")]
unsafe fn registers_of(context: *mut c_void) -> Registers {
    // SAFETY: guaranteed by the caller.
    let all = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
    Registers {
        pc: all.pc as usize,
        sp: all.sp as usize,
        fp: all.regs[29] as usize,
        lr: all.regs[30] as usize,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn registers_of(_: *mut c_void) -> Registers {
    Registers::default()
}

/// `at FUNCTION+0x1c (libapp.so+0x12345)`, as far as it is known. `inside` is an address in the same function.
fn name(address: usize, inside: usize) -> String {
    // SAFETY: zeros are valid for this struct of pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the struct is a local variable.
    let is_known =
        unsafe { libc::dladdr(std::ptr::with_exposed_provenance(inside), &raw mut info) };
    if is_known == 0 || info.dli_fname.is_null() {
        return format!("at {address:#x}");
    }
    // SAFETY: the strings are valid while the library is loaded, and it stays loaded because a thread is running its
    // code.
    let text = |text| unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let path = text(info.dli_fname);
    let file = path.rsplit('/').next().unwrap_or_default();
    let offset = address.wrapping_sub(info.dli_fbase.addr());
    if info.dli_sname.is_null() {
        return format!("at {file}+{offset:#x}");
    }
    let behind = address.wrapping_sub(info.dli_saddr.addr());
    format!(
        "at {}+{behind:#x} ({file}+{offset:#x})",
        text(info.dli_sname)
    )
}
