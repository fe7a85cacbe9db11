//! SIGQUIT, which Android sends to an app that does not respond.
//!
//! In an app, all threads block the signal; ART's "Signal Catcher" thread waits for it and prints the stacks of all
//! threads. Here, the watching thread unblocks the signal, records it, and forwards it to the "Signal Catcher" and to a
//! handler that was installed before.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use traceloom_ring::Kind;

use crate::recorder::write::text_event;

static ARRIVED: AtomicBool = AtomicBool::new(false);

/// Whether the signal has arrived since the last call.
pub(super) fn take() -> bool {
    ARRIVED.swap(false, Ordering::AcqRel)
}

/// The previous handler; 0 is the default action and 1 is "ignore".
static BEFORE: AtomicUsize = AtomicUsize::new(0);

type Handle = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // Record the exact time now; the watching thread notices the signal up to 100 ms later.
    text_event(Kind::InstantNamed, 0, b"SIGQUIT (not responding)");
    ARRIVED.store(true, Ordering::Release);
    let before = BEFORE.load(Ordering::Relaxed);
    if before > 1 {
        // SAFETY: `sigaction` returned this handler. It has this type, or takes only the first argument, and then
        // ignores the others.
        let before: Handle = unsafe { std::mem::transmute::<usize, Handle>(before) };
        before(signal, info, context);
    }
}

/// The installed handler; dropping it restores the previous one.
pub(super) struct Handler {
    before: libc::sigaction,
}

impl Handler {
    pub fn install() -> Self {
        // SAFETY: zeros are valid for the struct: no flags, an empty set, the default action.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let mut before = action;
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
        // SAFETY: both structs are local variables, and the handler is async-signal-safe.
        unsafe { libc::sigaction(libc::SIGQUIT, &action, &mut before) };
        BEFORE.store(before.sa_sigaction, Ordering::Relaxed);
        Self { before }
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // SAFETY: restores the action that `sigaction` returned.
        unsafe { libc::sigaction(libc::SIGQUIT, &self.before, std::ptr::null_mut()) };
        BEFORE.store(0, Ordering::Relaxed);
    }
}

/// Unblocks the signal in the calling thread.
pub(super) fn unblock() {
    // SAFETY: the set is a local variable.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGQUIT);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
    }
}

/// Sends the signal to ART's "Signal Catcher" thread, if there is one.
pub(super) fn pass_on() {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return;
    };
    for task in tasks.flatten() {
        let name = std::fs::read_to_string(task.path().join("comm"));
        let is_catcher = name.is_ok_and(|name| name.trim_end() == "Signal Catcher");
        let tid = task
            .file_name()
            .to_str()
            .and_then(|tid| tid.parse::<i32>().ok());
        if let (true, Some(tid)) = (is_catcher, tid) {
            // SAFETY: the system call takes no pointers.
            unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), tid, libc::SIGQUIT) };
        }
    }
}
