//! Decodes a trace from its blocks.

use std::collections::HashSet;

use traceloom_trace::{
    ArgSetId, ArgTable, ClockKind, ClockRow, Column, Place, Records, RepairKind, RepairRow,
    RepairTable, RowId, SliceRow, SourceId, StringId, StringPool, Trace, TrackOwner,
    tables::SliceTable,
};

use super::bytes::Input;
use super::check::{Counts, Seen, check, check_sets};
use super::encode::{MAGIC, VERSION};
use super::error::{ColumnsError, Result};
use super::group::scatter;
use super::nest::{parents, unpack_times};
use super::pack::unpack;
use super::read::{Filler, Table};
use super::schema::{Args, Instants, Parts, fill};
use super::states;
use super::transform::Transform;
use super::value::Value;

/// Decodes a trace from its blocks, in the order in which they were written. Unknown tables and
/// columns are skipped; missing columns get the value for "unknown".
///
/// The result needs at most one megabyte per table plus 4 times the bytes of the blocks; decoding
/// needs 14 times their bytes. Every id in the result refers to an existing row, every table is
/// sorted by time, and no slice is its own ancestor.
///
/// # Errors
/// If the bytes are not such blocks, or contradict each other; see [`ColumnsError`].
pub fn decode<'a>(
    blocks: impl IntoIterator<Item = &'a [u8]>,
) -> std::result::Result<Trace, ColumnsError> {
    let mut decoder = BlockDecoder::default();
    for block in blocks {
        decoder.block(block)?;
    }
    decoder.finish()
}

/// Decodes a trace block by block, like [`decode`]. A block is no longer needed once it is decoded.
pub struct BlockDecoder {
    parts: Parts,
    /// The names of the tables read so far, and their known columns.
    tables: HashSet<String>,
    columns: Vec<Seen>,
    /// The oldest version of the blocks.
    version: u64,
    /// The number of blocks so far.
    blocks: usize,
}

impl Default for BlockDecoder {
    fn default() -> Self {
        let mut trace = Trace::default();
        // The blocks have the reserved rows, too.
        (trace.processes, trace.threads) = Default::default();
        Self {
            parts: Parts::of(trace),
            tables: HashSet::new(),
            columns: Vec::new(),
            version: VERSION,
            blocks: 0,
        }
    }
}

impl BlockDecoder {
    /// Decodes the next block.
    ///
    /// # Errors
    /// If it is not a block, or contradicts itself. The decoder cannot be used after an error.
    pub fn block(&mut self, block: &[u8]) -> std::result::Result<(), ColumnsError> {
        let number = self.blocks;
        self.blocks += 1;
        self.tables_of(number, block).map_err(|error| *error)
    }

    /// The trace.
    ///
    /// # Errors
    /// If the blocks contradict each other.
    pub fn finish(self) -> std::result::Result<Trace, ColumnsError> {
        self.checked().map_err(|error| *error)
    }
}

/// The first version in which string id 0 means no string. In earlier versions, id 0 was the empty
/// string, and also stood for a missing string.
const NULL_STRINGS: u64 = 2;

impl BlockDecoder {
    fn tables_of(&mut self, number: usize, block: &[u8]) -> Result<()> {
        let (version, mut input) = open_block(number, block)?;
        self.version = self.version.min(version);
        while !input.0.is_empty() {
            let mut table = Table::open(&mut input)?;
            if !self.tables.insert(table.name.to_owned()) {
                return Err(twice(&table, "table"));
            }
            self.table(&mut table)?;
        }
        Ok(())
    }

    fn table(&mut self, table: &mut Table<'_>) -> Result<()> {
        let trace = &mut self.parts.trace;
        match table.name {
            "trace" => trace.bounds = bounds(table)?,
            "strings" => strings(&mut trace.strings, table)?,
            "clocks" => clocks(trace, table)?,
            "repairs" => trace.repairs = repairs(table)?,
            "slices" => nested(table)?,
            "instants" => table.can_be_slices()?,
            "thread_states" if table.has("origin") => states::put_together(&self.parts, table)?,
            _ => {}
        }
        let mut filler = Filler {
            table,
            seen: &mut self.columns,
            result: Ok(()),
        };
        fill(&mut self.parts, &mut filler);
        filler.result
    }

    fn checked(self) -> Result<Trace> {
        let mut trace = self.parts.trace;
        let (args, sets) = arg_table(self.parts.args)?;
        trace.args = args;
        let (cells, _) = arg_table(self.parts.cells)?;
        trace.records = Records::from_parts(self.parts.records, cells);
        let has_null = self.version >= NULL_STRINGS;
        let counts = Counts {
            strings: trace.strings.len() - usize::from(!has_null),
            arg_sets: sets.as_ref().map_or(trace.args.len(), Vec::len),
        };
        check(&self.columns, &trace, counts)?;
        if self.version < INSTANT_SLICES {
            add_instants(&mut trace.slices, self.parts.instants);
        } else {
            check_instants(&trace.slices)?;
        }
        if !has_null {
            trace.replace_strings(|old| StringId(old.0 + 1));
        }
        if sets.is_none() {
            check_sets(&mut trace)?;
        }
        if let Some(sets) = sets {
            let first_row = |set: ArgSetId| sets.get(set.row()).copied();
            trace.replace_arg_sets(|set| first_row(set).unwrap_or_default());
        }
        if self.version < TYPED_TRACKS {
            name_track_types(&mut trace);
        }
        if self.version < INSTANT_SLICES {
            trace.put_in_order();
        }
        if self.version < IDLE_ROWS || trace.processes.is_empty() || trace.threads.is_empty() {
            trace.reserve_idle_rows();
        }
        Ok(trace)
    }
}

/// The first version in which instants are slices. Earlier versions have a separate table of instants.
const INSTANT_SLICES: u64 = 3;

/// The first version with rows for the idle process and its thread.
const IDLE_ROWS: u64 = 3;

/// Appends the instants of an earlier version to the slices.
fn add_instants(slices: &mut SliceTable, instants: Instants) {
    slices.instant = Column::repeated(false, slices.len());
    let rows = instants.ts.iter().zip(instants.track_id.iter());
    let rows = rows.zip(instants.name.iter().zip(instants.arg_set_id.iter()));
    for ((ts, track_id), (name, arg_set_id)) in rows {
        slices.push(SliceRow::instant(ts, track_id, name, arg_set_id));
    }
}

/// Checks that instants have no duration and contain nothing.
fn check_instants(slices: &SliceTable) -> Result<()> {
    if !slices.has_instants() {
        return Ok(());
    }
    if let Some(row) = slices.instants().find(|&row| slices.dur.get(row) != 0) {
        let expected = ("a length", "0, as it is of an instant");
        return Err(ColumnsError::wrong(
            "slices",
            "dur",
            slices.dur.get(row),
            expected,
        ));
    }
    let mut parents = slices.parent_id.iter().filter_map(RowId::some);
    match parents.find(|parent| slices.is_instant(parent.row())) {
        Some(parent) => {
            let expected = ("an id", "a parent that is not an instant");
            let id = parent.0.into();
            Err(ColumnsError::wrong("slices", "parent_id", id, expected))
        }
        None => Ok(()),
    }
}

/// The first version in which tracks of the kernel's events have their own types.
const TYPED_TRACKS: u64 = 2;

/// Gives tracks of an earlier version the types that their names have in the kernel's events. Names of processes'
/// tracks come from programs, so they do not determine a type.
fn name_track_types(trace: &mut Trace) {
    for row in 0..trace.tracks.len() {
        let kind = trace.tracks.kind.get(row);
        if !kind.is_stack() && kind.owner() != TrackOwner::Process {
            let name = trace.strings.get(trace.tracks.name.get(row));
            *trace.tracks.kind.get_mut(row) = kind.named(name);
        }
    }
}

/// The version of a block, and its tables.
fn open_block(number: usize, block: &[u8]) -> Result<(u64, Input<'_>)> {
    let body = block.strip_prefix(MAGIC);
    let mut input = Input(body.ok_or(ColumnsError::Magic { block: number })?);
    match input.varint() {
        Some(version @ 1..=VERSION) => Ok((version, input)),
        found => Err(Box::new(ColumnsError::Version {
            block: number,
            found: found.unwrap_or(0),
            known: VERSION,
        })),
    }
}

fn twice(table: &Table<'_>, what: &'static str) -> Box<ColumnsError> {
    Box::new(ColumnsError::Twice {
        table: table.name.to_owned(),
        what,
    })
}

fn bounds(table: &mut Table<'_>) -> Result<(i64, i64)> {
    if table.rows != 1 {
        let rows = table.rows as i64;
        return Err(table.wrong("first_ts", rows, ("the number of rows", "1")));
    }
    let first = table.values("first_ts", &i64::KIND, 0)?[0];
    let last = table.values("last_ts", &i64::KIND, 0)?[0];
    if first > last {
        return Err(table.wrong("last_ts", last, ("a time", "one not before the first")));
    }
    Ok((first, last))
}

fn strings(strings: &mut StringPool, table: &mut Table<'_>) -> Result<()> {
    for (row, text) in table.texts("text")?.into_iter().enumerate() {
        if strings.intern(text).0 as usize != row + 2 {
            return Err(twice(table, "string"));
        }
    }
    Ok(())
}

fn clocks(trace: &mut Trace, table: &mut Table<'_>) -> Result<()> {
    let sources = table.values("source", &SourceId::KIND, -1)?;
    let ts = table.values("ts", &i64::KIND, 0)?;
    let values = table.values("value_ns", &i64::KIND, 0)?;
    let precisions = table.values("precision_ns", &i64::KIND, 0)?;
    let (clocks, names) = (table.texts("clock")?, table.texts("name")?);
    for row in 0..table.rows {
        let known = ClockKind::ALL
            .iter()
            .find(|kind| kind.name() == clocks[row]);
        trace.clocks.push(ClockRow {
            source: SourceId::of(sources[row]),
            clock: known.copied().unwrap_or(ClockKind::Trace),
            ts: ts[row],
            value_ns: values[row],
            precision_ns: precisions[row],
            name: names[row].to_owned(),
        });
    }
    Ok(())
}

fn repairs(table: &mut Table<'_>) -> Result<RepairTable> {
    let sources = table.values("source", &SourceId::KIND, -1)?;
    let counts = table.values("count", &u64::KIND, 1)?;
    let known = table.values("known", &u8::KIND, 0)?;
    let offsets = table.values("offset", &u64::KIND, 0)?;
    let lines = table.values("line", &u64::KIND, 0)?;
    let ts = table.values("ts", &i64::KIND, 0)?;
    let (kinds, details) = (table.texts("kind")?, table.texts("detail")?);
    // Bounded: a table with more rows than its block can hold was refused when it was opened.
    let mut rows = Vec::with_capacity(table.rows);
    for row in 0..table.rows {
        let is_known = |bit: u8| known[row] >> bit & 1 == 1;
        let place = Place {
            offset: is_known(0).then(|| offsets[row] as u64),
            line: is_known(1).then(|| lines[row] as u64),
            ts: is_known(2).then(|| ts[row]),
        };
        let kind = RepairKind::ALL
            .iter()
            .find(|kind| kind.name() == kinds[row]);
        rows.push(RepairRow {
            source: SourceId::of(sources[row]),
            // A kind that only a newer version has is still counted.
            kind: kind.copied().unwrap_or(RepairKind::BadField),
            count: counts[row] as u64,
            first: place,
            detail: match kind {
                Some(_) => details[row].to_owned(),
                None => format!("{}: {}", kinds[row], details[row]),
            },
        });
    }
    Ok(RepairTable::from_rows(rows))
}

/// Restores the columns that are derived from the nesting of slices: parents, durations and CPU
/// times.
fn nested(table: &mut Table<'_>) -> Result<()> {
    let order = table.order_of("track_id")?;
    let ts = table.in_order("ts", &i64::KIND, &order)?;
    let tracks = table.small_in_order("track_id", &order)?;
    let depths = table.small_in_order("depth", &order)?;
    if let Some(payload) = table.payload("parent_id", &u32::KIND, Transform::Parent)? {
        let residuals = unpack(&mut Input(payload), table.rows);
        let residuals = residuals.ok_or_else(|| table.truncated("parent_id"))?;
        let values = parents(residuals, &order, &tracks, &depths);
        table.work_out("parent_id", scatter(&values, &order));
    }
    let names = ["dur", "thread_ts", "thread_dur"];
    let mut payloads: [&[u8]; 3] = [&[]; 3];
    for (name, payload) in names.iter().zip(&mut payloads) {
        let nested = table.payload(name, &i64::KIND, Transform::Nest)?;
        *payload = nested.unwrap_or(&[]);
    }
    let times = unpack_times(ts, payloads, &tracks, &depths);
    let times = times.ok_or_else(|| table.truncated("the times"))?;
    drop((tracks, depths));
    let restored = [times.dur, times.thread_ts, times.thread_dur];
    for ((name, payload), values) in names.into_iter().zip(payloads).zip(restored) {
        if !payload.is_empty() {
            table.work_out(name, scatter(&values, &order));
        }
    }
    Ok(())
}

/// The arguments. Older reports number the sets and have a table of their lengths; in that case, the sets are
/// returned, too.
fn arg_table(args: Args) -> Result<(ArgTable, Option<Vec<ArgSetId>>)> {
    let (sets, rows) = (args.length.len() as i64, args.key.len() as i64);
    if sets == 0 {
        let table = ArgTable::from_columns(args.key, args.kind, args.value);
        let expected = ("the number of arguments", "sets that end");
        let table = table.ok_or_else(|| ColumnsError::wrong("args", "kind", rows, expected))?;
        return Ok((table, None));
    }
    let table = ArgTable::from_lengths(&args.length, args.key, &args.kind, args.value);
    let (table, sets) = table.ok_or_else(|| {
        let expected = ("the number of sets", "sets that share out all arguments");
        ColumnsError::wrong("arg_sets", "length", sets, expected)
    })?;
    Ok((table, Some(sets)))
}
