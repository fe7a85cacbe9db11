//! Hostile shapes.

use std::time::Instant;

use traceloom_analyze::timeline::{RangeScope, SliceRepair, Step, Timeline, Window};
use traceloom_trace::{RowId, SliceBegin, SliceId, Trace, TraceBuilder};

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
    let innermost = timeline.slice_of_thread_at(&trace, traceloom_trace::ThreadId(0), 100_000);
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
    // The outermost is the one without an end: it lasts as long as the trace.
    assert_eq!(timeline.end_of(&trace, 0), trace.bounds.1);
    let repairs = timeline.slice(&trace, SliceId::from_row(0)).repairs;
    assert_eq!(repairs, [SliceRepair::NeverEnded]);
    // No reader makes a slice that outlives the one around it, but other columns may hold one.
    let mut odd = trace.clone();
    *odd.slices.dur.get_mut(0) = 4;
    *odd.slices.dur.get_mut(1) = -1;
    *odd.slices.dur.get_mut(2) = -1;
    let timeline = Timeline::new(&odd);
    assert_eq!([0, 1, 2].map(|row| timeline.end_of(&odd, row)), [4, 4, 4]);
    let repairs = timeline.slice(&odd, SliceId::from_row(2)).repairs;
    assert_eq!(repairs, [SliceRepair::ClosedByParent]);
}
