//! Properties of functions that SQLite may rely on.

use rusqlite::functions::FunctionFlags;

/// Functions whose result depends only on their arguments, and that have no side effects.
pub(super) const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);
