//! The lines of a dump.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

/// The lines of a text, with surrounding white space removed.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii)
}

/// Counts a line that could not be read; `number` counts from 0.
pub(super) fn unparsed(line: &[u8], number: usize, out: &mut TraceBuilder) {
    const SHOWN: usize = 120;
    let place = Place::at_line(number as u64 + 1);
    out.repair(RepairKind::UnparsedLine, 1, place, || {
        String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned()
    });
}
