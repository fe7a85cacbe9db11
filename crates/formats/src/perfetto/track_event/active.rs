//! Which processes Chrome lists as running although nothing describes them: their events were lost for a time.
//!
//! ```text
//! listed      |           |           |        Chrome lists its processes after each reset of its sequences
//! described                           |
//!             ^ lost      ^ lost      reliable from here
//! ```
//! Chrome describes each process shortly before or after it lists it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, ProcessId, RowId, TraceBuilder};

use super::super::packet::payload;
use super::super::wire::{Field, Fields};

/// Fields of `TrackEvent`: the list of Perfetto's messages, and the one of Chrome's extensions.
const LISTS: [u32; 2] = [49, 1042];
/// How far a description may be from the list, ns.
const NEAR_NS: i64 = 200_000_000;

/// When processes were listed and described, ns.
#[derive(Debug, Default)]
pub(super) struct ActiveProcesses {
    /// The lists, by process.
    listed: BTreeMap<ProcessId, BTreeSet<i64>>,
    lists: BTreeSet<i64>,
    described: FxHashMap<i64, BTreeSet<i64>>,
}

impl ActiveProcesses {
    /// Reads the lists among the fields of an event.
    pub fn event(&mut self, ts: i64, fields: &[Field<'_>], out: &mut TraceBuilder) {
        let lists = fields.iter().filter(|field| LISTS.contains(&field.number));
        let pids = lists.flat_map(|list| list.fields().filter(|field| field.number == 1));
        for pid in pids.flat_map(Field::numbers) {
            let upid = out.process(i64::from(pid as i32));
            self.listed.entry(upid).or_default().insert(ts);
            self.lists.insert(ts);
        }
    }

    /// Reads the descriptions in a packet. Without a time, it describes a process from the start.
    pub fn packet(&mut self, ts: i64, (number, content): (u32, &[u8])) {
        let fields = Fields::new(content);
        match number {
            payload::PROCESS_DESCRIPTOR => self.described(ts, fields),
            payload::TRACK_DESCRIPTOR => {
                let processes = fields.filter(|field| field.number == 3);
                processes.for_each(|process| self.described(ts, process.fields()));
            }
            _ => {}
        }
    }

    fn described(&mut self, ts: i64, mut descriptor: Fields<'_>) {
        let pid = descriptor.find(|field| field.number == 1);
        let pid = pid.map_or(0, |pid| i64::from(pid.int32()));
        self.described.entry(pid).or_default().insert(ts);
    }

    /// Writes a row for each process that was listed without a description.
    pub fn finish(&self, out: &mut TraceBuilder) {
        for (upid, lists) in &self.listed {
            let pid = out.trace().processes.pid.get(upid.row());
            let Some(reliable_from) = self.loss(pid, lists) else {
                continue;
            };
            let mut cells = vec![("upid", (*upid).into())];
            cells.extend(reliable_from.map(|ts| ("reliable_from", ArgValue::Int(ts))));
            out.record(NO_TIME, "experimental_missing_chrome_processes", &cells);
        }
    }

    /// From when on a process has its events after the last list without a description; the inner `None` is never, the
    /// outer one means that nothing was lost.
    fn loss(&self, pid: i64, lists: &BTreeSet<i64>) -> Option<Option<i64>> {
        let none = BTreeSet::new();
        let described = self.described.get(&pid).unwrap_or(&none);
        lists.iter().rev().find_map(|list| {
            let mut later = described.range(list.saturating_sub(NEAR_NS)..);
            match later.next() {
                None if described.contains(&i64::MIN) => None,
                Some(next) if *next <= list.saturating_add(NEAR_NS) => None,
                Some(next) => Some(Some(*next)),
                // The process ended before the next list.
                None => Some(self.lists.range(list.saturating_add(1)..).next().copied()),
            }
        })
    }
}
