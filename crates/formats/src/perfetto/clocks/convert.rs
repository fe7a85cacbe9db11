//! Converts timestamps between clocks that were read together.

use rustc_hash::FxHashMap;
use traceloom_trace::{ClockRow, sort};

use super::id::{BOOTTIME, ClockId, MONOTONIC, REALTIME, row, well_known};

/// The maximum number of conversions between a clock and the trace's clock.
const MOST_STEPS: usize = 8;

/// The times of two clocks in the snapshots that contain both, sorted by the first clock, ns.
type Step = Vec<(i64, i64)>;

/// Converts timestamps to the trace's clock.
#[derive(Debug)]
pub(crate) struct Converter<'a> {
    snapshots: &'a [Vec<(ClockId, i64)>],
    /// The snapshots and bridges that contain each clock.
    of_clock: FxHashMap<ClockId, Vec<usize>>,
    trace: ClockId,
    /// Pairs of clocks of two machines that are assumed to be equal, because no snapshot connects the machines.
    bridges: Vec<[(ClockId, i64); 2]>,
    /// The snapshots and bridges that the search has visited.
    is_seen: Vec<bool>,
    /// The next clock on the path from each clock to the trace's clock.
    next: FxHashMap<ClockId, ClockId>,
    /// Cache of the conversions that were needed so far.
    ways: FxHashMap<ClockId, Way>,
}

/// The first step of the conversion from a clock to the trace's clock.
#[derive(Debug)]
enum Way {
    /// Times are converted to another clock.
    Step(ClockId, Step),
    /// Times are used as times of another clock.
    Same(ClockId),
    /// The clocks are not connected.
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

    /// The clocks and times of a snapshot or a bridge.
    fn times(&self, at: usize) -> &[(ClockId, i64)] {
        match at.checked_sub(self.snapshots.len()) {
            None => &self.snapshots[at],
            Some(bridge) => &self.bridges[bridge],
        }
    }

    /// Finds the shortest path of each clock. Then adds bridges for the machines that are not connected yet.
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

    /// Searches breadth-first from a clock. Each snapshot is visited once.
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

    /// Connects a machine by its wall time, which is the same everywhere, or else by its time since boot.
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

    /// Whether any snapshot contains both clocks.
    fn meets(&self, clock: ClockId, other: ClockId) -> bool {
        let snapshots = self.of_clock.get(&clock).into_iter().flatten();
        let mut times = snapshots.map(|at| self.times(*at));
        times.any(|times| times.iter().any(|(clock, _)| *clock == other))
    }

    /// Whether a machine is connected to the trace's clock by clocks that were read together, without a bridge.
    pub fn is_synced(&self, machine: u32) -> bool {
        let is_bridged = |[(clock, _), _]: &[(ClockId, i64); 2]| clock.machine == machine;
        !self.bridges.iter().any(is_bridged)
            && self.next.keys().any(|clock| clock.machine == machine)
    }

    /// The first reading of each well-known clock of another machine, with its time on the trace's clock.
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

    /// Converts a time, ns. Returns `None` if no snapshots connect the clocks. If a machine's clock is in no snapshot,
    /// the same clock of the machine that recorded is used. If `CLOCK_MONOTONIC` is in no snapshot, it is assumed to be
    /// the trace's clock.
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

    /// The first step from a clock other than the trace's clock.
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
