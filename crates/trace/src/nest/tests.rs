use proptest::prelude::*;

use crate::{
    FlowRow, NO_DURATION, RowId, SliceBegin, SliceId, SliceRow, StringId, Trace, TraceBuilder,
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
    let mut trace = out.finish();
    trace.nest_instants();
    assert!(trace.instants.is_empty());
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
fn a_slice_that_never_ended_is_open_until_the_slice_around_it_ends() {
    let mut out = TraceBuilder::new();
    let [a, b, tap] = ["a", "b", "tap"].map(|name| out.intern(name.as_bytes()));
    let track = out.global_track(TrackType::GlobalSlice, a);
    let outer = out.begin_slice(track, SliceBegin::named(0, a));
    out.begin_slice(track, SliceBegin::named(1, b));
    for ts in [5, 15] {
        out.instant(track, ts, tap, Default::default());
    }
    let mut trace = out.finish();
    *trace.slices.dur.get_mut(outer.row()) = 10;
    trace.nest_instants();
    let taps: Vec<_> = nested(&trace).split_off(2);
    let expected = [("tap", 5, 2, "b"), ("tap", 15, 0, "")];
    let expected =
        expected.map(|(name, ts, depth, parent)| (name.into(), ts, depth, parent.into()));
    assert_eq!(taps, expected);
}

/// After `wait` ns, one of two tracks has an event.
type Step = (i64, usize, u8);

/// A trace with slices, instants, and flows between slices. Each slice's name is unique.
fn build(steps: &[Step]) -> Trace {
    let mut out = TraceBuilder::new();
    let names = [1, 2].map(|number| out.intern(format!("track {number}").as_bytes()));
    let tracks = names.map(|name| out.global_track(TrackType::GlobalSlice, name));
    let (mut ts, mut last) = (0, None);
    for (number, &(wait, track, what)) in steps.iter().enumerate() {
        ts += wait;
        let name = out.intern(format!("{number}").as_bytes());
        match what {
            0 | 1 => {
                let slice_in = out.begin_slice(tracks[track], SliceBegin::named(ts, name));
                if let Some(slice_out) = last.replace(slice_in) {
                    out.flow(FlowRow {
                        slice_out,
                        slice_in,
                        name,
                    });
                }
            }
            2 | 3 => _ = out.end_slice(tracks[track], ts, None),
            _ => out.instant(tracks[track], ts, name, Default::default()),
        }
    }
    out.finish()
}

/// The innermost open slice as the documentation defines it, found by looking at all slices.
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
    let slices = (0..trace.slices.len()).map(SliceId::from_row);
    slices
        .filter(|slice| trace.slices.track_id.get(slice.row()) == track && with_all_around(*slice))
        .max_by_key(|slice| trace.slices.depth.get(slice.row()))
        .map(|slice| trace.slice_name(slice))
}

fn flows(trace: &Trace) -> Vec<(String, String)> {
    let flow = |row: FlowRow| {
        (
            trace.slice_name(row.slice_out),
            trace.slice_name(row.slice_in),
        )
    };
    trace.flows.rows().map(flow).collect()
}

proptest! {
    #[test]
    fn instants_are_inside_the_innermost_open_slice(
        steps in prop::collection::vec((0i64..4, 0usize..2, 0u8..6), 0..60)
    ) {
        let old = build(&steps);
        let mut new = old.clone();
        new.nest_instants();
        prop_assert_eq!(new.slices.len(), old.slices.len() + old.instants.len());
        prop_assert!(new.slices.ts.iter().is_sorted());
        prop_assert_eq!(flows(&new), flows(&old));
        let instant_names: Vec<StringId> = old.instants.name.iter().collect();
        let (instants, slices): (Vec<_>, Vec<_>) = nested(&new)
            .into_iter()
            .zip(new.slices.rows())
            .partition(|(_, row)| instant_names.contains(&row.name));
        let slices: Vec<_> = slices.into_iter().map(|(facts, _)| facts).collect();
        prop_assert_eq!(slices, nested(&old));
        for ((_, ts, depth, parent), row) in instants {
            let expected = innermost(&old, row.track_id, ts);
            prop_assert_eq!(row.dur, 0);
            prop_assert_eq!(&parent, &expected.unwrap_or_default());
            let above = row.parent_id.some().map(|parent| new.slices.depth.get(parent.row()) + 1);
            prop_assert_eq!(depth, above.unwrap_or(0));
        }
    }
}
