//! The kernel's ring buffer in its binary form: pages of records, decoded with the formats that the
//! kernel provides for its events.
//!
//! ```text
//! header_page, format files, kallsyms …  ──► RawFormats ─┐
//! bytes of each CPU's pages              ──► CpuPages ───┴─► events in order of time ──► interpreter
//! ```
//! The bytes are those of `per_cpu/cpuN/trace_pipe_raw` and of `trace.dat` files. The interpreter of
//! ftrace text takes the decoded events directly; no text is made in between.

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
