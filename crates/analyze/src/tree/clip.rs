//! Cuts calls at the ends of a time range, on both clocks.

/// A half-open range of the trace clock: it includes `from_ns` but not `to_ns`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeRange {
    /// Its start, ns.
    pub from_ns: i64,
    /// Its end, ns.
    pub to_ns: i64,
}

impl TimeRange {
    /// All time.
    pub const ALL: Self = Self {
        from_ns: i64::MIN,
        to_ns: i64::MAX,
    };

    /// The range, `by_ns` later.
    pub fn shifted(self, by_ns: i64) -> Self {
        Self {
            from_ns: self.from_ns.saturating_add(by_ns),
            to_ns: self.to_ns.saturating_add(by_ns),
        }
    }

    /// Whether a time is in the range.
    pub(crate) fn contains(self, ts: i64) -> bool {
        (self.from_ns..self.to_ns).contains(&ts)
    }

    /// Whether a call between these wall times overlaps the range.
    #[inline]
    pub(crate) fn overlaps(self, begin_ns: i64, end_ns: i64) -> bool {
        begin_ns < self.to_ns && (end_ns > self.from_ns || begin_ns >= self.from_ns)
    }
}

/// A reading of both clocks of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Moment {
    pub wall_ns: i64,
    pub cpu_ns: i64,
}

impl Moment {
    /// The time since `begin`; never negative.
    #[inline]
    pub(crate) fn since(self, begin: Self) -> (i64, i64) {
        (
            self.wall_ns.saturating_sub(begin.wall_ns).max(0),
            self.cpu_ns.saturating_sub(begin.cpu_ns).max(0),
        )
    }

    /// The time since `begin`, if neither clock stepped back.
    #[inline]
    pub(crate) fn after(self, begin: Self) -> (u64, u64) {
        (
            self.wall_ns.wrapping_sub(begin.wall_ns) as u64,
            self.cpu_ns.wrapping_sub(begin.cpu_ns) as u64,
        )
    }

    /// Whether neither clock stepped back.
    #[inline]
    pub(crate) fn is_after(self, then: Self) -> bool {
        self.wall_ns >= then.wall_ns && self.cpu_ns >= then.cpu_ns
    }

    /// The smaller time of each clock.
    pub(crate) fn earliest(self, other: Self) -> Self {
        Self {
            wall_ns: self.wall_ns.min(other.wall_ns),
            cpu_ns: self.cpu_ns.min(other.cpu_ns),
        }
    }

    /// The larger time of each clock.
    pub(crate) fn latest(self, other: Self) -> Self {
        Self {
            wall_ns: self.wall_ns.max(other.wall_ns),
            cpu_ns: self.cpu_ns.max(other.cpu_ns),
        }
    }
}

/// One end of a range on one thread. Interpolates the CPU clock of the thread there, between the events before and after
/// it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    at_ns: i64,
    before: Option<Moment>,
    after: Option<Moment>,
}

impl Edge {
    fn new(at_ns: i64) -> Self {
        Self {
            at_ns,
            before: None,
            after: None,
        }
    }

    fn see(&mut self, moment: Moment) {
        if moment.wall_ns <= self.at_ns {
            self.before = self.before.max(Some(moment));
        } else if self.after.is_none_or(|after| moment < after) {
            self.after = Some(moment);
        }
    }

    fn moment(&self) -> Moment {
        let cpu_ns = match (self.before, self.after) {
            (Some(before), Some(after)) => between(before, after, self.at_ns),
            (Some(only), None) | (None, Some(only)) => only.cpu_ns,
            (None, None) => 0,
        };
        Moment {
            wall_ns: self.at_ns,
            cpu_ns,
        }
    }
}

/// The CPU clock at `at_ns`, interpolated linearly between an event at or before it and one after it.
fn between(before: Moment, after: Moment, at_ns: i64) -> i64 {
    let step = share(
        after.cpu_ns.abs_diff(before.cpu_ns),
        at_ns.abs_diff(before.wall_ns),
        after.wall_ns.abs_diff(before.wall_ns).max(1),
    );
    if after.cpu_ns < before.cpu_ns {
        before.cpu_ns.saturating_sub_unsigned(step)
    } else {
        before.cpu_ns.saturating_add_unsigned(step)
    }
}

/// `value * part / whole`, rounded down. `whole` must not be 0.
fn share(value: u64, part: u64, whole: u64) -> u64 {
    (u128::from(value) * u128::from(part) / u128::from(whole)) as u64
}

/// Cuts the calls of one thread at a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clip {
    range: TimeRange,
    from: Edge,
    to: Edge,
}

impl Clip {
    pub(crate) fn new(range: TimeRange) -> Self {
        Self {
            range,
            from: Edge::new(range.from_ns),
            to: Edge::new(range.to_ns),
        }
    }

    /// Adds an event of the thread. Calls can be cut only after an event beyond the cut.
    pub(crate) fn see(&mut self, moment: Moment) {
        self.from.see(moment);
        self.to.see(moment);
    }

    /// Both ends of a call, moved into the range; `None` for a call outside.
    pub(crate) fn call(&self, begin: Moment, end: Moment) -> Option<(Moment, Moment)> {
        self.range
            .overlaps(begin.wall_ns, end.wall_ns)
            .then(|| (self.moved(begin), self.moved(end)))
    }

    /// A moment, moved into the range.
    pub(crate) fn moved(&self, moment: Moment) -> Moment {
        if moment.wall_ns < self.range.from_ns {
            self.from.moment()
        } else if moment.wall_ns > self.range.to_ns {
            self.to.moment()
        } else {
            moment
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(wall_ns: i64, cpu_ns: i64) -> Moment {
        Moment { wall_ns, cpu_ns }
    }

    #[test]
    fn shares_are_those_of_wide_numbers() {
        let numbers = [0, 1, 2, 3, 10, 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX];
        for value in numbers {
            for whole in numbers.into_iter().filter(|whole| *whole > 0) {
                for part in numbers.into_iter().filter(|part| *part <= whole) {
                    let wide = u128::from(value) * u128::from(part) / u128::from(whole);
                    assert_eq!(u128::from(share(value, part, whole)), wide);
                }
            }
        }
        let (before, after) = (moment(-5, i64::MAX), moment(i64::MAX, i64::MIN));
        assert_eq!(between(before, after, -5), i64::MAX);
        assert_eq!(between(moment(0, 10), moment(3, 0), 1), 7);
    }

    #[test]
    fn the_cpu_clock_is_read_between_events() {
        let mut clip = Clip::new(TimeRange {
            from_ns: 150,
            to_ns: 400,
        });
        let (begin, end) = (moment(100, 10), moment(200, 60));
        clip.see(begin);
        clip.see(end);
        assert_eq!(clip.call(begin, end), Some((moment(150, 35), end)));
        let late = moment(600, 80);
        clip.see(late);
        assert_eq!(
            clip.call(begin, late),
            Some((moment(150, 35), moment(400, 70)))
        );
        assert_eq!(clip.call(moment(10, 1), begin), None);
        assert_eq!(clip.call(moment(400, 70), late), None);
    }
}
