//! Reports: one HTML file with the page's code, and the trace as columns.
//!
//! ```text
//! <head><meta name="traceloom-report" content="1"> …
//! <script type="application/octet-stream;base64" class="traceloom-columns" data-name="slices"
//!         data-bytes="93611">H4sI…</script>      base64 of gzip of a block of columns
//! ```
//! Whatever else is in the page is passed over, a systrace's text beside the columns too: it is
//! the same trace again, for tools that know nothing of columns.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use write::{report_data, report_engine};

use crate::format::{Confidence, Format, ReadOptions, Reader};

const ID: &str = "report";

/// What stands near the top of every report.
pub const REPORT_META: &str = "<meta name=\"traceloom-report\" content=\"1\">";

/// The class of the elements that hold columns.
const CLASS: &str = "traceloom-columns";

/// A report: its trace is taken over as it is, sources, repairs and all.
pub(crate) struct Report;

impl Format for Report {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "traceloom report"
    }

    /// The sources are those of the trace inside.
    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        // A trace may have this text in a name; in a page, all else comes later.
        const NEAR_TOP: usize = 1 << 10;
        let head = &head[..head.len().min(NEAR_TOP)];
        let is_page = head.trim_ascii_start().starts_with(b"<");
        match memchr::memmem::find(head, REPORT_META.as_bytes()) {
            Some(_) if is_page => Confidence::Certain,
            _ => Confidence::No,
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(read::ReportReader::new(options)))
    }
}
