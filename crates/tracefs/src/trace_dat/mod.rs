//! trace.dat: what trace-cmd, KernelShark and traceloom open. Version 6, which all of them read.
//!
//! ```text
//! 17 08 44 "tracing" "6\0" endian long-size page-size
//! "header_page\0"  size text     how a page of the ring buffer begins
//! "header_event\0" size text     how a record begins
//! count (size text)…             formats of ftrace's own events
//! count (name count (size text)…)…   formats of each system's events
//! size kallsyms   size printk_formats   size saved_cmdlines
//! CPUs
//! "options  \0" (id size data)… 0
//! "flyrecord\0" (offset size)…   where each CPU's pages are
//! pages of CPU 0 … pages of CPU n, each at a multiple of the page size
//! ```
//!
//! The order and the sizes of the fields are those of trace-cmd's `trace-cmd.dat.v6` manual page.

mod formats;
mod head;
mod symbols;

pub(crate) use formats::PageLayout;
pub(crate) use head::head;
