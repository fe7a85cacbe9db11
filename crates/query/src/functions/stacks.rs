//! Stacks as values of SQL: Perfetto's messages, with the innermost frame first.

use std::borrow::Cow;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;

use super::arguments::refused;
use super::flags::PURE;
use super::message;
use crate::operators::Marks;
use crate::schema::{Data, RecordColumn};

/// The field of a stack with its entries, and the field of an entry with its name.
pub(super) const ENTRIES: u64 = 1;
pub(super) const NAME: u64 = 1;

/// Registers the functions with a connection.
pub(super) fn register(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    connection.create_scalar_function("cat_stacks", -1, PURE, |context| cat(context))?;
    let Some(tables) = Tables::find() else {
        return Ok(());
    };
    // The second argument selects whether names are marked with the mode in which Android's runtime ran the frame.
    for count in [1, 2] {
        let data = data.clone();
        let name = "stack_from_stack_profile_callsite";
        connection.create_scalar_function(name, count, PURE, move |context| {
            let is_marked = count == 2 && context.get_raw(1).as_i64().is_ok_and(|it| it != 0);
            row_of(context, "callsite", |id| {
                tables.callsite(&data, id, is_marked)
            })
        })?;
    }
    let data = data.clone();
    let name = "stack_from_stack_profile_frame";
    connection.create_scalar_function(name, 1, PURE, move |context| {
        row_of(context, "frame", |id| {
            let mut stack = Vec::new();
            tables.frame(&data, id, None, &mut stack).map(|()| stack)
        })
    })
}

/// The result of `find` for the row whose id is the first argument; `None` for NULL.
pub(super) fn row_of<T>(
    context: &Context<'_>,
    what: &str,
    find: impl FnOnce(i64) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    let id = context.get_raw(0);
    if id == ValueRef::Null {
        return Ok(None);
    }
    let found = id.as_i64().ok().and_then(find);
    let shown = id
        .as_i64()
        .map_or_else(|_| id.data_type().to_string(), |id| id.to_string());
    found
        .map(Some)
        .ok_or_else(|| refused(format!("there is no {what} {shown}")))
}

/// The columns of the tables of stacks.
#[derive(Clone, Copy)]
struct Tables {
    parent: RecordColumn,
    frame: RecordColumn,
    name: RecordColumn,
    old_name: RecordColumn,
    symbols: RecordColumn,
    symbol_set: RecordColumn,
    symbol_name: RecordColumn,
    mapping: RecordColumn,
    file: RecordColumn,
}

impl Tables {
    fn find() -> Option<Self> {
        let of_callsite = |column| RecordColumn::find("stack_profile_callsite", column);
        let of_frame = |column| RecordColumn::find("stack_profile_frame", column);
        let of_symbol = |column| RecordColumn::find("stack_profile_symbol", column);
        Some(Self {
            parent: of_callsite("parent_id")?,
            frame: of_callsite("frame_id")?,
            name: of_frame("name")?,
            old_name: of_frame("deobfuscated_name")?,
            symbols: of_frame("symbol_set_id")?,
            symbol_set: of_symbol("symbol_set_id")?,
            symbol_name: of_symbol("name")?,
            mapping: of_frame("mapping")?,
            file: RecordColumn::find("stack_profile_mapping", "name")?,
        })
    }

    /// The frames of a callsite and of its callers.
    fn callsite(&self, data: &Data, id: i64, is_marked: bool) -> Option<Vec<u8>> {
        let mut frames = vec![self.frame.int(data, id)?];
        let mut at = id;
        // A callsite comes after its caller, so this loop ends.
        while let Some(parent) = self.parent.int(data, at).filter(|parent| *parent < at) {
            frames.push(self.frame.int(data, parent)?);
            at = parent;
        }
        let marks = if is_marked {
            self.marks(data, &frames)
        } else {
            vec![None; frames.len()]
        };
        let mut stack = Vec::new();
        for (frame, mark) in frames.into_iter().zip(marks) {
            self.frame(data, frame, mark, &mut stack)?;
        }
        Some(stack)
    }

    /// The mark of each frame of a stack, innermost first.
    fn marks(&self, data: &Data, frames: &[i64]) -> Vec<Option<&'static str>> {
        let mut marks = Marks::default();
        let outermost_first = frames.iter().rev();
        let mark = |frame: &i64| {
            let mapping = self.mapping.int(data, *frame);
            let file = mapping.and_then(|mapping| self.file.text(data, mapping));
            let name = self.name.text(data, *frame);
            marks.next(name.unwrap_or_default(), file.unwrap_or_default())
        };
        let mut marks: Vec<_> = outermost_first.map(mark).collect();
        marks.reverse();
        marks
    }

    /// Adds the functions of a frame, the innermost inlined one first.
    fn frame(&self, data: &Data, id: i64, mark: Option<&str>, stack: &mut Vec<u8>) -> Option<()> {
        let name = self.name.value(data, id)?;
        if let Some(set) = self.symbols.int(data, id) {
            let rows = (set..).take_while(|row| self.symbol_set.int(data, *row) == Some(set));
            for row in rows {
                let name = self.symbol_name.text(data, row).unwrap_or_default();
                entry(&marked(name, mark), stack);
            }
            return Some(());
        }
        let name = match name {
            crate::schema::Cell::Text(name) => data.get(name),
            _ => "",
        };
        let name = self.old_name.text(data, id).unwrap_or(name);
        entry(&marked(name, mark), stack);
        Some(())
    }
}

/// A name with its mark. A frame without a name gets no mark.
fn marked<'n>(name: &'n str, mark: Option<&str>) -> Cow<'n, str> {
    match mark {
        Some(mark) if !name.is_empty() => Cow::Owned(format!("{name} [{mark}]")),
        _ => Cow::Borrowed(name),
    }
}

/// Adds a frame with a name.
fn entry(name: &str, stack: &mut Vec<u8>) {
    let mut entry = Vec::new();
    message::bytes(NAME, name.as_bytes(), &mut entry);
    message::bytes(ENTRIES, &entry, stack);
}

/// `cat_stacks(stack or name, …)`: joins stacks to one. The first argument is the outermost.
fn cat(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut stack = Vec::new();
    for at in (0..context.len()).rev() {
        match context.get_raw(at) {
            ValueRef::Null => {}
            ValueRef::Blob(other) => stack.extend(other),
            ValueRef::Text(name) => {
                entry(&String::from_utf8_lossy(name), &mut stack);
            }
            _ => return Err(refused("cat_stacks takes stacks and texts")),
        }
    }
    Ok(stack)
}
