//! Chooses how to read a table: which constraints narrow the rows, in which order the rows come, and the cost.

use super::interval::{Bound, Op, interval};
use super::source::{Access, Rows, Source};

/// A constraint that SQLite offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constraint {
    /// SQLite's number for it.
    pub number: usize,
    /// The column; `None` is the row's number.
    pub column: Option<usize>,
    pub op: Op,
    /// The value, if it is already known.
    pub value: Option<Bound>,
}

/// A term of ORDER BY or GROUP BY.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The column; `None` is the row's number.
    pub column: Option<usize>,
    pub is_descending: bool,
}

/// How to read a table.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The column whose order is used; `None` reads the rows in table order.
    pub order: Option<usize>,
    /// The constraints to apply, in this order.
    pub used: Vec<Constraint>,
    pub is_reversed: bool,
    /// Whether the rows come in the order that ORDER BY requests.
    pub is_in_order: bool,
    /// Whether there is at most one row.
    pub is_unique: bool,
    pub rows: f64,
    pub cost: f64,
}

/// The fraction of rows that a constraint with an unknown value leaves: a quarter, as SQLite assumes.
const PART: f64 = 0.25;

/// The expected number of rows with one value in a sorted column.
const EQUAL_SORTED: f64 = 10.0;

/// The factor by which it costs more to visit rows out of order.
const SCATTERED: f64 = 1.5;

/// The cheapest plan.
pub(crate) fn plan(source: &Source, constraints: &[Constraint], terms: &[Term]) -> Plan {
    let narrowing: Vec<Constraint> = constraints
        .iter()
        .filter(|it| matches!(source.access(it.column), Access::RowNumber | Access::Sorted))
        .copied()
        .collect();
    let mut best = as_they_are(source, &narrowing);
    for it in constraints {
        let is_lookup = it.op == Op::Equal && source.access(it.column) == Access::Ordered;
        if let (true, Some(column)) = (is_lookup, it.column) {
            let other = by_lookup(source, column, *it, &narrowing);
            if other.cost < best.cost {
                best = other;
            }
        }
    }
    put_in_order(source, &mut best, terms);
    best
}

/// Reads the rows in table order, from the first to the last that the constraints allow.
fn as_they_are(source: &Source, narrowing: &[Constraint]) -> Plan {
    let is_unique = narrowing
        .iter()
        .any(|it| it.op == Op::Equal && source.access(it.column) == Access::RowNumber);
    let rows = if is_unique {
        1.0
    } else {
        left(source, narrowing)
    };
    Plan {
        order: None,
        used: narrowing.to_vec(),
        is_reversed: false,
        is_in_order: false,
        is_unique,
        rows,
        cost: rows + search(source, narrowing.len()),
    }
}

/// Looks up a value in an order of the rows. Rows with the same value stay in table order, so the other constraints can
/// narrow them further.
fn by_lookup(source: &Source, column: usize, it: Constraint, narrowing: &[Constraint]) -> Plan {
    let all = source.rows as f64;
    let of_value = all.sqrt().max(1.0);
    let rows = (of_value * left(source, narrowing) / all.max(1.0)).max(1.0);
    let mut used = vec![it];
    used.extend(narrowing);
    Plan {
        order: Some(column),
        is_reversed: false,
        is_in_order: false,
        is_unique: false,
        rows,
        cost: rows * SCATTERED + search(source, used.len()),
        used,
    }
}

/// The cost of finding the first and the last row.
fn search(source: &Source, constraints: usize) -> f64 {
    let steps = (source.rows as f64 + 1.0).log2();
    1.0 + 0.1 * steps * constraints as f64
}

/// The approximate number of rows that the constraints leave. Exact for constraints whose values are known.
fn left(source: &Source, narrowing: &[Constraint]) -> f64 {
    let mut rows = Rows::all(source, None, false);
    let mut part = 1.0;
    let mut most = f64::INFINITY;
    for it in narrowing {
        match it.value {
            Some(value) => rows.narrow(source, it.column, interval(it.op, value)),
            None if it.op == Op::Equal => most = EQUAL_SORTED,
            None => part *= PART,
        }
    }
    (rows.len() as f64 * part).min(most).max(1.0)
}

/// Makes the rows come in the requested order, if possible.
fn put_in_order(source: &Source, plan: &mut Plan, terms: &[Term]) {
    let Some(first) = terms.first() else { return };
    if plan.is_unique {
        plan.is_in_order = true;
        return;
    }
    let by_column = first
        .column
        .filter(|_| source.access(first.column) == Access::Ordered);
    let reads_all = plan.order.is_none() && plan.used.is_empty();
    let (order, rest) = match by_column.filter(|_| reads_all) {
        Some(column) => (Some(column), &terms[1..]),
        None => (plan.order, terms),
    };
    let is_one_direction = terms
        .iter()
        .all(|term| term.is_descending == first.is_descending);
    if !is_one_direction || !is_row_order(source, rest) {
        return;
    }
    if order != plan.order {
        plan.order = order;
        plan.cost *= SCATTERED;
    }
    plan.is_in_order = true;
    plan.is_reversed = first.is_descending;
}

/// Whether table order is the requested order: by one sorted column, then by the row's number, which is unique.
fn is_row_order(source: &Source, terms: &[Term]) -> bool {
    let access: Vec<Access> = terms
        .iter()
        .map(|term| source.access(term.column))
        .collect();
    matches!(
        access.as_slice(),
        [] | [Access::Sorted] | [Access::RowNumber, ..] | [Access::Sorted, Access::RowNumber, ..]
    )
}
