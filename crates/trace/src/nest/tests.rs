use proptest::prelude::*;

use crate::{
    FlowRow, NO_DURATION, NO_NUMBER, RowId, SliceBegin, SliceId, SliceRow, Trace, TraceBuilder,
    TrackType,
};

/// The name, start, depth and parent's name of each slice.
fn nested(trace: &Trace) -> Vec<(String, i64, u32, String)> {
    let name = |slice: SliceId| trace.slice_name(slice);
    let facts = |(row, slice): (usize, SliceRow)| {
        let parent = slice.parent_id.some().map(name).unwrap_or_default();
        (name(SliceId::from_row(row)), slice.ts, slice.depth, parent)
    };
    trace.slices.rows().enumerate().map(facts).collect()
}

#[test]
fn the_drawing_above() {
    let mut out = TraceBuilder::new();
    let [a, b, tap] = ["a", "b", "tap"].map(|name| out.intern(name.as_bytes()));
    let track = out.global_track(TrackType::GlobalSlice, a);
    for ts in 1..=4 {
        out.instant(track, ts, tap, Default::default());
    }
    out.begin_slice(track, SliceBegin::named(1, a));
    out.whole_slice(track, SliceBegin::named(2, b), 1);
    out.end_slice(track, 4, None);
    let trace = out.finish();
    let expected = [
        ("a", 1, 0, ""),
        ("tap", 1, 1, "a"),
        ("b", 2, 1, "a"),
        ("tap", 2, 2, "b"),
        ("tap", 3, 1, "a"),
        ("tap", 4, 0, ""),
    ];
    let expected =
        expected.map(|(name, ts, depth, parent)| (name.into(), ts, depth, parent.into()));
    assert_eq!(nested(&trace), expected);
}

#[test]
fn calls_in_order_tell_what_an_instant_is_inside() {
    let mut out = TraceBuilder::new();
    let [a, b, tap] = ["a", "b", "tap"].map(|name| out.intern(name.as_bytes()));
    let [track, other] = [a, b].map(|name| out.global_track(TrackType::GlobalSlice, name));
    out.begin_slice(track, SliceBegin::named(1, a));
    out.nested_instant(track, 3, tap, Default::default());
    out.end_slice(track, 3, None);
    out.nested_instant(track, 3, tap, Default::default());
    out.begin_slice(track, SliceBegin::named(3, b));
    out.begin_slice(other, SliceBegin::named(3, b));
    let mut trace = out.finish();
    let expected = [
        ("a", 1, 0, ""),
        ("tap", 3, 1, "a"),
        ("tap", 3, 0, ""),
        ("b", 3, 0, ""),
        ("b", 3, 0, ""),
    ];
    let expected =
        expected.map(|(name, ts, depth, parent)| (name.into(), ts, depth, parent.into()));
    assert_eq!(nested(&trace), expected);
    trace.put_in_order();
    assert_eq!(nested(&trace), expected, "sorting again changes nothing");
}

#[test]
fn a_slice_that_never_ended_is_open_until_the_slice_around_it_ends() {
    let mut out = TraceBuilder::new();
    let [a, b, tap] = ["a", "b", "tap"].map(|name| out.intern(name.as_bytes()));
    let track = out.global_track(TrackType::GlobalSlice, a);
    let outer = out.begin_slice(track, SliceBegin::named(0, a));
    out.begin_slice(track, SliceBegin::named(1, b));
    let mut trace = out.finish();
    *trace.slices.dur.get_mut(outer.row()) = 10;
    for ts in [5, 15] {
        let instant = SliceRow::instant(ts, track, tap, Default::default());
        trace.slices.push(instant);
    }
    trace.put_in_order();
    let taps: Vec<_> = nested(&trace).split_off(2);
    let expected = [("tap", 5, 2, "b"), ("tap", 15, 0, "")];
    let expected =
        expected.map(|(name, ts, depth, parent)| (name.into(), ts, depth, parent.into()));
    assert_eq!(taps, expected);
}

/// After `wait` ns, one of two tracks has an event.
type Step = (i64, usize, u8);

/// A trace with spans, instants, and flows between slices. Each slice's name is unique.
fn build(steps: &[Step]) -> (Trace, Vec<[String; 2]>) {
    let mut out = TraceBuilder::new();
    let names = [1, 2].map(|number| out.intern(format!("track {number}").as_bytes()));
    let tracks = names.map(|name| out.global_track(TrackType::GlobalSlice, name));
    let (mut ts, mut last, mut flows) = (0, None, Vec::new());
    for (number, &(wait, track, what)) in steps.iter().enumerate() {
        ts += wait;
        let name = out.intern(format!("{number}").as_bytes());
        let slice_in = match what {
            0 | 1 => out.begin_slice(tracks[track], SliceBegin::named(ts, name)),
            2 | 3 => {
                out.end_slice(tracks[track], ts, None);
                continue;
            }
            _ => out.instant(tracks[track], ts, name, Default::default()),
        };
        if let Some(slice_out) = last.replace(slice_in) {
            flows.push([slice_out, slice_in].map(|slice| out.trace().slice_name(slice)));
            out.flow(FlowRow {
                slice_out,
                slice_in,
                name,
                trace_id: NO_NUMBER,
            });
        }
    }
    (out.finish(), flows)
}

/// The innermost open slice as the documentation defines it, found by looking at all spans.
fn innermost(trace: &Trace, track: crate::TrackId, ts: i64) -> Option<String> {
    let is_open = |row: SliceRow| {
        row.ts <= ts && (row.dur == NO_DURATION || ts < row.ts.saturating_add(row.dur))
    };
    let with_all_around = |slice: SliceId| {
        let mut at = slice.some();
        while let Some(slice) = at {
            let row = trace.slices.row(slice.row());
            if !is_open(row) {
                return false;
            }
            at = row.parent_id.some();
        }
        true
    };
    let slices = trace.slices.spans().map(SliceId::from_row);
    slices
        .filter(|slice| trace.slices.track_id.get(slice.row()) == track && with_all_around(*slice))
        .max_by_key(|slice| trace.slices.depth.get(slice.row()))
        .map(|slice| trace.slice_name(slice))
}

/// The depth of a slice: how many slices are around it.
fn depth(trace: &Trace, row: SliceRow) -> u32 {
    let around = |slice: &SliceId| trace.slices.parent_id.get(slice.row()).some();
    std::iter::successors(row.parent_id.some(), around).count() as u32
}

proptest! {
    #[test]
    fn instants_are_inside_the_innermost_open_slice(
        steps in prop::collection::vec((0i64..4, 0usize..2, 0u8..6), 0..60)
    ) {
        let (trace, flows) = build(&steps);
        prop_assert!(trace.slices.rows().is_sorted_by_key(|row| (row.ts, row.instant)));
        prop_assert_eq!(trace.slices.spans().count(), trace.slices.span_count());
        let ends = |row: FlowRow| [row.slice_out, row.slice_in].map(|slice| trace.slice_name(slice));
        prop_assert_eq!(trace.flows.rows().map(ends).collect::<Vec<_>>(), flows);
        for row in trace.slices.rows() {
            prop_assert_eq!(row.depth, depth(&trace, row));
            let parent = row.parent_id.some();
            prop_assert!(parent.is_none_or(|parent| !trace.slices.is_instant(parent.row())));
            if row.instant {
                let parent = parent.map(|parent| trace.slice_name(parent));
                prop_assert_eq!(parent, innermost(&trace, row.track_id, row.ts));
                prop_assert_eq!(row.dur, 0);
            }
        }
    }
}
