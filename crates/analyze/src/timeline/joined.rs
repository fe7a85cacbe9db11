//! Async tracks that one row shows together: only a number in their names tells them apart.

use traceloom_trace::{SliceId, SmallSort, Trace};

use super::ends::Ends;
use super::lanes::Lane;

/// The slices of several tracks on as few levels as keep overlapping ones apart.
///
/// ```text
/// deliverInputEvent src=0x1002 id=0x1   |--------|          |---|      level 0
/// deliverInputEvent src=0x1002 id=0x2       |---------|                level 1
/// deliverInputEvent src=0x1002 id=0x3              |------------|      level 2
/// ```
#[derive(Debug, Default)]
pub struct Joined {
    /// All slices in order of time, which is that of their numbers, and the level of each.
    slices: Vec<u32>,
    level_of: Vec<u32>,
    /// The slices of each level, and when they start.
    levels: Vec<(Vec<u32>, Vec<i64>)>,
}

impl Joined {
    /// Each slice goes to the lowest level that is free when it starts.
    pub(super) fn new(trace: &Trace, ends: &Ends, mut slices: Vec<u32>) -> Self {
        slices.small_sort_unstable();
        let mut this = Self::default();
        let mut free = Free::default();
        for &slice in &slices {
            let row = slice as usize;
            let (ts, end) = (trace.slices.ts.get(row), ends.of(trace, row));
            let level = free.take(ts, end);
            if level == this.levels.len() {
                this.levels.push(Default::default());
            }
            let (ids, starts) = &mut this.levels[level];
            ids.push(slice);
            starts.push(ts);
            this.level_of.push(level as u32);
        }
        this.slices = slices;
        this
    }

    /// How many levels there are.
    pub fn levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The level of a slice; 0 for one that is not here.
    pub fn level_of(&self, slice: SliceId) -> u32 {
        let at = self.slices.binary_search(&slice.0);
        at.map_or(0, |at| self.level_of[at])
    }

    /// The slices of a level; none beyond the last.
    pub fn lane<'t>(&'t self, trace: &'t Trace, ends: &'t Ends, level: u32) -> Lane<'t> {
        let known = self.levels.get(level as usize);
        let (ids, ts) = known.map_or((&[][..], &[][..]), |(ids, ts)| (ids, ts));
        Lane::in_turn(trace, ends, ids, ts)
    }
}

/// Which levels are free when, as a tree of the earliest moments:
///
/// ```text
///          min            tree[1]: some level is free from the first moment on
///      7       min        tree[2..4]
///    9   7   3   min      tree[4..8]: levels 0 to 3, the last one not used yet
/// ```
#[derive(Default)]
struct Free {
    tree: Vec<i64>,
}

impl Free {
    /// The lowest level that is free at `ts`, and takes it until `end`.
    fn take(&mut self, ts: i64, end: i64) -> usize {
        if self.tree.get(1).is_none_or(|&earliest| earliest > ts) {
            self.grow();
        }
        let half = self.tree.len() / 2;
        let mut at = 1;
        while at < half {
            at = 2 * at + usize::from(self.tree[2 * at] > ts);
        }
        let level = at - half;
        self.tree[at] = end;
        while at > 1 {
            at /= 2;
            self.tree[at] = self.tree[2 * at].min(self.tree[2 * at + 1]);
        }
        level
    }

    /// Twice the levels; new ones are free from the first moment on.
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.tree);
        let levels = old.len() / 2;
        let half = (2 * levels).max(1);
        self.tree = vec![i64::MIN; 2 * half];
        self.tree[half..half + levels].copy_from_slice(&old[levels..]);
        for at in (1..half).rev() {
            self.tree[at] = self.tree[2 * at].min(self.tree[2 * at + 1]);
        }
    }
}

/// What of a name is said before its first number or `key=value`; empty if it begins with a number.
pub(super) fn stem(name: &str) -> &str {
    // Bytes, not letters: tables of those beyond ASCII would be part of every report.
    let bytes = name.as_bytes();
    let varies = |byte: &u8| *byte == b'=' || byte.is_ascii_digit();
    let Some(mut end) = bytes.iter().position(varies) else {
        return name;
    };
    // The key belongs to its value, unless there is nothing else.
    let word = bytes[..end].iter().rposition(|byte| *byte == b' ');
    if let Some(word) = word.filter(|_| bytes[end] == b'=') {
        end = word;
    }
    while end > 0 && bytes[end - 1].is_ascii() && !bytes[end - 1].is_ascii_alphanumeric() {
        end -= 1;
    }
    name.get(..end).unwrap_or(name)
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
