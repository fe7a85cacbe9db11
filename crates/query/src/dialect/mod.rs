//! PerfettoSQL on top of SQLite's language.
