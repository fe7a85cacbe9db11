//! Options that add text to lines.

use traceloom_trace::{RepairKind, Trace};

use super::{read, slices, threads};

fn times(trace: &Trace) -> Vec<i64> {
    trace.slices.ts.iter().collect()
}

#[test]
fn times_since_the_previous_line_refine_seconds() {
    let trace = read(concat!(
        "1 10:00:00 (+     0.000000) brk(NULL) = 0x1\n",
        "1 10:00:00 (+     0.300000) brk(NULL) = 0x1\n",
        "1 10:00:01 (+     0.900000) brk(NULL) = 0x1\n",
        // The first line was printed at 10:00:00.4 or later. Only this line shows that.
        "1 10:00:02 (+     0.400000) brk(NULL) = 0x1\n",
        "1 10:00:02 (+     0.000250) brk(NULL) = 0x1\n",
        // The clock was set back.
        "1 10:00:02 (+     5.000000) brk(NULL) = 0x1\n",
    ));
    let ten = 10 * 3600 * 1_000_000_000_i64;
    let expected = [
        0,
        300_000_000,
        1_200_000_000,
        2_000_000_000,
        2_000_250_000,
        2_999_999_999,
    ];
    assert_eq!(times(&trace), expected.map(|ns| ten + ns));
}

#[test]
fn times_that_are_as_fine_as_the_steps_are_kept() {
    let trace = read(concat!(
        "1 1700000000.100001 (+     0.000000) brk(NULL) = 0x1\n",
        "1 1700000000.100003 (+     0.000003) brk(NULL) = 0x1\n",
        "1 1700000000.100005 (+     0.000001900) brk(NULL) = 0x1\n",
    ));
    let second = 1_700_000_000_000_000_000;
    let expected = [100_001_000, 100_003_000, 100_005_000];
    assert_eq!(times(&trace), expected.map(|ns| second + ns));
}

#[test]
fn security_contexts_may_be_in_front_of_times() {
    let trace = read(concat!(
        "100   [unconfined_t] 1700000000.000100 execve(\"/bin/ls\" [bin_t], [\"ls\"], 0x7f) = 0 <0.000200>\n",
        "[pid   100] [u:r:t:s0-s0:c0.c1023] 1700000000.000400 [ 257] close(3</x> [etc_t]) = 0 <0.000010>\n",
        "100   [unconfined_t] 1700000000.000500 +++ exited with 0 +++\n",
    ));
    let expected = [
        "100 execve 1700000000000100000+200000 {args=\"/bin/ls\" [bin_t], [\"ls\"], 0x7f; ret=0}",
        "100 close 1700000000000400000+10000 {args=3</x> [etc_t]; ret=0}",
        "100 exited with 0 1700000000000500000+0 {}",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(threads(&trace)[0].2, "ls");
}

#[test]
fn numbers_of_children_are_those_that_strace_sees() {
    let trace = read(concat!(
        "500 1700000000.1 fork() = 18 /* 501 in strace's PID NS */\n",
        "501 1700000000.2 vfork() = 19<sh> /* 502 in strace's PID NS */\n",
        "501 1700000000.3 clone(flags=CLONE_THREAD) = 503<sh>\n",
        "503 1700000000.4 getpid() = 18 /* 501 in strace's PID NS */\n",
    ));
    let pids: Vec<_> = threads(&trace).iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(pids, [(500, -1), (501, 501), (502, 502), (503, 501)]);
    let trace = read("1700000000.1 gettid() = 1 /* 77 in strace's PID NS */\n");
    assert_eq!(threads(&trace)[0].0, 77);
}

/// As strace 6.1 prints the calls of several threads with `-z` and `-Z`.
#[test]
fn the_line_after_an_unfinished_call_may_contain_its_rest() {
    let trace = read(concat!(
        "11 1700000000.1 dup2(3, 0 <unfinished ...>\n",
        ")                       = 0 <0.000020>\n",
        "12 1700000000.2 newfstatat(AT_FDCWD, \"/x\",  <unfinished ...>\n",
        "0x7f, 0)                = -1 ENOENT (No such file or directory) <0.000030>\n",
        "11 1700000000.3 close(3) = 0 <0.000010>\n",
    ));
    let expected = [
        "11 dup2 1700000000100000000+20000 {args=3, 0; ret=0}",
        "12 newfstatat 1700000000200000000+30000 {args=AT_FDCWD, \"/x\"; args=0x7f, 0; \
         ret=-1 ENOENT (No such file or directory)}",
        "11 close 1700000000300000000+10000 {args=3; ret=0}",
    ];
    assert_eq!(slices(&trace), expected);
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

#[test]
fn the_table_of_the_calls_is_skipped() {
    let trace = read(concat!(
        "11 1700000000.1 close(3) = 0\n",
        "% time     seconds  usecs/call     calls    errors syscall\n",
        "------ ----------- ----------- --------- --------- ----------------\n",
        "100.00    0.161219          11     13902      1234 total\n",
    ));
    assert_eq!(slices(&trace).len(), 1);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 3);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
}
