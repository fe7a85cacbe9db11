//! Encodes a trace as blocks.

use traceloom_trace::{Column, Trace};

use super::bytes::put_varint;
use super::group::gather;
use super::nest::{Times, pack_parents, pack_times};
use super::pack::pack;
use super::transform::{Transform, next_residuals};
use super::value::{Value, numbers};
use super::write::TableWriter;

/// The version of the encoding that is written, and the newest that can be read.
pub const VERSION: u64 = 3;

/// The first bytes of every block.
pub(crate) const MAGIC: &[u8; 4] = b"tlco";

/// Some tables of a trace as bytes, arranged so that deflate compresses them well. Uncompressed
/// they are not small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name, one of [`BLOCKS`].
    pub name: &'static str,
    /// The encoded tables.
    pub bytes: Vec<u8>,
}

/// The names of the blocks. The first one alone is a trace without events; the last one has
/// details.
pub const BLOCKS: [&str; 5] = ["head", "slices", "sched", "counters", "events"];

/// Encodes a trace. Blocks without rows are left out, except for the first.
pub fn encode(trace: &Trace) -> Vec<Block> {
    let blocks = BLOCKS.iter().filter_map(|name| encode_block(trace, name));
    blocks.collect()
}

/// Encodes one block of a trace, so that several threads can share the work. `None` if it would be empty or the
/// name is unknown.
pub fn encode_block(trace: &Trace, name: &str) -> Option<Block> {
    let place = BLOCKS.iter().position(|known| *known == name)?;
    let mut bytes = MAGIC.to_vec();
    put_varint(&mut bytes, VERSION);
    let empty = bytes.len();
    match place {
        0 => head(trace, &mut bytes),
        1 => {
            slices(trace, &mut bytes);
            flows(trace, &mut bytes);
        }
        2 => sched(trace, &mut bytes),
        3 => points(trace, &mut bytes),
        _ => events(trace, &mut bytes),
    }
    (bytes.len() > empty).then_some(Block {
        name: BLOCKS[place],
        bytes,
    })
}

macro_rules! plain_table {
    ($out:expr, $trace:expr, $table:ident: $($column:ident)*) => {
        TableWriter::new(stringify!($table), $trace.$table.len())
            $(.column(stringify!($column), &$trace.$table.$column))*
            .finish($out)
    };
}

fn head(trace: &Trace, out: &mut Vec<u8>) {
    let bounds = [trace.bounds.0, trace.bounds.1].map(|end| Column::repeated(end, 1));
    TableWriter::new("trace", 1)
        .column("first_ts", &bounds[0])
        .column("last_ts", &bounds[1])
        .finish(out);
    // No string and the empty one are in every pool.
    TableWriter::new("strings", trace.strings.texts() - 1)
        .text(
            "text",
            trace
                .strings
                .iter()
                .skip(2)
                .map(|(_, text)| text)
                .collect::<Vec<_>>()
                .into_iter(),
        )
        .finish(out);
    plain_table!(out, trace, sources: name format bytes machine);
    plain_table!(out, trace, processes: pid name cmdline uid ppid start_ts end_ts source
        arg_set_id);
    plain_table!(out, trace, threads: tid name upid is_main_thread start_ts end_ts source
        arg_set_id);
    plain_table!(out, trace, tracks: kind name category utid upid cpu parent source
        declared_parent unit arg_set_id);
    plain_table!(out, trace, methods: raw_id class name signature file line source);
    plain_table!(out, trace, metadata: key value source);
    clocks(trace, out);
    repairs(trace, out);
}

fn clocks(trace: &Trace, out: &mut Vec<u8>) {
    let rows = &trace.clocks;
    TableWriter::new("clocks", rows.len())
        .column("source", &rows.iter().map(|row| row.source).collect())
        .text("clock", rows.iter().map(|row| row.clock.name()))
        .column("ts", &rows.iter().map(|row| row.ts).collect())
        .column("value_ns", &rows.iter().map(|row| row.value_ns).collect())
        .column(
            "precision_ns",
            &rows.iter().map(|row| row.precision_ns).collect(),
        )
        .text("name", rows.iter().map(|row| row.name.as_str()))
        .finish(out);
}

fn repairs(trace: &Trace, out: &mut Vec<u8>) {
    let rows = trace.repairs.rows();
    let known = |row: &traceloom_trace::RepairRow| {
        let flags = [
            row.first.offset.is_some(),
            row.first.line.is_some(),
            row.first.ts.is_some(),
        ];
        (0..3).fold(0u8, |bits, at| bits | u8::from(flags[at]) << at)
    };
    TableWriter::new("repairs", rows.len())
        .column("source", &rows.iter().map(|row| row.source).collect())
        .text("kind", rows.iter().map(|row| row.kind.name()))
        .column("count", &rows.iter().map(|row| row.count).collect())
        .column("known", &rows.iter().map(known).collect())
        .column(
            "offset",
            &rows
                .iter()
                .map(|row| row.first.offset.unwrap_or(0))
                .collect(),
        )
        .column(
            "line",
            &rows.iter().map(|row| row.first.line.unwrap_or(0)).collect(),
        )
        .column(
            "ts",
            &rows.iter().map(|row| row.first.ts.unwrap_or(0)).collect(),
        )
        .text("detail", rows.iter().map(|row| row.detail.as_str()))
        .finish(out);
}

fn slices(trace: &Trace, out: &mut Vec<u8>) {
    let slices = &trace.slices;
    let mut table = TableWriter::new("slices", slices.len());
    table
        .column("ts", &slices.ts)
        .key("track_id", &slices.track_id);
    table.keyed("depth", &slices.depth, "track_id");
    let (place, order) = table.order("track_id");
    let order = order.to_vec();
    let [tracks, depths, parents] = [
        numbers(&slices.track_id),
        numbers(&slices.depth),
        numbers(&slices.parent_id),
    ]
    .map(|values| gather(&values, &order));
    let parents = pack_parents(&parents, &order, &tracks, &depths);
    table.raw(
        "parent_id",
        u32::KIND.code,
        place,
        Transform::Parent,
        parents,
    );
    let times = Times {
        ts: gather(&numbers(&slices.ts), &order),
        dur: gather(&numbers(&slices.dur), &order),
        thread_ts: gather(&numbers(&slices.thread_ts), &order),
        thread_dur: gather(&numbers(&slices.thread_dur), &order),
    };
    let [dur, thread_ts, thread_dur] = pack_times(&times, &tracks, &depths);
    drop(times);
    for (name, payload) in [
        ("dur", dur),
        ("thread_ts", thread_ts),
        ("thread_dur", thread_dur),
    ] {
        if payload.is_empty() {
            // If it was never recorded: one constant for all rows.
            table.raw(name, i64::KIND.code, 0, Transform::Plain, pack(&[-1]).bytes)
        } else {
            table.raw(name, i64::KIND.code, place, Transform::Nest, payload)
        };
    }
    table
        .keyed("name", &slices.name, "track_id")
        .keyed("category", &slices.category, "track_id")
        .column("arg_set_id", &slices.arg_set_id)
        .keyed("method_id", &slices.method_id, "track_id")
        .keyed("instant", &slices.instant, "track_id")
        .finish(out);
}

fn flows(trace: &Trace, out: &mut Vec<u8>) {
    plain_table!(out, trace, flows: slice_out slice_in name trace_id);
}

fn points(trace: &Trace, out: &mut Vec<u8>) {
    let counters = &trace.counters;
    TableWriter::new("counters", counters.len())
        .column("ts", &counters.ts)
        .key("track_id", &counters.track_id)
        .keyed("value", &counters.value, "track_id")
        .column("arg_set_id", &counters.arg_set_id)
        .finish(out);
    plain_table!(out, trace, exact_counters: ts track_id value);
}

/// Durations relative to the start of the next row with the same key.
fn durations(
    table: &mut TableWriter,
    ts: &Column<i64>,
    dur: &Column<i64>,
    keys: Vec<i64>,
    key: &'static str,
) {
    let (place, order) = table.order(key);
    let [ts, dur, keys] = [numbers(ts), numbers(dur), keys].map(|values| gather(&values, order));
    let payload = next_residuals(&dur, &ts, &keys);
    table.raw("dur", i64::KIND.code, place, Transform::Next, payload);
}

fn sched(trace: &Trace, out: &mut Vec<u8>) {
    let ran = &trace.sched_slices;
    let mut table = TableWriter::new("sched_slices", ran.len());
    table.column("ts", &ran.ts).key("cpu", &ran.cpu);
    durations(&mut table, &ran.ts, &ran.dur, numbers(&ran.cpu), "cpu");
    table
        .key("utid", &ran.utid)
        .keyed("end_state", &ran.end_state, "utid")
        .keyed("priority", &ran.priority, "utid")
        .column("inferred", &ran.inferred)
        .keyed("end_priority", &ran.end_priority, "utid")
        .finish(out);
    sched_points(trace, out);
    if super::states::write(trace, out) {
        return;
    }
    let states = &trace.thread_states;
    let mut table = TableWriter::new("thread_states", states.len());
    table.column("ts", &states.ts).key("utid", &states.utid);
    let keys = numbers(&states.utid);
    durations(&mut table, &states.ts, &states.dur, keys, "utid");
    table
        .keyed("cpu", &states.cpu, "utid")
        .keyed("state", &states.state, "utid")
        .keyed("io_wait", &states.io_wait, "utid")
        .keyed("blocked_function", &states.blocked_function, "utid")
        .keyed("waker_utid", &states.waker_utid, "utid")
        .finish(out);
}

fn sched_points(trace: &Trace, out: &mut Vec<u8>) {
    plain_table!(out, trace, run_ends: ts cpu utid end_state priority);
    plain_table!(out, trace, thread_names: ts utid name);
    let wakeups = &trace.wakeups;
    TableWriter::new("wakeups", wakeups.len())
        .column("ts", &wakeups.ts)
        .column("kind", &wakeups.kind)
        .column("cpu", &wakeups.cpu)
        .key("utid", &wakeups.utid)
        .keyed("waker_utid", &wakeups.waker_utid, "utid")
        .keyed("target_cpu", &wakeups.target_cpu, "utid")
        .keyed("priority", &wakeups.priority, "utid")
        .keyed("irq_context", &wakeups.irq_context, "utid")
        .finish(out);
}

fn events(trace: &Trace, out: &mut Vec<u8>) {
    let events = &trace.ftrace_events;
    TableWriter::new("ftrace_events", events.len())
        .column("ts", &events.ts)
        .column("name", &events.name)
        .key("utid", &events.utid)
        .keyed("cpu", &events.cpu, "utid")
        .column("arg_set_id", &events.arg_set_id)
        .finish(out);
    let (keys, kinds, values) = trace.args.columns();
    TableWriter::new("args", keys.len())
        .key("key", keys)
        .keyed("kind", kinds, "key")
        .keyed("value", values, "key")
        .finish(out);
    records(trace, out);
}

fn records(trace: &Trace, out: &mut Vec<u8>) {
    let rows = trace.records.rows();
    TableWriter::new("records", rows.len())
        .column("ts", &rows.ts)
        .column("table", &rows.table)
        .column("cells", &rows.cells)
        .finish(out);
    let (keys, kinds, values) = trace.records.all_cells().columns();
    TableWriter::new("record_cells", keys.len())
        .key("key", keys)
        .keyed("kind", kinds, "key")
        .keyed("value", values, "key")
        .finish(out);
}
