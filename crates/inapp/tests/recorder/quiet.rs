//! The fast path makes no system calls: the kernel kills who makes one.

use std::path::Path;

use traceloom_inapp::recorder::*;

use crate::child::{options, read, run};

const ROUNDS: u32 = 250_000;

pub fn scenario(folder: &Path) {
    // SAFETY: the child records, and leaves by a bare system call.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let options = Options {
            bytes: 1 << 20,
            ..options(folder)
        };
        start(&options).expect("it starts");
        // A thread's first event finds out who it is.
        begin("first");
        end();
        // SAFETY: from here on nothing but read, write, exit and sigreturn is allowed.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_SECCOMP, 1) }, 0);
        for round in 0..ROUNDS {
            begin_id(round);
            counter("by name", i64::from(round));
            method_enter(1);
            end();
        }
        // SAFETY: ends this thread, which is the process.
        unsafe { libc::syscall(libc::SYS_exit, 0) };
    }
    let mut status = 0;
    // SAFETY: a child of ours, and an int of ours.
    unsafe { libc::waitpid(pid, &mut status, 0) };
    assert_eq!(status, 0, "killed by signal {}", status & 0x7F);
}

#[test]
fn a_million_events_without_a_system_call() {
    let folder = run("quiet");
    let trace = read(folder.path(), "app.ring");
    let dropped: u64 = trace
        .repairs
        .count(traceloom_trace::RepairKind::BufferOverflow);
    let kept: u64 = trace.counters.len() as u64;
    assert!(
        dropped > 4 * u64::from(ROUNDS) * 9 / 10 && kept > 1_000,
        "{dropped} {kept}"
    );
    let last = trace.counters.rows().last().expect("some").value;
    assert_eq!(last, f64::from(ROUNDS - 1));
}
