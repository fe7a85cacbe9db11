//! `__intrinsic_critical_path_walk(spans, roots)`: what each root waited for.
//!
//! A *span* is the time from the wake-up of a thread until it sleeps again. Before the span, the thread was idle. The
//! cause of the idle time is the thread that woke it (the waker's span), or the thread that the waker waited for in
//! turn:
//!
//! ```text
//! root    ....idle....|run----|        0..12 is walked in the waker's span
//! waker      ..idle..|run--|
//! ```
//!
//! A walk goes back in time with each step: to the waker, one level deeper, or to the previous span of the same thread.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::table::Table;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::{Cell, Rows, integer};

const COLUMNS: &[&str] = &[
    "root_id",
    "depth",
    "ts",
    "dur",
    "blocker_id",
    "blocker_utid",
    "parent_id",
];

/// A span.
#[derive(Clone, Copy)]
struct Span {
    id: i64,
    utid: i64,
    ts: i64,
    end: i64,
    /// When the thread became idle before the span, if that is known.
    idle_since: Option<i64>,
    waker: Option<i64>,
    /// The previous span of the same thread.
    before: Option<i64>,
}

/// A period of time, and the span that must explain it.
#[derive(Clone, Copy)]
struct Part {
    span: i64,
    start: i64,
    end: i64,
    depth: i64,
}

pub(super) fn walk(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let spans = spans(arguments.first(), meter)?;
    let mut roots = Rows::of(arguments.get(1).copied().unwrap_or(ValueRef::Null))?;
    let mut cells = Cells::new();
    let mut row = Vec::new();
    while roots.next_row(&mut row)? {
        let root = row.first().and_then(|cell| integer(cell));
        if let Some(root) = root.and_then(|root| spans.get(&root)) {
            from(&spans, root, &mut cells, meter)?;
        }
    }
    Ok(Table::new(COLUMNS, cells))
}

/// The spans of a table with `id`, `utid`, `ts`, `dur`, `idle_dur`, `waker_id` and `prev_id`.
fn spans(table: Option<&ValueRef<'_>>, meter: &mut Meter) -> Result<FxHashMap<i64, Span>, Failure> {
    let mut rows = Rows::of(table.copied().unwrap_or(ValueRef::Null))?;
    let mut spans = FxHashMap::default();
    let mut row = Vec::new();
    while rows.next_row(&mut row)? {
        let number = |at: usize| row.get(at).and_then(|cell| integer(cell));
        let known = |at: usize| number(at).unwrap_or(0);
        let ts = known(2);
        let span = Span {
            id: known(0),
            utid: known(1),
            ts,
            end: ts.saturating_add(known(3)),
            idle_since: number(4).map(|idle| ts.saturating_sub(idle)),
            waker: number(5),
            before: number(6),
        };
        meter.grow(2 * size_of::<Span>())?;
        spans.insert(span.id, span);
    }
    Ok(spans)
}

/// Walks back from a root.
fn from(
    spans: &FxHashMap<i64, Span>,
    root: &Span,
    out: &mut Cells,
    meter: &mut Meter,
) -> Result<(), Failure> {
    let mut parts = vec![Part {
        span: root.id,
        start: root.idle_since.unwrap_or(root.ts),
        end: root.end,
        depth: 0,
    }];
    while let Some(part) = parts.pop() {
        meter.tick()?;
        if let Some(span) = spans.get(&part.span).filter(|_| part.start < part.end) {
            let blame = |(start, end): (i64, i64)| {
                let numbers = [
                    root.id,
                    part.depth,
                    start,
                    end - start,
                    span.id,
                    span.utid,
                    root.id,
                ];
                numbers.map(Cell::Integer)
            };
            let step = step(span, part);
            for part in step.others.into_iter().flatten() {
                // Only earlier causes are followed, so every walk ends.
                let is_earlier = |cause: &Span| (cause.ts, cause.id) < (span.ts, span.id);
                if spans.get(&part.span).is_some_and(is_earlier) {
                    parts.push(part);
                }
            }
            for time in step.own.into_iter().flatten() {
                meter.grow(COLUMNS.len() * size_of::<Cell>())?;
                out.extend(blame(time));
            }
        }
    }
    Ok(())
}

/// The result of dividing a period of time.
struct Step {
    /// The periods that other spans must explain.
    others: [Option<Part>; 2],
    /// The periods that the span itself explains.
    own: [Option<(i64, i64)>; 2],
}

/// Divides a period of time.
fn step(span: &Span, part: Part) -> Step {
    let idle_since = span.idle_since.unwrap_or(part.start);
    let before = span.before.filter(|_| span.idle_since.is_some());
    let before = before
        .filter(|_| part.start < idle_since)
        .map(|before| Part {
            span: before,
            end: part.end.min(idle_since),
            ..part
        });
    let start = part.start.max(idle_since);
    let end = part.end.min(span.end);
    if start >= end {
        return Step {
            others: [before, None],
            own: [None, None],
        };
    }
    let idle = (start, end.min(span.ts));
    let is_idle = idle.0 < idle.1;
    let waker = span.waker.filter(|_| is_idle).map(|waker| Part {
        span: waker,
        start: idle.0,
        end: idle.1,
        depth: part.depth.saturating_add(1),
    });
    // No thread woke it: the kernel did.
    let own_idle = is_idle && span.waker.is_none() && span.before.is_some();
    let run = (start.max(span.ts), end);
    Step {
        others: [before, waker],
        own: [own_idle.then_some(idle), (run.0 < run.1).then_some(run)],
    }
}
