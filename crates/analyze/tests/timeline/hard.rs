//! Hostile traces.

use std::time::Instant;

use traceloom_analyze::timeline::{RangeScope, SliceRepair, Step, Timeline, Window};
use traceloom_analyze::{CallTree, Profile, ProfileOptions, TreeOptions};
use traceloom_trace::{RowId, SliceBegin, SliceId, Trace, TraceBuilder, TrackType};

fn deep(levels: i64, names: usize) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source("deep", "test");
    let utid = builder.thread(1);
    let track = builder.thread_track(utid);
    let names: Vec<_> = (0..names)
        .map(|n| builder.intern(format!("f{n}").as_bytes()))
        .collect();
    for level in 0..levels {
        let name = names[level as usize % names.len()];
        builder.begin_slice(track, SliceBegin::named(level, name));
    }
    for level in 0..levels - 1 {
        builder.end_slice(track, levels + level, None);
    }
    builder.finish()
}

#[test]
fn a_hundred_thousand_levels() {
    let trace = deep(100_000, 50_000);
    let start = Instant::now();
    let timeline = Timeline::new(&trace);
    let window = Window {
        from_ns: 0,
        to_ns: 200_000,
        px_ns: 100.0,
    };
    assert_eq!(timeline.rows.all[0].levels, 100_000);
    let some = timeline.window(&trace, 0, &window, 70_000..70_010).slices;
    assert_eq!(
        some.iter().map(|slice| slice.level).collect::<Vec<_>>(),
        (70_000..70_010).collect::<Vec<_>>()
    );
    assert_eq!(
        timeline
            .window(&trace, 0, &window, 0..u32::MAX)
            .slices
            .len(),
        100_000
    );
    let (stats, hidden) = timeline
        .by_name(&trace, &RangeScope::default(), 10, &|| false)
        .unwrap();
    assert_eq!((stats.len(), stats[0].count, hidden), (10, 2, 49_990));
    let inner = SliceId::from_row(99_999);
    assert_eq!(timeline.slice(&trace, inner).self_ns, 1);
    assert_eq!(
        timeline.neighbour(&trace, inner, Step::Parent),
        Some(SliceId::from_row(99_998))
    );
    assert_eq!(timeline.neighbour(&trace, inner, Step::Child), None);
    let innermost = timeline.slice_of_thread_at(&trace, traceloom_trace::ThreadId(1), 100_000);
    assert_eq!(innermost, Some(SliceId::from_row(99_998)));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn forty_thousand_threads() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("wide", "test");
    let name = builder.intern(b"work");
    for tid in 0..40_000 {
        let utid = builder.thread(tid + 1);
        builder.put_in_process(utid, tid % 3 + 1);
        let track = builder.thread_track(utid);
        builder.whole_slice(track, SliceBegin::named(tid, name), 10);
    }
    let trace = builder.finish();
    let start = Instant::now();
    let timeline = Timeline::new(&trace);
    assert_eq!(timeline.rows.all.len(), 40_003);
    let window = Window {
        from_ns: 0,
        to_ns: 50_000,
        px_ns: 50.0,
    };
    for row in 0..timeline.rows.all.len() as u32 {
        timeline.window(&trace, row, &window, 0..u32::MAX);
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn slices_that_never_end() {
    let trace = deep(3, 3);
    let timeline = Timeline::new(&trace);
    // The outermost slice has no end, so it lasts as long as the trace.
    assert_eq!(timeline.end_of(&trace, 0), trace.bounds.1);
    let repairs = timeline.slice(&trace, SliceId::from_row(0)).repairs;
    assert_eq!(repairs, [SliceRepair::NeverEnded]);
    // No reader creates a slice that outlives its parent, but columns from elsewhere may contain
    // one.
    let mut odd = trace.clone();
    *odd.slices.dur.get_mut(0) = 4;
    *odd.slices.dur.get_mut(1) = -1;
    *odd.slices.dur.get_mut(2) = -1;
    let timeline = Timeline::new(&odd);
    assert_eq!([0, 1, 2].map(|row| timeline.end_of(&odd, row)), [4, 4, 4]);
    let repairs = timeline.slice(&odd, SliceId::from_row(2)).repairs;
    assert_eq!(repairs, [SliceRepair::ClosedByParent]);
}

/// A slice of 100 ns that ends, and one that does not, starting at 10.
fn half_open(title: &str, from: i64) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.begin_source(title, "test");
    for (tid, ends) in [(1, true), (2, false)] {
        let utid = builder.thread(tid);
        let track = builder.thread_track(utid);
        let name = builder.intern(b"work");
        if ends {
            builder.whole_slice(track, SliceBegin::named(from, name), 100);
        } else {
            builder.begin_slice(track, SliceBegin::named(from + 10, name));
        }
    }
    builder.finish()
}

#[test]
fn what_never_ended_lasts_as_long_as_its_own_input() {
    let mut trace = half_open("first", 0);
    trace.append(half_open("second", 1000), 0);
    let timeline = Timeline::new(&trace);
    let ends: Vec<i64> = (0..4).map(|row| timeline.end_of(&trace, row)).collect();
    assert_eq!(ends, [100, 100, 1100, 1100]);
    let tree = CallTree::from_trace(&trace, &TreeOptions::default());
    let total = |thread: &traceloom_analyze::TreeThread| thread.last_ns;
    assert_eq!(
        tree.threads.iter().map(total).collect::<Vec<_>>(),
        [100, 100, 1100, 1100]
    );
    let work = Profile::new(&tree, &ProfileOptions::for_tree(&tree));
    assert_eq!(work.rows[0].inclusive.wall_ns, Some(2 * 100));
    let unfinished = work.rows[0].unfinished.unwrap_or_default();
    assert_eq!(unfinished.wall_ns, Some(2 * 90));
}

#[test]
fn fifty_thousand_async_names_are_one_row() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("input", "test");
    let utid = builder.thread(1);
    let upid = builder.put_in_process(utid, 1);
    for n in 0..50_000i64 {
        let name = builder.intern(format!("deliverInputEvent src=0x1002 id={n:#x}").as_bytes());
        let track = builder.process_track(TrackType::AtraceAsyncSlice, upid, name);
        // Half of them last until the end, which gives the maximum number of levels.
        let dur = if n % 2 == 0 { 10 } else { 1_000_000 };
        builder.whole_slice(track, SliceBegin::named(n * 10, name), dur);
    }
    let trace = builder.finish();
    let start = Instant::now();
    let timeline = Timeline::new(&trace);
    let row = timeline
        .rows
        .all
        .iter()
        .position(|row| row.name == "deliverInputEvent");
    let row = row.expect("one row") as u32;
    assert_eq!(timeline.rows.all[row as usize].note, "50000 names");
    assert_eq!(timeline.rows.all[row as usize].levels, 25_000);
    let window = Window {
        from_ns: 0,
        to_ns: 2_000_000,
        px_ns: 2_000.0,
    };
    // On the lowest level there is one slice in each pixel, at the place that its row and level
    // give.
    let lowest = timeline.window(&trace, row, &window, 0..1).slices;
    assert!(lowest.len() <= 1000, "{}", lowest.len());
    for shown in timeline.window(&trace, row, &window, 0..u32::MAX).slices {
        assert_eq!(
            timeline.place_of(&trace, SliceId(shown.id)),
            (row, shown.level)
        );
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn async_names_that_differ_in_numbers_share_a_row() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("input", "test");
    let utid = builder.thread(1);
    let upid = builder.put_in_process(utid, 1);
    for (ts, dur, name) in [
        (0, 100, "input id=1"),
        (10, 50, "input id=2"),
        (20, 30, "launching: com.example"),
        (60, 10, "input id=3"),
        (100, 10, "input id=1"),
        (105, 10, "input id=4"),
    ] {
        let name = builder.intern(name.as_bytes());
        let track = builder.process_track(TrackType::AtraceAsyncSlice, upid, name);
        builder.whole_slice(track, SliceBegin::named(ts, name), dur);
    }
    let trace = builder.finish();
    let timeline = Timeline::new(&trace);
    let row = |slice| timeline.place_of(&trace, SliceId(slice));
    let [(input, _), (launching, _)] = [row(0), row(2)];
    assert_ne!(input, launching);
    let places: Vec<_> = [0, 1, 3, 4, 5].map(row).into();
    assert_eq!(places, [0, 1, 1, 0, 1].map(|level| (input, level)));
    let rows = &timeline.rows.all;
    assert_eq!(
        (&*rows[input as usize].name, &*rows[input as usize].note),
        ("input", "4 names")
    );
    let beside = |slice, step| {
        timeline
            .neighbour(&trace, SliceId(slice), step)
            .map(|id| id.0)
    };
    assert_eq!(beside(1, Step::Next), Some(3));
    assert_eq!(beside(4, Step::Previous), Some(0));
}
