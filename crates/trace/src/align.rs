//! Aligns the clock of one trace with another.
//!
//! Every trace has its own clock. If both recorded the value of a common clock, the distance is
//! known:
//!
//! ```text
//! reference   |------------------------*---------|        * CLOCK_MONOTONIC is 70 s here
//! other             |----*-------------------|            * and 66 s here: 4 s earlier
//! ```

use rustc_hash::FxHashMap;

use crate::clock::{ClockKind, ClockRow};
use crate::trace::Trace;

/// Traces that are further apart than this, and than [`FAR_TIMES`] times the length of the longer one, are from
/// different runs.
const FAR_NS: i64 = 10_000_000_000;
const FAR_TIMES: i64 = 10;

/// The method by which a trace was placed on the time line of another.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum AlignedBy {
    /// A clock that both recorded.
    Clock {
        /// The clock.
        clock: ClockKind,
        /// The possible error, ns.
        precision_ns: i64,
    },
    /// A marker that was written into both.
    Marker {
        /// Its name.
        name: String,
    },
    /// Both begin at the same time, because they have no clock in common.
    Start,
    /// Both begin at the same time. According to their clocks they are so far apart that they
    /// cannot be from the same run.
    StartAsFarApart {
        /// The distance, ns.
        apart_ns: i64,
    },
}

/// The shift for the times of the other trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Alignment {
    /// Nanoseconds to add.
    pub shift_ns: i64,
    /// The method of alignment.
    pub by: AlignedBy,
}

/// Aligns `other` with `reference` by the most precise clock or marker that both have; otherwise by
/// their starts.
pub fn align(reference: &Trace, other: &Trace) -> Alignment {
    let start = |by| Alignment {
        shift_ns: align_starts(reference, other),
        by,
    };
    let Some(found) = align_clocks(&reference.clocks, &other.clocks) else {
        return start(AlignedBy::Start);
    };
    let apart_ns = gap(reference, other, found.shift_ns);
    let longer = reference.duration_ns().max(other.duration_ns());
    if apart_ns > FAR_NS && apart_ns / FAR_TIMES > longer {
        return start(AlignedBy::StartAsFarApart { apart_ns });
    }
    found
}

/// The shift for the times of `other`, ns, after which both begin at the same time.
pub fn align_starts(reference: &Trace, other: &Trace) -> i64 {
    reference.bounds.0.saturating_sub(other.bounds.0)
}

/// Aligns by the most precise data that both recorded. A clock is preferred to a marker with the
/// same precision. `None` if they have nothing in common.
pub fn align_clocks(reference: &[ClockRow], other: &[ClockRow]) -> Option<Alignment> {
    let mut index = ClockIndex::default();
    index.notice(reference);
    index.align(reference, other)
}

/// The clocks that several traces may have in common.
const COMMON: [ClockKind; 3] = [ClockKind::Boot, ClockKind::Monotonic, ClockKind::Realtime];

/// Finds the clocks and markers of a trace, which may have many.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockIndex {
    /// The number of rows processed so far.
    seen: usize,
    /// The most precise row of each common clock.
    best: [Option<usize>; COMMON.len()],
    /// The first row of each marker.
    markers: FxHashMap<String, usize>,
    /// The first row with each name, of any kind.
    named: FxHashMap<String, usize>,
}

impl ClockIndex {
    /// Processes new rows. Rows are only ever appended to `clocks`.
    pub fn notice(&mut self, clocks: &[ClockRow]) {
        for (at, row) in clocks.iter().enumerate().skip(self.seen) {
            if let Some(common) = COMMON.iter().position(|clock| *clock == row.clock) {
                let best = &mut self.best[common];
                let is_better = |known: usize| row.precision_ns < clocks[known].precision_ns;
                if best.is_none_or(is_better) {
                    *best = Some(at);
                }
            }
            if is_marker(row) {
                self.markers.entry(row.name.clone()).or_insert(at);
            }
            if !row.name.is_empty() {
                self.named.entry(row.name.clone()).or_insert(at);
            }
        }
        self.seen = clocks.len();
    }

    /// The first row with a name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.named.get(name).copied()
    }

    /// Like [`align_clocks`]; `reference` has the processed rows.
    pub fn align(&self, reference: &[ClockRow], other: &[ClockRow]) -> Option<Alignment> {
        let found = self
            .by_clock(reference, other)
            .into_iter()
            .chain(self.by_marker(reference, other));
        let best = found.min_by_key(|(precision_ns, _)| *precision_ns);
        best.map(|(_, found)| found)
    }

    fn by_clock(&self, reference: &[ClockRow], other: &[ClockRow]) -> Option<(i64, Alignment)> {
        let candidates = COMMON.iter().zip(self.best).filter_map(|(&clock, ours)| {
            let (ours, theirs) = (reference.get(ours?)?, best(other, clock)?);
            let offset = |row: &ClockRow| i128::from(row.value_ns) - i128::from(row.ts);
            let shift_ns = i64::try_from(offset(theirs) - offset(ours)).ok()?;
            let precision_ns = precision(ours, theirs);
            let by = AlignedBy::Clock {
                clock,
                precision_ns,
            };
            Some((precision_ns, Alignment { shift_ns, by }))
        });
        candidates.min_by_key(|(precision_ns, _)| *precision_ns)
    }

    /// Aligns by a marker that both have: `trace_event_clock_sync: name=…`.
    fn by_marker(&self, reference: &[ClockRow], other: &[ClockRow]) -> Option<(i64, Alignment)> {
        let candidates = other
            .iter()
            .filter(|row| is_marker(row))
            .filter_map(|theirs| {
                let ours = reference.get(*self.markers.get(theirs.name.as_str())?)?;
                let found = Alignment {
                    shift_ns: ours.ts.checked_sub(theirs.ts)?,
                    by: AlignedBy::Marker {
                        name: theirs.name.clone(),
                    },
                };
                Some((precision(ours, theirs), found))
            });
        candidates.min_by_key(|(precision_ns, _)| *precision_ns)
    }
}

/// A key that relates a trace to others: traces with a common key can be aligned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ClockKey {
    /// A clock that several traces may have.
    Clock(ClockKind),
    /// A marker with this name.
    Marker(String),
}

impl ClockKey {
    /// The key of a row.
    pub fn of(row: &ClockRow) -> Option<Self> {
        if COMMON.contains(&row.clock) {
            Some(Self::Clock(row.clock))
        } else {
            is_marker(row).then(|| Self::Marker(row.name.clone()))
        }
    }
}

/// The most precise sync point with a clock.
fn best(rows: &[ClockRow], clock: ClockKind) -> Option<&ClockRow> {
    let rows = rows.iter().filter(|row| row.clock == clock);
    rows.min_by_key(|row| row.precision_ns)
}

fn precision(ours: &ClockRow, theirs: &ClockRow) -> i64 {
    let ours_ns = ours.precision_ns.max(0);
    ours_ns.saturating_add(theirs.precision_ns.max(0))
}

/// Whether the row is a named marker. The start of a method trace is stored in the same way, but is
/// not a common event.
fn is_marker(row: &ClockRow) -> bool {
    row.clock == ClockKind::Trace && !row.name.is_empty() && !row.name.contains(' ')
}

/// The gap between the two, 0 if they overlap.
fn gap(reference: &Trace, other: &Trace, shift_ns: i64) -> i64 {
    let (first, last) = reference.bounds;
    let begin = other.bounds.0.saturating_add(shift_ns);
    let end = other.bounds.1.saturating_add(shift_ns);
    begin
        .saturating_sub(last)
        .max(first.saturating_sub(end))
        .max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceId, TraceBuilder};

    fn trace(from: i64, until: i64, clocks: &[(ClockKind, i64, i64, i64, &str)]) -> Trace {
        let mut builder = TraceBuilder::new();
        builder.saw_time(from);
        builder.saw_time(until);
        for &(clock, ts, value_ns, precision_ns, name) in clocks {
            builder.clock(ClockRow {
                source: SourceId(0),
                clock,
                ts,
                value_ns,
                precision_ns,
                name: name.to_owned(),
            });
        }
        builder.finish()
    }

    const S: i64 = 1_000_000_000;

    #[test]
    fn the_drawing_above() {
        let reference = trace(
            10 * S,
            20 * S,
            &[(ClockKind::Monotonic, 15 * S, 70 * S, 5, "")],
        );
        let other = trace(
            1000 * S,
            1010 * S,
            &[(ClockKind::Monotonic, 1002 * S, 66 * S, 1, "")],
        );
        let found = align(&reference, &other);
        let clock = ClockKind::Monotonic;
        assert_eq!(
            found.by,
            AlignedBy::Clock {
                clock,
                precision_ns: 6
            }
        );
        assert_eq!(1002 * S + found.shift_ns, 11 * S);
    }

    #[test]
    fn the_most_exact_clock_counts() {
        let clocks = |ts: i64, mono: i64, real: i64| {
            [
                (ClockKind::Realtime, ts, real, 1_000_000, ""),
                (ClockKind::Monotonic, ts, mono + 9, 500, ""),
                (ClockKind::Monotonic, ts + 1, mono + 1, 5, ""),
            ]
        };
        let reference = trace(0, S, &clocks(0, 100, 7_000));
        let other = trace(50, S, &clocks(50, 130, 9_999_999));
        assert_eq!(align(&reference, &other).shift_ns, 30 - 50);
    }

    #[test]
    fn a_common_marker_counts_where_no_clock_does() {
        let start = "start of the method trace";
        let rows = [
            (ClockKind::Trace, 5, 5, 0, start),
            (ClockKind::Trace, 70, 70, 0, "sync-1"),
        ];
        let (reference, other) = (
            trace(0, 100, &rows),
            trace(0, 90, &[(ClockKind::Trace, 20, 20, 0, "sync-1")]),
        );
        assert_eq!(align(&reference, &other).shift_ns, 50);
        let other = trace(30, 90, &[(ClockKind::Trace, 20, 20, 0, start)]);
        let found = align(&reference, &other);
        assert_eq!((found.shift_ns, found.by), (-30, AlignedBy::Start));
    }

    #[test]
    fn the_most_exact_of_clocks_and_markers_counts() {
        let rows = |ts: i64, precision_ns: i64| {
            [
                (ClockKind::Monotonic, ts, 1_000_000, 62_000, ""),
                (ClockKind::Trace, ts + 7, ts + 7, 0, "first"),
                (ClockKind::Trace, ts + 9, ts + 9, precision_ns, "second"),
            ]
        };
        let (reference, mut other) = (trace(0, S, &rows(0, 3)), rows(500, 3));
        other[1].3 = 90_000;
        let found = align(&reference, &trace(0, S, &other));
        let name = "second".to_owned();
        assert_eq!(
            (found.shift_ns, found.by),
            (-500, AlignedBy::Marker { name })
        );
        other[2].3 = 200_000;
        let found = align(&reference, &trace(0, S, &other));
        assert!(
            matches!(found.by, AlignedBy::Marker { name } if name == "first"),
            "90 µs against 124 µs"
        );
        other[1].3 = 200_000;
        let found = align(&reference, &trace(0, S, &other));
        assert!(matches!(found.by, AlignedBy::Clock { .. }));
    }

    #[test]
    fn other_runs_begin_together() {
        let clock = |ts| [(ClockKind::Monotonic, ts, ts, 1000, "")];
        let (reference, other) = (
            trace(5 * S, 6 * S, &clock(5 * S)),
            trace(90 * S, 91 * S, &clock(90 * S)),
        );
        let found = align(&reference, &other);
        let by = AlignedBy::StartAsFarApart { apart_ns: 84 * S };
        assert_eq!(
            found,
            Alignment {
                shift_ns: -85 * S,
                by
            }
        );
        let near = trace(12 * S, 13 * S, &clock(12 * S));
        assert_eq!(align(&reference, &near).shift_ns, 0);
    }
}
