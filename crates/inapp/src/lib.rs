#![doc = include_str!("../README.md")]

pub mod c;
pub mod elf;
pub mod hook;
pub mod jni;
mod loaded;
pub mod marks;
pub mod platform;
pub mod recorder;

/// A callback for each payload that a library writes to `trace_marker` (`B|123|name`, without a final line feed). It is
/// called on the writing thread, inside its `write`, so it must not block, allocate or write.
pub type OnMark = fn(payload: &[u8]);
