//! Keeps events in a ring file that outlives a crash.
