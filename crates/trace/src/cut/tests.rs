use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{
    FtraceEventRow, NO_DURATION, RowId, SchedSwitch, SchedTracker, SliceBegin, SliceId, TaskState,
    ThreadId, Trace, TraceBuilder, TrackType,
};

/// A step of a random trace: after `wait` ns, a call or a return on one of two threads.
#[derive(Clone, Copy, Debug)]
struct Step {
    wait: i64,
    thread: usize,
    name: usize,
    begin: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0i64..50, 0usize..2, 0usize..4, any::<bool>());
    let step = step.prop_map(|(wait, thread, name, begin)| Step {
        wait,
        thread,
        name,
        begin,
    });
    prop::collection::vec(step, 0..120)
}

/// A trace with slices, a counter, instants and switches; half of wall time is CPU time.
fn build(steps: &[Step]) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("random", "test");
    let names = ["a", "b", "c", "d"].map(|name| builder.intern(name.as_bytes()));
    let threads = [1, 2].map(|tid| builder.thread(tid));
    let tracks = threads.map(|utid| builder.thread_track(utid));
    let counter = builder.global_track(TrackType::GlobalCounter, names[0]);
    let mut sched = SchedTracker::default();
    let mut ts = 1_000;
    for step in steps {
        ts += step.wait;
        let (track, name) = (tracks[step.thread], names[step.name]);
        if step.begin {
            let begin = SliceBegin {
                thread_ts: ts / 2,
                ..SliceBegin::named(ts, name)
            };
            builder.begin_slice(track, begin);
        } else {
            builder.end_slice(track, ts, Some(ts / 2));
        }
        match step.name {
            0 => builder.counter(counter, ts, step.wait as f64),
            1 => _ = builder.instant(track, ts, name, Default::default()),
            2 => {
                let next = threads[step.thread];
                let prev = threads[1 - step.thread];
                sched.switch(&mut builder, switch(ts, prev, next));
            }
            _ => builder.ftrace_event(FtraceEventRow {
                ts,
                name,
                utid: threads[step.thread],
                cpu: 0,
                arg_set_id: Default::default(),
            }),
        };
    }
    builder.finish()
}

fn switch(ts: i64, prev: ThreadId, next: ThreadId) -> SchedSwitch {
    SchedSwitch {
        ts,
        cpu: 0,
        prev,
        prev_priority: 120,
        prev_state: TaskState::SLEEPING,
        next,
        next_priority: 120,
        prev_is_idle: false,
        next_is_idle: false,
    }
}

/// The time, CPU time and number of calls of each call path in a range.
fn profile(trace: &Trace, from: i64, until: i64) -> BTreeMap<String, (i64, i64, usize)> {
    let mut profile = BTreeMap::new();
    for row in 0..trace.slices.len() {
        let extent = |slice: SliceId| (trace.slices.ts.get(slice.row()), trace.slice_end(slice));
        let is_out = |(ts, end): (i64, i64)| ts >= until || (end <= from && ts < from);
        let (ts, end) = extent(SliceId(row as u32));
        if is_out((ts, end)) {
            continue;
        }
        let mut path = format!("track {}", trace.slices.track_id.get(row).0);
        let mut at = Some(SliceId(row as u32));
        while let Some(slice) = at {
            // A slice that ends exactly at the start of the range may contain a slice without
            // duration there.
            if !is_out(extent(slice)) {
                path = format!("{} < {path}", trace.slice_name(slice));
            }
            at = trace.slices.parent_id.get(slice.row()).some();
        }
        let (first, last) = (ts.max(from), end.min(until));
        let sums = profile.entry(path).or_insert((0, 0, 0));
        sums.0 += last - first;
        sums.1 += if trace.slices.dur.get(row) == NO_DURATION {
            0
        } else {
            last / 2 - first / 2
        };
        sums.2 += 1;
    }
    profile
}

/// The time of each (thread, state) or (cpu, thread) in a range.
fn stretches(trace: &Trace, from: i64, until: i64) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    let mut add = |key: String, ts: i64, dur: i64| {
        let end = match dur {
            NO_DURATION => trace.bounds.1,
            dur => ts + dur,
        };
        let inside = end.min(until) - ts.max(from);
        if inside > 0 {
            *sums.entry(key).or_default() += inside;
        }
    };
    for row in trace.thread_states.rows() {
        add(format!("{:?} {}", row.utid, row.state), row.ts, row.dur);
    }
    for row in trace.sched_slices.rows() {
        add(format!("{} {:?}", row.cpu, row.utid), row.ts, row.dur);
    }
    sums
}

/// The value of the counter at a time.
fn value_at(trace: &Trace, ts: i64) -> Option<f64> {
    let before = trace.counters.rows().take_while(|row| row.ts <= ts);
    before.last().map(|row| row.value)
}

proptest! {
    #[test]
    fn the_cut_says_what_the_range_said(
        steps in steps(),
        from in 900i64..3_000,
        length in 1i64..2_500,
    ) {
        let until = from + length;
        let trace = build(&steps);
        let cut = trace.cut(from, until);
        let (all_from, all_until) = (i64::MIN / 4, i64::MAX / 4);
        prop_assert_eq!(
            profile(&trace, from, until),
            profile(&cut, all_from, all_until)
        );
        prop_assert_eq!(
            stretches(&trace, from, until),
            stretches(&cut, all_from, all_until)
        );
        for ts in [from, from + length / 2, until - 1] {
            prop_assert_eq!(value_at(&trace, ts), value_at(&cut, ts));
        }
        let inside = |ts: &i64| (from..until).contains(ts);
        let instants = trace.slices.instants().map(|row| trace.slices.ts.get(row));
        prop_assert_eq!(instants.filter(inside).count(), cut.slices.instants().count());
        let events = trace.ftrace_events.ts.iter().filter(inside).count();
        prop_assert_eq!(events, cut.ftrace_events.len());
        check_shape(&cut, from, until)?;
        // Cutting the result again changes nothing.
        let again = cut.cut(from, until);
        prop_assert!(cut.slices.rows().eq(again.slices.rows()));
        prop_assert!(cut.counters.rows().eq(again.counters.rows()));
        prop_assert!(cut.thread_states.rows().eq(again.thread_states.rows()));
    }
}

fn check_shape(cut: &Trace, from: i64, until: i64) -> Result<(), TestCaseError> {
    for (row, slice) in cut.slices.rows().enumerate() {
        prop_assert!(slice.ts >= from && slice.ts < until);
        prop_assert!(slice.dur == NO_DURATION || slice.ts + slice.dur <= until);
        match slice.parent_id.some() {
            None => prop_assert_eq!(slice.depth, 0),
            Some(parent) => {
                prop_assert!(parent.row() < row);
                let around = cut.slices.row(parent.row());
                prop_assert_eq!(
                    (around.depth + 1, around.track_id),
                    (slice.depth, slice.track_id)
                );
            }
        }
    }
    prop_assert!(cut.slices.ts.iter().is_sorted());
    prop_assert!(cut.counters.ts.iter().is_sorted());
    prop_assert!(cut.bounds.0 <= cut.bounds.1 && cut.bounds.1 <= until.max(cut.bounds.0));
    Ok(())
}

#[test]
fn the_drawing_of_the_docs() {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(1);
    let track = builder.thread_track(main);
    let mut slice = |ts: i64, dur: i64, name: &str| {
        let name = builder.intern(name.as_bytes());
        builder.begin_slice(track, SliceBegin::named(ts, name));
        if dur >= 0 {
            builder.end_slice(track, ts + dur, None);
        }
    };
    slice(0, 5, "d");
    slice(7, NO_DURATION, "a");
    slice(14, 2, "b");
    slice(18, NO_DURATION, "c");
    builder.end_slice(track, 40, None);
    let cut = builder.finish().cut(10, 30);
    let rows: Vec<_> = (0..cut.slices.len())
        .map(|row| {
            let slice = cut.slices.row(row);
            let name = cut.slice_name(SliceId(row as u32));
            (name, slice.ts, slice.dur, slice.depth)
        })
        .collect();
    let expected = [("a", 10, -1, 0), ("b", 14, 2, 1), ("c", 18, 12, 1)];
    assert_eq!(
        rows,
        expected.map(|(name, ts, dur, depth)| (name.to_owned(), ts, dur, depth))
    );
    assert_eq!(cut.metadata("cut"), Some("10..30 ns"));
    assert_eq!(cut.bounds, (10, 30));
}
