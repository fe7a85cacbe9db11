//! Every column of ids follows when rows move. The traces here are filled from the declarations of the tables, so
//! that a new column is part of them.

use super::*;
use crate::{ArgValue, ClockKind, ClockRow, Column, Place, RepairKind, SourceId};

/// Calls a macro with the name of every table.
macro_rules! with_tables {
    ($do:ident) => {
        $do!(sources processes threads tracks slices methods counters exact_counters flows sched_slices
            run_ends wakeups thread_names thread_states ftrace_events metadata)
    };
}

/// The kinds of rows that a cell of a record can hold.
const ROWS: [IdKind; 6] = [
    IdKind::Process,
    IdKind::Thread,
    IdKind::Track,
    IdKind::Slice,
    IdKind::ArgSet,
    IdKind::Record,
];

/// A column: its name, what its ids refer to, and the ids.
type IdColumn = (String, Option<IdKind>, Vec<u32>);

/// A trace in which each table has two rows besides reserved ones, and every id is that of row 1. All texts are
/// `text`, which follows an unused one.
fn full(text: &str) -> Trace {
    let mut trace = Trace::default();
    trace.strings.intern("not used");
    let text = trace.strings.intern(text);
    for _ in 0..2 {
        macro_rules! push {
            ($($table:ident)*) => { $(trace.$table.push_sample(1);)* };
        }
        with_tables!(push);
        trace.args.push_set([(text, ArgValue::Text(text))]);
        let cells = ROWS.map(|kind| (text, ArgValue::Row(kind, 1)));
        trace.records.push(1, text, cells);
    }
    // The parent of an instant is not updated, because it is determined again.
    trace.slices.instant = Column::repeated(false, 2);
    let place = Place::default();
    let kind = RepairKind::NeverClosed;
    trace.repairs.add(SourceId(1), kind, 1, place, String::new);
    trace.clocks.push(ClockRow {
        source: SourceId(1),
        clock: ClockKind::Trace,
        ts: 1,
        value_ns: 1,
        precision_ns: 1,
        name: String::new(),
    });
    trace.remap(&mut Only(IdKind::String, text.0));
    trace
}

/// Gives all ids of one kind this value.
struct Only(IdKind, u32);

impl Remap for Only {
    fn changes(&self, kind: IdKind) -> bool {
        kind == self.0
    }

    fn new_id(&mut self, _: IdKind, _: u32) -> u32 {
        self.1
    }
}

fn columns(trace: &Trace) -> Vec<IdColumn> {
    let mut all = Vec::new();
    macro_rules! add {
        ($($table:ident)*) => {$(
            for (column, kind, ids) in trace.$table.id_columns() {
                all.push((format!("{}.{column}", stringify!($table)), kind, ids));
            }
        )*};
    }
    with_tables!(add);
    let clocks = trace.clocks.iter().map(|row| row.source.0).collect();
    all.push(("clocks.source".into(), Some(IdKind::Source), clocks));
    let repairs = trace.repairs.rows().iter().map(|row| row.source.0);
    let repairs = repairs.collect();
    all.push(("repairs.source".into(), Some(IdKind::Source), repairs));
    let (mut keys, mut texts) = (Vec::new(), Vec::new());
    for set in trace.args.sets() {
        for (key, value) in trace.args.set(set) {
            keys.push(key.0);
            if let ArgValue::Text(text) = value {
                texts.push(text.0);
            }
        }
    }
    all.push(("args.key".into(), Some(IdKind::String), keys));
    all.push(("args.value".into(), Some(IdKind::String), texts));
    for (column, kind, ids) in trace.records.rows().id_columns() {
        all.push((format!("records.{column}"), kind, ids));
    }
    for kind in ROWS {
        let cells = trace.records.all_cells();
        let cells = cells.sets().flat_map(|set| cells.set(set));
        let ids = cells.filter_map(|(_, value)| match value {
            ArgValue::Row(of, row) if of == kind => Some(row),
            _ => None,
        });
        all.push((format!("cells of {kind:?}"), Some(kind), ids.collect()));
    }
    all
}

/// Checks that each column has ids, and that all of a kind have the value that `expected` gives for them.
fn check(trace: &Trace, expected: impl Fn(IdKind) -> u32) {
    for (name, kind, ids) in columns(trace) {
        if let Some(kind) = kind {
            let last = ids.last().copied();
            assert_eq!(last, Some(expected(kind)), "{name} holds ids of {kind:?}");
        }
    }
}

#[test]
fn columns_named_like_ids_are_ids() {
    let ends = ["_id", "utid", "upid", ".source", ".parent", ".name"];
    for (name, kind, _) in columns(&Trace::default()) {
        let looks_like_id = ends.iter().any(|end| name.ends_with(end));
        // The numbers that a file gives to methods and flows are not rows.
        let is_of_file = ["methods.raw_id", "flows.trace_id"].contains(&&*name);
        if looks_like_id && !is_of_file {
            assert!(kind.is_some(), "{name}");
        }
    }
}

#[test]
fn merging_moves_every_id() {
    let mut merged = full("a");
    merged.append(full("b"), 0);
    let text = merged.strings.lookup("b").unwrap().0;
    check(&merged, |kind| match kind {
        IdKind::String => text,
        _ => 3,
    });
}

#[test]
fn sorting_moves_every_id_of_a_sorted_table() {
    let mut trace = full("a");
    *trace.slices.ts.get_mut(0) = 2;
    let text = trace.strings.lookup("a").unwrap().0;
    crate::order::order_tables(&mut trace);
    check(&trace, |kind| match kind {
        IdKind::String => text,
        IdKind::Slice => 0,
        _ => 1,
    });
}

#[test]
fn dropping_what_is_not_used_moves_every_id() {
    let mut trace = full("a");
    trace.drop_unused();
    assert_eq!(trace.strings.lookup("not used"), None);
    let text = trace.strings.lookup("a").unwrap().0;
    check(&trace, |kind| match kind {
        IdKind::String => text,
        IdKind::Method => 0,
        _ => 1,
    });
}

#[test]
fn cutting_moves_every_id() {
    let mut trace = full("a");
    // The first slice ends before the range begins.
    trace.shift_times(4);
    *trace.slices.ts.get_mut(0) = 1;
    trace.bounds = (0, 10);
    let cut = trace.cut(3, 9);
    assert_eq!((cut.slices.len(), cut.args.len()), (1, 1));
    for (name, kind, ids) in columns(&cut) {
        let moved = matches!(kind, Some(IdKind::Slice | IdKind::ArgSet));
        // The reserved rows have no arguments.
        let ids: Vec<u32> = ids.into_iter().filter(|id| *id != u32::MAX).collect();
        assert!(
            !moved || !ids.is_empty() && ids.iter().all(|id| *id == 0),
            "{name}"
        );
    }
}

/// An argument that is a row follows it, and is absent when that row is gone.
#[test]
fn rows_in_arguments_follow() {
    let mut trace = full("a");
    let text = trace.strings.lookup("a").unwrap();
    let rows = [
        ArgValue::Row(IdKind::Slice, 0),
        ArgValue::Row(IdKind::Slice, 1),
    ];
    let set = trace.args.push_set(rows.map(|row| (text, row)));
    *trace.slices.arg_set_id.get_mut(1) = set;
    trace.shift_times(4);
    *trace.slices.ts.get_mut(0) = 1;
    *trace.slices.parent_id.get_mut(0) = Default::default();
    *trace.slices.parent_id.get_mut(1) = Default::default();
    trace.bounds = (0, 10);
    let cut = trace.cut(3, 9);
    let args = |trace: &Trace, row| -> Vec<ArgValue> {
        let set = trace.slices.arg_set_id.get(row);
        trace.args.set(set).map(|(_, value)| value).collect()
    };
    let moved = ArgValue::Row(IdKind::Slice, 0);
    assert_eq!(args(&cut, 0), [ArgValue::Null, moved]);
    let mut merged = full("b");
    merged.append(trace, 0);
    let moved = [2, 3].map(|row| ArgValue::Row(IdKind::Slice, row));
    assert_eq!(args(&merged, 3), moved);
}
