//! Blocks of columns back to a trace.

use traceloom_trace::{
    ArgTable, ClockKind, ClockRow, Column, MethodId, NO_DURATION, NO_NUMBER, NO_TIME, Place,
    ProcessId, RepairKind, RowId, SliceId, SourceId, StringId, TaskState, ThreadId,
    ThreadStateTable, Trace, TrackId, TrackKind,
};

use crate::VERSION;
use crate::bytes::Input;
use crate::check::check;
use crate::encode::MAGIC;
use crate::error::ColumnsError;
use crate::group::{gather, scatter};
use crate::nest::{parents, unpack_times};
use crate::pack::{Numbers, unpack};
use crate::read::Table;
use crate::states;
use crate::transform::Transform;
use crate::value::Value;

macro_rules! columns {
    ($trace:ident, $from:ident, $table:ident: $($column:ident or $missing:expr,)*) => {{
        $($from.put(&mut $trace.$table.$column, stringify!($column), $missing);)*
        $from.checked()?;
    }};
}

/// A trace of its blocks, in the order they were written. Tables and columns that are not known are passed over,
/// and those that are missing get the value for "not known".
///
/// The answer takes at most a megabyte a table and 4 times the bytes of the blocks, and 14 times on
/// the way; every id in it names a row that is there, every table is in order of time, and no slice
/// is its own parent.
///
/// # Errors
/// If the bytes are no such blocks, or contradict themselves; see [`ColumnsError`].
pub fn decode<'a>(blocks: impl IntoIterator<Item = &'a [u8]>) -> Result<Trace, ColumnsError> {
    let mut decoder = Decoder::default();
    for (number, block) in blocks.into_iter().enumerate() {
        decoder.block(number, block)?;
    }
    decoder.finish()
}

/// A trace on its way out of its blocks.
#[derive(Default)]
struct Decoder<'a> {
    trace: Trace,
    /// The tables that were there.
    seen: Vec<&'a str>,
    /// Of the thread states, which are put together from these and from what ran on the CPUs.
    idle: Vec<bool>,
    told: Told,
    /// Of the arguments: how many each set has; keys, kinds and values of all.
    lengths: Column<u32>,
    args: (Column<StringId>, Column<u8>, Column<u64>),
}

/// Thread states that are written out.
#[derive(Default)]
struct Told {
    states: ThreadStateTable,
}

impl<'a> Decoder<'a> {
    fn block(&mut self, number: usize, block: &'a [u8]) -> Result<(), ColumnsError> {
        let mut input = open_block(number, block)?;
        while !input.0.is_empty() {
            let mut table = Table::open(&mut input)?;
            if self.seen.contains(&table.name) {
                return Err(twice(&table, "table"));
            }
            self.seen.push(table.name);
            self.table(&mut table)?;
        }
        Ok(())
    }

    fn table(&mut self, table: &mut Table<'_>) -> Result<(), ColumnsError> {
        let told = &mut self.told;
        match table.name {
            "arg_sets" => self.lengths = table.column("length", 0)?,
            "args" => {
                self.args.0 = table.column("key", NAME)?;
                self.args.1 = table.column("kind", 0)?;
                self.args.2 = table.column("value", 0)?;
            }
            "idle_threads" => {
                self.idle.resize(self.trace.threads.len(), false);
                states::read_idle(table, &mut self.idle)?;
            }
            "told_states" => columns!(told, table, states:
                ts or 0, utid or ThreadId::NONE, cpu or u32::MAX, state or TaskState::UNKNOWN,
                waker_utid or ThreadId::NONE,),
            "thread_states" if table.has("origin") => {
                self.idle.resize(self.trace.threads.len(), false);
                let parts = states::Parts {
                    ran: &self.trace.sched_slices,
                    told: &told.states,
                    idle: &self.idle,
                };
                states::read(parts, table, &mut self.trace.thread_states)?;
            }
            _ => fill(&mut self.trace, table)?,
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Trace, ColumnsError> {
        let mut end = 0u32;
        let mut length = |length: u32| {
            end = end.saturating_add(length);
            end
        };
        let ends: Column<u32> = self.lengths.iter().map(&mut length).collect();
        let sets = ends.len() as i64;
        let (keys, kinds, values) = self.args;
        let args = ArgTable::from_columns(ends, keys, kinds, values);
        self.trace.args = args.ok_or_else(|| ColumnsError::Value {
            table: "arg_sets".to_owned(),
            column: "length".to_owned(),
            what: "the number of sets",
            found: sets,
            expected: "sets that share out all arguments",
        })?;
        check(&self.trace)?;
        Ok(self.trace)
    }
}

fn open_block(number: usize, block: &[u8]) -> Result<Input<'_>, ColumnsError> {
    let body = block.strip_prefix(MAGIC);
    let mut input = Input(body.ok_or(ColumnsError::Magic { block: number })?);
    match input.varint() {
        Some(VERSION) => Ok(input),
        found => Err(ColumnsError::Version {
            block: number,
            found: found.unwrap_or(0),
            known: VERSION,
        }),
    }
}

fn twice(table: &Table<'_>, what: &'static str) -> ColumnsError {
    ColumnsError::Twice {
        table: table.name.to_owned(),
        what,
    }
}

const NAME: StringId = StringId::EMPTY;
const SOURCE: SourceId = SourceId::NONE;

fn fill(trace: &mut Trace, table: &mut Table<'_>) -> Result<(), ColumnsError> {
    match table.name {
        "trace" => bounds(trace, table)?,
        "strings" => strings(trace, table)?,
        "sources" => columns!(trace, table, sources: name or NAME, format or NAME, bytes or 0,),
        "processes" => columns!(trace, table, processes:
            pid or NO_NUMBER, name or NAME, cmdline or NAME, uid or NO_NUMBER, ppid or NO_NUMBER,
            start_ts or NO_TIME, end_ts or NO_TIME, source or SOURCE,),
        "threads" => columns!(trace, table, threads:
            tid or NO_NUMBER, name or NAME, upid or ProcessId::NONE, is_main_thread or false,
            start_ts or NO_TIME, end_ts or NO_TIME, source or SOURCE,),
        "tracks" => columns!(trace, table, tracks:
            kind or TrackKind::Global, name or NAME, category or NAME, utid or ThreadId::NONE,
            upid or ProcessId::NONE,
            cpu or NO_NUMBER, parent or TrackId::NONE, source or SOURCE,),
        "methods" => columns!(trace, table, methods:
            raw_id or 0, class or NAME, name or NAME, signature or NAME, file or NAME, line or -1,
            source or SOURCE,),
        "metadata" => {
            columns!(trace, table, metadata: key or NAME, value or NAME, source or SOURCE,)
        }
        "clocks" => clocks(trace, table)?,
        "repairs" => repairs(trace, table)?,
        "slices" => slices(trace, table)?,
        "flows" => columns!(trace, table, flows:
            slice_out or SliceId::NONE, slice_in or SliceId::NONE, name or NAME,),
        "counters" => columns!(trace, table, counters:
            ts or 0, track_id or TrackId::NONE, value or 0.0,),
        "instants" => columns!(trace, table, instants:
            ts or 0, track_id or TrackId::NONE, name or NAME, arg_set_id or RowId::NONE,),
        "sched_slices" => columns!(trace, table, sched_slices:
            ts or 0, dur or NO_DURATION, cpu or 0, utid or ThreadId::NONE,
            end_state or TaskState::UNKNOWN, priority or 0,),
        "thread_states" => columns!(trace, table, thread_states:
            ts or 0, dur or NO_DURATION, utid or ThreadId::NONE, cpu or u32::MAX,
            state or TaskState::UNKNOWN, io_wait or -1, blocked_function or NAME,
            waker_utid or ThreadId::NONE,),
        "ftrace_events" => columns!(trace, table, ftrace_events:
            ts or 0, name or NAME, utid or ThreadId::NONE, cpu or 0, arg_set_id or RowId::NONE,),
        // Of a newer program.
        _ => {}
    }
    Ok(())
}

fn bounds(trace: &mut Trace, table: &mut Table<'_>) -> Result<(), ColumnsError> {
    if table.rows != 1 {
        let rows = table.rows as i64;
        return Err(table.wrong("first_ts", "the number of rows", rows, "1"));
    }
    let first: Column<i64> = table.column("first_ts", 0)?;
    let last: Column<i64> = table.column("last_ts", 0)?;
    trace.bounds = (first.get(0), last.get(0));
    if trace.bounds.0 > trace.bounds.1 {
        return Err(table.wrong(
            "last_ts",
            "a time",
            trace.bounds.1,
            "one not before the first",
        ));
    }
    Ok(())
}

fn strings(trace: &mut Trace, table: &mut Table<'_>) -> Result<(), ColumnsError> {
    for (row, text) in table.texts("text")?.into_iter().enumerate() {
        if trace.strings.intern(text).0 as usize != row + 1 {
            return Err(twice(table, "string"));
        }
    }
    Ok(())
}

fn clocks(trace: &mut Trace, table: &mut Table<'_>) -> Result<(), ColumnsError> {
    let sources: Column<SourceId> = table.column("source", SOURCE)?;
    let ts: Column<i64> = table.column("ts", 0)?;
    let values: Column<i64> = table.column("value_ns", 0)?;
    let precisions: Column<i64> = table.column("precision_ns", 0)?;
    let (clocks, names) = (table.texts("clock")?, table.texts("name")?);
    for row in 0..table.rows {
        let known = ClockKind::ALL
            .iter()
            .find(|kind| kind.name() == clocks[row]);
        trace.clocks.push(ClockRow {
            source: sources.get(row),
            clock: known.copied().unwrap_or(ClockKind::Trace),
            ts: ts.get(row),
            value_ns: values.get(row),
            precision_ns: precisions.get(row),
            name: names[row].to_owned(),
        });
    }
    Ok(())
}

fn repairs(trace: &mut Trace, table: &mut Table<'_>) -> Result<(), ColumnsError> {
    let sources: Column<SourceId> = table.column("source", SOURCE)?;
    let counts: Column<u64> = table.column("count", 1)?;
    let known: Column<u8> = table.column("known", 0)?;
    let offsets: Column<u64> = table.column("offset", 0)?;
    let lines: Column<u64> = table.column("line", 0)?;
    let ts: Column<i64> = table.column("ts", 0)?;
    let (kinds, details) = (table.texts("kind")?, table.texts("detail")?);
    for row in 0..table.rows {
        let is_known = |bit: u8| known.get(row) >> bit & 1 == 1;
        let place = Place {
            offset: is_known(0).then(|| offsets.get(row)),
            line: is_known(1).then(|| lines.get(row)),
            ts: is_known(2).then(|| ts.get(row)),
        };
        let kind = RepairKind::ALL
            .iter()
            .find(|kind| kind.name() == kinds[row]);
        let detail = || match kind {
            Some(_) => details[row].to_owned(),
            None => format!("{}: {}", kinds[row], details[row]),
        };
        // A kind that only a newer program has is still counted.
        let kind = kind.copied().unwrap_or(RepairKind::BadField);
        trace
            .repairs
            .add(sources.get(row), kind, counts.get(row), place, detail);
    }
    Ok(())
}

/// A column, and its numbers in the order of tracks.
fn by_track<T: Value>(
    table: &mut Table<'_>,
    name: &'static str,
    order: &[u32],
) -> Result<(Column<T>, Vec<i64>), ColumnsError> {
    let numbers = table.rows_of::<T>(name)?;
    let numbers = numbers.ok_or_else(|| table.truncated(name))?;
    let ordered = match &numbers {
        Numbers::Same(value) => vec![*value; table.rows],
        Numbers::Each(values) => gather(values, order),
    };
    Ok((table.typed(name, numbers)?, ordered))
}

fn slices(trace: &mut Trace, table: &mut Table<'_>) -> Result<(), ColumnsError> {
    let rows = table.rows;
    let slices = &mut trace.slices;
    let order = table.order_of("track_id")?;
    let (ts, tracks, depths);
    (slices.ts, ts) = by_track(table, "ts", &order)?;
    (slices.track_id, tracks) = by_track(table, "track_id", &order)?;
    (slices.depth, depths) = by_track(table, "depth", &order)?;
    slices.parent_id = match table.payload::<u32>("parent_id", Transform::Parent)? {
        None => table.column("parent_id", SliceId::NONE)?,
        Some(payload) => {
            let residuals = unpack(&mut Input(payload), rows);
            let residuals = residuals.ok_or_else(|| table.truncated("parent_id"))?;
            let values = parents(residuals, &order, &tracks, &depths);
            table.typed("parent_id", Numbers::Each(scatter(&values, &order)))?
        }
    };

    let names = ["dur", "thread_ts", "thread_dur"];
    let mut nested: [&[u8]; 3] = [&[]; 3];
    for (name, payload) in names.iter().zip(&mut nested) {
        *payload = table.payload::<i64>(name, Transform::Nest)?.unwrap_or(&[]);
    }
    let times = unpack_times(ts, nested, &tracks, &depths);
    let times = times.ok_or_else(|| table.truncated("the times"))?;
    drop((tracks, depths));
    let restored = [times.dur, times.thread_ts, times.thread_dur];
    let columns = [
        &mut slices.dur,
        &mut slices.thread_ts,
        &mut slices.thread_dur,
    ];
    for (((name, payload), values), column) in
        names.into_iter().zip(nested).zip(restored).zip(columns)
    {
        *column = match payload.is_empty() {
            true => table.column(name, NO_DURATION)?,
            false => table.typed(name, Numbers::Each(scatter(&values, &order)))?,
        };
    }
    table.put(&mut slices.name, "name", NAME);
    table.put(&mut slices.category, "category", NAME);
    table.put(&mut slices.arg_set_id, "arg_set_id", RowId::NONE);
    table.put(&mut slices.method_id, "method_id", MethodId::NONE);
    table.checked()
}
