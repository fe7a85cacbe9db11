//! Clocks. A snapshot is a reading of several clocks at the same time. Snapshots are used to convert timestamps to the
//! trace's clock.
//!
//! ```text
//! snapshot     0        1                    a time of `mono` is moved by the distance between both
//! mono       100      300                    clocks in the last snapshot before it, or in the first:
//! boot      1100     1305        mono 310 ─► boot 1315
//! ```
//! Clocks that are never in the same snapshot are converted through other clocks.

mod convert;
mod id;
mod remote;

use rustc_hash::FxHashMap;
use traceloom_trace::{ClockKind, ClockRow, TraceBuilder, sort};

use super::wire::{Field, Fields};
use id::{REALTIME, TRACE_FILE, reading, well_known};
use remote::Round;

pub(super) use convert::Converter;
pub(super) use id::{BOOTTIME, ClockId, FIRST_OF_SEQUENCE, MONOTONIC, MONOTONIC_RAW};

/// The unit of a clock, and whether it is incremental.
#[derive(Clone, Copy, Debug)]
struct Counting {
    /// The length of a unit, ns.
    unit_ns: i64,
    /// The last time in ns if the clock is incremental, so that each time is a delta to the previous one.
    last: Option<i64>,
}

/// All clocks of a trace.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// The clocks of each snapshot and their times, ns.
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

    /// Adds a `RemoteClockSync`: clocks of another machine and of the machine that recorded, read alternately.
    pub fn remote(&mut self, sync: &[u8], sequence: u32, machine: u32) {
        let mut rounds = Vec::new();
        for synced in Fields::new(sync).filter(|field| field.number == 1) {
            let (mut client, mut host) = (Vec::new(), Vec::new());
            for field in synced.fields() {
                let times = match field.number {
                    2 => (&mut client, machine),
                    3 => (&mut host, 0),
                    _ => continue,
                };
                let clocks = field.fields().filter(|field| field.number == 1);
                times
                    .0
                    .extend(clocks.filter_map(|clock| self.time(clock, sequence, times.1)));
            }
            let mut own = client.clone();
            sort::by_key(&mut own, |(clock, _)| *clock);
            own.dedup_by_key(|(clock, _)| *clock);
            self.snapshots.push(own);
            rounds.push(Round { client, host });
        }
        for pair in remote::pairs(&rounds) {
            self.pair(pair);
        }
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

    /// Converts a time from the unit of its clock to ns. Each read advances an incremental clock, so times must be read
    /// in file order. Returns `None` for a time beyond 63 bits.
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

    /// The clock number of packets without a clock: that of the trace's clock, as known so far.
    pub fn default_number(&self) -> u32 {
        self.trace_clock().number
    }

    /// Adds the readings, and the trace's clock if it is not the usual one, under Perfetto's name.
    pub fn report(&self, out: &mut TraceBuilder) {
        self.readings().for_each(|row| out.clock(row));
        let number = self.trace.map_or(BOOTTIME, |clock| clock.number);
        if number != BOOTTIME {
            out.metadata("trace_time_clock_id", &number.to_string());
        }
    }

    /// The clock of the trace, if it is recorded or evident from the snapshots, and well-known.
    pub fn trace_clock_kind(&self) -> Option<ClockKind> {
        let has = |number| {
            let mut clocks = self.snapshots.iter().flatten();
            clocks.any(|(clock, _)| clock.number == number)
        };
        match self.trace {
            Some(trace) => well_known(trace.number),
            None if has(BOOTTIME) && !has(TRACE_FILE) => Some(ClockKind::Boot),
            None => None,
        }
    }

    /// The readings of the well-known clocks of the machine that recorded, from the snapshots that contain the trace's
    /// clock. Readings of the trace's clock itself are left out, unless it is the wall clock, because they then give
    /// the date.
    pub fn readings(&self) -> impl Iterator<Item = ClockRow> + '_ {
        let trace = self.trace_clock();
        let is_shown = move |clock: ClockId| clock != trace || clock.number == REALTIME;
        self.snapshots.iter().flat_map(move |times| {
            let own = times.iter().find(|(clock, _)| *clock == trace);
            let others = times.iter().filter(move |(clock, _)| is_shown(*clock));
            let readings = own.map(|(_, ts)| others.filter_map(move |other| reading(*ts, other)));
            readings.into_iter().flatten()
        })
    }

    /// Makes a converter. All snapshots must have been added.
    pub fn converter(&self) -> Converter<'_> {
        Converter::new(&self.snapshots, self.trace_clock())
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

    /// Machines that exchanged messages, and machines that did not.
    #[test]
    fn machines_are_connected_by_messages_else_by_the_wall_time_else_by_the_boot_time() {
        let of = |number, machine| ClockId::new(number, 0, machine);
        let mut clocks = Clocks::default();
        clocks.pair([(of(BOOTTIME, 0), 1_000), (of(1, 0), 50_000)]);
        clocks.pair([(of(BOOTTIME, 7), 100), (of(1, 7), 50_100)]);
        clocks.pair([(of(BOOTTIME, 8), 500), (of(MONOTONIC, 8), 400)]);
        // The messages of machine 9: its clock is 20 ns behind, and each message takes 2 ns.
        let times = |ns: i64| testkit::Proto::new().int(1, 6).int(2, ns);
        let snapshot = |ns| testkit::Proto::new().message(1, times(ns));
        let round = |client, host| {
            testkit::Proto::new()
                .message(2, snapshot(client))
                .message(3, snapshot(host))
        };
        let sync = testkit::Proto::new()
            .message(1, round(1_000, 1_022))
            .message(1, round(1_004, 1_026));
        clocks.remote(sync.bytes(), 0, 9);
        let mut converter = clocks.converter();
        let mut convert = |number, machine, ts| converter.convert(of(number, machine), ts);
        assert_eq!(convert(BOOTTIME, 7, 100), Some(1_100));
        assert_eq!(convert(MONOTONIC, 8, 400), Some(500));
        assert_eq!(convert(BOOTTIME, 9, 2_000), Some(2_020));
        assert!(converter.is_synced(9) && !converter.is_synced(7) && !converter.is_synced(8));
    }
}
