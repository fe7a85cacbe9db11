//! The rows of stacks and samples. They are added when the trace ends, because their data is complete only then.

use traceloom_trace::{ArgValue, NO_TIME, RecordId, StringId, TraceBuilder};

use super::samples::{Sample, Samples};
use super::stacks::{NONE, Stacks};

/// Consecutive records: the rows of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows(u32);

impl Rows {
    /// The records after those that the trace already has.
    pub fn next(out: &TraceBuilder) -> Self {
        Self(out.trace().records.len() as u32)
    }

    /// The next `count` records. `None` if there are too many.
    pub fn take(&mut self, count: usize) -> Option<Self> {
        let taken = *self;
        let end = (self.0 as usize).checked_add(count)?;
        self.0 = u32::try_from(end).ok().filter(|end| *end < NONE)?;
        Some(taken)
    }

    /// The records after the next `count`.
    pub fn after(mut self, count: usize) -> Option<Self> {
        self.take(count)?;
        Some(self)
    }

    /// A cell that refers to a row; no value for [`NONE`].
    pub fn cell(self, row: u32) -> ArgValue {
        match row {
            NONE => ArgValue::Null,
            row => RecordId(self.0.saturating_add(row)).into(),
        }
    }
}

/// A text; no value if there is no text.
pub(crate) fn text(id: StringId) -> ArgValue {
    if id == StringId::NULL {
        ArgValue::Null
    } else {
        ArgValue::Text(id)
    }
}

/// A word as text; no value for an empty one.
pub(crate) fn word(word: &str, out: &mut TraceBuilder) -> ArgValue {
    text(out.intern_unless_empty(word.as_bytes()))
}

/// Adds a row without a time.
pub(crate) fn add<const N: usize>(
    table: &str,
    cells: [(&str, ArgValue); N],
    out: &mut TraceBuilder,
) {
    add_at(NO_TIME, table, cells, out);
}

/// Adds a row. Cells without a value are left out.
pub(crate) fn add_at<const N: usize>(
    ts: i64,
    table: &str,
    cells: [(&str, ArgValue); N],
    out: &mut TraceBuilder,
) {
    let cells = cells
        .into_iter()
        .filter(|(_, cell)| *cell != ArgValue::Null);
    let cells: Vec<_> = cells.collect();
    out.record(ts, table, &cells);
}

pub(crate) fn int(value: u64) -> ArgValue {
    ArgValue::Int(value as i64)
}

fn optional(value: Option<u32>) -> ArgValue {
    value.map_or(ArgValue::Null, |value| ArgValue::Int(value.into()))
}

/// Adds the stacks; returns the callsites.
pub(crate) fn add_stacks(stacks: &Stacks, out: &mut TraceBuilder) -> Option<Rows> {
    let mut next = Rows::next(out);
    let symbols = next.take(stacks.symbols.len())?;
    let mappings = next.take(stacks.mappings.len())?;
    let frames = next.take(stacks.frames.len())?;
    let callsites = next.take(stacks.callsites.len())?;
    for symbol in &stacks.symbols {
        let cells = [
            ("symbol_set_id", symbols.cell(symbol.set)),
            ("name", text(symbol.name)),
            ("source_file", text(symbol.file)),
            ("line_number", optional(symbol.line)),
            ("inlined", optional(symbol.inlined.map(u32::from))),
        ];
        add("stack_profile_symbol", cells, out);
    }
    for mapping in &stacks.mappings {
        let cells = [
            ("build_id", ArgValue::Text(mapping.build_id)),
            ("exact_offset", int(mapping.exact_offset)),
            ("start_offset", int(mapping.start_offset)),
            ("start", int(mapping.start)),
            ("end", int(mapping.end)),
            ("load_bias", int(mapping.load_bias)),
            ("name", ArgValue::Text(mapping.name)),
        ];
        add("stack_profile_mapping", cells, out);
    }
    for frame in &stacks.frames {
        let cells = [
            ("name", text(frame.name)),
            ("mapping", mappings.cell(frame.mapping)),
            ("rel_pc", int(frame.rel_pc)),
            ("symbol_set_id", symbols.cell(frame.symbols)),
            ("deobfuscated_name", text(frame.deobfuscated)),
            ("type", text(frame.kind)),
        ];
        add("stack_profile_frame", cells, out);
    }
    for callsite in &stacks.callsites {
        let cells = [
            ("depth", int(callsite.depth.into())),
            ("parent_id", callsites.cell(callsite.parent)),
            ("frame_id", frames.cell(callsite.frame)),
        ];
        add("stack_profile_callsite", cells, out);
    }
    Some(callsites)
}

/// Adds the samples, sorted by time.
pub(crate) fn add_samples(mut all: Samples, callsites: Rows, out: &mut TraceBuilder) -> Option<()> {
    all.samples.sort_by_key(|sample| sample.ts);
    let mut next = Rows::next(out);
    let of = SampleRows {
        callsites,
        sessions: next.take(all.sessions.len())?,
        contexts: next.take(all.contexts.len())?,
        tasks: next.take(all.tasks.len())?,
        executions: next.take(all.executions.len())?,
        values: next.take(all.values.len())?,
        samples: next.take(all.samples.len())?,
    };
    of.describe(&all, out);
    for value in &all.values {
        let cells = [
            ("counter_set_id", of.values.cell(value.set)),
            ("track_id", value.track.into()),
        ];
        add_at(value.ts, "_profiler_counter_value", cells, out);
    }
    for sample in &all.samples {
        of.sample(sample, out);
    }
    let prioritised = all.samples.iter().enumerate();
    for (row, sample) in prioritised.filter(|(_, sample)| sample.priority != 0) {
        let cells = [
            ("profiler_sample_id", of.samples.cell(row as u32)),
            ("process_priority", ArgValue::Int(sample.priority.into())),
        ];
        add("__intrinsic_chrome_stack_sample_extras", cells, out);
    }
    for counter in &all.counters {
        let cells = [
            ("track_id", counter.track.into()),
            ("session_id", of.sessions.cell(counter.session)),
            ("cpu", optional(counter.cpu)),
            ("is_timebase", int(counter.is_timebase.into())),
            ("unit", text(counter.unit)),
            ("description", text(counter.description)),
        ];
        add("_profiler_counter_track", cells, out);
    }
    Some(())
}

/// The rows that samples refer to.
struct SampleRows {
    callsites: Rows,
    sessions: Rows,
    contexts: Rows,
    tasks: Rows,
    executions: Rows,
    values: Rows,
    samples: Rows,
}

impl SampleRows {
    /// Adds rows for the sessions, contexts, tasks and executions of samples.
    fn describe(&self, all: &Samples, out: &mut TraceBuilder) {
        for session in &all.sessions {
            let cells = [
                ("source", text(session.source)),
                ("timebase_unit", text(session.unit)),
                ("cmdline", text(session.command)),
                ("event", text(session.event)),
            ];
            add("__intrinsic_profiler_session", cells, out);
        }
        for context in &all.contexts {
            let cells = [
                ("name", text(context.name)),
                ("kind", text(context.kind)),
                ("parent_id", self.contexts.cell(context.parent)),
            ];
            add("__intrinsic_profiler_async_context", cells, out);
        }
        for task in &all.tasks {
            let cells = [
                ("upid", task.upid.map_or(ArgValue::Null, Into::into)),
                ("utid", task.utid.map_or(ArgValue::Null, Into::into)),
                ("async_context_id", self.contexts.cell(task.context)),
            ];
            add("__intrinsic_profiler_task_context", cells, out);
        }
        for execution in &all.executions {
            let cells = [
                ("ucpu", optional(execution.cpu)),
                ("cpu_mode", text(execution.mode)),
            ];
            add("__intrinsic_profiler_execution_context", cells, out);
        }
    }

    fn sample(&self, sample: &Sample, out: &mut TraceBuilder) {
        let cells = [
            ("source", text(sample.source)),
            ("task_context_id", self.tasks.cell(sample.task)),
            (
                "execution_context_id",
                self.executions.cell(sample.execution),
            ),
            ("callsite_id", self.callsites.cell(sample.callsite)),
            ("unwind_error", text(sample.unwind_error)),
            ("session_id", self.sessions.cell(sample.session)),
            ("counter_set_id", self.values.cell(sample.counters)),
        ];
        add_at(sample.ts, "__intrinsic_profiler_sample", cells, out);
    }
}
