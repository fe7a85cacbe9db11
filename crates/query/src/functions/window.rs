//! Window functions: `last_non_null` and `internal_layout`.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rusqlite::Connection;
use rusqlite::functions::{Aggregate, Context, WindowAggregate};
use rusqlite::types::Value;

use super::arguments::refused;
use super::flags::PURE;

/// Registers the functions with a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_window_function("last_non_null", 1, PURE, LastNonNull)?;
    connection.create_window_function("internal_layout", 2, PURE, Layout)
}

/// `last_non_null(value)`: the last value of the window that is not NULL.
struct LastNonNull;

/// The last value of the window that is not NULL. Earlier values leave the window before it.
#[derive(Default)]
struct Window {
    /// The number of its row, and the value.
    last: Option<(u64, Value)>,
    first_row: u64,
    next_row: u64,
}

impl Aggregate<Window, Value> for LastNonNull {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Window> {
        Ok(Window::default())
    }

    fn step(&self, context: &mut Context<'_>, window: &mut Window) -> rusqlite::Result<()> {
        let value = context.get::<Value>(0)?;
        if value != Value::Null {
            window.last = Some((window.next_row, value));
        }
        window.next_row += 1;
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, window: Option<Window>) -> rusqlite::Result<Value> {
        let last = window.and_then(|window| window.last);
        Ok(last.map_or(Value::Null, |(_, value)| value))
    }
}

impl WindowAggregate<Window, Value> for LastNonNull {
    fn value(&self, window: Option<&mut Window>) -> rusqlite::Result<Value> {
        let last = window.and_then(|window| window.last.clone());
        Ok(last.map_or(Value::Null, |(_, value)| value))
    }

    fn inverse(&self, _: &mut Context<'_>, window: &mut Window) -> rusqlite::Result<()> {
        let row = window.first_row;
        window.last.take_if(|(last, _)| *last == row);
        window.first_row += 1;
        Ok(())
    }
}

/// `internal_layout(ts, dur)`: the first depth that is free at `ts`, so that overlapping slices are drawn below each
/// other. The window is `ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`.
struct Layout;

/// The slices that are still open.
#[derive(Default)]
struct Depths {
    /// The ends and the depths of the slices.
    open: BinaryHeap<Reverse<(i64, i64)>>,
    /// Depths that were used and are free now.
    free: BTreeSet<i64>,
    /// The number of depths so far.
    count: i64,
    last_ts: Option<i64>,
    depth: i64,
}

impl Depths {
    /// Assigns a depth to a slice. An instant does not occupy its depth.
    fn add(&mut self, ts: i64, dur: i64) {
        while let Some(Reverse((end, depth))) = self.open.peek().copied()
            && end <= ts
        {
            self.open.pop();
            self.free.insert(depth);
        }
        self.depth = self.free.first().copied().unwrap_or(self.count);
        self.count = self.count.max(self.depth + 1);
        if dur == 0 {
            self.free.insert(self.depth);
            return;
        }
        self.free.remove(&self.depth);
        let end = if dur < 0 {
            i64::MAX
        } else {
            ts.saturating_add(dur)
        };
        self.open.push(Reverse((end, self.depth)));
    }
}

impl Aggregate<Depths, i64> for Layout {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Depths> {
        Ok(Depths::default())
    }

    fn step(&self, context: &mut Context<'_>, depths: &mut Depths) -> rusqlite::Result<()> {
        let (Ok(ts), Ok(dur)) = (context.get::<i64>(0), context.get::<i64>(1)) else {
            return Err(refused("internal_layout: ts and dur must be whole numbers"));
        };
        if dur < -1 {
            return Err(refused("internal_layout: dur must not be below -1"));
        }
        if depths.last_ts.is_some_and(|last| ts < last) {
            return Err(refused("internal_layout: the window must be ordered by ts"));
        }
        depths.add(ts, dur);
        depths.last_ts = Some(ts);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, depths: Option<Depths>) -> rusqlite::Result<i64> {
        Ok(depths.map_or(0, |depths| depths.depth))
    }
}

impl WindowAggregate<Depths, i64> for Layout {
    fn value(&self, depths: Option<&mut Depths>) -> rusqlite::Result<i64> {
        Ok(depths.map_or(0, |depths| depths.depth))
    }

    fn inverse(&self, _: &mut Context<'_>, _: &mut Depths) -> rusqlite::Result<()> {
        let window = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
        Err(refused(format!(
            "internal_layout: the window must be {window}"
        )))
    }
}
