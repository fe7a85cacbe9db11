//! Collects the first rows of a result, and counts the others.

use std::io;

use serde_json::{Value, json};
use traceloom_query::{Output, ValueRef};

use super::cells::cell;

/// How much of a result is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub rows: usize,
    /// Bytes of the rows as JSON.
    pub bytes: usize,
}

/// The limit for a result on a server's page.
pub(crate) const SERVER_ROOM: Room = Room {
    rows: 50_000,
    bytes: 16 << 20,
};

/// The limit for a result in a report.
pub(super) const REPORT_ROOM: Room = Room {
    rows: 10_000,
    bytes: 4 << 20,
};

/// The first rows of a result as JSON, and the total number of rows.
#[derive(Debug)]
pub(crate) struct Rows {
    room: Room,
    columns: Vec<String>,
    rows: Vec<Value>,
    total: u64,
    is_full: bool,
}

impl Rows {
    pub fn with_room(room: Room) -> Self {
        Self {
            room,
            columns: Vec::new(),
            rows: Vec::new(),
            total: 0,
            is_full: false,
        }
    }

    /// The number of rows that are not kept.
    pub fn left_out(&self) -> u64 {
        self.total - self.rows.len() as u64
    }

    /// The result: `columns`, `rows`, and the number of all rows as `total`.
    pub fn finish(self) -> Value {
        json!({"columns": self.columns, "rows": self.rows, "total": self.total})
    }
}

impl Output for Rows {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.columns = names.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        self.total += 1;
        if self.is_full {
            return Ok(());
        }
        let bytes: usize = values.iter().map(bytes_of).sum();
        if self.rows.len() == self.room.rows || bytes > self.room.bytes {
            self.is_full = true;
            return Ok(());
        }
        self.room.bytes -= bytes;
        self.rows.push(values.iter().map(cell).collect());
        Ok(())
    }
}

/// The approximate size of a value in JSON.
fn bytes_of(value: &ValueRef<'_>) -> usize {
    match value {
        ValueRef::Text(text) => text.len() + 3,
        _ => 12,
    }
}
