//! Finds overlapping intervals of two lists.
//!
//! An interval begins at `start` and ends before `end`. An interval of length 0 is a point: it overlaps intervals that
//! contain it, and points at the same position.

use super::failure::Failure;
use super::meter::Meter;

/// An interval, and the number of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub start: i64,
    pub end: i64,
    pub of: usize,
}

impl Interval {
    fn is_point(self) -> bool {
        self.start == self.end
    }

    /// The overlap of two intervals.
    pub fn overlap(self, other: Self) -> Option<(i64, i64)> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        let contains = |it: Self, point: i64| it.is_point() || point < it.end;
        let overlaps = if self.is_point() || other.is_point() {
            start == end && contains(self, start) && contains(other, start)
        } else {
            start < end
        };
        overlaps.then_some((start, end))
    }
}

/// Calls `found` for each pair of intervals that overlap. Both lists are sorted by their starts.
///
/// Intervals are visited in the order of their starts. Each is compared with the intervals of the other list that began
/// earlier and have not ended:
///
/// ```text
/// left    1----------   2---        visits 1 a 2 b
/// right        a------------- b--   finds (1,a) (2,a)
/// ```
pub(super) fn pairs(
    left: &[Interval],
    right: &[Interval],
    meter: &mut Meter,
    mut found: impl FnMut(&mut Meter, (i64, i64), usize, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut lefts, mut rights) = (left.iter().peekable(), right.iter().peekable());
    let (mut open_left, mut open_right) = (Vec::<Interval>::new(), Vec::<Interval>::new());
    loop {
        let is_left = match (lefts.peek(), rights.peek()) {
            (Some(left), Some(right)) => left.start <= right.start,
            (left, _) => left.is_some(),
        };
        let (next, own, others) = if is_left {
            (lefts.next(), &mut open_left, &mut open_right)
        } else {
            (rights.next(), &mut open_right, &mut open_left)
        };
        let Some(&next) = next else {
            return Ok(());
        };
        // An interval of length 0 still overlaps others that begin at the same time.
        others.retain(|other| other.end > next.start || other.start == next.start);
        for other in others.iter() {
            meter.tick()?;
            if let Some(at) = next.overlap(*other) {
                let (left, right) = if is_left {
                    (next, *other)
                } else {
                    (*other, next)
                };
                found(meter, at, left.of, right.of)?;
            }
        }
        own.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::meter::Pool;
    use crate::stop::Clock;

    fn intervals(all: &[(i64, i64)]) -> Vec<Interval> {
        let all = all.iter().enumerate();
        all.map(|(of, &(start, end))| Interval { start, end, of })
            .collect()
    }

    /// The pairs that overlap, and whether they were found without many comparisons.
    fn found(left: &[(i64, i64)], right: &[(i64, i64)]) -> (Vec<(usize, usize)>, bool) {
        let clock = Clock::default();
        // The first check of the clock, after a few thousand comparisons, stops the search.
        clock.stop.stop();
        let mut meter = Pool::new(None, clock).meter();
        let mut all = Vec::new();
        let done = pairs(
            &intervals(left),
            &intervals(right),
            &mut meter,
            |_, _, left, right| {
                all.push((left, right));
                Ok(())
            },
        );
        (all, done.is_ok())
    }

    #[test]
    fn points_overlap_what_contains_them_and_points_at_their_place() {
        let left = [(0, 5), (5, 5), (5, 9)];
        let right = [(5, 5), (5, 6), (9, 9)];
        let (mut all, _) = found(&left, &right);
        all.sort_unstable();
        assert_eq!(all, [(1, 0), (1, 1), (2, 0), (2, 1)]);
    }

    #[test]
    fn intervals_that_only_touch_are_not_compared() {
        let before: Vec<(i64, i64)> = (0..200).map(|start| (start, 1000)).collect();
        let after: Vec<(i64, i64)> = (0..200).map(|length| (1000, 1001 + length)).collect();
        assert_eq!(found(&before, &after), (Vec::new(), true));
        assert_eq!(found(&after[..1], &before), (Vec::new(), true));
    }
}
