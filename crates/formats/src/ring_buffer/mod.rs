//! The kernel's ring buffer in its binary form: pages of records, decoded with the formats that the
//! kernel provides for its events.
//!
//! ```text
//! header_page, format files, kallsyms …  ──► RawFormats ─┐
//! bytes of each CPU's pages              ──► CpuPages ───┴─► events in order of time ──► interpreter
//! ```
//! The bytes are those of `per_cpu/cpuN/trace_pipe_raw` and of `trace.dat` files. The interpreter
//! for ftrace text receives the decoded events directly, without a conversion to text.

mod bprint;
mod decode;
mod feed;
mod format;
mod formats;
mod layout;
mod merge;
mod page_events;
mod pages;
mod print;
mod read;
mod states;
mod symbols;
mod tally;

pub(crate) use feed::Coverage;
pub(crate) use format::{EventField, EventFormat};
pub(crate) use formats::RawFormats;
pub(crate) use layout::PageLayout;
pub(crate) use merge::{CpuBytes, TimeCorrection, TimeScale};
pub use page_events::PageEvents;
pub(crate) use read::{PagelessEvent, RawReader};
pub(crate) use symbols::Symbols;
pub use tally::EventTally;
pub(crate) use tally::tally;
