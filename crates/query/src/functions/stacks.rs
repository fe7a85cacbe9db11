//! Stacks as values: messages as Perfetto has them, with the innermost frame first.

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Null, ValueRef};

use super::arguments::refused;
use super::flags::PURE;
use super::message;

/// The field of a stack with its entries, and that of an entry with its name.
pub(super) const ENTRIES: u64 = 1;
pub(super) const NAME: u64 = 1;

/// Functions whose first argument is a row of a table that is empty in every trace, and what the row is.
const OF_EMPTY_TABLES: &[(&str, i32, &str)] = &[
    ("__intrinsic_perf_counter_for_sample", 2, "sample"),
    ("stack_from_stack_profile_callsite", 1, "callsite"),
    ("stack_from_stack_profile_callsite", 2, "callsite"),
    ("stack_from_stack_profile_frame", 1, "frame"),
];

/// Makes the functions known to a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function("cat_stacks", -1, PURE, |context| cat(context))?;
    for &(name, count, what) in OF_EMPTY_TABLES {
        connection.create_scalar_function(name, count, PURE, move |context| {
            match context.get_raw(0) {
                ValueRef::Null => Ok(Null),
                id => Err(refused(format!("there is no {what} {}", shown(id)))),
            }
        })?;
    }
    Ok(())
}

fn shown(id: ValueRef<'_>) -> String {
    id.as_i64()
        .map_or_else(|_| id.data_type().to_string(), |id| id.to_string())
}

/// `cat_stacks(stack or name, …)`: one stack of several. The outermost is the first argument.
fn cat(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut stack = Vec::new();
    for at in (0..context.len()).rev() {
        match context.get_raw(at) {
            ValueRef::Null => {}
            ValueRef::Blob(other) => stack.extend(other),
            ValueRef::Text(name) => {
                let mut entry = Vec::new();
                message::bytes(NAME, name, &mut entry);
                message::bytes(ENTRIES, &entry, &mut stack);
            }
            _ => return Err(refused("cat_stacks takes stacks and texts")),
        }
    }
    Ok(stack)
}
