//! Finds events that several buffers recorded.

use rustc_hash::FxHashMap;

use super::super::decode::Kind;

/// The maximum time between the records of an event in two buffers. The kernel writes one after the other.
const AT_MOST_NS: u64 = 100_000;

/// The last event of each event number on each CPU.
#[derive(Debug, Default)]
pub(super) struct Repeats<'a> {
    last: FxHashMap<(u32, u16), Seen<'a>>,
}

#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub buffer: usize,
    pub ts: i64,
    pub data: &'a [u8],
}

impl<'a> Repeats<'a> {
    /// Whether another buffer has just recorded the same event. Buffers with different filters contain different
    /// events.
    pub fn has(&mut self, place: (u32, u16), event: Seen<'a>) -> bool {
        let is_same = |last: &Seen<'_>| {
            let is_soon = last.ts.abs_diff(event.ts) <= AT_MOST_NS;
            last.buffer != event.buffer && is_soon && last.data == event.data
        };
        let repeats = self.last.get(&place).is_some_and(is_same);
        if !repeats {
            self.last.insert(place, event);
        }
        repeats
    }
}

/// Whether events of this kind are taken from only one buffer.
pub(super) fn has_teller(kind: &Kind) -> bool {
    matches!(kind, Kind::Switch(_) | Kind::Wake(..) | Kind::CpuValue(..))
}
