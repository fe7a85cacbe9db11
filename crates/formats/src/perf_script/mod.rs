//! The text of `perf script`: samples with the names of their functions.
//!
//! ```text
//! swapper     0/0     [000] 49497.388439:    2000000 cpu-clock:
//!         ffffffff821f236b pv_native_safe_halt+0xb ([kernel.kallsyms])     the innermost function
//!         ffffffff821f3e75 default_idle+0x5 ([kernel.kallsyms])
//!                                                                          an empty line ends the stack
//! ```
//! Options of `perf script` add and remove columns (`-F`), put the innermost function on the first line (`-G`), and print
//! nanoseconds (`--ns`) or the recording's facts (`--header`). simpleperf's `report_sample.py` prints the same. The
//! sources are perf's code (`builtin-script.c`, `perf_sample__fprintf_start`; `util/evsel_fprintf.c`,
//! `sample__fprintf_callchain`) and what perf 6.1 prints.

mod counts;
mod facts;
mod frame;
mod line;
mod reader;
#[cfg(test)]
mod tests;

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;

/// The text of `perf script`.
pub(crate) struct PerfScript;

impl Format for PerfScript {
    fn id(&self) -> &'static str {
        format_id::PERF_SCRIPT
    }

    fn title(&self) -> &'static str {
        "text of perf script"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if begins_script(head) {
            Confidence::Likely
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::<reader::PerfScriptReader>::default())
    }
}

/// Whether a text begins with perf's header or with a sample.
fn begins_script(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    if first == b"# ========" {
        return lines
            .next()
            .is_some_and(|line| line.starts_with(b"# captured on"));
    }
    std::str::from_utf8(first).is_ok_and(|line| line::Head::read(line).is_some())
}
