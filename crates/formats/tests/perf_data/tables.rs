//! The samples of a trace, from its tables.

use std::collections::{HashMap, VecDeque};

use traceloom_trace::{ArgValue, RowId, Trace};

/// A sample.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub ts: i64,
    pub pid: i64,
    pub tid: i64,
    pub cpu: Option<i64>,
    /// Innermost frame first.
    pub stack: Vec<Frame>,
    /// The increase of each counter since its last value.
    pub counts: Vec<(String, u64)>,
}

/// A function of a stack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    pub file: String,
    pub name: String,
    /// The address in memory, and the address in the file.
    pub address: u64,
    pub rel_pc: u64,
}

/// All samples, in order of time.
pub fn samples(trace: &Trace) -> Vec<Sample> {
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| trace.strings.get(*of) == "__intrinsic_profiler_sample");
    let mut counters = Counters::new(trace);
    let sample = |(row, _)| {
        let task = reference(trace, row, "task_context_id").unwrap();
        let (pid, tid) = task_of(trace, task);
        let execution = reference(trace, row, "execution_context_id");
        let ts = trace.records.rows().ts.get(row);
        let set = reference(trace, row, "counter_set_id");
        Sample {
            ts,
            pid,
            tid,
            cpu: execution.and_then(|row| int(trace, row, "ucpu")),
            stack: stack(trace, reference(trace, row, "callsite_id")),
            counts: set.map_or_else(Vec::new, |set| counters.of(set)),
        }
    };
    rows.map(sample).collect()
}

/// The process and the thread; 0 if unknown.
fn task_of(trace: &Trace, row: usize) -> (i64, i64) {
    let upid = reference(trace, row, "upid");
    let utid = reference(trace, row, "utid");
    let pid = upid.map_or(0, |upid| trace.processes.pid.get(upid));
    (pid, utid.map_or(0, |utid| trace.threads.tid.get(utid)))
}

fn stack(trace: &Trace, mut callsite: Option<usize>) -> Vec<Frame> {
    let mut stack = Vec::new();
    while let Some(row) = callsite {
        let frame = reference(trace, row, "frame_id").unwrap();
        let mapping = reference(trace, frame, "mapping").unwrap();
        let number = |row, key| int(trace, row, key).unwrap_or(0) as u64;
        let rel_pc = number(frame, "rel_pc");
        let start = number(mapping, "start").wrapping_sub(number(mapping, "exact_offset"));
        stack.push(Frame {
            file: text(trace, mapping, "name"),
            name: text(trace, frame, "name"),
            address: rel_pc.wrapping_add(start),
            rel_pc,
        });
        callsite = reference(trace, row, "parent_id");
    }
    stack
}

/// The values of counters that samples have.
struct Counters {
    /// The values of each set: the name and the increase, by the record where the set begins.
    sets: HashMap<usize, Vec<(String, u64)>>,
}

impl Counters {
    fn new(trace: &Trace) -> Self {
        let mut values: HashMap<_, VecDeque<u64>> = HashMap::new();
        for row in 0..trace.counters.len() {
            let track = trace.counters.track_id.get(row).row();
            let value = trace.counters.value.get(row) as u64;
            let of_time = values.entry((track, trace.counters.ts.get(row)));
            of_time.or_default().push_back(value);
        }
        let (mut sets, mut last) = (HashMap::<_, Vec<_>>::new(), HashMap::new());
        let tables = trace.records.rows().table.iter().enumerate();
        let rows = tables.filter(|(_, of)| trace.strings.get(*of) == "_profiler_counter_value");
        for (row, _) in rows {
            let set = reference(trace, row, "counter_set_id").unwrap();
            let track = reference(trace, row, "track_id").unwrap();
            let of_time = values.get_mut(&(track, trace.records.rows().ts.get(row)));
            let value = of_time.and_then(VecDeque::pop_front).unwrap();
            let before = last.insert(track, value).unwrap_or(0);
            let name = trace.strings.get(trace.tracks.name.get(track)).to_owned();
            sets.entry(set)
                .or_default()
                .push((name, value.saturating_sub(before)));
        }
        Self { sets }
    }

    fn of(&mut self, set: usize) -> Vec<(String, u64)> {
        self.sets.remove(&set).unwrap_or_default()
    }
}

fn cell(trace: &Trace, row: usize, key: &str) -> Option<ArgValue> {
    trace.records.cell(row, trace.strings.lookup(key)?)
}

fn int(trace: &Trace, row: usize, key: &str) -> Option<i64> {
    match cell(trace, row, key)? {
        ArgValue::Int(number) => Some(number),
        _ => None,
    }
}

fn text(trace: &Trace, row: usize, key: &str) -> String {
    match cell(trace, row, key) {
        Some(ArgValue::Text(text)) => trace.strings.get(text).to_owned(),
        _ => String::new(),
    }
}

fn reference(trace: &Trace, row: usize, key: &str) -> Option<usize> {
    match cell(trace, row, key)? {
        ArgValue::Row(_, row) => Some(row as usize),
        _ => None,
    }
}
