//! Conversion of times through clocks that were read together.

use rustc_hash::FxHashMap;
use traceloom_trace::{ClockRow, sort};

use super::id::{BOOTTIME, ClockId, MONOTONIC, REALTIME, row, well_known};

/// The most conversions between a clock and the trace's.
const MOST_STEPS: usize = 8;

/// The times of two clocks in the snapshots that have both, in order of the first, ns.
type Step = Vec<(i64, i64)>;

/// Converts times to the clock of the trace.
#[derive(Debug)]
pub(crate) struct Converter<'a> {
    snapshots: &'a [Vec<(ClockId, i64)>],
    /// The snapshots that have a clock.
    of_clock: FxHashMap<ClockId, Vec<usize>>,
    trace: ClockId,
    /// Clocks of two machines that are taken for the same, because nothing connects the machines.
    bridges: Vec<[(ClockId, i64); 2]>,
    /// The snapshots and bridges that the search for ways has used.
    is_seen: Vec<bool>,
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

impl<'a> Converter<'a> {
    pub(super) fn new(snapshots: &'a [Vec<(ClockId, i64)>], trace: ClockId) -> Self {
        let mut of_clock: FxHashMap<ClockId, Vec<usize>> = FxHashMap::default();
        for (at, times) in snapshots.iter().enumerate() {
            for (clock, _) in times {
                of_clock.entry(*clock).or_default().push(at);
            }
        }
        let mut converter = Converter {
            snapshots,
            of_clock,
            trace,
            bridges: Vec::new(),
            is_seen: vec![false; snapshots.len()],
            next: FxHashMap::default(),
            ways: FxHashMap::default(),
        };
        converter.find_ways();
        converter
    }

    /// The clocks of a snapshot or a bridge.
    fn times(&self, at: usize) -> &[(ClockId, i64)] {
        match at.checked_sub(self.snapshots.len()) {
            None => &self.snapshots[at],
            Some(bridge) => &self.bridges[bridge],
        }
    }

    /// Finds the shortest way of each clock, then those of machines that nothing connects.
    fn find_ways(&mut self) {
        self.search(self.trace);
        let clocks = self.of_clock.keys().map(|clock| clock.machine);
        let mut machines: Vec<u32> = clocks
            .filter(|machine| *machine != self.trace.machine)
            .collect();
        sort::by_key(&mut machines, |machine| *machine);
        machines.dedup();
        for machine in machines {
            self.bridge(machine);
        }
    }

    /// A breadth-first search that begins at a clock and looks at each snapshot once.
    fn search(&mut self, start: ClockId) {
        let mut waiting = vec![start];
        for _ in 0..MOST_STEPS {
            for clock in std::mem::take(&mut waiting) {
                let snapshots = self.of_clock.get(&clock).cloned().unwrap_or_default();
                for at in snapshots {
                    if std::mem::replace(&mut self.is_seen[at], true) {
                        continue;
                    }
                    for (other, _) in self.times(at).to_vec() {
                        if other != self.trace && !self.next.contains_key(&other) {
                            self.next.insert(other, clock);
                            waiting.push(other);
                        }
                    }
                }
            }
        }
    }

    /// Connects a machine: by the wall time, which is the same everywhere, else by the time since boot.
    fn bridge(&mut self, machine: u32) {
        let own = |number| ClockId {
            sequence: 0,
            machine,
            number,
        };
        let boot = own(BOOTTIME);
        if !self.of_clock.contains_key(&boot) || self.next.contains_key(&boot) {
            return;
        }
        let wall = ClockId {
            machine: self.trace.machine,
            ..own(REALTIME)
        };
        let is_on_wall = wall == self.trace || self.next.contains_key(&wall);
        let pair = if is_on_wall && self.meets(boot, own(REALTIME)) {
            [(own(REALTIME), 0), (wall, 0)]
        } else if self.trace.number == BOOTTIME {
            [(boot, 0), (self.trace, 0)]
        } else {
            return;
        };
        let at = self.snapshots.len() + self.bridges.len();
        for (clock, _) in pair {
            self.of_clock.entry(clock).or_default().push(at);
        }
        self.bridges.push(pair);
        self.is_seen.push(false);
        self.search(pair[1].0);
    }

    /// Whether snapshots have two clocks together.
    fn meets(&self, clock: ClockId, other: ClockId) -> bool {
        let snapshots = self.of_clock.get(&clock).into_iter().flatten();
        let mut times = snapshots.map(|at| self.times(*at));
        times.any(|times| times.iter().any(|(clock, _)| *clock == other))
    }

    /// Whether clocks that were read together connect a machine with the trace's clock.
    pub fn is_synced(&self, machine: u32) -> bool {
        let is_bridged = |[(clock, _), _]: &[(ClockId, i64); 2]| clock.machine == machine;
        !self.bridges.iter().any(is_bridged)
            && self.next.keys().any(|clock| clock.machine == machine)
    }

    /// What well-known clocks of a further machine showed, and when by its rows.
    pub fn readings(&mut self, machine: u32) -> Vec<ClockRow> {
        let snapshots = self.snapshots.iter().flatten();
        let own = snapshots.filter(|(clock, _)| clock.machine == machine);
        let known = own.filter_map(|(clock, ns)| Some((*clock, well_known(clock.number)?, *ns)));
        let mut rows: Vec<ClockRow> = Vec::new();
        for (clock, kind, value_ns) in known {
            let is_new = !rows.iter().any(|row| row.clock == kind);
            if let Some(ts) = is_new.then(|| self.convert(clock, value_ns)).flatten() {
                rows.push(row(ts, kind, value_ns));
            }
        }
        rows
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
            let times = self.times(at);
            let of = |clock| {
                let found = times.iter().find(|(id, _)| *id == clock)?;
                Some(found.1)
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
