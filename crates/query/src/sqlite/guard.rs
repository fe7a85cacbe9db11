//! Prevents queries from reading or writing files, loading code, changing settings, and running or growing without end.

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ffi};

use super::nesting;
use crate::stop::Clock;

/// Functions that reach outside the database.
const FORBIDDEN: &[&str] = &["load_extension", "fts3_tokenizer"];

/// PRAGMAs that only read. All others are rejected.
const READING: &[&str] = &[
    "collation_list",
    "compile_options",
    "database_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "module_list",
    "pragma_list",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// The number of SQLite's virtual-machine instructions between two checks of the clock: about a millisecond.
const BETWEEN_LOOKS: i32 = 10_000;

/// Sets the maximum memory that SQLite may use for all connections of the process. A PRAGMA could only lower the limit.
pub(crate) fn limit_memory(bytes: u64) {
    // 0 would mean no limit.
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).max(1);
    // SAFETY: it takes a number, and may be called at any time.
    unsafe { ffi::sqlite3_hard_heap_limit64(bytes) };
}

/// Sets the options of SQLite before anything is forbidden.
pub(crate) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    nesting::limit(connection)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Without a journal, a statement that fails would leave half of its changes behind.
    connection.pragma_update(None, "journal_mode", "MEMORY")
}

/// Forbids the operations that a query must not perform.
pub(crate) fn forbid(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.authorizer(Some(authorize))
}

fn authorize(context: AuthContext<'_>) -> Authorization {
    let is_allowed = match context.action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::CreateVtable { .. }
        | AuthAction::Unknown { .. } => false,
        AuthAction::Pragma { pragma_name, .. } => is_any(READING, pragma_name),
        AuthAction::Function { function_name } => !is_any(FORBIDDEN, function_name),
        _ => true,
    };
    if is_allowed {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}

fn is_any(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Interrupts the connection when the query must end.
pub(crate) fn watch(connection: &mut Connection, clock: Clock) -> rusqlite::Result<()> {
    connection.progress_handler(BETWEEN_LOOKS, Some(move || clock.is_over()))
}
