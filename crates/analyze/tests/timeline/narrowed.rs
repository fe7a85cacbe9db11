//! Compares trees that are narrowed from the whole with trees counted from the slices.

use std::cmp::Ordering;

use proptest::prelude::*;
use traceloom_analyze::timeline::Timeline;
use traceloom_analyze::{CallTree, Measure, NodeId, TimeRange, TreeOptions, WholeTree};
use traceloom_trace::{SliceBegin, Trace, TraceBuilder};

use crate::made::{steps, trace_of};

/// A path with its sums: names from the thread on, calls, all inclusive times, all unfinished times.
type Path = (Vec<String>, u64, [i64; 5], [i64; 5]);

/// Every path of a tree, ordered by name, and a description of the threads.
fn paths(tree: &CallTree) -> (Vec<Path>, String) {
    let mut paths = Vec::new();
    for (nth, thread) in tree.threads.iter().enumerate() {
        for row in tree.rows_of(thread) {
            let node = NodeId(row as u32);
            let mut names = Vec::new();
            let mut at = node;
            while let Some(function) = tree.function_of(at) {
                // Slices that never ended have nodes of their own.
                let mark = ["", " …"][usize::from(tree.nodes.is_unfinished(at))];
                names.push(format!("{}{mark}", function.label()));
                at = tree.nodes.parent(at);
            }
            assert_eq!(at, thread.root);
            names.push(format!("{nth}"));
            names.reverse();
            paths.push((
                names,
                tree.nodes.calls(node),
                tree.nodes.inclusive_sums(node),
                Measure::ALL.map(|measure| tree.nodes.unfinished(node, measure)),
            ));
        }
    }
    paths.sort();
    assert_eq!(
        paths
            .windows(2)
            .find(|two| two[0].0.cmp(&two[1].0) != Ordering::Less),
        None
    );
    let threads = tree.threads.iter().map(|thread| {
        (
            thread.label(),
            thread.utid,
            thread.source,
            thread.first_ns,
            thread.last_ns,
        )
    });
    let threads: Vec<_> = threads.collect();
    let rest = (
        tree.clocks,
        tree.calls,
        tree.calls_of_threads(),
        tree.other_slices,
    );
    (paths, format!("{threads:?} {rest:?}"))
}

fn check(
    trace: &Trace,
    range: Option<TimeRange>,
    wanted: Option<&[bool]>,
) -> Result<(), TestCaseError> {
    let (timeline, whole) = (Timeline::new(trace), WholeTree::new(trace));
    let options = TreeOptions {
        range,
        all_tracks: false,
    };
    let counted = CallTree::of_tracks(trace, &options, wanted);
    let narrowed = whole.narrowed(trace, &timeline, range, wanted);
    prop_assert_eq!(paths(&narrowed), paths(&counted));
    Ok(())
}

/// Calls with a CPU clock that sometimes stops or steps back.
fn with_cpu_clocks(steps: &[(usize, u8, u8, i64)]) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("made", "test");
    let tracks = [10, 11, 12].map(|tid| {
        let utid = builder.thread(tid);
        builder.thread_track(utid)
    });
    let names = [b"a", b"b", b"c", b"d", b"e"].map(|name| builder.intern(name));
    let (mut ts, mut cpu) = (0i64, [0i64; 3]);
    for &(thread, what, name, later) in steps {
        ts += later.max(0);
        cpu[thread] = (cpu[thread] + later / 2 - i64::from(what == 7)).max(0);
        match what {
            0..10 => {
                let mut begin = SliceBegin::named(ts, names[usize::from(name)]);
                begin.thread_ts = if thread == 2 { -1 } else { cpu[thread] };
                builder.begin_slice(tracks[thread], begin);
            }
            _ => {
                let cpu = (thread != 2).then_some(cpu[thread]);
                builder.end_slice(tracks[thread], ts, cpu);
            }
        }
    }
    builder.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_range_is_what_its_slices_count(
        steps in steps(false, 150), methods: bool, from in -20..1500i64, length in -50..1200i64,
    ) {
        let trace = trace_of(&steps, methods, 0);
        let range = TimeRange { from_ns: from, to_ns: from + length };
        check(&trace, Some(range), None)?;
    }

    #[test]
    fn also_where_time_steps_back(
        steps in steps(true, 150), from in -300..600i64, length in 0..700i64,
    ) {
        let range = TimeRange { from_ns: from, to_ns: from + length };
        check(&trace_of(&steps, false, 0), Some(range), None)?;
    }

    #[test]
    fn also_on_clocks_of_threads(
        steps in steps(false, 150), from in -20..1500i64, length in 0..2000i64, is_in: [bool; 3],
    ) {
        let trace = with_cpu_clocks(&steps);
        let range = TimeRange { from_ns: from, to_ns: from + length };
        check(&trace, Some(range), None)?;
        let mut wanted = vec![true; trace.tracks.len()];
        wanted.iter_mut().zip(is_in).for_each(|(wanted, is_in)| *wanted = is_in);
        check(&trace, Some(range), Some(&wanted))?;
        check(&trace, None, Some(&wanted))?;
    }
}

#[test]
fn times_at_the_ends_of_the_numbers() {
    let mut builder = TraceBuilder::new();
    let utid = builder.thread(1);
    let track = builder.thread_track(utid);
    let name = builder.intern(b"a");
    for (ts, end) in [(i64::MIN, -5), (0, i64::MAX - 1), (i64::MAX - 1, i64::MAX)] {
        builder.begin_slice(track, SliceBegin::named(ts, name));
        builder.end_slice(track, end, None);
    }
    builder.begin_slice(track, SliceBegin::named(i64::MAX, name));
    let trace = builder.finish();
    for (from_ns, to_ns) in [
        (i64::MIN, 7),
        (i64::MIN, i64::MAX),
        (-9, i64::MAX),
        (3, i64::MAX),
    ] {
        check(&trace, Some(TimeRange { from_ns, to_ns }), None).unwrap();
    }
}
