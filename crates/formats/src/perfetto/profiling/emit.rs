//! The rows of the tables. They are added when the trace ends, because only then everything about them is known.

use traceloom_trace::{ArgValue, NO_TIME, RecordId, RowId, SliceId, StringId, TraceBuilder};

use super::art::{DumpStack, OutOfMemory};
use super::heap_graph::Head;
use super::heap_profile::{Allocation, Dump};
use super::samples::{Sample, Samples};
use super::stacks::{NONE, Stacks};

/// Consecutive records: the rows of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows(u32);

impl Rows {
    /// The records after those that the trace has.
    pub fn next(out: &TraceBuilder) -> Self {
        Self(out.trace().records.len() as u32)
    }

    /// The next `count` of them. `None` if there are too many.
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

/// A text; no value for no text.
pub(super) fn text(id: StringId) -> ArgValue {
    if id == StringId::NULL {
        ArgValue::Null
    } else {
        ArgValue::Text(id)
    }
}

/// A word as text; no value for an empty one.
pub(super) fn word(word: &str, out: &mut TraceBuilder) -> ArgValue {
    text(out.intern_unless_empty(word.as_bytes()))
}

/// Adds a row without a time.
pub(super) fn add<const N: usize>(
    table: &str,
    cells: [(&str, ArgValue); N],
    out: &mut TraceBuilder,
) {
    add_at(NO_TIME, table, cells, out);
}

/// Adds a row. Cells without a value are left out.
fn add_at<const N: usize>(
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

fn int(value: u64) -> ArgValue {
    ArgValue::Int(value as i64)
}

fn optional(value: Option<u32>) -> ArgValue {
    value.map_or(ArgValue::Null, |value| ArgValue::Int(value.into()))
}

/// Adds the stacks; returns the callsites.
pub(super) fn stacks(stacks: &Stacks, out: &mut TraceBuilder) -> Option<Rows> {
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

/// Adds the samples in order of time.
pub(super) fn samples(mut all: Samples, callsites: Rows, out: &mut TraceBuilder) -> Option<()> {
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

/// The stack of a track event, at the beginning or the end of its slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackOfSlice {
    pub slice: SliceId,
    pub callsite: u32,
    pub weight: Option<f64>,
    pub is_end: bool,
}

/// Adds the stacks of track events.
pub(super) fn slice_stacks(stacks: &[StackOfSlice], callsites: Rows, out: &mut TraceBuilder) {
    for stack in stacks {
        let track = out.trace().slices.track_id.get(stack.slice.row());
        let column = if stack.is_end {
            "end_callsite_id"
        } else {
            "callsite_id"
        };
        let cells = [
            ("slice_id", stack.slice.into()),
            ("track_id", track.into()),
            (column, callsites.cell(stack.callsite)),
            (
                "weight",
                stack.weight.map_or(ArgValue::Null, ArgValue::Float),
            ),
        ];
        add("__intrinsic_track_event_callstacks", cells, out);
    }
}

/// Where the rows are that samples refer to.
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
    /// What samples belong to.
    fn describe(&self, all: &Samples, out: &mut TraceBuilder) {
        for session in &all.sessions {
            let cells = [
                ("source", text(session.source)),
                ("timebase_unit", text(session.unit)),
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

/// Adds the heap profiles.
pub(super) fn heap_profiles(
    dumps: &[Dump],
    allocations: &[Allocation],
    callsites: Rows,
    out: &mut TraceBuilder,
) {
    for dump in dumps {
        let cells = [
            ("ts_end", ArgValue::Int(dump.end)),
            ("dur", ArgValue::Int(dump.end.saturating_sub(dump.start))),
            ("upid", dump.upid.into()),
            ("heap_name", text(dump.heap)),
        ];
        add_at(dump.start, "heap_profile", cells, out);
    }
    for row in allocations {
        let cells = [
            ("upid", row.upid.into()),
            ("heap_name", text(row.heap)),
            ("callsite_id", callsites.cell(row.callsite)),
            ("count", ArgValue::Int(row.count)),
            ("size", ArgValue::Int(row.size)),
        ];
        add_at(row.ts, "heap_profile_allocation", cells, out);
    }
}

/// Adds the table of heap graphs, and what is known about the errors that caused them.
pub(super) fn graph_heads(
    heads: &[Head],
    errors: &[OutOfMemory],
    stacks: &[DumpStack],
    callsites: Rows,
    out: &mut TraceBuilder,
) -> Option<()> {
    let graphs = Rows::next(out).take(heads.len())?;
    for head in heads {
        let reason = if head.is_oome { "OOME" } else { "" };
        let cells = [
            ("upid", head.upid.into()),
            ("dump_reason", word(reason, out)),
            (
                "heap_size",
                head.heap_size.map_or(ArgValue::Null, ArgValue::Int),
            ),
            ("truncated", int(head.is_truncated.into())),
        ];
        add_at(head.ts, "heap_graph", cells, out);
    }
    for error in errors {
        let cells = [
            ("heap_graph_id", graphs.cell(error.graph)),
            ("allocation_size_bytes", int(error.allocation)),
            ("total_bytes_free", int(error.free)),
            ("free_bytes_until_oom", int(error.until_oom)),
            ("error_msg", text(error.message)),
        ];
        add("__intrinsic_heap_graph_java_oome_details", cells, out);
    }
    for stack in stacks {
        let cells = [
            ("heap_graph_id", graphs.cell(stack.graph)),
            ("utid", stack.utid.into()),
            ("callsite_id", callsites.cell(stack.callsite)),
        ];
        add("heap_graph_thread_callsite", cells, out);
    }
    Some(())
}
