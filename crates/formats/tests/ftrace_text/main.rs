//! Small ftrace texts end to end: the result of each rule.

mod binder;
#[path = "../common/mod.rs"]
mod common;
mod marks;
mod threads;

use common::{counters, read, slices, text};
use traceloom_trace::{ClockKind, RepairKind, RowId, TaskState, ThreadId, Trace};

#[test]
fn every_marker() {
    let trace = read(
        "\
app-11 (-----) [000] .... 1.000001: tracing_mark_write: B|10|outer|part
app-11 (-----) [000] .... 1.000002: tracing_mark_write: B|10|inner
app-11 (-----) [000] .... 1.000003: tracing_mark_write: E
app-11 (-----) [000] .... 1.000004: 0: C|10|heap|42
app-11 (-----) [000] .... 1.000005: print: tracing_mark_write: S|10|load|7
app-12 (-----) [001] .... 1.000006: tracing_mark_write: S|10|load|8
app-12 (-----) [001] .... 1.000007: tracing_mark_write: F|10|load|7
app-12 (-----) [001] .... 1.000009: tracing_mark_write: G|10|jobs|one|1
app-12 (-----) [001] .... 1.000010: tracing_mark_write: H|10|jobs|1
app-12 (-----) [001] .... 1.000011: tracing_mark_write: I|10|now
app-12 (-----) [001] .... 1.000011: tracing_mark_write: hello world
app-12 (-----) [001] .... 1.000012: tracing_mark_write: N|10|jobs|then
app-11 (-----) [000] .... 1.000013: systrace: E|10
app-11 (-----) [000] .... 1.000014: tracing_mark_write: E|10
app-11 (-----) [000] .... 1.000015: tracing_mark_write: trace_event_clock_sync: realtime_ts=1503658729660
",
    );
    assert_eq!(
        slices(&trace),
        [
            "t11:/0 outer|part 1000001+12",
            "t11:/1 inner 1000002+1",
            "p10:load/0 load 1000005+2",
            "p10:load/0 load 1000006+open",
            "p10:jobs/0 one 1000009+1",
        ]
    );
    assert_eq!(counters(&trace), ["atrace_counter heap=42"]);
    let names: Vec<_> = trace
        .slices
        .instants()
        .map(|row| text(&trace, trace.slices.name.get(row)))
        .collect();
    assert_eq!(names, ["now", "hello world", "then"]);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
    assert_eq!(trace.repairs.count(RepairKind::MissingTgid), 2);
    let first = trace
        .repairs
        .rows()
        .iter()
        .find(|row| row.kind == RepairKind::UnmatchedEnd)
        .unwrap();
    assert_eq!(first.first.to_string(), "line 14");
    assert_eq!(
        (trace.clocks[0].clock, trace.clocks[0].ts),
        (ClockKind::Realtime, 1_000_015_000)
    );
}

#[test]
fn the_column_knows_the_process_better_than_the_marker() {
    let trace = read(
        "\
app-11 (   10) [000] .... 1.000001: tracing_mark_write: B|1|in a container
app-11 (   10) [000] .... 1.000002: tracing_mark_write: C|1|n|1
app-11 (-----) [000] .... 1.000003: tracing_mark_write: E|1
",
    );
    let pids: Vec<_> = trace.processes.pid.iter().collect();
    assert_eq!(pids, [0, 10], "the reserved row, and one process");
    assert_eq!(trace.repairs.count(RepairKind::MissingTgid), 0);
}

#[test]
fn a_ring_buffer_and_lost_events() {
    let trace = read(
        "\
# tracer: nop
#
# entries-in-buffer/entries-written: 5/105   #P:2
#
##### CPU 0 buffer started ####
a-1 (    1) [000] .... 1.000001: tracing_mark_write: E|1
a-1 (    1) [000] .... 1.000002: tracing_mark_write: E|1
##### CPU 1 buffer started ####
a-1 (    1) [001] .... 1.000003: tracing_mark_write: E|1
CPU:1 [LOST 12 EVENTS]
a-1 (    1) [001] .... 1.000005: tracing_mark_write: B|1|x
what is this
a-1 (    1) [001] .... 1.000004: tracing_mark_write: E|1
",
    );
    let repairs: Vec<_> = trace
        .repairs
        .rows()
        .iter()
        .map(|row| (row.kind.name(), row.count, row.first.to_string()))
        .collect();
    let expected = [
        ("buffer_overflow", 100, "line 3"),
        ("lost_events", 12, "line 10"),
        ("unparsed_line", 1, "line 12"),
        ("time_went_back", 1, "line 13"),
        ("negative_duration", 1, "1.000004000 s"),
        ("circular_prefix", 2, "line 1"),
        ("unmatched_end", 1, "line 9"),
    ];
    assert_eq!(
        repairs,
        expected.map(|(kind, count, place)| (kind, count, place.to_owned()))
    );
    assert_eq!(trace.metadata("tracer"), Some("nop"));
}

#[test]
fn a_torn_last_line_is_kept_and_counted() {
    let trace = read(
        "\
a-1 [000] .... 1.000001: cpu_idle: state=1 cpu_id=0
a-1 [000] .... 1.000002: sched_switch: prev_comm=a prev_pid=1",
    );
    assert_eq!(
        (trace.sched_slices.len(), trace.ftrace_events.len()),
        (0, 1)
    );
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
}

#[test]
fn the_last_line_of_an_old_systrace_is_at_no_time() {
    let trace = read(
        "\
a-1 [000] 50.000001: 0: B|1|x
dummy-0000 [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0
",
    );
    assert_eq!(trace.bounds, (50_000_001_000, 50_000_001_000));
    assert_eq!(trace.repairs.count(RepairKind::TimeWentBack), 0);
    assert_eq!(
        (trace.clocks[0].clock, trace.clocks[0].ts),
        (ClockKind::Monotonic, 0)
    );
}

#[test]
fn names_that_the_recorder_cut() {
    let name = "x".repeat(1023 - "B|12345|".len());
    let trace = read(&format!(
        "a-1 [000] .... 1.000001: tracing_mark_write: B|12345|{name}\n"
    ));
    assert_eq!(trace.repairs.count(RepairKind::NameCut), 1);
    let trace = read(&format!(
        "a-1 [000] .... 1.000001: tracing_mark_write: B|12345|{}\n",
        &name[1..]
    ));
    assert_eq!(trace.repairs.count(RepairKind::NameCut), 0);
}

/// A small program that saves a cart on a second thread, recorded on a Linux machine with
/// `set_event_pid`, so events of other processes are missing. Checked by hand.
#[test]
fn a_capture_of_our_own() {
    let trace = read(include_str!("../data/shop-app.ftrace.txt"));
    let shown = slices(&trace);
    let expected = [
        "t11325:/0 checkout 5659396648+4819",
        "p11325:order/0 order 5659396649+2244",
        "t11370:/0 save|cart 5659397038+1850",
        "t11370:disk/0 ext4_sync_file 5659397132+1630",
        "g:block 254,0/0 WS 5659397162+open",
        "g:block 254,0/0 WSM 5659397292+open",
        "g:block 254,0/0 WSM 5659397342+open",
        "t11325:/1 wait 5659398810+2652",
    ];
    assert_eq!(shown, expected);
    assert_eq!(counters(&trace), ["atrace_counter items=3"]);
    let repairs: Vec<_> = trace
        .repairs
        .rows()
        .iter()
        .map(|row| (row.kind.name(), row.count))
        .collect();
    assert_eq!(
        repairs,
        [
            ("inferred_switch", 2),
            ("sched_mismatch", 1),
            ("unmatched_end", 1),
            ("unknown_process", 2),
            ("never_closed", 3)
        ]
    );

    let thread = |tid| trace.threads.rows().position(|row| row.tid == tid).unwrap();
    let saver = trace.threads.row(thread(11_370));
    assert_eq!(text(&trace, saver.name), "saver");
    assert_eq!(
        (saver.start_ts, saver.end_ts),
        (5_659_396_744_000, 5_659_398_954_000)
    );
    assert_eq!(trace.processes.pid.get(saver.upid.row()), 11_325);
    assert_eq!(
        text(&trace, trace.threads.row(thread(9008)).name),
        "memfd:sealed-91"
    );

    let states = trace
        .thread_states
        .rows()
        .filter(|row| row.utid.row() == thread(11_370));
    let states: Vec<_> = states
        .map(|row| format!("{} {}", row.state, row.dur / 1000))
        .collect();
    let first = [
        // From its creation on.
        "R 39",
        "Running 425",
        "D 71",
        "R 7",
        "Running 26",
        "D 23",
        "R 3",
    ];
    assert_eq!(states[..7], first);
}

/// The first lines that Documentation/trace/ftrace.rst shows for the tracer `wakeup_rt`.
#[test]
fn latency_tracers_print_switches_and_wake_ups_without_names() {
    let text = "\
# tracer: wakeup_rt
#
    <idle>-0       3d.h4    1us+:      0:120:R   + [003]  2389: 94:R sleep
    <idle>-0       3d.h4    2us : ttwu_do_activate.constprop.87 <-try_to_wake_up
    <idle>-0       3d..3    9us : __schedule <-schedule
    <idle>-0       3d..3   10us :      0:120:R ==> [003]  2389: 94:R sleep
";
    let trace = read(text);
    let threads: Vec<_> = trace.threads.tid.iter().collect();
    assert_eq!(threads, [0, 2389]);
    assert_eq!(trace.thread_name(ThreadId::from_row(1)), "sleep");
    let woken = trace.wakeups.row(0);
    assert_eq!(
        (woken.ts, woken.cpu, woken.target_cpu, woken.priority),
        (1_000, 3, 3, 94)
    );
    let run = trace.sched_slices.row(0);
    assert_eq!(
        (run.ts, run.cpu, run.utid.row(), run.priority),
        (10_000, 3, 1, 94)
    );
    assert_eq!(trace.run_ends.row(0).end_state, TaskState::RUNNABLE);
    assert_eq!(trace.ftrace_events.len(), 2);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
}

/// Without symbols, the kernel and trace-cmd print the address of the function that wrote a mark.
#[test]
fn a_mark_may_have_an_address() {
    for front in [
        "0",
        "0xffffffff8110f5b0",
        "print: 0",
        "print: 0xffffffff8110f5b0s",
    ] {
        let text = format!(
            "     a-1     [000]  1.000001: {front}: B|1|x\n     a-1     [000]  1.000002: {front}: E|1\n"
        );
        let trace = read(&text);
        assert_eq!(
            trace.slices.dur.iter().collect::<Vec<_>>(),
            [1_000],
            "{front}"
        );
    }
}

/// After an oops with `ftrace_dump_on_oops`, the kernel log contains the buffer.
#[test]
fn the_kernel_log_may_have_the_trace() {
    let text = "\
[   12.000000] Dumping ftrace buffer:
[   12.000001] ---------------------------------
[   12.000002]     app-10      0.... 1000000us : tracing_mark_write: B|10|x
[   12.000003]     app-10      0.... 1000007us+: tracing_mark_write: E|10
[   12.000004] ---------------------------------
";
    let trace = read(text);
    assert_eq!(slices(&trace), ["t10:/0 x 1000000+7"]);
    assert_eq!(trace.thread_name(ThreadId::from_row(1)), "app");
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 0);
}

/// Linux 6.18 printed the same buffer twice: with the formats of the events, and with the option `fields`.
#[test]
fn the_option_fields_changes_nothing() {
    let formats = read(include_str!("../data/kernel.ftrace.txt"));
    let fields = read(include_str!("../data/kernel-fields.ftrace.txt"));
    let tables = |trace: &Trace| {
        let names = trace.threads.rows().map(|row| trace.strings.get(row.name));
        let slices = trace.slices.rows();
        let slices = slices.map(|row| (row.ts, row.dur, trace.strings.get(row.name)));
        let kernel = (&trace.sched_slices, &trace.thread_states, &trace.wakeups);
        let (names, slices) = (names.collect::<Vec<_>>(), slices.collect::<Vec<_>>());
        format!("{kernel:?} {:?} {names:?} {slices:?}", trace.counters)
    };
    assert_eq!(tables(&fields), tables(&formats));
    assert_eq!(formats.sched_slices.len(), 9);
    assert_eq!(formats.counters.len(), 3);
    assert_eq!(fields.repairs.rows(), formats.repairs.rows());
}
