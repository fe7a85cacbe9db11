//! Finds processes that Chrome lists as running although nothing describes them. For some time, their events were lost.
//!
//! ```text
//! listed      |           |           |        Chrome lists its processes after each reset of its sequences
//! described                           |
//!             ^ lost      ^ lost      reliable from here
//! ```
//! Chrome describes each process shortly before or after it lists it.

use traceloom_trace::{ArgValue, NO_TIME, Place, ProcessId, RepairKind, RowId, TraceBuilder};

use super::super::packet::payload;
use super::super::wire::{Field, Fields};

/// Fields of `TrackEvent`: the list of Perfetto's messages, and the one of Chrome's extensions.
const LISTS: [u32; 2] = [49, 1042];
/// How far a description may be from the list, ns.
const NEAR_NS: i64 = 200_000_000;
/// The maximum number of listed processes that are kept. An entry in a list takes few bytes, but its row takes many.
const MOST_LISTED: usize = 1 << 17;

/// When processes were listed and described, ns.
#[derive(Debug, Default)]
pub(super) struct ActiveProcesses {
    /// The process and the time of each entry of a list.
    listed: Vec<(ProcessId, i64)>,
    /// The number of entries beyond this limit.
    beyond: u64,
    /// The pid and the time of each description.
    described: Vec<(i64, i64)>,
}

impl ActiveProcesses {
    /// Reads the lists among the fields of an event.
    pub fn event(&mut self, ts: i64, fields: &[Field<'_>], out: &mut TraceBuilder) {
        let lists = fields.iter().filter(|field| LISTS.contains(&field.number));
        let pids = lists.flat_map(|list| list.fields().filter(|field| field.number == 1));
        for pid in pids.flat_map(Field::numbers) {
            if self.listed.len() == MOST_LISTED {
                self.beyond += 1;
                continue;
            }
            let upid = out.process(i64::from(pid as i32));
            self.listed.push((upid, ts));
        }
    }

    /// Reads the descriptions in a packet. A description without a timestamp applies from the start.
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
        self.described.push((pid, ts));
    }

    /// Writes a row for each process that was listed without a description.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        out.repair(
            RepairKind::SkippedEntry,
            self.beyond,
            Place::default(),
            || "entries in lists of Chrome's processes".to_owned(),
        );
        let mut lists: Vec<i64> = self.listed.iter().map(|(_, ts)| *ts).collect();
        lists.sort_unstable();
        self.listed.sort_unstable();
        self.described.sort_unstable();
        for of_process in self.listed.chunk_by(|a, b| a.0 == b.0) {
            let upid = of_process[0].0;
            let pid = out.trace().processes.pid.get(upid.row());
            let Some(reliable_from) = self.loss(pid, of_process, &lists) else {
                continue;
            };
            let mut cells = vec![("upid", upid.into())];
            cells.extend(reliable_from.map(|ts| ("reliable_from", ArgValue::Int(ts))));
            out.record(NO_TIME, "experimental_missing_chrome_processes", &cells);
        }
    }

    /// The time from which the events of a process are complete again after the last list without a description. The
    /// inner `None` means never; the outer `None` means that nothing was lost.
    fn loss(
        &self,
        pid: i64,
        of_process: &[(ProcessId, i64)],
        lists: &[i64],
    ) -> Option<Option<i64>> {
        let start = self.described.partition_point(|it| *it < (pid, i64::MIN));
        let end = self.described.partition_point(|it| *it <= (pid, i64::MAX));
        let described = &self.described[start..end];
        of_process.iter().rev().find_map(|(_, list)| {
            let first = list.saturating_sub(NEAR_NS);
            let later = described.partition_point(|(_, ts)| *ts < first);
            match described.get(later) {
                None if described.first().is_some_and(|(_, ts)| *ts == i64::MIN) => None,
                Some((_, next)) if *next <= list.saturating_add(NEAR_NS) => None,
                Some((_, next)) => Some(Some(*next)),
                // The process ended before the next list.
                None => {
                    let next = lists.partition_point(|ts| ts <= list);
                    Some(lists.get(next).copied())
                }
            }
        })
    }
}
