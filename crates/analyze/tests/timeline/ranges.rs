//! Compares ranges with the call tree and its profile, and with plain sums.

use proptest::prelude::*;
use traceloom_analyze::timeline::{
    FindMode, Finder, NameId, RangeScope, SliceQuery, StateKind, Timeline, inside,
};
use traceloom_analyze::{CallTree, Measure, Profile, ProfileOptions, TimeRange, TreeOptions};
use traceloom_trace::{MethodId, NO_DURATION, RowId, SliceId, ThreadId, Trace};

use crate::made::{steps, trace_of};

/// A name with its count, and its total, own and unfinished time.
type Row = (String, u64, i64, i64, i64);

/// The rows of all names by the profile.
fn by_profile(trace: &Trace, range: Option<TimeRange>) -> Vec<Row> {
    let options = TreeOptions {
        range,
        all_tracks: false,
    };
    let tree = CallTree::from_trace(trace, &options);
    let profile = Profile::new(&tree, &ProfileOptions::for_tree(&tree));
    let mut rows: Vec<_> = profile
        .rows
        .iter()
        .map(|row| {
            let time = |times: &traceloom_analyze::Times| times.get(Measure::Wall).unwrap();
            (
                row.function.label(),
                row.all_calls(),
                time(&row.inclusive),
                time(&row.exclusive),
                row.unfinished.as_ref().map_or(0, time),
            )
        })
        .filter(|row| row.1 > 0)
        .collect();
    rows.sort();
    rows
}

fn by_timeline(trace: &Trace, timeline: &Timeline, range: Option<TimeRange>) -> Vec<Row> {
    let scope = RangeScope {
        range,
        ..RangeScope::default()
    };
    let (stats, hidden) = timeline
        .by_name(trace, &scope, usize::MAX, &|| false)
        .unwrap();
    assert_eq!(hidden, 0);
    let label = |name: NameId| timeline.names.label(trace, name);
    let mut rows: Vec<_> = stats
        .iter()
        .map(|stats| {
            (
                label(stats.name),
                stats.count,
                stats.total_ns,
                stats.self_ns,
                stats.unfinished_ns,
            )
        })
        .collect();
    rows.sort();
    rows
}

/// Whether the sums keep a slice's time separate.
fn is_unfinished(trace: &Trace, row: usize) -> bool {
    trace.slices.dur.get(row) == NO_DURATION && trace.slices.method_id.get(row) == MethodId::NONE
}

/// Lengths of the slices of a name that ended, as far as they are in a range, in order of size.
fn lengths(trace: &Trace, timeline: &Timeline, range: TimeRange, name: NameId) -> Vec<i64> {
    let mut lengths: Vec<i64> = trace
        .slices
        .spans()
        .filter(|&row| timeline.names.of_slice(row) == name && !is_unfinished(trace, row))
        .map(|row| (trace.slices.ts.get(row), timeline.end_of(trace, row)))
        .filter(|(ts, end)| *ts < range.to_ns && (*end > range.from_ns || *ts >= range.from_ns))
        .map(|(ts, end)| (end.min(range.to_ns) - ts.max(range.from_ns)).max(0))
        .collect();
    lengths.sort_unstable();
    lengths
}

fn check(trace: &Trace, range: Option<TimeRange>) -> Result<(), TestCaseError> {
    let timeline = Timeline::new(trace);
    prop_assert_eq!(
        by_timeline(trace, &timeline, range),
        by_profile(trace, range)
    );
    let scope = RangeScope {
        range,
        ..RangeScope::default()
    };
    let counted = timeline.by_name(trace, &scope, usize::MAX, &|| false);
    let keeping = Timeline::new(trace);
    keeping.cache_durations(trace);
    let kept = keeping.by_name(trace, &scope, usize::MAX, &|| false);
    prop_assert_eq!(&kept, &counted);
    let (stats, _) = counted.unwrap();
    let whole = range.unwrap_or(TimeRange::ALL);
    for stats in stats {
        let lengths = lengths(trace, &timeline, whole, stats.name);
        let at = |place: usize| lengths.get(place).copied().unwrap_or(0);
        let rank = |share: usize| at((lengths.len() * share).div_ceil(100).max(1) - 1);
        prop_assert_eq!((stats.count - stats.unfinished) as usize, lengths.len());
        let last = lengths.len().saturating_sub(1);
        prop_assert_eq!((stats.min_ns, stats.max_ns), (at(0), at(last)));
        prop_assert_eq!((stats.median_ns, stats.p95_ns), (rank(50), rank(95)));
        let label = timeline.names.label(trace, stats.name);
        let names = timeline.find_names(trace, &Finder::new(&label, FindMode::Exact));
        prop_assert!(names.contains(&stats.name));
        let query = SliceQuery {
            names: &[stats.name],
            range: whole,
            tracks: None,
            limit: usize::MAX,
        };
        let hits = timeline.slices_of(trace, &query, &|| false).unwrap();
        prop_assert_eq!(hits.first.len() as u64, stats.count);
        let one = timeline.stats_of(trace, &scope, (stats.name, &hits.first), &|| false);
        prop_assert_eq!(one, Some(stats));
    }
    Ok(())
}

/// Compares the details of every slice with the plain sums.
fn check_slices(trace: &Trace) -> Result<(), TestCaseError> {
    let timeline = Timeline::new(trace);
    for row in trace.slices.spans() {
        let details = timeline.slice(trace, SliceId::from_row(row));
        let length = |row: usize| timeline.end_of(trace, row) - trace.slices.ts.get(row);
        let children = trace
            .slices
            .spans()
            .filter(|&child| trace.slices.parent_id.get(child).row() == row);
        let (mut count, mut within) = (0, 0);
        children.for_each(|child| (count, within) = (count + 1, within + length(child)));
        prop_assert_eq!(details.children, count);
        prop_assert_eq!(details.self_ns, (length(row) - within).max(0));
        if let Some(states) = &details.states {
            let all: i64 = states.by_kind.iter().sum();
            prop_assert!(all <= length(row));
            prop_assert_eq!(details.cpu_ns, Some(states.time_in(StateKind::Running)));
        }
        // Finds recursion by looking at all ancestors.
        let mut above = trace.slices.parent_id.get(row).some();
        let mut recursive = false;
        while let Some(parent) = above {
            let name = |row| timeline.names.of_slice(row);
            recursive |= name(parent.row()) == name(row);
            above = trace.slices.parent_id.get(parent.row()).some();
        }
        prop_assert_eq!(timeline.recursion(trace).is(row), recursive);
    }
    Ok(())
}

fn check_threads(trace: &Trace, range: TimeRange) -> Result<(), TestCaseError> {
    let timeline = Timeline::new(trace);
    let inner = inside(trace, Some(range));
    for utid in (0..trace.threads.len()).map(ThreadId::from_row) {
        let times = timeline.thread_use(trace, utid, inner);
        let details = timeline.state_times(trace, utid, inner.from_ns, inner.to_ns);
        prop_assert_eq!(times, details.by_kind);
        prop_assert!(times.iter().sum::<i64>() <= (inner.to_ns - inner.from_ns).max(0));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_range_is_the_profile_of_the_range(
        steps in steps(false, 150), methods: bool, from in -20..1500i64, length in 0..1200i64,
    ) {
        let range = TimeRange { from_ns: from, to_ns: from + length };
        let trace = trace_of(&steps, methods, 0);
        check(&trace, Some(range))?;
        check(&trace, None)?;
        check_slices(&trace)?;
        check_threads(&trace, range)?;
    }

    #[test]
    fn a_range_over_nearly_all(
        steps in steps(false, 400), back in steps(true, 150), from in -20..200i64, short in -20..200i64,
    ) {
        for (steps, methods) in [(&steps, false), (&steps, true), (&back, false)] {
            let trace = trace_of(steps, methods, 0);
            let range = TimeRange { from_ns: from, to_ns: trace.bounds.1 - short };
            check(&trace, Some(range))?;
        }
    }

    #[test]
    fn also_where_time_steps_back(
        steps in steps(true, 150), from in -300..600i64, length in 0..700i64,
    ) {
        let range = TimeRange { from_ns: from, to_ns: from + length };
        let trace = trace_of(&steps, false, 0);
        check(&trace, Some(range))?;
        check_slices(&trace)?;
        check_threads(&trace, range)?;
    }
}
