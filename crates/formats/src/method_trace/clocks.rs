//! Times: 32-bit microseconds that overflow, and wall time rebuilt from CPU clocks.

use traceloom_trace::{
    MethodEvent, MethodEvents, MethodLine, MethodTraceStart, Place, RepairKind, ThreadIndex,
};

const WRAP_US: i64 = 1 << 32;
const HALF_US: u32 = 1 << 31;
/// A step back across an overflow looks like a jump ahead of almost 2^32.
const BACK_OVER_WRAP_US: u32 = 1 << 24;

/// One 32-bit microsecond clock of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock32 {
    last: u32,
    seen: bool,
    base_ns: i64,
}

impl Default for Clock32 {
    fn default() -> Self {
        Self {
            last: u32::MAX,
            seen: false,
            base_ns: 0,
        }
    }
}

impl Clock32 {
    /// Whether `raw` continues normally. If not, call [`step`](Self::step) first.
    #[inline(always)]
    pub fn goes_on(&self, raw: u32) -> bool {
        raw >= self.last && raw - self.last < HALF_US
    }

    /// Nanoseconds since the trace's start.
    #[inline(always)]
    pub fn take(&mut self, raw: u32) -> i64 {
        self.last = raw;
        self.base_ns + i64::from(raw) * 1000
    }

    /// The last time, ns.
    pub fn now_ns(&self) -> i64 {
        if self.seen {
            self.base_ns + i64::from(self.last) * 1000
        } else {
            0
        }
    }

    /// Interprets a time that does not continue normally. Returns the repair to count, if any.
    ///
    /// * A thread's first time is placed as close as possible to `near_ns`, the time of the previous record in the
    ///   file, because a thread may begin after an overflow.
    /// * More than 35 minutes back: the clock overflowed.
    /// * A smaller step back: time stepped back, and the lower time is kept.
    ///
    /// An overflow during more than 71 minutes without records cannot be detected.
    #[cold]
    pub fn step(&mut self, raw: u32, near_ns: i64) -> Option<RepairKind> {
        if !self.seen {
            self.seen = true;
            let behind_us = near_ns / 1000 - i64::from(raw) + i64::from(HALF_US);
            self.base_ns = behind_us.div_euclid(WRAP_US).max(0) * WRAP_US * 1000;
            return None;
        }
        if raw < self.last {
            if self.last - raw < HALF_US {
                return Some(RepairKind::TimeWentBack);
            }
            self.base_ns += WRAP_US * 1000;
            return Some(RepairKind::ClockWrapped);
        }
        if self.base_ns > 0 && self.last.wrapping_sub(raw) < BACK_OVER_WRAP_US {
            self.base_ns -= WRAP_US * 1000;
            return Some(RepairKind::TimeWentBack);
        }
        None
    }
}

/// The clocks of one thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreadClocks {
    pub wall: Clock32,
    pub cpu: Clock32,
}

/// Computes wall time for a trace that has only CPU clocks, as Traceview did. It needs a first pass
/// to find how much of a thread's CPU time belongs before each switch away from the thread.
///
/// Wall time advances with the CPU clock of the running thread. Half of the time between a thread's
/// last record before a switch and its next record is counted before the switch, half after:
///
/// ```text
/// thread A   10 .. 30 ────── switch ────── 50        CPU times of the records
/// thread B              0 .. 5
/// rebuilt     0 .. 20  30 .. 35            45        (50 - 30) / 2 = 10 before B, 10 after
/// ```
#[derive(Debug, Default)]
pub(super) struct Switches {
    threads: Vec<Option<Seen>>,
    before: Option<ThreadIndex>,
    /// In the order of switches, ns.
    pub halves_ns: Vec<i64>,
    unit_ns: i64,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    cpu_ns: i64,
    /// The last switch away from the thread, until it runs again.
    switch: Option<usize>,
}

impl Switches {
    /// `unit_ns` is the unit of the recorded times: Traceview halves whole units.
    pub fn new(unit_ns: i64) -> Self {
        Self {
            unit_ns: unit_ns.max(1),
            ..Self::default()
        }
    }

    /// Takes the next record.
    pub fn see(&mut self, event: &MethodEvent) {
        let index = event.thread.0 as usize;
        if self.threads.len() <= index {
            self.threads.resize(index + 1, None);
        }
        if let Some(before) = self.before.filter(|before| *before != event.thread) {
            let switch = self.halves_ns.len();
            self.halves_ns.push(0);
            if let Some(seen) = &mut self.threads[before.0 as usize] {
                seen.switch = Some(switch);
            }
        }
        if let Some(Seen {
            cpu_ns,
            switch: Some(switch),
        }) = self.threads[index]
        {
            let elapsed = event.cpu_ns.wrapping_sub(cpu_ns);
            self.halves_ns[switch] = elapsed / self.unit_ns / 2 * self.unit_ns;
        }
        self.threads[index] = Some(Seen {
            cpu_ns: event.cpu_ns,
            switch: None,
        });
        self.before = Some(event.thread);
    }
}

/// Adds the rebuilt wall time to records on their way to the consumer.
pub(super) struct Rebuild<'a> {
    pub sink: &'a mut dyn MethodEvents,
    halves_ns: std::vec::IntoIter<i64>,
    /// The CPU time of each thread that is already part of the time line.
    counted_ns: Vec<Option<i64>>,
    before: Option<ThreadIndex>,
    now_ns: i64,
    batch: Vec<MethodEvent>,
}

impl<'a> Rebuild<'a> {
    pub fn new(sink: &'a mut dyn MethodEvents, halves_ns: Vec<i64>) -> Self {
        Self {
            sink,
            halves_ns: halves_ns.into_iter(),
            counted_ns: Vec::new(),
            before: None,
            now_ns: 0,
            batch: Vec::new(),
        }
    }

    fn rebuilt(&mut self, event: &MethodEvent) -> MethodEvent {
        let index = event.thread.0 as usize;
        if self.counted_ns.len() <= index {
            self.counted_ns.resize(index + 1, None);
        }
        if let Some(before) = self.before.filter(|before| *before != event.thread) {
            let half = self.halves_ns.next().unwrap_or(0);
            self.now_ns = self.now_ns.wrapping_add(half);
            if let Some(counted) = &mut self.counted_ns[before.0 as usize] {
                *counted = counted.wrapping_add(half);
            }
        }
        let counted = self.counted_ns[index].unwrap_or(event.cpu_ns);
        let elapsed = event.cpu_ns.wrapping_sub(counted);
        self.now_ns = self.now_ns.wrapping_add(elapsed);
        self.counted_ns[index] = Some(event.cpu_ns);
        self.before = Some(event.thread);
        let mut rebuilt = *event;
        rebuilt.wall_ns = self.now_ns;
        rebuilt
    }
}

impl MethodEvents for Rebuild<'_> {
    fn start(&mut self, start: &MethodTraceStart) {
        self.sink.start(start);
    }

    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str) {
        self.sink.thread(index, tid, name);
    }

    fn method(&mut self, index: traceloom_trace::MethodIndex, line: &MethodLine<'_>) {
        self.sink.method(index, line);
    }

    fn events(&mut self, batch: &[MethodEvent]) {
        let mut rebuilt = std::mem::take(&mut self.batch);
        rebuilt.clear();
        rebuilt.extend(batch.iter().map(|event| self.rebuilt(event)));
        self.sink.events(&rebuilt);
        self.batch = rebuilt;
    }

    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, detail: String) {
        self.sink.repair(kind, count, place, detail);
    }

    fn finish(&mut self, key_section: &[(String, String)]) {
        self.sink.finish(key_section);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceloom_trace::{MethodAction, MethodIndex};

    fn run(clock: &mut Clock32, raw: u32) -> (i64, Option<RepairKind>) {
        let said = if clock.goes_on(raw) {
            None
        } else {
            clock.step(raw, 0)
        };
        (clock.take(raw), said)
    }

    #[test]
    fn a_clock_that_runs_over_goes_on() {
        let mut clock = Clock32::default();
        assert_eq!(run(&mut clock, 5), (5_000, None));
        assert_eq!(run(&mut clock, 4), (4_000, Some(RepairKind::TimeWentBack)));
        let late = u32::MAX - 1;
        assert_eq!(run(&mut clock, late), (i64::from(late) * 1000, None));
        let wrapped = (WRAP_US + 3) * 1000;
        assert_eq!(
            run(&mut clock, 3),
            (wrapped, Some(RepairKind::ClockWrapped))
        );
        let back = (WRAP_US - 1) * 1000;
        assert_eq!(
            run(&mut clock, u32::MAX),
            (back, Some(RepairKind::TimeWentBack))
        );
        assert_eq!(run(&mut clock, 9).0, (WRAP_US + 9) * 1000);
    }

    #[test]
    fn a_thread_may_begin_after_the_clock_ran_over() {
        let near = (WRAP_US + 1000) * 1000;
        let mut clock = Clock32::default();
        assert_eq!(clock.step(7, near), None);
        assert_eq!(clock.take(7), (WRAP_US + 7) * 1000);
    }

    #[test]
    fn the_drawing_of_the_rebuilt_time() {
        let (a, b) = (ThreadIndex(0), ThreadIndex(1));
        let events = [(a, 10), (a, 30), (b, 0), (b, 5), (a, 50)].map(|(thread, us)| {
            MethodEvent::new(thread, MethodIndex(0), MethodAction::Enter, 0, us * 1000, 0)
        });
        let mut switches = Switches::new(1000);
        events.iter().for_each(|event| switches.see(event));
        assert_eq!(switches.halves_ns, [10_000, 0]);
        struct Walls(Vec<i64>);
        impl MethodEvents for Walls {
            fn start(&mut self, _: &MethodTraceStart) {}
            fn thread(&mut self, _: ThreadIndex, _: u32, _: &str) {}
            fn method(&mut self, _: MethodIndex, _: &MethodLine<'_>) {}
            fn events(&mut self, batch: &[MethodEvent]) {
                self.0
                    .extend(batch.iter().map(|event| event.wall_ns / 1000));
            }
            fn repair(&mut self, _: RepairKind, _: u64, _: Place, _: String) {}
            fn finish(&mut self, _: &[(String, String)]) {}
        }
        let mut walls = Walls(Vec::new());
        Rebuild::new(&mut walls, switches.halves_ns).events(&events);
        assert_eq!(walls.0, [0, 20, 30, 35, 45]);
    }
}
