use proptest::prelude::*;

use crate::{
    ArgValue, ClockKind, ClockRow, FlowRow, FtraceEventRow, MethodRow, NO_DURATION, NO_NUMBER,
    NO_TIME, Place, RepairKind, RowId, SchedSwitch, SchedTracker, SliceBegin, SliceId, SourceId,
    StringId, TaskState, ThreadId, Trace, TraceBuilder, TrackType,
};

/// After `wait` ns something happens to one of two threads, with one of a few names.
type Step = (i64, usize, usize, u8);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((-3i64..50, 0usize..2, 0usize..4, 0u8..8), 0..100)
}

/// A trace in which every table has rows that refer to rows of other tables.
fn build(title: &str, names: [&str; 4], start: i64, steps: &[Step]) -> Trace {
    let mut builder = TraceBuilder::new();
    let source = builder.begin_source(title, "test");
    builder.metadata("key", title);
    let names = names.map(|name| builder.intern(name.as_bytes()));
    let threads = [1, 2].map(|tid| builder.thread(tid));
    builder.put_in_process(threads[1], 2);
    let tracks = threads.map(|utid| builder.thread_track(utid));
    let counter = builder.global_track(TrackType::GlobalCounter, names[0]);
    let method = MethodRow {
        raw_id: 4,
        class: names[1],
        name: names[2],
        signature: names[3],
        file: StringId::NULL,
        line: 7,
        source,
    };
    builder.method(method);
    let mut sched = SchedTracker::default();
    let (mut ts, mut flow_from) = (start, None);
    for &(wait, thread, name, what) in steps {
        ts += wait;
        let (track, name) = (tracks[thread], names[name]);
        let args = builder.args([
            (name, ArgValue::Text(names[0])),
            (name, ArgValue::Int(wait)),
        ]);
        match what {
            0 | 1 => {
                let begin = SliceBegin {
                    arg_set_id: args,
                    ..SliceBegin::named(ts, name)
                };
                let slice = builder.begin_slice(track, begin);
                if let Some(slice_out) = flow_from.replace(slice) {
                    let flow = FlowRow {
                        slice_out,
                        slice_in: slice,
                        name,
                        trace_id: NO_NUMBER,
                    };
                    builder.flow(flow);
                }
            }
            2 | 3 => _ = builder.end_slice(track, ts, None),
            4 => builder.counter(counter, ts, wait as f64),
            5 => _ = builder.instant(track, ts, name, args),
            6 => {
                let switch = SchedSwitch {
                    ts,
                    cpu: 0,
                    prev: threads[1 - thread],
                    prev_priority: 120,
                    prev_state: TaskState::SLEEPING,
                    next: threads[thread],
                    next_priority: 120,
                    prev_is_idle: false,
                    next_is_idle: false,
                };
                sched.switch(&mut builder, switch);
            }
            _ => builder.ftrace_event(FtraceEventRow {
                ts,
                name,
                utid: threads[thread],
                cpu: 0,
                arg_set_id: args,
            }),
        }
        if wait < 0 {
            let place = Place::default().with_ts(ts);
            builder.repair(RepairKind::TimeWentBack, 1, place, String::new);
        }
    }
    builder.clock(ClockRow {
        source,
        clock: ClockKind::Monotonic,
        ts: start,
        value_ns: start,
        precision_ns: 0,
        name: title.to_owned(),
    });
    builder.finish()
}

/// All content of one source as text. Ids are replaced by what they refer to, and times are shifted back. Slices are
/// identified by their position among the slices of the source.
fn told(trace: &Trace, source: SourceId, shift: i64) -> Vec<String> {
    let text = |id| trace.strings.get(id);
    let time = |ts: i64| if ts == NO_TIME { ts } else { ts - shift };
    let end = trace.bounds.1;
    let on_track = |id: crate::TrackId| trace.tracks.source.get(id.row()) == source;
    let own: Vec<usize> = (0..trace.slices.len())
        .filter(|&row| on_track(trace.slices.track_id.get(row)))
        .collect();
    let slice = |id: SliceId| id.some().map(|id| own.binary_search(&id.row()).unwrap());
    let thread = |id: crate::ThreadId| id.some().map(|id| trace.threads.tid.get(id.row()));
    let track = |id: crate::TrackId| {
        let row = trace.tracks.row(id.row());
        format!("{:?} {} {:?}", row.kind, text(row.name), thread(row.utid))
    };
    let args = |id| -> Vec<String> {
        let set = trace.args.set(id);
        set.map(|(key, value)| format!("{}={}", text(key), value.display(&trace.strings)))
            .collect()
    };
    // An open run or state lasts until the end of its trace.
    let length = |ts: i64, dur: i64| if dur == NO_DURATION { end - ts } else { dur };
    let mut told = Vec::new();
    let mut add = |line: String| told.push(line);
    for row in trace.threads.rows().filter(|row| row.source == source) {
        let pid = row.upid.some().map(|id| trace.processes.pid.get(id.row()));
        add(format!("thread {} {pid:?} {}", row.tid, time(row.start_ts)));
    }
    for &row in &own {
        let row = trace.slices.row(row);
        let (parent, args) = (slice(row.parent_id), args(row.arg_set_id));
        add(format!(
            "slice {} {} {} {} {} {} {parent:?} {args:?}",
            time(row.ts),
            row.dur,
            row.instant,
            track(row.track_id),
            text(row.name),
            row.depth
        ));
    }
    for row in trace
        .flows
        .rows()
        .filter(|row| own.binary_search(&row.slice_out.row()).is_ok())
    {
        add(format!(
            "flow {:?} {:?} {}",
            slice(row.slice_out),
            slice(row.slice_in),
            text(row.name)
        ));
    }
    for row in trace.counters.rows().filter(|row| on_track(row.track_id)) {
        add(format!(
            "counter {} {} {}",
            time(row.ts),
            track(row.track_id),
            row.value
        ));
    }
    let of_thread = |id: crate::ThreadId| trace.threads.source.get(id.row()) == source;
    for row in trace.ftrace_events.rows().filter(|row| of_thread(row.utid)) {
        add(format!(
            "event {} {} {:?}",
            time(row.ts),
            text(row.name),
            args(row.arg_set_id)
        ));
    }
    for row in trace.sched_slices.rows().filter(|row| of_thread(row.utid)) {
        add(format!(
            "ran {} {} {:?}",
            time(row.ts),
            length(row.ts, row.dur),
            thread(row.utid)
        ));
    }
    for row in trace.thread_states.rows().filter(|row| of_thread(row.utid)) {
        add(format!(
            "state {} {} {}",
            time(row.ts),
            length(row.ts, row.dur),
            row.state
        ));
    }
    for row in trace.methods.rows().filter(|row| row.source == source) {
        add(format!(
            "method {} {} {}",
            text(row.class),
            text(row.name),
            text(row.signature)
        ));
    }
    for row in trace.metadata.rows().filter(|row| row.source == source) {
        add(format!("{} = {}", text(row.key), text(row.value)));
    }
    for row in trace.clocks.iter().filter(|row| row.source == source) {
        add(format!(
            "clock {} {} {}",
            time(row.ts),
            row.value_ns,
            row.name
        ));
    }
    for row in trace
        .repairs
        .rows()
        .iter()
        .filter(|row| row.source == source)
    {
        let ts = row.first.ts.map(time);
        add(format!(
            "repair {:?} {} {ts:?} {}",
            row.kind, row.count, row.detail
        ));
    }
    told
}

fn is_sorted(trace: &Trace) -> bool {
    trace.slices.ts.iter().is_sorted()
        && trace.counters.ts.iter().is_sorted()
        && trace.sched_slices.ts.iter().is_sorted()
        && trace.thread_states.ts.iter().is_sorted()
        && trace.ftrace_events.ts.iter().is_sorted()
        && trace.clocks.iter().map(|row| row.ts).is_sorted()
}

/// Open runs and states last to the end of their own trace, not to that of the merged one.
fn close(mut trace: Trace) -> Trace {
    trace.close_stretches(i64::MAX);
    trace
}

proptest! {
    #[test]
    fn each_source_keeps_its_rows(a in steps(), b in steps(), shift in -5_000i64..5_000) {
        let first = build("one", ["a", "b", "c", "d"], 1_000, &a);
        let second = build("two", ["c", "x", "a", "y"], 900, &b);
        let expected = [told(&close(first.clone()), SourceId(0), 0), told(&close(second.clone()), SourceId(0), 0)];
        let mut merged = first.clone();
        merged.append(second.clone(), shift);
        prop_assert!(is_sorted(&merged));
        let merged = close(merged);
        prop_assert_eq!(&told(&merged, SourceId(0), 0), &expected[0]);
        prop_assert_eq!(&told(&merged, SourceId(1), shift), &expected[1]);

        let mut builder = TraceBuilder::new();
        builder.append(first, 0);
        builder.append(second, shift);
        let built = builder.finish();
        prop_assert!(is_sorted(&built));
        prop_assert_eq!(built.bounds, merged.bounds);
        prop_assert_eq!(built.slices.len(), merged.slices.len());
    }
}

#[test]
fn a_builder_takes_a_first_trace_as_it_is() {
    let trace = build(
        "one",
        ["a", "b", "c", "d"],
        -50,
        &[(5, 0, 1, 0), (7, 0, 2, 0), (9, 0, 0, 2)],
    );
    let mut builder = TraceBuilder::new();
    builder.append(trace.clone(), 0);
    let again = builder.finish();
    assert_eq!(format!("{:?}", again.slices), format!("{:?}", trace.slices));
    assert_eq!(again.bounds, trace.bounds);
    assert_eq!(
        again.repairs.rows(),
        trace.repairs.rows(),
        "nothing is counted twice"
    );
}

#[test]
fn times_at_the_ends_of_the_clock_stay_there() {
    let mut merged = build("one", ["a", "b", "c", "d"], 0, &[(5, 0, 1, 0)]);
    let far = build("two", ["a", "b", "c", "d"], i64::MAX - 100, &[(5, 0, 1, 0)]);
    merged.append(far, 1_000_000);
    assert_eq!(merged.bounds, (5, i64::MAX));
    assert_eq!(merged.slices.ts.get(1), i64::MAX);
    let mut empty = Trace::default();
    empty.append(merged, -5);
    assert_eq!(empty.bounds.0, 0);
}

/// The tid, the name and the pid of each thread's process.
fn threads(trace: &Trace) -> Vec<(i64, &str, Option<i64>)> {
    let rows = trace.threads.rows();
    let facts = rows.map(|row| {
        let pid = row
            .upid
            .some()
            .map(|upid| trace.processes.pid.get(upid.row()));
        (row.tid, trace.strings.get(row.name), pid)
    });
    facts.collect()
}

/// A trace of one kernel, with or without an idle thread.
fn kernel(name: &str, pid: i64, has_idle: bool) -> Trace {
    let mut out = TraceBuilder::new();
    out.begin_source(name, "test");
    let app = out.thread(pid);
    out.put_in_process(app, pid);
    if has_idle {
        let idle = out.idle_thread();
        let name = out.intern(name.as_bytes());
        out.name_thread(idle, name);
        let track = out.thread_track(idle);
        out.instant(track, pid, name, Default::default());
    }
    out.finish()
}

/// There is one idle process, the first idle thread is the first row, and each kernel keeps its own.
#[test]
fn idle_rows_are_shared() {
    let idle = |name| (0, name, None);
    let app = |pid| (pid, "", Some(pid));
    let merged = |kernels: &[(&str, i64, bool)]| {
        let mut traces = kernels
            .iter()
            .map(|&(name, pid, idle)| kernel(name, pid, idle));
        let mut merged = traces.next().unwrap();
        traces.for_each(|trace| merged.append(trace, 0));
        merged
    };
    let one = merged(&[("a", 5, true), ("b", 6, false)]);
    assert_eq!(threads(&one), [idle("a"), app(5), app(6)]);
    let other = merged(&[("a", 5, false), ("b", 6, true)]);
    assert_eq!(threads(&other), [idle("b"), app(5), app(6)]);
    assert_eq!(other.threads.source.get(0), SourceId(1));
    let none = merged(&[("a", 5, false), ("b", 6, false)]);
    assert_eq!(threads(&none), [idle(""), app(5), app(6)]);
    assert_eq!(none.real_threads().count(), 2);
    let both = merged(&[("a", 5, true), ("b", 6, true), ("c", 7, false)]);
    assert_eq!(
        threads(&both),
        [idle("a"), app(5), idle("b"), app(6), app(7)]
    );
    assert_eq!(both.idle_threads(), [ThreadId(0), ThreadId(2)]);
    let owners: Vec<_> = both.tracks.utid.iter().collect();
    assert_eq!(owners, [ThreadId(0), ThreadId(2)]);
    for trace in [one, other, none, both] {
        let pids: Vec<_> = trace.processes.pid.iter().collect();
        assert_eq!(pids[..3], [0, 5, 6]);
        assert_eq!(trace.real_processes().count(), pids.len() - 1);
    }
}
