//! Checks that values are in range and that ids refer to existing rows. Users of a trace rely on
//! both.

use std::cell::Cell;

use traceloom_trace::{ArgSetId, ArgTable, ArgValue, IdKind, NO_DURATION, RowId, Trace};

use super::error::{ColumnsError, Result};
use super::pack::Numbers;
use super::rule::{Known, Rows, Rule};

/// Depths and CPU numbers below this are always accepted, whatever the number of rows.
const SMALL: usize = 1 << 16;

/// A column that was read. The table that its ids refer to may be read later.
pub(crate) struct Seen {
    pub table: String,
    pub column: &'static Known,
    /// Rows of its table.
    pub rows: usize,
    /// Its smallest and largest number.
    pub least: i64,
    pub most: i64,
}

impl Seen {
    /// Checks that need only the column itself.
    pub fn check_order(&self, numbers: &Numbers) -> Result<()> {
        let wrong = match self.column.rule {
            Rule::Sorted => step_back(numbers),
            Rule::Parent(_) => circle(numbers, self.rows),
            _ => None,
        };
        let expected = match self.column.rule {
            Rule::Sorted => ("a time", "one not before the last"),
            _ => ("an id", "a parent that is not its own child"),
        };
        wrong.map_or(Ok(()), |number| Err(self.wrong(number, expected)))
    }

    /// Checks that all values are in the range of the rule.
    fn check_range(&self, trace: &Trace, counts: Counts) -> Result<()> {
        let rows = |of: Rows| match of {
            Rows::Strings => counts.strings,
            Rows::ArgSets => counts.arg_sets,
            of => of.of(trace),
        };
        let (least, most) = match self.column.rule {
            Rule::Any | Rule::Sorted => return Ok(()),
            Rule::Length => (NO_DURATION, i64::MAX),
            Rule::Depth => (0, self.rows.max(SMALL) as i64 - 1),
            Rule::Cpu => (-1, SMALL as i64 - 1),
            Rule::Id(of) => (0, rows(of) as i64 - 1),
            Rule::MaybeId(of) | Rule::Parent(of) => (-1, rows(of) as i64 - 1),
        };
        let expected = match self.column.rule {
            Rule::Length => ("a length", "0 or more, or -1"),
            Rule::Id(Rows::Strings) => ("an id", "a string that is there"),
            Rule::Depth | Rule::Cpu => ("a number", "a smaller one"),
            _ => ("an id", "a row that is there"),
        };
        match () {
            _ if self.least < least => Err(self.wrong(self.least, expected)),
            _ if self.most > most => Err(self.wrong(self.most, expected)),
            _ => Ok(()),
        }
    }

    fn wrong(&self, number: i64, expected: (&'static str, &'static str)) -> Box<ColumnsError> {
        ColumnsError::wrong(&self.table, self.column.name, number, expected)
    }
}

/// The number of strings and of argument sets, whose ids depend on the version of the blocks.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub strings: usize,
    pub arg_sets: usize,
}

/// Checks every id and length of the trace.
pub(crate) fn check(seen: &[Seen], trace: &Trace, counts: Counts) -> Result<()> {
    for column in seen {
        column.check_range(trace, counts)?;
    }
    values("args", &trace.args, trace, counts)?;
    values("record_cells", trace.records.all_cells(), trace, counts)?;
    sources(trace)?;
    cells(trace)
}

/// Checks the sources of clocks and repairs, which are not columns of the schema.
fn sources(trace: &Trace) -> Result<()> {
    let clocks = trace.clocks.iter().map(|clock| ("clocks", clock.source));
    let repairs = trace.repairs.rows().iter();
    let repairs = repairs.map(|repair| ("repairs", repair.source));
    let count = trace.sources.len();
    for (table, source) in clocks.chain(repairs) {
        if source.some().is_some_and(|source| source.row() >= count) {
            let expected = ("an id", "a row that is there");
            let found = source.0.into();
            return Err(ColumnsError::wrong(table, "source", found, expected));
        }
    }
    Ok(())
}

/// Checks that no two records share cells: copies of the records would have more cells than the trace.
fn cells(trace: &Trace) -> Result<()> {
    let mut next = 0;
    for set in trace.records.rows().cells.iter().map(ArgSetId) {
        let Some(set) = set.some() else { continue };
        if set.row() < next || !trace.records.all_cells().is_set(set) {
            let expected = ("an id", "the first cell of a further record");
            let found = set.0.into();
            return Err(ColumnsError::wrong("records", "cells", found, expected));
        }
        next = set.row() + 1;
    }
    Ok(())
}

/// Finds a row that refers to an argument as the first one of a set, although it is not.
pub(crate) fn check_sets(trace: &mut Trace) -> Result<()> {
    if trace.args.is_empty() {
        return Ok(());
    }
    let args = std::mem::take(&mut trace.args);
    let wrong = Cell::new(None);
    trace.replace_arg_sets(|set| {
        if set.some().is_some_and(|set| !args.is_set(set)) {
            wrong.set(Some(set));
        }
        set
    });
    trace.args = args;
    let expected = ("an id", "the first argument of a set");
    wrong.take().map_or(Ok(()), |set: ArgSetId| {
        let found = set.0.into();
        Err(ColumnsError::wrong(
            "a table",
            "arg_set_id",
            found,
            expected,
        ))
    })
}

/// The first time that is before the time in the previous row.
fn step_back(times: &Numbers) -> Option<i64> {
    match times {
        Numbers::Same(_) => None,
        Numbers::Each(times) => first_step_back(times),
        Numbers::Small(times) => first_step_back(times).map(i64::from),
    }
}

fn first_step_back<T: Copy + Ord>(times: &[T]) -> Option<T> {
    let pairs = times.windows(2).find(|pair| pair[1] < pair[0]);
    pairs.map(|pair| pair[1])
}

/// Finds a row that is its own ancestor. A parent that precedes its child cannot close a circle.
/// Only the ancestors of the other rows are followed.
fn circle(parents: &Numbers, rows: usize) -> Option<i64> {
    // A parent that is not a valid row ends the search. It is reported later.
    let parent = |row: usize| {
        usize::try_from(parents.at(row))
            .ok()
            .filter(|row| *row < rows)
    };
    // Rows whose ancestors are known to end. Allocated only if a parent follows its child.
    let mut ends: Vec<bool> = Vec::new();
    for row in 0..rows {
        if parent(row).is_none_or(|parent| parent < row) {
            continue;
        }
        ends.resize(rows, false);
        let mut way = Vec::new();
        let mut next = Some(row);
        while let Some(row) = next.filter(|row| !ends[*row]) {
            if way.len() > rows {
                return Some(row as i64);
            }
            way.push(row);
            next = parent(row);
        }
        way.into_iter().for_each(|row| ends[row] = true);
    }
    None
}

/// Checks that texts and rows in arguments exist.
fn values(name: &'static str, args: &ArgTable, trace: &Trace, counts: Counts) -> Result<()> {
    let (_, _, values) = args.columns();
    for row in 0..args.len() {
        let (count, what) = match args.arg(row).1 {
            ArgValue::Text(_) | ArgValue::Json(_) => (counts.strings, "a string that is there"),
            ArgValue::Row(IdKind::ArgSet | IdKind::Record, _) if name == "args" => {
                let expected = ("a kind", "one of arguments");
                let kind = args.columns().1.get(row).into();
                return Err(ColumnsError::wrong(name, "kind", kind, expected));
            }
            ArgValue::Row(of, _) => (rows_of(of, trace, counts), "a row that is there"),
            _ => continue,
        };
        let bits = values.get(row);
        if bits >= count as u64 {
            return Err(ColumnsError::wrong(
                name,
                "value",
                bits as i64,
                ("an id", what),
            ));
        }
    }
    Ok(())
}

/// The number of rows of this kind.
fn rows_of(kind: IdKind, trace: &Trace, counts: Counts) -> usize {
    match kind {
        IdKind::String => counts.strings,
        IdKind::ArgSet => counts.arg_sets,
        IdKind::Record => trace.records.len(),
        IdKind::Source => Rows::Sources.of(trace),
        IdKind::Process => Rows::Processes.of(trace),
        IdKind::Thread => Rows::Threads.of(trace),
        IdKind::Track => Rows::Tracks.of(trace),
        IdKind::Slice => Rows::Slices.of(trace),
        IdKind::Method => Rows::Methods.of(trace),
    }
}
