//! Encodes the times of slices relative to enclosing slices, because most of these times are close
//! together.
//!
//! ```text
//! track   |--------- a ---------|
//!           |- b -|  |-- c --| ^
//!         ^ ^     ^  ^       ^ └ a's end is written as its distance from c's end
//!         CPU time at a start: its distance from the previous event, minus the wall time
//! ```
//! All rows in this module are in the order of their tracks.

use super::bytes::Input;
use super::pack::{Numbers, pack};
use super::transform::{pack_with_gaps, unpack_with_gaps};

/// The times of slices: starts and durations on both clocks, -1 if absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Times {
    pub ts: Vec<i64>,
    pub dur: Vec<i64>,
    pub thread_ts: Vec<i64>,
    pub thread_dur: Vec<i64>,
}

const NONE: i64 = -1;

/// An event on a track: wall and CPU time.
#[derive(Clone, Copy, Default)]
struct Event {
    wall: i64,
    cpu: i64,
}

/// Visits the starts and ends of the slices on each track in order, with the previous event.
struct Walk<'a, N> {
    tracks: &'a [N],
    depths: &'a [N],
    /// The open rows, outermost first, each with the last event inside.
    open: Vec<(usize, Event)>,
    /// The last event outside of all slices.
    outside: Event,
}

impl<'a, N: Copy + PartialEq + Into<i64>> Walk<'a, N> {
    fn new(tracks: &'a [N], depths: &'a [N]) -> Self {
        Self {
            tracks,
            depths,
            open: Vec::new(),
            outside: Event::default(),
        }
    }

    fn before(&mut self) -> &mut Event {
        match self.open.last_mut() {
            Some((_, event)) => event,
            None => &mut self.outside,
        }
    }

    /// Calls `end` at each end and `begin` at each start, with the previous event. They return the
    /// event's time.
    fn run(mut self, handler: &mut impl Handler) {
        for row in 0..self.tracks.len() {
            if row > 0 && self.tracks[row] != self.tracks[row - 1] {
                self.close(0, handler);
                self.outside = Event::default();
            }
            self.close(self.depths[row].into().max(0) as usize, handler);
            let before = *self.before();
            let begin = handler.begin(row, before);
            self.open.push((row, begin));
        }
        self.close(0, handler);
    }

    /// Closes slices until `depth` are open.
    fn close(&mut self, depth: usize, handler: &mut impl Handler) {
        while self.open.len() > depth {
            if let Some((row, before)) = self.open.pop() {
                let end = handler.end(row, before);
                *self.before() = end;
            }
        }
    }
}

trait Handler {
    fn begin(&mut self, row: usize, before: Event) -> Event;
    fn end(&mut self, row: usize, before: Event) -> Event;
}

/// The residuals that are written; 0 if there is no value.
#[derive(Default)]
struct Residuals<'t> {
    times: Option<&'t Times>,
    dur: Vec<i64>,
    thread_ts: Vec<i64>,
    thread_dur: Vec<i64>,
}

impl Handler for Residuals<'_> {
    fn begin(&mut self, row: usize, before: Event) -> Event {
        let Some(times) = self.times else {
            return before;
        };
        let wall = times.ts[row];
        let expected = before.cpu.wrapping_add(wall.wrapping_sub(before.wall));
        let cpu = match times.thread_ts[row] {
            NONE => expected,
            cpu => {
                self.thread_ts[row] = cpu.wrapping_sub(expected);
                cpu
            }
        };
        Event { wall, cpu }
    }

    fn end(&mut self, row: usize, before: Event) -> Event {
        let Some(times) = self.times else {
            return before;
        };
        let mut end = before;
        if times.dur[row] != NONE {
            end.wall = times.ts[row].wrapping_add(times.dur[row]);
            self.dur[row] = end.wall.wrapping_sub(before.wall);
            end.cpu = before.cpu.wrapping_add(self.dur[row]);
        }
        if times.thread_dur[row] != NONE {
            let cpu = times.thread_ts[row].wrapping_add(times.thread_dur[row]);
            self.thread_dur[row] = cpu.wrapping_sub(end.cpu);
            end.cpu = cpu;
        }
        end
    }
}

/// The columns dur, thread_ts and thread_dur, packed.
pub(crate) fn pack_times(times: &Times, tracks: &[i64], depths: &[i64]) -> [Vec<u8>; 3] {
    let rows = times.ts.len();
    let mut residuals = Residuals {
        times: Some(times),
        dur: vec![0; rows],
        thread_ts: vec![0; rows],
        thread_dur: vec![0; rows],
    };
    Walk::new(tracks, depths).run(&mut residuals);
    let gaps = |values: &[i64]| -> Vec<u32> {
        let rows = values.iter().enumerate();
        rows.filter(|(_, value)| **value == NONE)
            .map(|(row, _)| row as u32)
            .collect()
    };
    // A clock that was not recorded is stored as one number.
    let clock = |values: &[i64], residuals: &[i64]| {
        if values.iter().all(|&value| value == NONE) {
            Vec::new()
        } else {
            pack_with_gaps(residuals, &gaps(values))
        }
    };
    [
        clock(&times.dur, &residuals.dur),
        clock(&times.thread_ts, &residuals.thread_ts),
        clock(&times.thread_dur, &residuals.thread_dur),
    ]
}

/// Restores times from residuals.
struct Restored {
    times: Times,
    /// Which rows have values of dur, thread_ts and thread_dur.
    has: [Present; 3],
}

/// Which rows have a value.
enum Present {
    /// None: the clock was not recorded.
    Nowhere,
    /// All rows except those whose bit is set. Rows after the last bit have a value.
    Without(Vec<u64>),
}

impl Present {
    fn without(gaps: &[u32]) -> Self {
        let last = gaps.iter().max().map_or(0, |&last| last as usize / 64 + 1);
        let mut bits = vec![0; last];
        for &gap in gaps {
            bits[gap as usize / 64] |= 1 << (gap % 64);
        }
        Self::Without(bits)
    }

    fn at(&self, row: usize) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Without(bits) => bits
                .get(row / 64)
                .is_none_or(|bits| bits >> (row % 64) & 1 == 0),
        }
    }
}

impl Handler for Restored {
    fn begin(&mut self, row: usize, before: Event) -> Event {
        let times = &mut self.times;
        let wall = times.ts[row];
        let mut cpu = before.cpu.wrapping_add(wall.wrapping_sub(before.wall));
        if self.has[1].at(row) {
            cpu = cpu.wrapping_add(times.thread_ts[row]);
            times.thread_ts[row] = cpu;
        }
        Event { wall, cpu }
    }

    fn end(&mut self, row: usize, before: Event) -> Event {
        let times = &mut self.times;
        let mut end = before;
        if self.has[0].at(row) {
            end.wall = before.wall.wrapping_add(times.dur[row]);
            end.cpu = before.cpu.wrapping_add(times.dur[row]);
            times.dur[row] = end.wall.wrapping_sub(times.ts[row]);
        }
        if self.has[2].at(row) {
            end.cpu = end.cpu.wrapping_add(times.thread_dur[row]);
            let begin = if self.has[1].at(row) {
                times.thread_ts[row]
            } else {
                NONE
            };
            times.thread_dur[row] = end.cpu.wrapping_sub(begin);
        }
        end
    }
}

/// The inverse of [`pack_times`]. An empty payload means that the clock was not recorded.
pub(crate) fn unpack_times<N: Copy + PartialEq + Into<i64>>(
    ts: Vec<i64>,
    payloads: [&[u8]; 3],
    tracks: &[N],
    depths: &[N],
) -> Option<Times> {
    let rows = ts.len();
    let read = |payload: &[u8]| -> Option<(Vec<i64>, Present)> {
        if payload.is_empty() {
            return Some((Vec::new(), Present::Nowhere));
        }
        let (numbers, gaps) = unpack_with_gaps(&mut Input(payload), rows)?;
        let mut values = numbers.each(rows);
        gaps.iter().for_each(|&gap| values[gap as usize] = NONE);
        Some((values, Present::without(&gaps)))
    };
    let [dur, thread_ts, thread_dur] = payloads.map(read);
    let (dur, has_dur) = dur?;
    let (thread_ts, has_thread_ts) = thread_ts?;
    let (thread_dur, has_thread_dur) = thread_dur?;
    let mut restored = Restored {
        times: Times {
            ts,
            dur,
            thread_ts,
            thread_dur,
        },
        has: [has_dur, has_thread_ts, has_thread_dur],
    };
    Walk::new(tracks, depths).run(&mut restored);
    Some(restored.times)
}

/// Parents as their difference from the innermost enclosing slice, which is nearly always 0.
pub(crate) fn pack_parents(
    parents: &[i64],
    order: &[u32],
    tracks: &[i64],
    depths: &[i64],
) -> Vec<u8> {
    let mut residuals = Vec::with_capacity(parents.len());
    each_parent(order, tracks, depths, |row, expected| {
        residuals.push(parents[row].wrapping_sub(expected));
    });
    pack(&residuals).bytes
}

/// The inverse of [`pack_parents`]: the parents, in the order of tracks.
pub(crate) fn parents<N: Copy + PartialEq + Into<i64>>(
    residuals: Numbers,
    order: &[u32],
    tracks: &[N],
    depths: &[N],
) -> Vec<i64> {
    let mut parents = residuals.each(order.len());
    each_parent(order, tracks, depths, |row, expected| {
        parents[row] = parents[row].wrapping_add(expected);
    });
    parents
}

/// Finds the innermost enclosing slice of each slice: its row in order of time, or -1.
fn each_parent<N: Copy + PartialEq + Into<i64>>(
    order: &[u32],
    tracks: &[N],
    depths: &[N],
    mut tell: impl FnMut(usize, i64),
) {
    let mut around: Vec<u32> = Vec::new();
    for (at, &row) in order.iter().enumerate() {
        if at > 0 && tracks[at] != tracks[at - 1] {
            around.clear();
        }
        around.truncate(depths[at].into().max(0) as usize);
        tell(at, around.last().map_or(-1, |&parent| parent.into()));
        around.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(times: &Times, tracks: &[i64], depths: &[i64]) {
        let packed = pack_times(times, tracks, depths);
        let payloads = [&packed[0][..], &packed[1], &packed[2]];
        let mut back = unpack_times(times.ts.clone(), payloads, tracks, depths).unwrap();
        for values in [&mut back.dur, &mut back.thread_ts, &mut back.thread_dur] {
            values.resize(tracks.len(), NONE);
        }
        assert_eq!(&back, times);
    }

    #[test]
    fn times_come_back() {
        let times = Times {
            ts: vec![10, 12, 20, 40, 5],
            dur: vec![25, 5, 8, NONE, 0],
            thread_ts: vec![3, 4, 9, NONE, 100],
            thread_dur: vec![20, 2, NONE, NONE, 0],
        };
        check(&times, &[0, 0, 0, 0, 1], &[0, 1, 1, 0, 0]);
        // Invalid depths must not cause any loss.
        check(&times, &[0, 0, 0, 0, 0], &[7, 0, 3, -2, 1]);
        let none = Times {
            thread_ts: vec![NONE; 5],
            thread_dur: vec![NONE; 5],
            ..times
        };
        check(&none, &[0, 0, 0, 0, 1], &[0, 1, 1, 0, 0]);
    }

    /// The largest and the smallest numbers are values, not gaps.
    #[test]
    fn extreme_times_come_back() {
        let times = Times {
            ts: vec![i64::MIN / 2, 5, 6],
            dur: vec![2, i64::MIN, 0],
            thread_ts: vec![i64::MAX / 2 + 1, 3, i64::MIN],
            thread_dur: vec![1, NONE, i64::MAX],
        };
        check(&times, &[0, 0, 0], &[0, 0, 1]);
        check(&times, &[0, 1, 2], &[0, 0, 0]);
    }

    #[test]
    fn parents_follow_from_depths() {
        let (order, tracks) = ([0, 2, 3, 5, 1, 4], [0, 0, 0, 0, 1, 1]);
        let depths = [0, 1, 2, 1, 0, 0];
        let wanted = [-1, 0, 2, 0, -1, 1];
        let packed = pack_parents(&wanted, &order, &tracks, &depths);
        let residuals = super::super::pack::unpack(&mut Input(&packed), 6).unwrap();
        assert_eq!(parents(residuals, &order, &tracks, &depths), wanted);
    }
}
