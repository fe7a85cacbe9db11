//! Columns that the trace already stores in the layout that consumers need. These are the long columns; all others are
//! computed.

use std::borrow::Cow;

use traceloom_trace::column::{Column, ColumnChunk};
use traceloom_trace::{
    ArgSetId, MethodId, NO_CPU, NO_DURATION, RowId, SliceId, StringId, ThreadId, TrackId,
};

use super::bits::valid_bits;
use super::chunk::{Chunk, ColumnType, Values};
use crate::schema::Data;

/// A column of the trace.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stored<'a> {
    /// Times.
    Int64(&'a Column<i64>, Option<i64>),
    /// Row numbers and small numbers, with the value that means absent.
    Int32(Words<'a>, Option<u32>),
    Float64(&'a Column<f64>),
    Text(&'a Column<StringId>),
    /// Names of slices. A call has the name of its method; other slices have their own name.
    SliceName(&'a Data),
}

/// A column of numbers with 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Words<'a> {
    Plain(&'a Column<u32>),
    Slice(&'a Column<SliceId>),
    Thread(&'a Column<ThreadId>),
    Track(&'a Column<TrackId>),
    Method(&'a Column<MethodId>),
    ArgSet(&'a Column<ArgSetId>),
}

/// Finds a column of a table; `None` if the trace does not store it in this form.
pub(super) fn stored<'a>(data: &'a Data, table: &str, column: &str) -> Option<Stored<'a>> {
    let trace = &data.trace;
    let (slices, runs, states) = (&trace.slices, &trace.sched_slices, &trace.thread_states);
    let (counters, events) = (&trace.counters, &trace.ftrace_events);
    let cpu = |cpus| Stored::Int32(Words::Plain(cpus), Some(NO_CPU));
    let thread = |ids| Stored::Int32(Words::Thread(ids), Some(ThreadId::NONE.0));
    let track = |ids| Stored::Int32(Words::Track(ids), Some(TrackId::NONE.0));
    let args = |ids| Stored::Int32(Words::ArgSet(ids), Some(ArgSetId::NONE.0));
    Some(match (table, column) {
        ("slice", "ts") => Stored::Int64(&slices.ts, None),
        ("slice", "dur") => Stored::Int64(&slices.dur, None),
        ("slice", "track_id") => track(&slices.track_id),
        ("slice", "category" | "cat") => Stored::Text(&slices.category),
        ("slice", "name") if has_no_methods(&slices.method_id) => Stored::Text(&slices.name),
        ("slice", "name") => Stored::SliceName(data),
        ("slice", "depth") => Stored::Int32(Words::Plain(&slices.depth), None),
        ("slice", "parent_id") => {
            Stored::Int32(Words::Slice(&slices.parent_id), Some(SliceId::NONE.0))
        }
        ("slice", "arg_set_id") => args(&slices.arg_set_id),
        ("slice", "thread_ts") => Stored::Int64(&slices.thread_ts, Some(NO_DURATION)),
        ("slice", "thread_dur") => Stored::Int64(&slices.thread_dur, Some(NO_DURATION)),
        ("slice", "method_id") => {
            Stored::Int32(Words::Method(&slices.method_id), Some(MethodId::NONE.0))
        }
        ("sched_slice", "ts") => Stored::Int64(&runs.ts, None),
        ("sched_slice", "dur") => Stored::Int64(&runs.dur, None),
        ("sched_slice", "cpu") => cpu(&runs.cpu),
        ("sched_slice", "utid") => thread(&runs.utid),
        ("thread_state", "ts") => Stored::Int64(&states.ts, None),
        ("thread_state", "dur") => Stored::Int64(&states.dur, None),
        ("thread_state", "cpu") => cpu(&states.cpu),
        ("thread_state", "utid") => thread(&states.utid),
        ("thread_state", "waker_utid") => thread(&states.waker_utid),
        ("thread_state", "blocked_function") => Stored::Text(&states.blocked_function),
        ("counter", "ts") => Stored::Int64(&counters.ts, None),
        ("counter", "track_id") => track(&counters.track_id),
        ("counter", "value") => Stored::Float64(&counters.value),
        ("counter", "arg_set_id") => args(&counters.arg_set_id),
        ("ftrace_event", "ts") => Stored::Int64(&events.ts, None),
        ("ftrace_event", "name") => Stored::Text(&events.name),
        ("ftrace_event", "cpu") => cpu(&events.cpu),
        ("ftrace_event", "utid") => thread(&events.utid),
        ("ftrace_event", "arg_set_id") => args(&events.arg_set_id),
        _ => return None,
    })
}

/// Whether the trace may store a column in 32 bits although its declared type is larger. This is the same for every
/// trace.
pub(super) fn is_small(table: &str, column: &str) -> bool {
    matches!(
        (table, column),
        ("slice", "depth") | ("sched_slice" | "thread_state" | "ftrace_event", "cpu")
    )
}

fn has_no_methods(methods: &Column<MethodId>) -> bool {
    methods.is_empty() || methods.constant() == Some(MethodId::NONE)
}

impl<'a> Stored<'a> {
    pub fn column_type(self) -> ColumnType {
        match self {
            Self::Int32(..) => ColumnType::Int32,
            Self::Int64(..) => ColumnType::Int64,
            Self::Float64(..) => ColumnType::Float64,
            Self::Text(..) | Self::SliceName(_) => ColumnType::Text,
        }
    }

    /// Chunk `number`, which has `rows` rows.
    pub fn chunk(self, number: usize, rows: usize) -> Chunk<'a> {
        match self {
            Self::Int64(column, absent) => {
                let values = values(column, number, rows);
                let valid = absent.and_then(|absent| valid_bits(&values, absent));
                let values = Values::Int64(values);
                Chunk { values, valid }
            }
            Self::Float64(column) => Chunk {
                values: Values::Float64(values(column, number, rows)),
                valid: None,
            },
            Self::Text(column) => texts(words(column, number, rows)),
            Self::SliceName(data) => texts(slice_names(data, number, rows)),
            Self::Int32(column, absent) => {
                let values = column.chunk(number, rows);
                let valid = absent.and_then(|absent| valid_bits(&values, absent));
                let values = Values::Int32(signed(values));
                Chunk { values, valid }
            }
        }
    }
}

fn texts(values: Cow<'_, [u32]>) -> Chunk<'_> {
    let valid = valid_bits(&values, StringId::NULL.0);
    let values = Values::Text(values);
    Chunk { values, valid }
}

fn slice_names(data: &Data, number: usize, rows: usize) -> Cow<'_, [u32]> {
    let slices = &data.trace.slices;
    let own = words(&slices.name, number, rows);
    let methods = words(&slices.method_id, number, rows);
    let name = |(&method, &own): (&u32, &u32)| match MethodId(method).some() {
        Some(method) => data.method_name(method.row()).0,
        None => own,
    };
    methods.iter().zip(own.iter()).map(name).collect()
}

impl<'a> Words<'a> {
    fn chunk(self, number: usize, rows: usize) -> Cow<'a, [u32]> {
        match self {
            Self::Plain(column) => words(column, number, rows),
            Self::Slice(column) => words(column, number, rows),
            Self::Thread(column) => words(column, number, rows),
            Self::Track(column) => words(column, number, rows),
            Self::Method(column) => words(column, number, rows),
            Self::ArgSet(column) => words(column, number, rows),
        }
    }
}

fn values<T: Copy + PartialEq>(column: &Column<T>, number: usize, rows: usize) -> Cow<'_, [T]> {
    match column.chunk(number) {
        ColumnChunk::Rows(values) => Cow::Borrowed(values),
        ColumnChunk::Same(value) => Cow::Owned(vec![value; rows]),
    }
}

/// A value that consists of a `u32`.
///
/// # Safety
/// The type is `u32`, or a `repr(transparent)` struct of it.
unsafe trait Word: Copy + PartialEq {}

// SAFETY: it is the type itself.
unsafe impl Word for u32 {}
// SAFETY: all ids are transparent structs of a `u32`.
unsafe impl Word for StringId {}
// SAFETY: as above.
unsafe impl Word for SliceId {}
// SAFETY: as above.
unsafe impl Word for ThreadId {}
// SAFETY: as above.
unsafe impl Word for TrackId {}
// SAFETY: as above.
unsafe impl Word for MethodId {}
// SAFETY: as above.
unsafe impl Word for ArgSetId {}

fn words<T: Word>(column: &Column<T>, number: usize, rows: usize) -> Cow<'_, [u32]> {
    match values(column, number, rows) {
        Cow::Borrowed(values) => {
            // SAFETY: a `Word` has the layout of a `u32`.
            let words = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) };
            Cow::Borrowed(words)
        }
        Cow::Owned(values) => {
            // SAFETY: as above.
            let words: &[u32] =
                unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) };
            Cow::Owned(words.to_vec())
        }
    }
}

/// The same bits as signed numbers. Row numbers are below 2^31, and absent rows are not valid.
fn signed(words: Cow<'_, [u32]>) -> Cow<'_, [i32]> {
    match words {
        Cow::Borrowed(words) => {
            // SAFETY: both types have the same size and alignment, and no invalid values.
            let words = unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) };
            Cow::Borrowed(words)
        }
        Cow::Owned(words) => Cow::Owned(words.into_iter().map(u32::cast_signed).collect()),
    }
}
