//! Which intervals of two lists overlap.
//!
//! An interval begins at `start` and ends before `end`. One without a length is a point: it overlaps an interval that
//! contains it, and a point at the same place.

use super::failure::Failure;
use super::meter::Meter;

/// An interval, and the number of what it belongs to.
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

    /// Where two intervals overlap.
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
/// Intervals are visited by their starts. Each is compared with those of the other list that began before and have not
/// ended:
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
        others.retain(|other| other.end >= next.start);
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
