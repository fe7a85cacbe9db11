//! Tests of kernel events and of process trees.

use testkit::Proto;
use traceloom_trace::{NO_TIME, RepairKind, RowId, Trace};

use super::descriptors::{Descriptors, Kind, MessageType};
use super::tests::{packet, read};

/// A bundle of events. Each has a timestamp, a tid, a field number and content.
fn bundle(events: impl IntoIterator<Item = (i64, i64, (u32, Proto))>) -> Proto {
    let bundle = Proto::new().int(1, 0);
    let events = events.into_iter().fold(bundle, |bundle, event| {
        let (ts, tid, (number, content)) = event;
        let event = Proto::new().int(1, ts).int(2, tid).message(number, content);
        bundle.message(2, event)
    });
    Proto::new().message(1, events)
}

/// The field number of an event, and its content from fields by name.
fn event(name: &str, fields: &[(&str, i64)]) -> (u32, Proto) {
    let descriptors = Descriptors::default();
    let events = descriptors.message("FtraceEvent").unwrap();
    let (number, message) = numbered(&events, name);
    let Kind::Message(message) = message else {
        panic!("{name} has no fields");
    };
    let message = descriptors.message(message).unwrap();
    let content = fields.iter().fold(Proto::new(), |content, (key, value)| {
        content.int(numbered(&message, key).0, *value)
    });
    (number, content)
}

/// The number and the type of a field.
fn numbered<'d>(message: &MessageType<'d>, name: &str) -> (u32, Kind<'d>) {
    let mut fields = (1..1_000).filter_map(|number| Some((number, message.field(number)?)));
    let field = fields.find(|(_, field)| field.name == name);
    field.map(|(number, field)| (number, field.kind)).unwrap()
}

/// The track, the name, the time and the duration of each slice.
pub(super) fn slices(trace: &Trace) -> Vec<(&str, &str, i64, i64)> {
    let rows = trace.slices.rows().map(|row| {
        let track = trace.tracks.name.get(row.track_id.row());
        let name = trace.strings.get(row.name);
        (trace.strings.get(track), name, row.ts, row.dur)
    });
    rows.collect()
}

#[test]
fn a_batch_of_an_adreno_gpu_is_placed_by_its_sync() {
    let tree = Proto::new().message(1, Proto::new().int(1, 7).text(3, "com.example"));
    let batch = |ts, step: &str, times: &[(&str, i64)]| {
        let fields = [&[("id", 3), ("timestamp", 42)], times].concat();
        (
            ts,
            7,
            event(&format!("kgsl_adreno_cmdbatch_{step}"), &fields),
        )
    };
    let events = [
        batch(900_000_000, "queued", &[]),
        batch(1_000_000_000, "sync", &[("ticks", 19_200_000)]),
        batch(
            3_100_000_000,
            "retired",
            &[("start", 38_400_000), ("retire", 57_600_000)],
        ),
    ];
    let trace = read([packet(1, 2, tree), bundle(events)]);
    let expected = [(
        "GPU com.example (Ctx=3, Prio=0)",
        "GPU",
        2_000_000_000,
        1_000_000_000,
    )];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn steps_that_perfetto_numbers_are_slices() {
    let suspend = |start| {
        let (number, content) = event("suspend_resume", &[("val", 3), ("start", start)]);
        (number, content.text(1, "CPU"))
    };
    let probe = |kind| {
        let (number, content) = event("kprobe_event", &[("type", kind)]);
        (number, content.text(1, "read"))
    };
    let trace = read([bundle([
        (10, 7, suspend(1)),
        (15, 7, suspend(0)),
        (20, 7, probe(1)),
        (24, 7, probe(3)),
        (25, 7, probe(2)),
    ])]);
    let expected = [
        ("suspend", "CPU(3)", 10, 5),
        ("", "read", 20, 5),
        ("", "read", 24, 0),
    ];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn work_of_a_gpu_is_where_its_own_clock_says() {
    let clock = |number, ns| Proto::new().int(1, number).int(2, ns);
    let clocks = Proto::new()
        .message(1, clock(6, 1_000))
        .message(1, clock(5, 400));
    let work = [
        ("uid", 10_001),
        ("start_time_ns", 500),
        ("end_time_ns", 700),
        ("total_active_duration_ns", 50),
    ];
    let work = || bundle([(1_900, 7, event("gpu_work_period", &work))]);
    let placed = read([Proto::new().message(6, clocks), work()]);
    let name = "GPU work of 10001";
    assert_eq!(slices(&placed), [(name, "%25.00", 1_100, 200)]);
    assert_eq!(slices(&read([work()])), [(name, "%25.00", 1_900, 200)]);
}

#[test]
fn a_buffer_comes_back_along_an_arrow() {
    let fields = [("minor", 0), ("index", 19), ("type", 9), ("sequence", 4)];
    let trace = read([bundle([
        (10, 7, event("v4l2_qbuf", &fields)),
        (20, 8, event("v4l2_dqbuf", &fields)),
    ])]);
    let names: Vec<_> = slices(&trace).into_iter().map(|slice| slice.1).collect();
    let expected =
        ["QBUF", "DQBUF"].map(|call| format!("VIDIOC_{call} minor=0 seq=4 type=9 index=19"));
    assert_eq!(names, expected);
    assert_eq!(trace.flows.len(), 1);
}

#[test]
fn a_worker_of_the_kernel_has_no_name_of_its_last_work() {
    let worker = Proto::new()
        .int(1, 28)
        .int(2, 2)
        .text(3, "kworker/1:0-events")
        .int(9, 1);
    let other = Proto::new().int(1, 30).int(2, 1).text(3, "/bin/a --b");
    let orphan = Proto::new().int(1, 30).int(2, 99).text(3, "/bin/a --b");
    let tree = |process| Proto::new().message(1, process);
    let trace = read([
        packet(1, 2, tree(worker)),
        packet(2, 2, tree(other)),
        packet(3, 2, tree(orphan)),
    ]);
    let process = |pid| trace.processes.rows().find(|row| row.pid == pid).unwrap();
    let name = |pid| trace.strings.get(process(pid).name);
    assert_eq!([28, 30].map(name), ["kworker/1:0", "/bin/a"]);
    assert_eq!(trace.strings.get(process(30).cmdline), "/bin/a --b");
    assert_eq!(process(30).ppid, 1, "the first parent");
    let thread = trace.threads.rows().find(|row| row.tid == 28).unwrap();
    assert_eq!(trace.strings.get(thread.name), "kworker/1:0");
}

#[test]
fn a_kernel_that_is_not_linux_tells_states() {
    let state = |ts, tid: i64, state| {
        let content = Proto::new().int(1, 0).text(2, "task").int(3, tid);
        packet(ts, 117, content.int(4, state).int(5, 100))
    };
    let huge = 9_023_372_036_854_775_807;
    let main = Proto::new().int(1, 7).int(2, 70).text(3, "main").int(4, 1);
    let tree = Proto::new()
        .message(1, Proto::new().int(1, 70).int(2, 0).text(3, "app --fast"))
        .message(2, main);
    let trace = read([
        packet(1, 122, tree),
        packet(2, 118, Proto::new().int(1, 3).int(2, 1_500_000_000)),
        state(10, huge, 1),
        state(20, huge, 3),
        state(30, huge, 8),
        state(40, huge, 3),
        state(50, huge, 3),
        packet(60, 120, Proto::new().int(1, huge).text(2, "renamed")),
    ]);
    let names = trace.threads.rows().filter(|row| row.tid == huge);
    let names: Vec<_> = names
        .map(|row| (trace.strings.get(row.name), row.end_ts))
        .collect();
    assert_eq!(names, [("task", 30), ("renamed", NO_TIME)]);
    let states = trace.thread_states.rows();
    let states: Vec<_> = states.map(|row| (row.ts, row.state.to_string())).collect();
    let expected = [(10, "Created"), (20, "Running"), (30, "X"), (40, "Running")];
    assert_eq!(states, expected.map(|(ts, state)| (ts, state.to_owned())));
    assert_eq!(trace.sched_slices.end_state.get(0).to_string(), "X");
    assert_eq!(trace.counters.value.get(0), 1_500_000.0);
    let app = trace.processes.rows().find(|row| row.pid == 70).unwrap();
    assert_eq!((trace.strings.get(app.name), app.ppid), ("app", 0));
    assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 1);
}

#[test]
fn events_from_before_all_cpus_have_events_are_only_kept() {
    let cpu = |cpu, before, ts| {
        let (number, content) = event("mark_victim", &[("pid", 9)]);
        let event = Proto::new().int(1, ts).int(2, 7).message(number, content);
        let bundle = Proto::new().int(1, cpu).message(2, event);
        Proto::new().message(1, bundle.int(10, before))
    };
    let trace = read([cpu(0, 50, 60), cpu(1, 70, 80), cpu(0, 90, 85)]);
    assert_eq!(trace.ftrace_events.ts.iter().collect::<Vec<_>>(), [60]);
    assert_eq!(trace.slices.ts.iter().collect::<Vec<_>>(), [80, 85]);
}

#[test]
fn bits_of_pixels_marks_tell_their_kind() {
    let mark = |ts, flag, name: &str| {
        let (number, content) = event("zero", &[("flag", flag), ("pid", 7), ("value", 5)]);
        (ts, 7, (number, content.text(2, name)))
    };
    let trace = read([bundle([
        mark(10, 1, "work"),
        mark(12, 4, "depth"),
        mark(15, 2, ""),
    ])]);
    assert_eq!(slices(&trace), [("", "work", 10, 5)]);
    assert_eq!(trace.counters.value.get(0), 5.0);
}

#[test]
fn a_new_thread_is_not_in_the_process_of_the_one_before() {
    let thread = Proto::new().int(1, 20).int(3, 10);
    let tree = Proto::new()
        .message(1, Proto::new().int(1, 10).text(3, "first"))
        .message(1, Proto::new().int(1, 30).text(3, "second"))
        .message(2, thread);
    let resident = || event("rss_stat", &[("member", 1), ("size", 4096)]);
    let new = event("task_newtask", &[("pid", 20), ("clone_flags", 0x1_0000)]);
    let trace = read([
        packet(1, 2, tree),
        bundle([(5, 20, resident()), (6, 30, new), (7, 20, resident())]),
    ]);
    let pid = |row: usize| {
        let track = trace.counters.track_id.get(row);
        trace
            .processes
            .pid
            .get(trace.tracks.upid.get(track.row()).row())
    };
    assert_eq!([pid(0), pid(1)], [10, 30]);
}

#[test]
fn marks_of_drivers_are_those_of_their_letters() {
    let mark = |ts, name: &str, key: &str, letter: u8, place| {
        let fields = [("pid", 7), (key, letter.into())];
        let (number, content) = event(name, &fields);
        (ts, 7, (number, content.text(place, "draw")))
    };
    let trace = read([bundle([
        mark(10, "sde_tracing_mark_write", "trace_type", b'B', 2),
        mark(20, "samsung_tracing_mark_write", "trace_type", b'I', 2),
        mark(30, "sde_tracing_mark_write", "trace_type", b'E', 2),
        mark(40, "panel_write_generic", "type", b'B', 4),
        mark(60, "panel_write_generic", "type", b'E', 4),
    ])]);
    let spans = trace.slices.spans();
    let spans: Vec<_> = spans.map(|row| slices(&trace)[row]).collect();
    assert_eq!(spans, [("", "draw", 10, 20), ("", "draw", 40, 20)]);
    assert_eq!(trace.slices.instants().count(), 1);
}

#[test]
fn a_compact_switch_to_the_thread_that_runs_already_is_counted() {
    let compact = Proto::new()
        .text(5, "main")
        .text(5, "swapper")
        .packed(1, &[10, 10, 10, 10])
        .packed(2, &[0, 0, 1, 1])
        .packed(3, &[7, 0, 0, 7])
        .packed(4, &[120; 4])
        .packed(6, &[0, 1, 1, 0]);
    let bundle = Proto::new().uint(1, 0).message(4, compact);
    let trace = read([packet(50, 1, bundle)]);
    assert_eq!(trace.repairs.count(RepairKind::SchedMismatch), 1);
    let ran = trace.sched_slices.rows();
    let ran: Vec<_> = ran
        .map(|row| (row.ts, trace.threads.tid.get(row.utid.row())))
        .collect();
    // For the first switch of a CPU, only the next thread is known.
    assert_eq!(ran, [(20, 0), (30, 0), (40, 7)]);
}

#[test]
fn compact_events_of_a_cpu_that_no_machine_has_are_counted() {
    let compact = Proto::new()
        .text(5, "main")
        .packed(1, &[10])
        .packed(2, &[0])
        .packed(3, &[7])
        .packed(4, &[120])
        .packed(6, &[0])
        .packed(7, &[20])
        .packed(8, &[8])
        .packed(9, &[0])
        .packed(10, &[120])
        .packed(11, &[0]);
    let bundle = Proto::new().uint(1, 1 << 30).message(4, compact);
    let trace = read([packet(50, 1, bundle)]);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 2);
    assert_eq!(trace.sched_slices.len(), 0);
}

#[test]
fn a_buffer_that_was_to_keep_older_events_keeps_them() {
    let started = packet(50, 69, Proto::new().int(2, 1));
    let stats = |keeps| packet(60, 34, Proto::new().int(1, 1).int(8, keeps));
    let mark = |ts| (ts, 7, (3, Proto::new().text(2, "I|7|x")));
    let read = |keeps| read([started.clone(), stats(keeps), bundle([mark(40), mark(55)])]);
    let (kept, dropped) = (read(1), read(0));
    assert_eq!(kept.slices.len(), 2);
    assert_eq!(dropped.slices.len(), 1);
    assert_eq!(dropped.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn incomplete_kernel_events_are_counted() {
    let times = |states: &[u64]| {
        let compact = Proto::new().text(5, "main").packed(1, &[10, 10]);
        let compact = compact.packed(2, states).packed(3, &[7, 8]);
        compact.packed(4, &[120, 120]).packed(6, &[0, 0])
    };
    let bundle = |compact| {
        let empty = Proto::new().int(1, 5).int(2, 7);
        let bundle = Proto::new().int(1, 0).message(2, empty);
        Proto::new().message(1, bundle.message(4, compact))
    };
    let whole = read([bundle(times(&[1, 1]))]);
    assert_eq!(whole.repairs.count(RepairKind::TornRecord), 0);
    assert_eq!(whole.repairs.count(RepairKind::BadField), 1);
    for states in [&[][..], &[1], &[1, 1]] {
        let torn = read([bundle(times(states).packed(7, &[5]))]);
        let count = 1 + u64::from(states.len() < 2);
        assert_eq!(torn.repairs.count(RepairKind::TornRecord), count);
    }
}

#[test]
fn old_versions_of_chrome_name_their_processes() {
    let process = |pid, name: &str, kind| {
        let process = Proto::new().int(1, pid).text(6, name).int(4, kind);
        Proto::new().message(43, process)
    };
    let tree = Proto::new().message(1, Proto::new().int(1, 9).text(3, "com.example"));
    let trace = read([
        process(7, "GPU Process", 6),
        process(8, "", 2),
        process(9, "Browser", 1),
        packet(5, 2, tree),
    ]);
    let name = |pid| {
        trace
            .processes
            .rows()
            .find(|row| row.pid == pid)
            .unwrap()
            .name
    };
    let names = [7, 8, 9].map(|pid| trace.strings.get(name(pid)));
    assert_eq!(names, ["GPU Process", "Renderer", "com.example"]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 0);
}

/// Before the buffers of all CPUs are complete, events do not become slices.
#[test]
fn early_kernel_events_are_kept_with_their_fields() {
    let bundle = |cpu, complete_from, ts, text| {
        let mark = Proto::new().text(2, text);
        let event = Proto::new().int(1, ts).int(2, 7).message(3, mark);
        let bundle = Proto::new().int(1, cpu).message(2, event);
        Proto::new().message(1, bundle.int(10, complete_from))
    };
    let trace = read([
        bundle(1, 1_000, 1_500, "B|7|early\n"),
        bundle(0, 2_000, 2_200, "B|7|kept\n"),
    ]);
    assert_eq!(slices(&trace), [("", "kept", 2_200, -1)]);
    let event = trace.ftrace_events.row(0);
    let args = trace.args.set(event.arg_set_id);
    let args = args.map(|(key, value)| (trace.strings.get(key), value.display(&trace.strings)));
    assert_eq!(trace.strings.get(event.name), "print");
    assert_eq!(
        args.collect::<Vec<_>>(),
        [("buf", "B|7|early\n".to_owned())]
    );
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 0);
}
