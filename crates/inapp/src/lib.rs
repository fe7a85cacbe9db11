//! Records inside an app: the platform's own trace points and one's own, without a PC.
//!
//! * [`platform`] turns the platform's trace points on: libcutils' tags, and those that `android.os.Trace` keeps.
//! * [`hook`] catches what libraries write to the kernel's `trace_marker`.
//! * [`recorder`] keeps events in a ring file that outlives a crash.
//!
//! * [`marks`] puts the three together.
//!
//! The rooms meet in [`OnMark`]: what a hook catches is handed to the recorder as the bytes that would have
//! gone to the kernel. [`c`] and [`jni`] are what other languages call.

pub mod c;
pub mod elf;
pub mod hook;
pub mod jni;
mod loaded;
pub mod marks;
pub mod platform;
pub mod recorder;

/// What is called with each payload that a library writes to `trace_marker` (`B|123|name`, without an end of
/// line of its own): on the writing thread, within its `write`, so it must not block, allocate or write itself.
pub type OnMark = fn(payload: &[u8]);
