//! What SQLite may assume about the functions.

use rusqlite::functions::FunctionFlags;

/// Functions whose result depends on their arguments only, and that have no effect.
pub(super) const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);
