//! Logs that `strace -f` writes to a terminal. Messages appear between and inside lines, and lines have no number while
//! strace follows only one thread.

use traceloom_trace::{NO_DURATION, RepairKind, RowId, Trace};

use super::{read, slices, threads};

/// `tid name` of each slice, and whether it ended.
fn calls(trace: &Trace) -> Vec<(i64, &str, bool)> {
    let rows = trace.slices.rows().map(|row| {
        let utid = trace.tracks.utid.get(row.track_id.row());
        let tid = trace.threads.tid.get(utid.row());
        (tid, trace.strings.get(row.name), row.dur != NO_DURATION)
    });
    rows.collect()
}

const SHELL: &str = concat!(
    "18:00:00.000001 execve(\"/usr/bin/bash\", [\"bash\"], 0xff /* 22 vars */) = 0 <0.000300>\n",
    "18:00:00.000501 clone(child_stack=NULL, flags=SIGCHLDstrace: Process 9608 attached\n",
    ", child_tidptr=0xff) = 9608 <0.000202>\n",
    "[pid  9608] 18:00:00.000701 getpid() = 9608 <0.000001>\n",
    "[pid  9607] 18:00:00.000711 wait4(-1,  <unfinished ...>\n",
    "[pid  9608] 18:00:00.001701 +++ exited with 0 +++\n",
    "18:00:00.001801 <... wait4 resumed>NULL, 0, NULL) = 9608 <0.001080>\n",
    "18:00:00.001901 exit_group(0)           = ?\n",
    "18:00:00.002001 +++ exited with 0 +++\n",
);

#[test]
fn a_message_may_split_a_call() {
    let trace = read(SHELL);
    let clone = "9607 clone 64800000501000+202000 {args=child_stack=NULL, flags=SIGCHLD; args=, child_tidptr=0xff; ret=9608}";
    assert_eq!(slices(&trace)[1], clone);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn lines_without_a_number_belong_to_the_only_thread() {
    let trace = read(SHELL);
    let expected = [(9607, 9607, "bash"), (9608, 9608, "bash")];
    assert_eq!(threads(&trace), expected);
    let wait = "9607 wait4 64800000711000+1080000 {args=-1; args=NULL, 0, NULL; ret=9608}";
    assert_eq!(slices(&trace)[3], wait);
    let ends: Vec<_> = trace.threads.end_ts.iter().skip(1).collect();
    assert_eq!(ends, [64_800_002_001_000, 64_800_001_701_000]);
}

#[test]
fn the_program_of_the_first_process_names_it_once_its_number_is_known() {
    let trace = read(SHELL);
    let pids = trace.processes.pid.iter().skip(1);
    let names = trace.processes.name.iter().skip(1);
    let names = names.map(|name| trace.strings.get(name));
    assert_eq!(
        pids.zip(names).collect::<Vec<_>>(),
        [(9608, ""), (9607, "bash")]
    );
}

#[test]
fn threads_of_the_first_process_join_it_once_its_number_is_known() {
    let trace = read(concat!(
        "10:00:00.1 clone3({flags=CLONE_THREAD}, 88) = 124\n",
        "10:00:00.2 clone3({flags=CLONE_THREAD}, 88) = 125\n",
        "[pid 124] 10:00:00.3 exit(0) = ?\n",
        "[pid 124] 10:00:00.4 +++ exited with 0 +++\n",
        "[pid 123] 10:00:00.5 getpid() = 123\n",
    ));
    let pids: Vec<_> = threads(&trace).iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(pids, [(123, 123), (124, 123), (125, 123)]);
}

#[test]
fn messages_may_split_any_call() {
    let trace = read(concat!(
        "10:00:00.1 read(3, strace: Process 12 attached\n",
        "strace: Process 13 attached\n",
        "\"abc\", 3) = 3 <0.2>\n",
        "[pid 11] 10:00:00.3 wait4(12, strace: Process 14 attached\n",
        " <unfinished ...>\n",
        "output, 5) = 5\n",
        "[pid 12] 10:00:00.4 getpid() = 12\n",
        "[pid 11] 10:00:00.5 <... wait4 resumed>NULL, 0, NULL) = 12\n",
    ));
    let expected = [
        (11, "read", true),
        (11, "wait4", true),
        (12, "getpid", true),
    ];
    assert_eq!(calls(&trace), expected);
    let ten = 36_000_000_000_000_i64;
    let read = format!(
        "11 read {}+200000000 {{args=3; args=\"abc\", 3; ret=3}}",
        ten + 100_000_000
    );
    assert_eq!(slices(&trace)[0], read);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 1);
}

#[test]
fn old_messages_have_no_name_and_say_more() {
    let trace = read(concat!(
        "10:00:00.1 vfork(Process 31990 attached\n",
        " <unfinished ...>\n",
        "[pid 31990] 10:00:00.2 execve(\"/cc1\", [\"cc1\"], [/* 41 vars */]) = 0\n",
        "[pid 31989] 10:00:00.3 <... vfork resumed> ) = 31990\n",
        "[pid 31989] 10:00:00.4 wait4(31990, Process 31989 suspended\n",
        " <unfinished ...>\n",
        "[pid 31990] 10:00:00.5 exit_group(0)           = ?\n",
        "Process 31989 resumed\n",
        "Process 31990 detached\n",
        "10:00:00.6 <... wait4 resumed> [], 0, NULL) = 31990\n",
        "10:00:00.7 clone(Process 31991 attached (waiting for parent)\n",
        "Process 31991 resumed (parent 31989 ready)\n",
        "child_stack=0, flags=SIGCHLD) = 31991\n",
        "[pid 31991] 10:00:00.8 exit_group(0)           = ?\n",
        "Process 31991 detached\n",
        "10:00:00.9 exit_group(0)           = ?\n",
    ));
    let expected = [
        (31989, "vfork", true),
        (31990, "execve", true),
        (31989, "wait4", true),
        (31990, "exit_group", true),
        (31989, "clone", true),
        (31991, "exit_group", true),
        (31989, "exit_group", true),
    ];
    assert_eq!(calls(&trace), expected);
    assert!(trace.repairs.rows().is_empty());
    let pids: Vec<_> = trace.processes.pid.iter().skip(1).collect();
    assert_eq!(pids, [31990, 31991]);
}

#[test]
fn an_attached_process_has_a_number_from_the_beginning() {
    let trace = read(concat!(
        "Process 5 attached with 2 threads - interrupt to quit\n",
        "[pid 6] 10:00:00.1 pause( <unfinished ...>\n",
        "[pid 5] 10:00:00.2 futex(0x7f, FUTEX_WAIT, 0, NULL <unfinished ...>\n",
        "[pid 6] 10:00:00.3 <... pause resumed>) = ?\n",
        "[pid 6] 10:00:00.4 +++ exited with 0 +++\n",
        "10:00:00.5 <... futex resumed>) = 0\n",
    ));
    assert_eq!(calls(&trace)[1], (5, "futex", true));
    assert_eq!(threads(&trace).len(), 2);
}

/// With `-q`, strace does not announce children.
#[test]
fn a_thread_with_an_open_call_is_not_the_one_that_calls() {
    let trace = read(concat!(
        "10:00:00.1 vfork( <unfinished ...>\n",
        "[pid 301] 10:00:00.2 getpid() = 301\n",
        "[pid 300] 10:00:00.3 <... vfork resumed>) = 301\n",
    ));
    let expected = [(300, "vfork", true), (301, "getpid", true)];
    assert_eq!(calls(&trace), expected);
}

/// With `-qq`, strace does not print how threads end.
#[test]
fn threads_may_end_without_a_line() {
    let trace = read(concat!(
        "10:00:00.1 fork() = 301\n",
        "[pid 300] 10:00:00.2 fork() = 302\n",
        "[pid 302] 10:00:00.3 wait4(-1,  <unfinished ...>\n",
        "[pid 301] 10:00:00.4 exit_group(0) = ?\n",
        "[pid 300] 10:00:00.5 exit_group(0) = ?\n",
        "10:00:00.6 <... wait4 resumed>NULL, 0, NULL) = -1 ECHILD (No child processes)\n",
        "10:00:00.7 getpid() = 302\n",
    ));
    assert_eq!(calls(&trace)[2], (302, "wait4", true));
    assert_eq!(calls(&trace)[5], (302, "getpid", true));
}

#[test]
fn a_superseding_execve_leaves_the_main_thread_alone() {
    let trace = read(concat!(
        "10:00:00.1 clone3({flags=CLONE_THREAD}, 88) = 124\n",
        "[pid 124] 10:00:00.2 execve(\"/bin/ls\", [\"ls\"], 0x7ff /* 1 var */ <unfinished ...>\n",
        "[pid 123] 10:00:00.3 pause( <unfinished ...>) = ?\n",
        "10:00:00.4 +++ superseded by execve in pid 124 +++\n",
        "10:00:00.5 <... execve resumed>) = 0\n",
        "10:00:00.6 getpid() = 123\n",
    ));
    assert_eq!(calls(&trace)[4], (123, "getpid", true));
    assert_eq!(threads(&trace)[0].2, "ls");
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn output_may_split_a_write() {
    let trace = read(concat!(
        "18:00:00.000001 write(1, \"hello \\\"you\\\"\\n12\"..., 33hello \"you\"\n",
        "12 = (3\n",
        ")                     = 33\n",
        "18:00:00.000009 write(1, \"a\\n\", 2a\n",
        ")     = 2 <0.000003>\n",
        "18:00:00.000019 write(1, \"lost\\n\", 5lost\n",
        "18:00:00.000029 exit_group(0)           = ?\n",
        "write(it)\n",
    ));
    let expected = [
        r#"-1 write 64800000001000+0 {args=1, "hello \"you\"\n12"..., 33; ret=33}"#,
        r#"-1 write 64800000009000+3000 {args=1, "a\n", 2; ret=2}"#,
        r#"-1 write 64800000019000+0 {args=1, "lost\n", 5}"#,
        "-1 exit_group 64800000029000+0 {args=0; ret=?}",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(trace.repairs.count(RepairKind::MissingExit), 1);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 2);
}

#[test]
fn output_may_stand_in_the_line_of_its_write() {
    let trace = read(concat!(
        "18:00:00.000001 write(2, \"a (b) = \", 8a (b) = )       = 8\n",
        "18:00:00.000009 read(0, strace: Process 7 detached\n",
        " <detached ...>\n",
    ));
    let expected = [
        r#"-1 write 64800000001000+0 {args=2, "a (b) = ", 8; ret=8}"#,
        "-1 read 64800000009000+… {args=0}",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
}
