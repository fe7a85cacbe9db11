//! Windows leave out only slices that would not have been visible.

use std::collections::BTreeSet;

use proptest::prelude::*;
use traceloom_analyze::timeline::{ShownState, Spans, StateKind, Timeline, Window, state_extent};
use traceloom_trace::{RowId, ThreadId, Trace, TrackId};

use crate::made::{steps, trace_of};

fn window(from_ns: i64, length: i64, px_ns: f64) -> Window {
    Window {
        from_ns,
        to_ns: from_ns.saturating_add(length),
        px_ns,
    }
}

/// The pixels of the window that a span covers, counted one by one with integers.
fn pixels(window: &Window, start: i64, end: i64) -> Vec<i64> {
    let px = window.px_ns as i64;
    let (start, end) = (
        i128::from(start),
        i128::from(end).max(i128::from(start) + 1),
    );
    let from = i128::from(window.from_ns);
    let last = (i128::from(window.to_ns) - from - 1) / i128::from(px);
    let pixel = |ts: i128| (ts - from).div_euclid(i128::from(px));
    (pixel(start).max(0)..=pixel(end - 1).min(last))
        .map(|pixel| pixel as i64)
        .collect()
}

/// All slices that the table has on a level of a track, in order, with their ends.
fn level(trace: &Trace, timeline: &Timeline, track: TrackId, level: u32) -> Vec<(u32, i64, i64)> {
    trace
        .slices
        .spans()
        .filter(|&row| {
            trace.slices.track_id.get(row) == track && trace.slices.depth.get(row) == level
        })
        .map(|row| {
            (
                row as u32,
                trace.slices.ts.get(row),
                timeline.end_of(trace, row),
            )
        })
        .collect()
}

fn check(trace: &Trace, window: &Window) -> Result<(), TestCaseError> {
    let timeline = Timeline::new(trace);
    for row in 0..timeline.rows.all.len() as u32 {
        let shown = timeline.window(trace, row, window, 0..u32::MAX);
        let all = timeline.window(
            trace,
            row,
            &Window {
                px_ns: 0.0,
                ..*window
            },
            0..u32::MAX,
        );
        if timeline.rows.all[row as usize].utid == ThreadId::NONE {
            continue;
        }
        for &(track, first) in timeline.rows.tracks(row) {
            for at in 0..timeline.lanes.levels(track) {
                let plain: Vec<_> = level(trace, &timeline, track, at)
                    .into_iter()
                    .filter(|(_, ts, end)| window.shows(*ts, *end))
                    .collect();
                let of =
                    |slices: &[traceloom_analyze::timeline::ShownSlice]| -> Vec<(u32, i64, i64)> {
                        let level = slices.iter().filter(|slice| slice.level == first + at);
                        level.map(|slice| (slice.id, slice.ts, slice.end)).collect()
                    };
                prop_assert_eq!(&of(&all.slices), &plain);
                let shown = of(&shown.slices);
                prop_assert!(shown.iter().all(|slice| plain.contains(slice)));
                let paint = |slices: &[(u32, i64, i64)]| -> BTreeSet<i64> {
                    slices
                        .iter()
                        .flat_map(|(_, ts, end)| pixels(window, *ts, *end))
                        .collect()
                };
                prop_assert_eq!(paint(&shown), paint(&plain));
                let seen = paint(&plain).len();
                prop_assert!(
                    shown.len() <= seen + 1,
                    "{} slices for {} pixels",
                    shown.len(),
                    seen
                );
            }
        }
        check_states(trace, &timeline, row, window, &shown.states)?;
    }
    Ok(())
}

/// Every pixel covered by a running, runnable or blocked state is covered by one that is shown.
fn check_states(
    trace: &Trace,
    timeline: &Timeline,
    row: u32,
    window: &Window,
    shown: &[ShownState],
) -> Result<(), TestCaseError> {
    let utid = timeline.rows.all[row as usize].utid;
    let states = timeline.states_of(utid).iter().map(|&row| {
        let (ts, end) = state_extent(trace, row as usize);
        (ts, end, StateKind::from_row(trace, row as usize))
    });
    let plain: Vec<_> = states
        .filter(|(ts, end, _)| window.shows(*ts, *end))
        .collect();
    for quiet in [false, true] {
        let is_wanted = |kind: StateKind| quiet || !kind.is_quiet();
        let plain: BTreeSet<i64> = plain
            .iter()
            .filter(|(.., kind)| is_wanted(*kind))
            .flat_map(|(ts, end, _)| pixels(window, *ts, *end))
            .collect();
        let shown: BTreeSet<i64> = shown
            .iter()
            .filter(|state| is_wanted(state.state))
            .flat_map(|state| pixels(window, state.ts, state.end))
            .collect();
        prop_assert_eq!(&shown, &plain);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_same_pixels_as_a_plain_painter(
        steps in steps(false, 120), methods: bool, from in -20..800i64, length in 1..1200i64, px in 1..60i64,
    ) {
        check(&trace_of(&steps, methods, 0), &window(from, length, px as f64))?;
    }

    #[test]
    fn also_where_time_steps_back(
        steps in steps(true, 120), from in -200..400i64, length in 1..700i64, px in 1..60i64,
    ) {
        check(&trace_of(&steps, false, 0), &window(from, length, px as f64))?;
    }

    #[test]
    fn also_at_the_ends_of_time(
        steps in steps(false, 60), late: bool, length in 1..700i64, px in 1..60i64,
    ) {
        // i64::MIN is reserved; it means that a time is unknown.
        let origin = if late { i64::MAX - 200 } else { i64::MIN + 1 };
        check(&trace_of(&steps, false, origin), &window(origin, length, px as f64))?;
    }

    #[test]
    fn counters_show_all_extremes(
        steps in steps(false, 300), from in -20..800i64, length in 1..1200i64, px in 1..60i64,
    ) {
        let trace = trace_of(&steps, false, 0);
        let (timeline, window) = (Timeline::new(&trace), window(from, length, px as f64));
        for (at, row) in timeline.rows.all.iter().enumerate().filter(|(_, row)| row.extremes.0.is_finite()) {
            let shown = timeline.window(&trace, at as u32, &window, 0..1).points;
            let values: Vec<(i64, f64)> = trace.counters.rows()
                .filter(|value| value.track_id == row.track)
                .map(|value| (value.ts, value.value))
                .collect();
            let holds = values.iter().rfind(|(ts, _)| *ts < window.from_ns);
            let mut inside = shown.as_slice();
            if let Some(&(ts, value)) = holds {
                prop_assert_eq!((inside[0].ts, inside[0].last), (ts, value));
                inside = &inside[1..];
            }
            let mut by_pixel: Vec<(f64, Vec<f64>)> = Vec::new();
            for (ts, value) in values.iter().filter(|(ts, _)| window.shows(*ts, *ts)) {
                let pixel = window.pixel(*ts);
                match by_pixel.last_mut() {
                    Some((last, values)) if *last == pixel => values.push(*value),
                    _ => by_pixel.push((pixel, vec![*value])),
                }
            }
            prop_assert_eq!(inside.len(), by_pixel.len());
            for (point, (pixel, values)) in inside.iter().zip(by_pixel) {
                prop_assert_eq!(window.pixel(point.ts), pixel);
                let extremes = values.iter().fold((f64::MAX, f64::MIN), |(min, max), v| (min.min(*v), max.max(*v)));
                prop_assert_eq!((point.min, point.max, point.last), (extremes.0, extremes.1, values[values.len() - 1]));
            }
        }
    }
}

#[test]
fn what_reaches_beyond_the_window_is_not_seen_to_reach_further() {
    // Time steps back, so that each of these extends further than the previous one.
    struct Overlapping;
    impl Spans for Overlapping {
        fn count(&self) -> usize {
            50
        }
        fn start(&self, at: usize) -> i64 {
            at as i64
        }
        fn end(&self, at: usize) -> i64 {
            100 + at as i64
        }
        fn reach(&self, at: usize) -> Option<i64> {
            Some(self.end(at))
        }
    }
    let mut shown = Vec::new();
    window(0, 20, 1.0).downsample(&Overlapping, &mut |at, _| shown.push(at));
    assert_eq!(shown, [0]);
}

#[test]
fn what_a_window_costs_does_not_grow_with_the_trace() {
    struct Endless;
    impl Spans for Endless {
        fn count(&self) -> usize {
            1 << 40
        }
        fn start(&self, at: usize) -> i64 {
            at as i64 * 10
        }
        fn end(&self, at: usize) -> i64 {
            at as i64 * 10 + 7
        }
    }
    let mut shown = 0;
    let window = window(0, 1_000_000_000_000, 1e9);
    window.downsample(&Endless, &mut |_, several| {
        assert!(several);
        shown += 1;
    });
    assert_eq!(shown, 1000);
}
