//! The text of `perf script`: samples with the names of their functions.
//!
//! ```text
//! swapper     0/0     [000] 49497.388439:    2000000 cpu-clock:
//!         ffffffff821f236b pv_native_safe_halt+0xb ([kernel.kallsyms])     the innermost function
//!         ffffffff821f3e75 default_idle+0x5 ([kernel.kallsyms])
//!                                                                          an empty line ends the stack
//! ```
//! Options of `perf script` add and remove columns (`-F`), put the innermost function on the first line (`-G`), print
//! nanoseconds (`--ns`), or print facts about the recording (`--header`). simpleperf's `report_sample.py` prints the
//! same text. Sources: perf's code (`builtin-script.c`, `perf_sample__fprintf_start`; `util/evsel_fprintf.c`,
//! `sample__fprintf_callchain`) and the output of perf 6.1.

mod counts;
mod facts;
mod frame;
mod line;
mod reader;
#[cfg(test)]
mod tests;
mod times;
mod tracepoints;

use self::frame::Frame;
use self::line::{Head, ROUND};
use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;

/// The line before and after the header.
const HEADER: &[u8] = b"# ========";

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
        // Lines of threads that are about to end (`:-1 -1/-1 [001]`) look like those of ftrace, so `Likely` is not
        // enough.
        if begins_script(head) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(reader::PerfScriptReader::new(options)))
    }
}

/// Whether a text begins with perf's header or with a sample.
fn begins_script(head: &[u8]) -> bool {
    let mut lines = text_lines(head);
    let (first, second) = (lines.next().unwrap_or_default(), lines.next());
    let second = second.unwrap_or_default();
    if first != HEADER {
        return begins_sample(first, second);
    }
    // `perf report` prints the same header. simpleperf's header has other facts.
    !has_report(head) && (second.starts_with(b"# captured on") || has_sample_after_header(head))
}

/// The lines of a text without empty lines and separators.
fn text_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !matches!(*line, b"" | b"#") && *line != ROUND.as_bytes())
}

/// Whether the first line after a header is a sample.
fn has_sample_after_header(head: &[u8]) -> bool {
    let mut lines = text_lines(head).skip_while(|line| line.starts_with(b"#"));
    let (first, second) = (lines.next().unwrap_or_default(), lines.next());
    begins_sample(first, second.unwrap_or_default())
}

/// Whether the first of two lines is a sample.
fn begins_sample(first: &[u8], second: &[u8]) -> bool {
    let Ok(first) = std::str::from_utf8(first) else {
        return false;
    };
    Head::read(first).is_some() || begins_untimed(first, &String::from_utf8_lossy(second))
}

/// Whether a text begins with a sample without a time, followed by its stack or by another sample.
fn begins_untimed(first: &str, second: &str) -> bool {
    let is_bare = |head: &Head<'_>| head.pid.is_some() && head.rest.is_empty();
    let is_another = || Head::without_time(second).is_some_and(|head| is_bare(&head));
    Head::without_time(first).is_some_and(|head| {
        begins_stack(head.rest) || begins_stack(second) || is_bare(&head) && is_another()
    })
}

/// Whether a text of perf is a report, which contains only sums.
pub(crate) fn has_report(head: &[u8]) -> bool {
    memchr::memmem::find(head, b"\n# Samples: ").is_some()
}

/// Whether a text begins with the address of a function. A short word such as `add` does not count as an address.
fn begins_stack(text: &str) -> bool {
    let address = text.split(char::is_whitespace).next().unwrap_or_default();
    let has_digits = address.len() >= 3 && address.bytes().any(|byte| byte.is_ascii_digit());
    has_digits && Frame::read(text).is_some()
}
