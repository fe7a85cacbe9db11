//! Logs without times.

use traceloom_trace::{RepairKind, Trace};

use super::{read, slices, threads};

/// Kinds and counts of the repairs.
fn repairs(trace: &Trace) -> Vec<(RepairKind, u64)> {
    let rows = trace.repairs.rows();
    rows.iter().map(|row| (row.kind, row.count)).collect()
}

#[test]
fn lines_without_times_stand_one_after_another() {
    let trace = read(concat!(
        "execve(\"/bin/ls\", [\"ls\"], 0x7ff /* 27 vars */) = 0\n",
        "brk(NULL)                               = 0x5595a585d000\n",
        "--- SIGINT {si_signo=SIGINT, si_code=SI_KERNEL} ---\n",
        "exit_group(0)                           = ?\n",
        "+++ exited with 0 +++\n",
    ));
    let expected = [
        "-1 execve 1000000+0 {args=\"/bin/ls\", [\"ls\"], 0x7ff /* 27 vars */; ret=0}",
        "-1 brk 2000000+0 {args=NULL; ret=0x5595a585d000}",
        "-1 SIGINT 3000000+0 {info={si_signo=SIGINT, si_code=SI_KERNEL}}",
        "-1 exit_group 4000000+0 {args=0; ret=?}",
        "-1 exited with 0 5000000+0 {}",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(repairs(&trace), [(RepairKind::RebuiltTime, 5)]);
}

#[test]
fn durations_pass_between_lines_without_times() {
    let trace = read("close(3) = 0 <0.500000>\nclose(4) = 0 <0.000001>\n");
    let expected = [
        "-1 close 1000000+500000000 {args=3; ret=0}",
        "-1 close 502000000+1000 {args=4; ret=0}",
    ];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn threads_are_known_without_times() {
    let trace = read(concat!(
        "7 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n",
        "8 close(3)                = -1 EBADF (Bad file descriptor)\n",
        "7 <... clone resumed>)    = 8\n",
    ));
    let expected = [
        "7 clone 1000000+2000000 {args=child_stack=NULL, flags=SIGCHLD; ret=8}",
        "8 close 2000000+0 {args=3; ret=-1 EBADF (Bad file descriptor)}",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(threads(&trace), [(7, -1, ""), (8, 8, "")]);
}

#[test]
fn messages_and_signals_may_come_first() {
    for log in [
        "mmap(NULL, 9, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f1ae8ba0000\nread(3, \"\"..., 832) = 832\n",
        "29063 restart_syscall(<... resuming> <unfinished ...>\n472   restart_syscall(<... resuming> <unfinished ...>\n",
        "strace: Process 15 attached\n[pid    15] close(3)    = 0\n[pid 15] write(1, \"a\", 1) = 1\n",
        "Process 29579 attached - interrupt to quit\nsemop(4, 0x2b, 1)       = 0\naccept(3, NULL, NULL)  = 4\n",
        "--- SIGUSR2 {si_signo=SIGUSR2} ---\nkill(4, SIG_0)       = 0\nkill(4, SIG_0)  = 0\n",
    ] {
        assert!(!slices(&read(log)).is_empty(), "{log}");
    }
}

#[test]
fn a_log_with_times_has_no_lines_without_them() {
    let trace = read("1.000000 close(3) = 0\nclose(4)    = 0\n0.000010 close(5) = 0\n");
    assert_eq!(slices(&trace).len(), 2);
    assert_eq!(repairs(&trace), [(RepairKind::UnparsedLine, 1)]);
}
