//! SIGQUIT: what Android sends to an app that does not respond.
//!
//! In an app all threads block it but ART's "Signal Catcher", which waits for it and prints the threads' stacks. Here the
//! watching thread lets it through, notes it, and hands it on, also to a handler that was there before.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use traceloom_ring::Kind;

use crate::recorder::write::text_event;

static CAME: AtomicBool = AtomicBool::new(false);

/// Whether the signal came since it was asked last.
pub(super) fn take() -> bool {
    CAME.swap(false, Ordering::AcqRel)
}

/// The handler that was there before; 0 and 1 are the usual action and none.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

type Handle = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // The moment itself; the watching thread sees it up to 100 ms later.
    text_event(Kind::InstantNamed, 0, b"SIGQUIT (not responding)");
    CAME.store(true, Ordering::Release);
    let before = BEFORE.load(Ordering::Relaxed);
    if before > 1 {
        // SAFETY: what `sigaction` gave as a handler, of this type or of one that takes the first argument alone, which
        // does not mind more.
        let before: Handle = unsafe { std::mem::transmute::<usize, Handle>(before) };
        before(signal, info, context);
    }
}

/// Our handler, and the one that was there before it.
pub(super) struct Handler {
    before: libc::sigaction,
}

impl Handler {
    pub fn install() -> Self {
        // SAFETY: zeros are a value of the struct: no flags, an empty set, the usual action.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let mut before = action;
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
        // SAFETY: both structs are ours; the handler only does what may be done in one.
        unsafe { libc::sigaction(libc::SIGQUIT, &action, &mut before) };
        BEFORE.store(before.sa_sigaction, Ordering::Relaxed);
        Self { before }
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // SAFETY: puts back what the system gave.
        unsafe { libc::sigaction(libc::SIGQUIT, &self.before, std::ptr::null_mut()) };
        BEFORE.store(0, Ordering::Relaxed);
    }
}

/// Lets the signal come to the calling thread.
pub(super) fn unblock() {
    // SAFETY: a set of our own.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGQUIT);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
    }
}

/// Sends the signal to ART's thread that waits for it, if there is one.
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
            // SAFETY: a system call without pointers.
            unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), tid, libc::SIGQUIT) };
        }
    }
}
