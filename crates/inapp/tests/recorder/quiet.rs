//! The fast path makes no system calls: the kernel would kill the process.

use std::path::Path;

use traceloom_inapp::recorder::*;

use crate::child::{options, read, run};

const ROUNDS: u32 = 250_000;

/// Forbids the calling thread all system calls but exit: any other kills the process. (The strict mode of seccomp would
/// also forbid reading the processor's counter.)
fn forbid_system_calls() {
    const NUMBER_AT: u32 = 0;
    let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let compare = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let answer = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, k| libc::sock_filter { code, jt, jf: 0, k };
    let mut steps = [
        step(load, 0, NUMBER_AT),
        step(compare, 1, libc::SYS_exit as u32),
        step(answer, 0, libc::SECCOMP_RET_KILL_PROCESS),
        step(answer, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog {
        len: steps.len() as u16,
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: the kernel copies the program, which outlives the call.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, 2, &program), 0);
    }
}

pub fn scenario(folder: &Path) {
    // SAFETY: the child only records, and ends with a system call.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let options = Options {
            bytes: 1 << 20,
            ..options(folder)
        };
        start(&options).expect("recording starts");
        // The first event of a thread makes system calls to identify the thread.
        begin("first");
        end();
        forbid_system_calls();
        for round in 0..ROUNDS {
            begin_id(round);
            counter("by name", i64::from(round));
            method_enter(1);
            end();
        }
        // SAFETY: ends the process, which has only this thread.
        unsafe { libc::syscall(libc::SYS_exit, 0) };
    }
    let mut status = 0;
    // SAFETY: waits for the child; `status` outlives the call.
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
