//! The kernel's ring buffer as it stands in memory: pages of records, read with the formats that the
//! kernel gives for its events.
//!
//! ```text
//! header_page, format files, kallsyms …  ──► RawFormats ─┐
//! bytes of each CPU's pages              ──► CpuPages ───┴─► events in order of time ──► interpreter
//! ```
//! The bytes are those of `per_cpu/cpuN/trace_pipe_raw` and of `trace.dat` files. What events mean is
//! told by the interpreter of ftrace text, which takes them from here without text between.

mod bprint;
mod bytes;
mod decode;
mod feed;
mod format;
mod formats;
mod layout;
mod merge;
mod pages;
mod print;
mod read;
mod states;
mod symbols;
mod tally;

pub use bytes::ByteOrder;
pub use format::{EventField, EventFormat, FieldKind, FormatError};
pub use formats::RawFormats;
pub use layout::{LayoutError, PageLayout};
pub use merge::{CpuBytes, TimeCorrection, TimeScale};
pub use pages::{CpuPages, PageFault, RawEvent};
pub use read::RawReader;
pub use symbols::Symbols;
pub use tally::{EventTally, tally};
