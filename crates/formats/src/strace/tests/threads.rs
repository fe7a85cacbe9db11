//! Threads that take over the number of another thread.

use traceloom_trace::{NO_DURATION, RepairKind};

use super::{read, slices, threads};

#[test]
fn an_execve_of_another_thread_names_the_main_thread() {
    let trace = read(concat!(
        "123 1700000000.000100 clone3({flags=CLONE_THREAD}, 88) = 124 <0.000050>\n",
        "123 1700000000.000200 pause( <unfinished ...>\n",
        "124 1700000000.000300 execve(\"/bin/ls\", [\"ls\"], 0x7ff /* 1 var */ <unfinished ...>\n",
        "123 1700000000.000400 <... pause resumed> <unfinished ...>) = ?\n",
        "123 1700000000.000500 +++ superseded by execve in pid 124 +++\n",
        "123 1700000000.000600 <... execve resumed>) = 0 <0.000290>\n",
        "123 1700000000.000700 brk(NULL) = 0x1 <0.000001>\n",
        "123 1700000000.000800 clone3({flags=CLONE_THREAD}, 88) = 124 <0.000050>\n",
    ));
    let execve = "124 execve 1700000000000300000+290000 {args=\"/bin/ls\", [\"ls\"], 0x7ff /* 1 var */; ret=0}";
    assert_eq!(slices(&trace)[2], execve);
    let expected = [(123, 123, "ls"), (124, 123, ""), (124, 123, "ls")];
    assert_eq!(threads(&trace), expected);
    let process = trace.processes.name.get(1);
    assert_eq!(trace.strings.get(process), "ls");
    assert_eq!(trace.threads.end_ts.get(2), 1_700_000_000_000_500_000);
    assert!(trace.repairs.rows().is_empty());
}

/// With `-ff`, the file of the thread that called `execve` ends with the call, and the call returns in the file of the
/// main thread.
#[test]
fn an_execve_may_return_in_another_file() {
    let begin =
        "1700000000.1 execve(\"/bin/ls\", [\"ls\"], 0x7ff /* 1 var */ <pid changed to 123 ...>\n";
    let trace = read(begin);
    assert_eq!(trace.slices.dur.get(0), NO_DURATION);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
    let trace = read(concat!(
        "1700000000.2 +++ superseded by execve in pid 124 +++\n",
        "1700000000.3 <... execve resumed>) = 0\n",
    ));
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}
