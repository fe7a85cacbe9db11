mod names;
mod options;
mod terminal;
mod threads;
mod untimed;

use traceloom_trace::{ArgValue, ClockKind, NO_DURATION, RepairKind, RowId, Trace, TraceBuilder};

use crate::{AnyReader, ReadOptions, Reader, Target, read_bytes};

fn read(text: &str) -> Trace {
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

/// `tid name ts+dur {args}` of each slice, in order of time.
fn slices(trace: &Trace) -> Vec<String> {
    let text = |id| trace.strings.get(id);
    let rows = trace.slices.rows().map(|row| {
        let utid = trace.tracks.utid.get(row.track_id.row());
        let tid = trace.threads.tid.get(utid.row());
        let args = trace.args.set(row.arg_set_id);
        let args = args.map(|(key, value)| match value {
            ArgValue::Text(value) => format!("{}={}", text(key), text(value)),
            other => panic!("{other:?}"),
        });
        let args = args.collect::<Vec<_>>().join("; ");
        let dur = match row.dur {
            NO_DURATION => "…".to_owned(),
            dur => dur.to_string(),
        };
        format!("{tid} {} {}+{dur} {{{args}}}", text(row.name), row.ts)
    });
    rows.collect()
}

fn threads(trace: &Trace) -> Vec<(i64, i64, &str)> {
    let rows = trace.threads.rows().skip(1).map(|row| {
        let pid = row.upid.some();
        let pid = pid.map_or(-1, |upid| trace.processes.pid.get(upid.row()));
        (row.tid, pid, trace.strings.get(row.name))
    });
    rows.collect()
}

const DATED: &str = r#"1000  1700000052.321000 openat(AT_FDCWD, "/a) = 7", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000042>
1000  1700000052.321100 close(3)                = 0 <0.000010>
1000  1700000052.321200 futex(0x7f01, FUTEX_WAIT, 2, NULL <unfinished ...>
1001  1700000052.321250 --- SIGCHLD {si_signo=SIGCHLD, si_pid=1002} ---
1000  1700000052.321400 <... futex resumed>)    = 0 <0.000190>
1001  1700000052.321500 +++ exited with 0 +++
"#;

#[test]
fn calls_are_slices_of_their_threads() {
    let trace = read(DATED);
    let expected = [
        "1000 openat 1700000052321000000+42000 {args=AT_FDCWD, \"/a) = 7\", O_RDONLY; ret=-1 ENOENT (No such file or directory)}",
        "1000 close 1700000052321100000+10000 {args=3; ret=0}",
        "1000 futex 1700000052321200000+190000 {args=0x7f01, FUTEX_WAIT, 2, NULL; ret=0}",
        "1001 SIGCHLD 1700000052321250000+0 {info={si_signo=SIGCHLD, si_pid=1002}}",
        "1001 exited with 0 1700000052321500000+0 {}",
    ];
    assert_eq!(slices(&trace), expected);
    assert!(trace.repairs.rows().is_empty());
    let clock = &trace.clocks[0];
    assert_eq!(clock.clock, ClockKind::Realtime);
    assert_eq!(clock.value_ns, 1_700_000_052_321_000_000);
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let changed = format!("\u{feff}{}", DATED.replace('\n', "\r\n"));
    assert_eq!(slices(&read(&changed)), slices(&read(DATED)));
}

#[test]
fn the_result_does_not_depend_on_where_chunks_end() {
    let mut builder = TraceBuilder::new();
    let mut reader = AnyReader::new(ReadOptions::default());
    let mut out = Target::Trace(&mut builder);
    for chunk in DATED.as_bytes().chunks(1) {
        reader.feed(chunk, &mut out).unwrap();
    }
    reader.finish(&mut out).unwrap();
    assert_eq!(slices(&builder.finish()), slices(&read(DATED)));
}

/// The log has the form that `strace -f -tt` writes to a terminal. It continues past midnight.
#[test]
fn times_of_the_day_go_on_after_midnight() {
    let trace = read(concat!(
        "strace: Process 41 attached\n",
        "23:59:59.900000 vfork(strace: Process 42 attached\n",
        " <unfinished ...>\n",
        "[pid    42] 23:59:59.950000 execve(\"/usr/bin/true\", [\"true\"], 0x7ff /* 3 vars */) = 0\n",
        "[pid    42] 00:00:00.000000 exit_group(0)           = ?\n",
        "[pid    42] 00:00:00.100000 +++ exited with 0 +++\n",
        "00:00:00.100000 <... vfork resumed>)    = 42\n",
    ));
    let day = 24 * 3600 * 1_000_000_000_i64;
    assert_eq!(trace.bounds, (day - 100_000_000, day + 100_000_000));
    assert_eq!(trace.slices.dur.get(0), 200_000_000);
    assert_eq!(threads(&trace), [(41, -1, ""), (42, 42, "true")]);
    let pids: Vec<_> = trace.processes.pid.iter().skip(1).collect();
    assert_eq!(pids, [42]);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn relative_times_add_up() {
    let trace = read("     0.000000 brk(NULL)       = 0x5000\n     0.000250 getpid() = 7\n");
    assert_eq!(trace.slices.ts.iter().collect::<Vec<_>>(), [0, 250_000]);
}

#[test]
fn options_may_put_more_in_front_of_a_call() {
    let trace = read(concat!(
        "7<my app> 14:00:00.000001 (+     0.000120) [00007f52a1b2c3d4] [ 257] openat(1) = 3</etc/passwd> <0.000002>\n",
        "7 14:00:00.000005 [00007f52a1b2c3d4] close(3</etc/passwd>) = 0\n",
    ));
    let names: Vec<_> = trace.slices.name.iter().collect();
    let names: Vec<_> = names.iter().map(|id| trace.strings.get(*id)).collect();
    assert_eq!(names, ["openat", "close"]);
    assert_eq!(threads(&trace), [(7, -1, "my app")]);
    assert!(slices(&trace)[0].contains("ret=3</etc/passwd>"));
}

#[test]
fn threads_and_processes_follow_from_the_calls_that_made_them() {
    let trace = read(concat!(
        "10 1700000000.1 execve(\"/usr/bin/a-very-long-program\", [], 0) = 0\n",
        "10 1700000000.2 clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7}, 88) = 11\n",
        "11 1700000000.3 prctl(PR_SET_NAME, \"worker\")   = 0\n",
        "11 1700000000.4 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n",
        "12 1700000000.5 getpid() = 12\n",
        "11 1700000000.6 <... clone resumed>, child_tidptr=0x7f) = 12\n",
        "12 1700000000.7 execve(\"/bin/ls\", [\"ls\"], 0x7f <unfinished ...>\n",
        "12 1700000000.8 <... execve resumed>)      = 0\n",
    ));
    let expected = [
        (10, 10, "a-very-long-pro"),
        (11, 10, "worker"),
        (12, 12, "ls"),
    ];
    assert_eq!(threads(&trace), expected);
}

/// `strace -ff -o run` writes `run.77`, without numbers in the lines.
#[test]
fn the_number_of_a_thread_may_be_in_the_name_of_the_file() {
    let options = ReadOptions {
        name: "run.77".to_owned(),
        ..ReadOptions::default()
    };
    let trace = read_bytes(b"1700000000.1 getppid() = 1\n", options).unwrap();
    assert_eq!(threads(&trace)[0].0, 77);
    let trace = read("1700000000.1 set_tid_address(0x7f) = 78\n1700000000.2 getppid() = 1\n");
    assert_eq!(threads(&trace), [(78, -1, "")]);
}

#[test]
fn a_call_may_be_interrupted_twice() {
    let trace = read(concat!(
        "1000 1700000052.321 epoll_wait(4, <unfinished ...>\n",
        "1000 1700000052.322 <... epoll_wait resumed> {}, 64 <unfinished ...>\n",
        "1000 1700000052.324 <... epoll_wait resumed> {}, 64) = 1 <0.003000>\n",
        "1000 1700000052.325 <... read resumed> 64) = 1\n",
        "1000 1700000052.326 pause( <unfinished ...>\n",
    ));
    let durs: Vec<_> = trace.slices.dur.iter().collect();
    assert_eq!(durs, [1_000_000, 2_000_000, NO_DURATION]);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

#[test]
fn what_is_not_read_is_counted() {
    let trace = read(concat!(
        "1 1700000000.1 read(3) = 3\n",
        " > /usr/lib/libc.so.6(read+0x2f) [0x1ab]\n",
        "nonsense\n",
        "1 1700000000.9999999999 read(3) = 3\n",
        "1 99999999999999999999 read(3) = 3\n",
        "1 25:00:00 read(3) = 3\n",
        "--- SIGCHLD {} ---\n",
    ));
    assert_eq!(trace.slices.len(), 1);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 5);
}
