//! Lists of the processes and threads of a device, taken together with a trace: systrace's PROCESS
//! DUMP (two `ps` tables), plain `ps` output, lists of `/proc/PID/task/TID` paths, CGROUP DUMP, and
//! ATRACE_PROCESS_DUMP with the memory of each process.
//!
//! In a systrace page, these dumps belong to the same source as the ftrace block. They show which process a thread
//! belongs to.

mod cgroup;
mod dump;
mod lines;
pub(crate) mod memory;
mod procfs;
mod table;
mod tasks;
mod title;

use traceloom_trace::TraceBuilder;

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target, TextPart};
use crate::format_id;
use crate::utf16::as_utf8;
pub(crate) use dump::Dump;
use lines::{lines, unparsed};

/// PROCESS DUMP, `ps` tables and lists of `/proc` paths.
pub(crate) struct ProcessDump;

/// CGROUP DUMP.
pub(crate) struct CgroupDump;

/// ATRACE_PROCESS_DUMP.
pub(crate) struct MemoryDump;

/// The number of lines that are checked to recognise a dump.
const SNIFF_LINES: usize = 5;

impl Format for ProcessDump {
    fn id(&self) -> &'static str {
        format_id::PROCESS_DUMP
    }

    fn title(&self) -> &'static str {
        "process dump (ps tables beside a systrace)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        let is_dump = |line: &[u8]| table::Columns::read(line).is_some() || procfs::is_list(line);
        if first_lines(head).any(is_dump) {
            Confidence::Likely
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(Whole::new(
            format_id::PROCESS_DUMP,
            read_process_dump,
        )))
    }
}

impl Format for CgroupDump {
    fn id(&self) -> &'static str {
        format_id::CGROUP_DUMP
    }

    fn title(&self) -> &'static str {
        "cgroup dump (beside a systrace)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if first_lines(head).any(cgroup::is_title) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(Whole::new(format_id::CGROUP_DUMP, cgroup::read)))
    }
}

impl Format for MemoryDump {
    fn id(&self) -> &'static str {
        format_id::MEMORY_DUMP
    }

    fn title(&self) -> &'static str {
        "memory of processes (beside a systrace)"
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.trim_ascii_start().starts_with(memory::TITLE) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, _: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(Whole::new(format_id::MEMORY_DUMP, memory::read)))
    }
}

/// The lines that are checked to recognise a dump. Empty for a page or JSON file that contains a
/// dump.
fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let begin = head.trim_ascii_start().first();
    let lines_shown = if matches!(begin, Some(b'<' | b'{')) {
        0
    } else {
        SNIFF_LINES
    };
    lines(head).take(lines_shown)
}

/// Adds the processes and names of threads from a process dump of any kind. Names in the trace take
/// precedence, because the dump was taken at a different time.
pub(crate) fn read_process_dump(text: &[u8], out: &mut TraceBuilder) {
    let mut dump = Dump::default();
    let text = as_utf8(text);
    for (number, line) in lines(&text).enumerate() {
        let is_blank = line.is_empty() || line.starts_with(b"#") || line == b"PROCESS DUMP";
        if !is_blank && !dump.line(line, out) {
            unparsed(line, number, out);
        }
    }
    dump.finish(out);
}

/// A reader that needs its whole input; dumps are small.
struct Whole {
    format: &'static str,
    read: fn(&[u8], &mut TraceBuilder),
    text: Vec<u8>,
}

impl Whole {
    fn new(format: &'static str, read: fn(&[u8], &mut TraceBuilder)) -> Self {
        Self {
            format,
            read,
            text: Vec::new(),
        }
    }
}

impl Whole {
    fn part(&self) -> TextPart {
        match self.format {
            format_id::MEMORY_DUMP => TextPart::TimedDump,
            _ => TextPart::Dump,
        }
    }
}

impl Reader for Whole {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if !matches!(out, Target::Text(_)) {
            out.trace(self.format)?.add_source_bytes(chunk.len() as u64);
        }
        self.text.extend_from_slice(chunk);
        Ok(())
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let text = std::mem::take(&mut self.text);
        match out {
            Target::Text(parts) => {
                parts.begin_part(self.part());
                parts.text(&text);
            }
            _ => (self.read)(&text, out.trace(self.format)?),
        }
        Ok(())
    }
}
