//! Async tracks that share a row because their names differ only in a number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use traceloom_trace::{SliceId, Trace};

use super::ends::Ends;
use super::lanes::Lane;

/// The slices of several tracks, on as few levels as possible without overlaps.
///
/// ```text
/// deliverInputEvent src=0x1002 id=0x1   |--------|          |---|      level 0
/// deliverInputEvent src=0x1002 id=0x2       |---------|                level 1
/// deliverInputEvent src=0x1002 id=0x3              |------------|      level 2
/// ```
#[derive(Debug, Default)]
pub struct Joined {
    /// All slices in order of time, which is also the order of their numbers, and the level of
    /// each.
    slices: Vec<u32>,
    level_of: Vec<u32>,
    /// The slices of each level, and their start times.
    levels: Vec<(Vec<u32>, Vec<i64>)>,
}

impl Joined {
    /// Puts each slice on the lowest level that is free when it starts.
    pub(super) fn new(trace: &Trace, ends: &Ends, mut slices: Vec<u32>) -> Self {
        slices.sort_unstable();
        let mut this = Self::default();
        let mut taken = BinaryHeap::new();
        let mut free = BinaryHeap::new();
        for &slice in &slices {
            let row = slice as usize;
            let (ts, end) = (trace.slices.ts.get(row), ends.end_of(trace, row));
            while let Some(&(Reverse(until), level)) = taken.peek()
                && until <= ts
            {
                taken.pop();
                free.push(Reverse(level));
            }
            let level = match free.pop() {
                Some(Reverse(level)) => level,
                None => {
                    this.levels.push(Default::default());
                    this.levels.len() as u32 - 1
                }
            };
            taken.push((Reverse(end), level));
            let (ids, starts) = &mut this.levels[level as usize];
            ids.push(slice);
            starts.push(ts);
            this.level_of.push(level);
        }
        this.slices = slices;
        this
    }

    /// The number of levels.
    pub fn levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The level of a slice; 0 if the slice is not in this row.
    pub fn level_of(&self, slice: SliceId) -> u32 {
        let at = self.slices.binary_search(&slice.0);
        at.map_or(0, |at| self.level_of[at])
    }

    /// The slices of a level; empty if there is no such level.
    pub fn lane<'t>(&'t self, trace: &'t Trace, ends: &'t Ends, level: u32) -> Lane<'t> {
        let of_level = self.levels.get(level as usize);
        let (ids, ts) = of_level.map_or((&[][..], &[][..]), |(ids, ts)| (ids, ts));
        Lane::in_turn(trace, ends, ids, ts)
    }
}

/// The part of a name before its first number or `key=value`; empty if it begins with a number.
pub(super) fn stem(name: &str) -> &str {
    let Some(at) = name.find(|letter: char| letter == '=' || letter.is_ascii_digit()) else {
        return name;
    };
    let (head, rest) = name.split_at_checked(at).unwrap_or((name, ""));
    // The key belongs to its value, unless nothing else would remain.
    let head = match head.rfind(' ').filter(|_| rest.starts_with('=')) {
        Some(word) => head.get(..word).unwrap_or_default(),
        None => head,
    };
    // All non-ASCII characters count as letters, because the tables that classify them are large.
    head.trim_end_matches(|letter: char| letter.is_ascii() && !letter.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn names_without_their_numbers() {
        for (name, expected) in [
            (
                "deliverInputEvent src=0x1002 eventTimeNano=7 id=0x1",
                "deliverInputEvent",
            ),
            (
                "H:L:TracestartAppAnimation 10000",
                "H:L:TracestartAppAnimation",
            ),
            (
                "BufferTX - com.example/.Main#0",
                "BufferTX - com.example/.Main",
            ),
            ("id=5", "id"),
            ("frame_17 of 20", "frame"),
            ("animator:alpha", "animator:alpha"),
            ("17", ""),
            ("größe ü9", "größe ü"),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
    }
}
