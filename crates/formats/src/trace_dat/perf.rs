//! The formats of tracepoints in a `perf.data`. perf writes them like trace-cmd, but with its own version numbers.
//!
//! Source: `util/trace-event-info.c` of perf.

use super::head::Start;
use super::input::wrong;
use super::{parts, v6};
use crate::error::{ReadError, printable};
use crate::ring_buffer::RawFormats;

/// Reads the formats. Also returns the number of formats that cannot be read.
///
/// # Errors
///
/// If a part is missing or invalid.
pub(crate) fn perf_formats(bytes: &[u8]) -> Result<(RawFormats, u64), ReadError> {
    let (start, mut input) = Start::read(bytes)?;
    let has_names = match start.version {
        b"0.6" => true,
        b"0.5" => false,
        other => {
            let place = start.place;
            return Err(wrong("the version", printable(other), "0.5 or 0.6", place));
        }
    };
    let mut collected = v6::descriptions(&mut input, start.page_bytes)?;
    if has_names {
        parts::cmdlines(&mut input, &mut collected)?;
    }
    let broken = collected.broken();
    Ok((collected.formats, broken))
}
