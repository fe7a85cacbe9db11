//! Clocks: snapshots read several of them at once, and times are converted to the trace's own.
//!
//! ```text
//! snapshot     0        1                    a time of `mono` is moved by the distance between both
//! mono       100      300                    clocks in the last snapshot before it, or in the first:
//! boot      1100     1305        mono 310 ─► boot 1315
//! ```
//! Clocks that no snapshot has together are converted through others.

use rustc_hash::FxHashMap;
use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId, sort};

use super::wire::{Field, Fields};

/// `CLOCK_BOOTTIME`: times are on this clock, unless a snapshot names another one.
pub(super) const BOOTTIME: u32 = 6;

/// `CLOCK_REALTIME`.
const REALTIME: u32 = 1;

/// `CLOCK_MONOTONIC`.
pub(super) const MONOTONIC: u32 = 3;

/// The first of the numbers that each sequence may give to clocks of its own.
pub(super) const FIRST_OF_SEQUENCE: u32 = 64;
const LAST_OF_SEQUENCE: u32 = 127;

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClockId {
    /// The sequence it belongs to, 0 for clocks of the whole machine.
    sequence: u32,
    machine: u32,
    number: u32,
}

impl ClockId {
    pub fn new(number: u32, sequence: u32, machine: u32) -> Self {
        let own = (FIRST_OF_SEQUENCE..=LAST_OF_SEQUENCE).contains(&number);
        Self {
            sequence: if own { sequence } else { 0 },
            machine,
            number,
        }
    }

    /// The number in `ClockSnapshot` and `timestamp_clock_id`.
    pub fn number(self) -> u32 {
        self.number
    }
}

/// How a clock counts.
#[derive(Clone, Copy, Debug)]
struct Counting {
    /// The length of a unit, ns.
    unit_ns: i64,
    /// The last time, if each time is the distance to the one before.
    last: Option<i64>,
}

/// What a clock showed at a time of the trace's, if it is a well-known one.
fn reading(ts: i64, (clock, value_ns): &(ClockId, i64)) -> Option<ClockRow> {
    let kind = match (clock.machine, clock.number) {
        (0, REALTIME) => ClockKind::Realtime,
        (0, MONOTONIC) => ClockKind::Monotonic,
        (0, BOOTTIME) => ClockKind::Boot,
        _ => return None,
    };
    Some(ClockRow {
        source: SourceId::NONE,
        clock: kind,
        ts,
        value_ns: *value_ns,
        precision_ns: 0,
        name: String::new(),
    })
}

/// The most conversions between a clock and the trace's.
const MOST_STEPS: usize = 8;

/// The times of two clocks in the snapshots that have both, in order of the first, ns.
type Step = Vec<(i64, i64)>;

/// All clocks of a trace.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// For each snapshot, its clocks and their times, ns.
    snapshots: Vec<Vec<(ClockId, i64)>>,
    counting: FxHashMap<ClockId, Counting>,
    trace: Option<ClockId>,
}

impl Clocks {
    /// Adds a `ClockSnapshot`.
    pub fn snapshot(&mut self, snapshot: &[u8], sequence: u32, machine: u32) {
        let mut times = Vec::new();
        for field in Fields::new(snapshot) {
            match field.number {
                1 => times.extend(self.time(field, sequence, machine)),
                2 if self.trace.is_none() => {
                    self.trace = Some(ClockId::new(field.uint() as u32, 0, machine));
                }
                _ => {}
            }
        }
        sort::by_key(&mut times, |(clock, _)| *clock);
        times.dedup_by_key(|(clock, _)| *clock);
        self.snapshots.push(times);
    }

    /// Adds two clocks that were read at the same time, ns.
    pub fn pair(&mut self, pair: [(ClockId, i64); 2]) {
        let mut times = pair.to_vec();
        sort::by_key(&mut times, |(clock, _)| *clock);
        self.snapshots.push(times);
    }

    /// The time of a clock in a snapshot.
    fn time(&mut self, clock: Field<'_>, sequence: u32, machine: u32) -> Option<(ClockId, i64)> {
        let (mut number, mut time, mut incremental, mut unit_ns) = (None, 0, false, 1);
        for field in clock.fields() {
            match field.number {
                1 => number = Some(field.uint() as u32),
                2 => time = field.int(),
                3 => incremental = field.bool(),
                4 => unit_ns = field.int().max(1),
                _ => {}
            }
        }
        let clock = ClockId::new(number?, sequence, machine);
        let time = time.saturating_mul(unit_ns);
        if incremental || unit_ns != 1 {
            let last = incremental.then_some(time);
            self.counting.insert(clock, Counting { unit_ns, last });
        }
        Some((clock, time))
    }

    /// A time in the units of its clock as ns. Each time of an incremental clock moves it on, so times have to be read in
    /// the order of the file.
    /// `None` for a time beyond 63 bits.
    pub fn read(&mut self, clock: ClockId, time: u64) -> Option<i64> {
        let time = i64::try_from(time).ok()?;
        let Some(counting) = self.counting.get_mut(&clock) else {
            return Some(time);
        };
        let mut ns = time.checked_mul(counting.unit_ns)?;
        if let Some(last) = &mut counting.last {
            ns = ns.checked_add(*last)?;
            *last = ns;
        }
        Some(ns)
    }

    /// The clock of the trace.
    pub fn trace_clock(&self) -> ClockId {
        self.trace.unwrap_or(ClockId::new(BOOTTIME, 0, 0))
    }

    /// What well-known clocks of the machine that recorded showed in the snapshots that have the trace's clock.
    pub fn readings(&self) -> impl Iterator<Item = ClockRow> + '_ {
        let trace = self.trace_clock();
        self.snapshots.iter().flat_map(move |times| {
            let own = times.iter().find(|(clock, _)| *clock == trace);
            let others = times.iter().filter(move |(clock, _)| *clock != trace);
            let readings = own.map(|(_, ts)| others.filter_map(move |other| reading(*ts, other)));
            readings.into_iter().flatten()
        })
    }

    /// Prepares conversions, when all snapshots are known.
    pub fn converter(&self) -> Converter<'_> {
        let mut of_clock: FxHashMap<ClockId, Vec<usize>> = FxHashMap::default();
        for (at, times) in self.snapshots.iter().enumerate() {
            for (clock, _) in times {
                of_clock.entry(*clock).or_default().push(at);
            }
        }
        let mut converter = Converter {
            snapshots: &self.snapshots,
            of_clock,
            trace: self.trace_clock(),
            next: FxHashMap::default(),
            ways: FxHashMap::default(),
        };
        converter.find_ways();
        converter
    }
}

/// Converts times to the clock of the trace.
#[derive(Debug)]
pub(super) struct Converter<'a> {
    snapshots: &'a [Vec<(ClockId, i64)>],
    /// The snapshots that have a clock.
    of_clock: FxHashMap<ClockId, Vec<usize>>,
    trace: ClockId,
    /// The next clock on the way to the trace's.
    next: FxHashMap<ClockId, ClockId>,
    /// The ways that were needed so far.
    ways: FxHashMap<ClockId, Way>,
}

/// The next step from a clock to the clock of the trace.
#[derive(Debug)]
enum Way {
    /// They are converted to another clock.
    Step(ClockId, Step),
    /// They count as those of another clock.
    Same(ClockId),
    /// There is none.
    None,
}

impl Converter<'_> {
    /// Finds the shortest way of each clock: a breadth-first search that begins at the trace's clock and looks at each
    /// snapshot once.
    fn find_ways(&mut self) {
        let mut is_seen = vec![false; self.snapshots.len()];
        let mut waiting = vec![self.trace];
        for _ in 0..MOST_STEPS {
            for clock in std::mem::take(&mut waiting) {
                for &at in self.of_clock.get(&clock).into_iter().flatten() {
                    if std::mem::replace(&mut is_seen[at], true) {
                        continue;
                    }
                    for &(other, _) in &self.snapshots[at] {
                        if other != self.trace && !self.next.contains_key(&other) {
                            self.next.insert(other, clock);
                            waiting.push(other);
                        }
                    }
                }
            }
        }
    }

    /// Converts a time, ns. `None` if no snapshots connect the clocks. The clocks of a machine that no snapshot has are
    /// those of the machine that recorded, and `CLOCK_MONOTONIC` is the trace's clock if no snapshot has it.
    pub fn convert(&mut self, mut clock: ClockId, mut ts: i64) -> Option<i64> {
        while clock != self.trace {
            match self.ways.get(&clock) {
                Some(Way::Step(next, step)) => (clock, ts) = (*next, convert(step, ts)),
                Some(Way::Same(same)) => clock = *same,
                Some(Way::None) => return None,
                None => {
                    let way = self.way(clock);
                    self.ways.insert(clock, way);
                }
            }
        }
        Some(ts)
    }

    /// The way from a clock that is not the trace's.
    fn way(&self, clock: ClockId) -> Way {
        let is_known = |clock| clock == self.trace || self.of_clock.contains_key(&clock);
        let local = ClockId {
            machine: 0,
            ..clock
        };
        match self.next.get(&clock) {
            Some(next) => Way::Step(*next, self.step(clock, *next)),
            None if is_known(clock) => Way::None,
            None if is_known(local) => Way::Same(local),
            None if clock.number == MONOTONIC => Way::Same(self.trace),
            None => Way::None,
        }
    }

    fn step(&self, from: ClockId, to: ClockId) -> Step {
        let mut step = Step::new();
        for &at in self.of_clock.get(&from).into_iter().flatten() {
            let times = &self.snapshots[at];
            let of = |clock| {
                let place = times.binary_search_by_key(&clock, |(id, _)| *id).ok()?;
                Some(times[place].1)
            };
            step.extend(of(from).zip(of(to)));
        }
        sort::by_key(&mut step, |(from, _)| *from);
        step
    }
}

fn convert(step: &[(i64, i64)], ts: i64) -> i64 {
    let after = step.partition_point(|(from, _)| *from <= ts);
    match step.get(after.saturating_sub(1)) {
        Some((from, to)) => ts.saturating_sub(*from).saturating_add(*to),
        None => ts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(number: u32) -> ClockId {
        ClockId::new(number, 0, 0)
    }

    #[test]
    fn times_move_by_the_distance_in_the_last_snapshot_before() {
        let mut clocks = Clocks::default();
        clocks.pair([(clock(3), 100), (clock(BOOTTIME), 1_100)]);
        clocks.pair([(clock(3), 300), (clock(BOOTTIME), 1_305)]);
        let mut converter = clocks.converter();
        let converted = [50, 100, 299, 300, 310].map(|ts| converter.convert(clock(3), ts));
        assert_eq!(converted, [1_050, 1_100, 1_299, 1_305, 1_315].map(Some));
        assert_eq!(converter.convert(clock(BOOTTIME), 7), Some(7));
        assert_eq!(converter.convert(clock(1), 7), None);
    }

    #[test]
    fn clocks_that_never_meet_are_converted_through_others() {
        let mut clocks = Clocks::default();
        clocks.pair([(clock(3), 0), (clock(BOOTTIME), 1_000)]);
        clocks.pair([(clock(3), 0), (clock(1), 50)]);
        assert_eq!(clocks.converter().convert(clock(1), 60), Some(1_010));
    }

    #[test]
    fn incremental_clocks_add_up() {
        let mut clocks = Clocks::default();
        // Clock 64 of sequence 5: incremental, in microseconds, at 10 µs.
        let snapshot = b"\x0a\x09\x08\x40\x10\x0a\x18\x01\x20\xe8\x07";
        clocks.snapshot(&snapshot[..], 5, 0);
        let own = ClockId::new(64, 5, 0);
        assert_eq!(
            [3, 4].map(|delta| clocks.read(own, delta)),
            [Some(13_000), Some(17_000)]
        );
        assert_eq!(clocks.read(ClockId::new(64, 6, 0), 3), Some(3));
    }
}
