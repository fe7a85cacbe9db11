//! Forked children of a process that records.

use std::path::Path;

use traceloom_inapp::recorder::*;

use crate::child::{counters, options, read, run};

/// Forks with `fork`, runs `child` in the child, and waits for it.
fn in_fork(fork: impl FnOnce() -> i32, child: impl FnOnce() -> bool) {
    match fork() {
        0 => {
            let code = i32::from(!child());
            // SAFETY: ends the child without running destructors of the parent.
            unsafe { libc::_exit(code) };
        }
        pid => {
            assert!(pid > 0);
            let mut status = 0;
            // SAFETY: waits for the child; `status` outlives the call.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            assert_eq!(status, 0, "the child failed");
        }
    }
}

fn record_both(folder: &Path, fork: impl FnOnce() -> i32) {
    start(&options(folder)).expect("recording starts");
    counter("parent", 1);
    in_fork(fork, || {
        // The child must not write to the parent's file.
        counter("child without a start", 1);
        let is_off = !is_recording();
        let own = start(&Options::new(folder.join("child.ring")));
        counter("child", 2);
        let other = std::thread::spawn(|| counter("child's thread", 3));
        own.is_ok() && other.join().is_ok() && stop().is_some() && is_off
    });
    counter("parent", 4);
    stop();
}

pub fn scenario(folder: &Path) {
    // SAFETY: the child only runs code that works after a fork, which this test checks.
    record_both(folder, || unsafe { libc::fork() });
}

/// Forks with a system call, so that the fork handlers of the C library do not run.
pub fn raw_scenario(folder: &Path) {
    // SAFETY: as above. `clone` with only a signal is a fork.
    record_both(folder, || unsafe {
        libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as i32
    });
}

fn check(name: &str) {
    let folder = run(name);
    let named = |name: &str, value| (name.to_owned(), value);
    let parent = counters(&read(folder.path(), "app.ring"));
    assert_eq!(parent, [named("parent", 1.0), named("parent", 4.0)]);
    let child = counters(&read(folder.path(), "child.ring"));
    assert_eq!(child, [named("child", 2.0), named("child's thread", 3.0)]);
}

#[test]
fn a_child_records_only_after_its_own_start() {
    check("fork");
}

#[test]
fn a_child_without_fork_handlers_records_only_after_its_own_start() {
    check("raw-fork");
}
