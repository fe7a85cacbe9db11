//! The counts of `perf stat record`: it reads each counter at the end, or with `-I` at the end of each interval.
//!
//! ```text
//! STAT        u64 id of the event  u32 cpu  u32 thread  u64 count  u64 ns enabled  u64 ns running
//! STAT_ROUND  u64 kind  u64 ns since the begin: the time of the STAT records before it
//! ```
//! Counts are those since the begin. Those of several threads are added up.

use std::collections::BTreeMap;

use super::events::Events;
use crate::bytes::Cursor;

/// A count of an event on a CPU, or on all CPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Count {
    /// The time, ns.
    pub ts: i64,
    pub event: u32,
    pub cpu: Option<u32>,
    pub count: u64,
}

/// All counts so far.
#[derive(Debug, Default)]
pub(super) struct Stats {
    /// Those whose time is not known yet.
    round: BTreeMap<(u32, Option<u32>), u64>,
    pub counts: Vec<Count>,
    /// The number of counts that belong to no event.
    pub dropped: u64,
}

impl Stats {
    /// Reads `STAT`. `None` if it ends too early.
    pub fn add(&mut self, mut from: Cursor<'_>, events: &Events<'_>) -> Option<()> {
        let (id, cpu, _thread) = (from.u64()?, from.i32()?, from.u32()?);
        let (count, enabled, running) = (from.u64()?, from.u64()?, from.u64()?);
        let Some(event) = events.with_id(id) else {
            self.dropped += 1;
            return Some(());
        };
        let key = (event as u32, u32::try_from(cpu).ok());
        let sum = self.round.entry(key).or_default();
        *sum = sum.saturating_add(scaled(count, enabled, running));
        Some(())
    }

    /// Reads `STAT_ROUND`. `None` if it ends too early.
    pub fn end_round(&mut self, mut from: Cursor<'_>) -> Option<()> {
        from.u64()?;
        let ts = i64::try_from(from.u64()?).ok()?;
        let round = std::mem::take(&mut self.round).into_iter();
        let counts = round.map(|((event, cpu), count)| Count {
            ts,
            event,
            cpu,
            count,
        });
        self.counts.extend(counts);
        Some(())
    }

    /// The number of counts without a time. With `-I`, perf reads the counters once more right after the last interval.
    pub fn untimed(&self) -> u64 {
        self.round.len() as u64
    }
}

/// What the count would be if the counter had run all the time. Events share the counters of the CPU.
fn scaled(count: u64, enabled: u64, running: u64) -> u64 {
    if running == 0 || running >= enabled {
        return count;
    }
    let all = u128::from(count) * u128::from(enabled) / u128::from(running);
    u64::try_from(all).unwrap_or(u64::MAX)
}
