//! Whether ids name rows that are there: what reads a trace trusts them.

use traceloom_trace::{Column, NO_DURATION, RowId, StringId, Trace};

use crate::error::ColumnsError;

/// Depths and CPU numbers up to this need no more rows than there are.
const SMALL: u32 = 1 << 16;

/// One column of a table that is looked at.
struct At(&'static str, &'static str);

impl At {
    fn wrong(&self, what: &'static str, found: i64, expected: &'static str) -> ColumnsError {
        ColumnsError::Value {
            table: self.0.to_owned(),
            column: self.1.to_owned(),
            what,
            found,
            expected,
        }
    }

    /// Each row that is named is below `rows`; `none` says whether none may be named.
    fn ids<I: RowId + PartialEq>(
        &self,
        ids: &Column<I>,
        rows: usize,
        none: bool,
    ) -> Result<(), ColumnsError> {
        let bad = |id: &I| !(id.row() < rows || none && *id == I::NONE);
        match first(ids, bad) {
            None => Ok(()),
            Some(id) => Err(self.wrong("an id", id.row() as i64, "a row that is there")),
        }
    }

    fn strings(&self, ids: &Column<StringId>, trace: &Trace) -> Result<(), ColumnsError> {
        let strings = trace.strings.len();
        match first(ids, |id| id.0 as usize >= strings) {
            None => Ok(()),
            Some(id) => Err(self.wrong("an id", id.0.into(), "a string that is there")),
        }
    }

    fn sorted(&self, ts: &Column<i64>) -> Result<(), ColumnsError> {
        let mut before = i64::MIN;
        match first(ts, |ts| std::mem::replace(&mut before, *ts) > *ts) {
            None => Ok(()),
            Some(ts) => Err(self.wrong("a time", ts, "one not before the last")),
        }
    }

    fn lengths(&self, dur: &Column<i64>) -> Result<(), ColumnsError> {
        match first(dur, |dur| *dur < NO_DURATION) {
            None => Ok(()),
            Some(dur) => Err(self.wrong("a length", dur, "0 or more, or -1")),
        }
    }

    fn below(&self, numbers: &Column<u32>, limit: u32, none: bool) -> Result<(), ColumnsError> {
        match first(numbers, |n| *n >= limit && !(none && *n == u32::MAX)) {
            None => Ok(()),
            Some(n) => Err(self.wrong("a number", n.into(), "a smaller one")),
        }
    }
}

/// The first value that is bad; of a column with one value for all rows, only that is looked at.
fn first<T: Copy + PartialEq>(column: &Column<T>, mut bad: impl FnMut(&T) -> bool) -> Option<T> {
    match column.constant() {
        Some(value) => bad(&value).then_some(value),
        None => column.iter().find(bad),
    }
}

/// Every id, time and length of the trace.
pub(crate) fn check(trace: &Trace) -> Result<(), ColumnsError> {
    macro_rules! ids {
        ($($table:ident . $column:ident < $target:ident $($none:ident)?;)*) => {$(
            let none = false $(|| stringify!($none) == "or_none")?;
            At(stringify!($table), stringify!($column))
                .ids(&trace.$table.$column, trace.$target.len(), none)?;
        )*};
    }
    macro_rules! strings {
        ($($table:ident: $($column:ident)*;)*) => {$($(
            At(stringify!($table), stringify!($column)).strings(&trace.$table.$column, trace)?;
        )*)*};
    }
    macro_rules! each_ts {
        ($($table:ident)*) => {$(
            At(stringify!($table), "ts").sorted(&trace.$table.ts)?;
        )*};
    }
    ids! {
        processes.source < sources or_none;
        threads.upid < processes or_none;
        threads.source < sources or_none;
        tracks.utid < threads or_none;
        tracks.upid < processes or_none;
        tracks.parent < tracks or_none;
        tracks.source < sources or_none;
        methods.source < sources or_none;
        metadata.source < sources or_none;
        slices.track_id < tracks;
        slices.parent_id < slices or_none;
        slices.method_id < methods or_none;
        flows.slice_out < slices;
        flows.slice_in < slices;
        counters.track_id < tracks;
        instants.track_id < tracks;
        sched_slices.utid < threads or_none;
        thread_states.utid < threads;
        thread_states.waker_utid < threads or_none;
        ftrace_events.utid < threads or_none;
    }
    let sets = trace.args.sets();
    At("slices", "arg_set_id").ids(&trace.slices.arg_set_id, sets, true)?;
    At("instants", "arg_set_id").ids(&trace.instants.arg_set_id, sets, true)?;
    At("ftrace_events", "arg_set_id").ids(&trace.ftrace_events.arg_set_id, sets, true)?;
    strings! {
        sources: name format;
        processes: name cmdline;
        threads: name;
        tracks: name category;
        methods: class name signature file;
        metadata: key value;
        slices: name category;
        flows: name;
        instants: name;
        thread_states: blocked_function;
        ftrace_events: name;
    }
    each_ts!(slices counters instants sched_slices thread_states ftrace_events);
    At("slices", "dur").lengths(&trace.slices.dur)?;
    At("sched_slices", "dur").lengths(&trace.sched_slices.dur)?;
    At("thread_states", "dur").lengths(&trace.thread_states.dur)?;
    let deepest = (trace.slices.len() as u32).max(SMALL);
    At("slices", "depth").below(&trace.slices.depth, deepest, false)?;
    At("sched_slices", "cpu").below(&trace.sched_slices.cpu, SMALL, true)?;
    At("thread_states", "cpu").below(&trace.thread_states.cpu, SMALL, true)?;
    At("ftrace_events", "cpu").below(&trace.ftrace_events.cpu, SMALL, true)?;
    no_circles(&At("slices", "parent_id"), &trace.slices.parent_id)?;
    no_circles(&At("tracks", "parent"), &trace.tracks.parent)?;
    args(trace)
}

/// Who goes from parent to parent must come to an end. Parents mostly stand before their
/// children, which needs no further look; from the others the way up is walked.
fn no_circles<I: RowId + PartialEq>(at: &At, parents: &Column<I>) -> Result<(), ColumnsError> {
    if parents.constant().is_some_and(|parent| parent == I::NONE) {
        return Ok(());
    }
    let late = |row: usize| parents.get(row).some().filter(|parent| parent.row() >= row);
    // What is known to end. Without late parents nothing is asked, and nothing kept.
    let mut ends: Vec<bool> = Vec::new();
    for row in 0..parents.len() {
        if late(row).is_none() {
            continue;
        }
        ends.resize(parents.len(), false);
        let mut way = Vec::new();
        let mut next = Some(row);
        while let Some(row) = next.filter(|row| !ends[*row]) {
            if way.len() > parents.len() {
                return Err(at.wrong("an id", row as i64, "a parent that is not its own child"));
            }
            way.push(row);
            next = parents.get(row).some().map(|parent| parent.row());
        }
        way.into_iter().for_each(|row| ends[row] = true);
    }
    Ok(())
}

fn args(trace: &Trace) -> Result<(), ColumnsError> {
    const TEXT: u8 = 3;
    let (_, keys, kinds, values) = trace.args.columns();
    At("args", "key").strings(keys, trace)?;
    let strings = trace.strings.len() as u64;
    let texts = kinds.iter().zip(values.iter());
    let mut texts = texts.filter(|(kind, _)| *kind == TEXT);
    match texts.find(|(_, value)| *value >= strings) {
        None => Ok(()),
        Some((_, value)) => {
            let at = At("args", "value");
            Err(at.wrong("an id", value as i64, "a string that is there"))
        }
    }
}
