//! The calls and times of a call path, in 16 bytes.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::unfinished::Unfinished;

/// Bits of a time stored with the node: 78 hours.
const TIME_BITS: u32 = 48;
const TIME_MASK: u64 = (1 << TIME_BITS) - 1;
/// Bits of the call count stored next to each time.
const CALL_BITS: u32 = 16;

/// Wall time, CPU time and calls of a path.
///
/// ```text
/// 63         48 47                     0
/// [ calls 0-15 | wall time, ns         ]
/// [ calls 16-31| CPU time, ns          ]
/// ```
#[derive(Clone, Copy, Debug, Default)]
struct Packed {
    wall: u64,
    cpu: u64,
}

impl Packed {
    #[inline]
    fn new(wall_ns: u64, cpu_ns: u64, calls: u64) -> Self {
        Self {
            wall: wall_ns | calls << TIME_BITS,
            cpu: cpu_ns | calls >> CALL_BITS << TIME_BITS,
        }
    }

    #[inline]
    fn calls(self) -> u64 {
        self.wall >> TIME_BITS | self.cpu >> TIME_BITS << CALL_BITS
    }
}

/// Counts too large for the 16 bytes: wall and CPU time in units of 2^48 ns, calls in units of
/// 2^32.
type Beyond = [u64; 3];

/// Calls and times of all paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    packed: Vec<Packed>,
    /// Rarely used: no recording lasts three days, and no path is called four billion times.
    beyond: FxHashMap<u32, Beyond>,
    /// The times of slices that never ended.
    pub(crate) unfinished: Unfinished,
}

impl Counts {
    /// Memory per path, bytes.
    pub(crate) const BYTES: usize = size_of::<Packed>();

    /// Adds a path without calls.
    #[inline]
    pub(crate) fn push(&mut self) {
        self.packed.push(Packed::default());
    }

    /// Adds a call. Times above 2^63 - 1 ns are clamped.
    #[inline]
    pub(crate) fn add_call(&mut self, path: u32, wall_ns: u64, cpu_ns: u64) {
        let packed = &mut self.packed[path as usize];
        let wall = packed.wall.wrapping_add(wall_ns);
        let cpu = packed.cpu.wrapping_add(cpu_ns);
        let ran_over = (wall ^ packed.wall | cpu ^ packed.cpu) >> TIME_BITS != 0;
        let (one_more, carries) = wall.overflowing_add(1 << TIME_BITS);
        if ran_over || carries || (wall_ns | cpu_ns) >> TIME_BITS != 0 {
            self.add_rarely(path, wall_ns, cpu_ns);
        } else {
            *packed = Packed {
                wall: one_more,
                cpu,
            };
        }
    }

    /// Adds a call whose counts may overflow the 16 bytes.
    #[cold]
    fn add_rarely(&mut self, path: u32, wall_ns: u64, cpu_ns: u64) {
        let packed = self.packed[path as usize];
        let longest = i64::MAX as u64;
        let wall_ns = (packed.wall & TIME_MASK) + wall_ns.min(longest);
        let cpu_ns = (packed.cpu & TIME_MASK) + cpu_ns.min(longest);
        self.put(path, wall_ns, cpu_ns, packed.calls() + 1);
    }

    /// Stores what fits in the 16 bytes and adds the rest to the overflow table.
    fn put(&mut self, path: u32, wall_ns: u64, cpu_ns: u64, calls: u64) {
        let rest = [
            wall_ns >> TIME_BITS,
            cpu_ns >> TIME_BITS,
            calls >> (2 * CALL_BITS),
        ];
        let calls = calls & u64::from(u32::MAX);
        self.packed[path as usize] = Packed::new(wall_ns & TIME_MASK, cpu_ns & TIME_MASK, calls);
        if rest != [0; 3] {
            let beyond = self.beyond.entry(path).or_default();
            for (sum, rest) in beyond.iter_mut().zip(rest) {
                *sum += rest;
            }
        }
    }

    /// Replaces the counts of a path. Negative times become zero.
    pub(crate) fn set(&mut self, path: u32, [wall_ns, cpu_ns]: [i64; 2], calls: u64) {
        self.beyond.remove(&path);
        self.put(path, wall_ns.max(0) as u64, cpu_ns.max(0) as u64, calls);
    }

    /// Memory of the data that only few paths have, bytes.
    #[inline]
    pub(crate) fn rare_bytes(&self) -> usize {
        self.beyond.capacity() * (size_of::<(u32, Beyond)>() + 1) + self.unfinished.bytes()
    }

    /// How often a path was called.
    #[inline]
    pub(crate) fn calls(&self, path: u32) -> u64 {
        let calls = self.packed[path as usize].calls();
        if self.beyond.is_empty() {
            calls
        } else {
            calls + (self.beyond_of(path)[2] << (2 * CALL_BITS))
        }
    }

    /// The number of calls of all paths.
    pub(crate) fn all_calls(&self) -> u64 {
        let beyond: u64 = self.beyond.values().map(|beyond| beyond[2]).sum();
        let calls = self.packed.iter().map(|packed| packed.calls());
        calls.sum::<u64>() + (beyond << (2 * CALL_BITS))
    }

    /// Wall and CPU time of a path, ns; at most 2^63 - 1.
    #[inline]
    pub(crate) fn times(&self, path: u32) -> [i64; 2] {
        let packed = self.packed[path as usize];
        let times = [packed.wall & TIME_MASK, packed.cpu & TIME_MASK];
        if self.beyond.is_empty() {
            return times.map(|time| time as i64);
        }
        let [wall, cpu, _] = self.beyond_of(path);
        let whole = |low: u64, high: u64| u128::from(high) << TIME_BITS | u128::from(low);
        [whole(times[0], wall), whole(times[1], cpu)]
            .map(|time| i64::try_from(time).unwrap_or(i64::MAX))
    }

    #[cold]
    fn beyond_of(&self, path: u32) -> Beyond {
        self.beyond.get(&path).copied().unwrap_or_default()
    }
}

/// Operations for narrowing a whole tree to a range.
impl Counts {
    /// Appends the paths of another table; returns the new number of its first path.
    pub(crate) fn append(&mut self, others: Self) -> u32 {
        let first = self.packed.len() as u32;
        if first == 0 {
            *self = others;
            return 0;
        }
        self.packed.extend(others.packed);
        let beyond = others.beyond.into_iter();
        self.beyond
            .extend(beyond.map(|(path, counts)| (first + path, counts)));
        self.unfinished.append(first, others.unfinished);
        first
    }

    /// The number of paths.
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Removes a call that was added. Not for paths with calls that were clamped to 2^63 - 1 ns.
    #[inline]
    pub(crate) fn take_call(&mut self, path: u32, wall_ns: u64, cpu_ns: u64) {
        let packed = &mut self.packed[path as usize];
        let borrows = packed.wall & TIME_MASK < wall_ns || packed.cpu & TIME_MASK < cpu_ns;
        match packed.wall.checked_sub(wall_ns | 1 << TIME_BITS) {
            Some(_) if !borrows => {
                packed.wall -= wall_ns + (1 << TIME_BITS);
                packed.cpu -= cpu_ns;
            }
            _ => self.take_rarely(path, wall_ns, cpu_ns),
        }
    }

    /// Removes a call whose path has an entry in the overflow table.
    #[cold]
    fn take_rarely(&mut self, path: u32, wall_ns: u64, cpu_ns: u64) {
        let packed = self.packed[path as usize];
        let beyond = self.beyond.remove(&path).unwrap_or_default();
        let whole = |low: u64, high: u64, bits: u32| u128::from(high) << bits | u128::from(low);
        let calls = whole(packed.calls(), beyond[2], 2 * CALL_BITS).saturating_sub(1);
        let left = |time: u64, nth: usize, less: u64| {
            whole(time & TIME_MASK, beyond[nth], TIME_BITS).saturating_sub(less.into())
        };
        let (wall, cpu) = (left(packed.wall, 0, wall_ns), left(packed.cpu, 1, cpu_ns));
        let low = |whole: u128, bits: u32| whole as u64 & ((1 << bits) - 1);
        self.packed[path as usize] = Packed::new(
            low(wall, TIME_BITS),
            low(cpu, TIME_BITS),
            low(calls, 2 * CALL_BITS),
        );
        let beyond = [
            wall >> TIME_BITS,
            cpu >> TIME_BITS,
            calls >> (2 * CALL_BITS),
        ];
        if beyond != [0; 3] {
            self.beyond.insert(path, beyond.map(|rest| rest as u64));
        }
    }

    /// A table with the same number of paths, without calls.
    pub(crate) fn zeroed(paths: usize) -> Self {
        Self {
            packed: vec![Packed::default(); paths],
            ..Self::default()
        }
    }

    /// A range of paths, renumbered from 0.
    pub(crate) fn stretch(&self, paths: Range<usize>) -> Self {
        let beyond = self.beyond.iter();
        let beyond = beyond.filter(|(path, _)| paths.contains(&(**path as usize)));
        let first = paths.start as u32;
        Self {
            beyond: beyond
                .map(|(path, counts)| (path - first, *counts))
                .collect(),
            unfinished: self.unfinished.stretch(&paths),
            packed: self.packed[paths].to_vec(),
        }
    }

    /// `count` paths, numbered by their positions in `paths`.
    pub(crate) fn picked(&self, count: usize, paths: impl Iterator<Item = u32>) -> Self {
        let mut picked = Self {
            packed: Vec::with_capacity(count),
            ..Self::default()
        };
        let is_plain = self.beyond.is_empty();
        for path in paths {
            let new = picked.packed.len() as u32;
            if !is_plain && let Some(beyond) = self.beyond.get(&path) {
                picked.beyond.insert(new, *beyond);
            }
            if let Some(times) = self.unfinished.get(path) {
                picked.unfinished.set(new, Some(*times));
            }
            picked.packed.push(self.packed[path as usize]);
        }
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_path() -> Counts {
        let mut counts = Counts::default();
        counts.push();
        counts
    }

    #[test]
    fn calls_beyond_32_bits_are_kept() {
        let mut counts = one_path();
        counts.set(0, [0, 0], u64::from(u32::MAX));
        counts.add_call(0, 5, 4);
        assert_eq!(
            (counts.times(0), counts.calls(0), counts.all_calls()),
            ([5, 4], 1 << 32, 1 << 32)
        );
        counts.add_call(0, 1, 1);
        assert_eq!((counts.times(0), counts.calls(0)), ([6, 5], (1 << 32) + 1));
    }

    #[test]
    fn what_was_added_can_be_taken_back() {
        let sizes = [0, 1, 77, 1 << 47, (1 << 48) - 1, 1 << 50, i64::MAX as u64];
        let mut counts = one_path();
        counts.set(0, [3, 4], (1 << 32) - 2);
        let mut seen = Vec::new();
        for (nth, &wall_ns) in sizes.iter().enumerate() {
            let cpu_ns = sizes[sizes.len() - 1 - nth];
            seen.push((counts.times(0), counts.calls(0), wall_ns, cpu_ns));
            counts.add_call(0, wall_ns, cpu_ns);
        }
        for (times, calls, wall_ns, cpu_ns) in seen.into_iter().rev() {
            counts.take_call(0, wall_ns, cpu_ns);
            assert_eq!((counts.times(0), counts.calls(0)), (times, calls));
        }
    }

    #[test]
    fn paths_of_others_stand_behind() {
        let [mut counts, mut others] = [one_path(), one_path()];
        counts.add_call(0, 1, 2);
        others.set(0, [1 << 50, 3], 4);
        assert_eq!(counts.append(others), 1);
        assert_eq!((counts.times(0), counts.calls(0)), ([1, 2], 1));
        assert_eq!((counts.times(1), counts.calls(1)), ([1 << 50, 3], 4));
    }

    #[test]
    fn calls_run_from_one_time_s_side_to_the_other_s() {
        let mut counts = one_path();
        for nth in 1..=200_000u64 {
            counts.add_call(0, 1 << 20, 3);
            assert_eq!(counts.calls(0), nth);
        }
        assert_eq!(counts.times(0), [200_000 << 20, 600_000]);
    }

    #[test]
    fn times_beyond_48_bits_are_kept_and_end_at_the_largest() {
        let mut counts = one_path();
        let days = (1 << 48) + 7;
        for nth in 1..=3 {
            counts.add_call(0, days as u64, 1);
            let expected = ([nth * days, nth], nth as u64);
            assert_eq!((counts.times(0), counts.calls(0)), expected);
        }
        counts.add_call(0, u64::MAX, u64::MAX);
        assert_eq!((counts.times(0), counts.calls(0)), ([i64::MAX; 2], 4));
        counts.set(0, [-1, days], 9);
        assert_eq!((counts.times(0), counts.calls(0)), ([0, days], 9));
    }
}
