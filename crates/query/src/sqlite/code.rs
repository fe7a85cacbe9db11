//! The form in which a plan is passed from SQLite's planner to its execution: a number and a text.

use std::ffi::{CStr, CString};

use super::interval::Op;
use super::plan::Plan;

/// A column, or `None` for the row's number, and how it is compared.
pub(crate) type Step = (Option<usize>, Op);

/// The letters are readable in the output of EXPLAIN QUERY PLAN.
const OPS: [(u8, Op); 5] = [
    (b'=', Op::Equal),
    (b'<', Op::Less),
    (b'l', Op::LessOrEqual),
    (b'>', Op::Greater),
    (b'g', Op::GreaterOrEqual),
];

/// The code of the row's number. The codes of the columns follow.
const ROW: u8 = b'0';

/// Encodes as a number whether rows come in reverse, and the column whose order is used.
pub(crate) fn number(plan: &Plan) -> i32 {
    let order = plan.order.map_or(0, |column| column as i32 + 1);
    order << 1 | i32::from(plan.is_reversed)
}

/// Decodes whether rows come in reverse, and the column whose order is used.
pub(crate) fn from_number(number: i32) -> (bool, Option<usize>) {
    let order = usize::try_from(number >> 1).ok();
    (
        number & 1 == 1,
        order.and_then(|order| order.checked_sub(1)),
    )
}

/// Encodes the constraints as a text: two bytes for each, none of them zero.
pub(crate) fn text(plan: &Plan) -> CString {
    let step = |column: Option<usize>, op: Op| {
        let known = OPS.iter().find(|(_, known)| *known == op);
        let column = column.map_or(ROW, |column| ROW + 1 + column as u8);
        [known.map_or(b'=', |(letter, _)| *letter), column]
    };
    let bytes = plan.used.iter().flat_map(|it| step(it.column, it.op));
    CString::new(bytes.collect::<Vec<u8>>()).unwrap_or_default()
}

/// Decodes the constraints from [`text`].
pub(crate) fn steps(text: &CStr) -> impl Iterator<Item = Step> + '_ {
    text.to_bytes().chunks_exact(2).map(|pair| {
        let known = OPS.iter().find(|(letter, _)| *letter == pair[0]);
        let op = known.map_or(Op::Equal, |(_, op)| *op);
        (usize::from(pair[1]).checked_sub(usize::from(ROW) + 1), op)
    })
}
