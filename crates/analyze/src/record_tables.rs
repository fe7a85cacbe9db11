//! The records of a trace by table: logs, samples, heap graphs.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, IdKind, NO_TIME, RowId, StringId, ThreadId, Trace};

/// The table of Android's log.
pub const LOGS: &str = "__intrinsic_logs";
/// The table of the samples of profilers.
pub const SAMPLES: &str = "__intrinsic_profiler_sample";

/// The records of each table, in order of time.
#[derive(Debug, Default)]
pub struct RecordTables {
    tables: Vec<(StringId, Vec<u32>)>,
    /// The place of each record among those of its table.
    places: Vec<u32>,
}

/// The samples of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreadSamples {
    /// The number of samples.
    pub count: usize,
    /// The times of the first and the last one, ns.
    pub extent: (i64, i64),
}

impl RecordTables {
    /// Finds the records of each table.
    pub fn new(trace: &Trace) -> Self {
        let rows = trace.records.rows();
        let mut tables: Vec<(StringId, Vec<u32>)> = Vec::new();
        let mut known: FxHashMap<StringId, usize> = FxHashMap::default();
        for (row, table) in rows.table.iter().enumerate() {
            let place = *known.entry(table).or_insert(tables.len());
            match tables.get_mut(place) {
                Some((_, records)) => records.push(row as u32),
                None => tables.push((table, vec![row as u32])),
            }
        }
        let mut places = vec![0; rows.len()];
        for (_, records) in &mut tables {
            records.sort_by_key(|row| rows.ts.get(*row as usize));
            for (record, place) in records.iter().zip(0..) {
                places[*record as usize] = place;
            }
        }
        Self { tables, places }
    }

    /// The name and the number of records of each table that has any.
    pub fn counts(&self) -> impl Iterator<Item = (StringId, usize)> {
        self.tables.iter().map(|(table, rows)| (*table, rows.len()))
    }

    /// The records of a table, in order of time; those without a time first.
    pub fn of(&self, trace: &Trace, table: &str) -> &[u32] {
        let table = trace.strings.lookup(table);
        let mut tables = self.tables.iter();
        tables
            .find(|(known, _)| Some(*known) == table)
            .map_or(&[], |(_, records)| records)
    }

    /// The place of a record among those of its table.
    pub fn place(&self, record: u32) -> Option<u32> {
        self.places.get(record as usize).copied()
    }

    /// The thread of a sample, if it is known.
    pub fn thread_of_sample(trace: &Trace, sample: u32) -> Option<ThreadId> {
        let Some(ArgValue::Row(IdKind::Record, task)) = cell(trace, sample, "task_context_id")
        else {
            return None;
        };
        match cell(trace, task, "utid") {
            Some(ArgValue::Row(IdKind::Thread, utid)) => Some(ThreadId(utid)),
            _ => None,
        }
    }

    /// The event that triggered a sample, such as `cycles:u`; empty if unknown.
    pub fn event_of_sample(trace: &Trace, sample: u32) -> &str {
        let Some(ArgValue::Row(IdKind::Record, session)) = cell(trace, sample, "session_id") else {
            return "";
        };
        match cell(trace, session, "event") {
            Some(ArgValue::Text(event)) => trace.strings.get(event),
            _ => "",
        }
    }

    /// The events of all samples.
    pub fn sample_events<'t>(&self, trace: &'t Trace) -> BTreeSet<&'t str> {
        let samples = self.of(trace, SAMPLES).iter();
        let events = samples.map(|sample| Self::event_of_sample(trace, *sample));
        events.filter(|event| !event.is_empty()).collect()
    }

    /// The samples of each thread of the trace.
    pub fn samples_by_thread(&self, trace: &Trace) -> Vec<ThreadSamples> {
        let mut threads = vec![ThreadSamples::default(); trace.threads.len()];
        for &sample in self.of(trace, SAMPLES) {
            let ts = trace.records.rows().ts.get(sample as usize);
            let thread = Self::thread_of_sample(trace, sample);
            let Some(own) = thread.and_then(|thread| threads.get_mut(thread.row())) else {
                continue;
            };
            if ts != NO_TIME {
                own.extent = (if own.count == 0 { ts } else { own.extent.0 }, ts);
                own.count += 1;
            }
        }
        threads
    }
}

/// A cell of a record. `None` if there is no such record.
fn cell(trace: &Trace, row: u32, name: &str) -> Option<ArgValue> {
    let column = trace.strings.lookup(name)?;
    let is_row = (row as usize) < trace.records.len();
    is_row.then(|| trace.records.cell(row as usize, column))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceloom_trace::TraceBuilder;

    #[test]
    fn records_are_found_by_table_and_thread() {
        let mut builder = TraceBuilder::new();
        let thread = builder.thread(7);
        let task = builder.record(NO_TIME, "tasks", &[("utid", thread.into())]);
        for ts in [9, 4] {
            builder.record(ts, SAMPLES, &[("task_context_id", task.into())]);
        }
        builder.record(5, SAMPLES, &[]);
        let trace = builder.finish();
        let tables = RecordTables::new(&trace);
        assert_eq!(tables.of(&trace, SAMPLES), [2, 3, 1]);
        assert_eq!(tables.of(&trace, LOGS), [0u32; 0]);
        let places: Vec<_> = (0..5).map(|record| tables.place(record)).collect();
        assert_eq!(places, [Some(0), Some(2), Some(0), Some(1), None]);
        let samples = tables.samples_by_thread(&trace)[thread.row()];
        assert_eq!((samples.count, samples.extent), (2, (4, 9)));
    }
}
