//! Processes killed by Android's low-memory killer, which records kills as marks:
//!
//! ```text
//! B|618|lmk,4211,7,900,…        the section of the kill: process, reason, oom_score_adj
//! C|618|kill_one_process|4211   older versions: a counter, which goes back to 0
//! ```

use traceloom_trace::{ArgSetId, ProcessId, RowId, TraceBuilder, TrackType};

use super::position::At;
use crate::ftrace::event::CounterValue;

/// The start of the names of kill sections.
const SECTION: &[u8] = b"lmk,";

/// The counter of kills.
const COUNTER: &[u8] = b"kill_one_process";

/// Reads the name of a section.
#[inline]
pub(super) fn section(at: At, name: &[u8], out: &mut TraceBuilder) {
    if name.starts_with(SECTION) {
        section_of_kill(at, name, out);
    }
}

#[cold]
fn section_of_kill(at: At, name: &[u8], out: &mut TraceBuilder) {
    let mut words = name.split(|byte| *byte == b',');
    let (Some(pid), Some(score)) = (number(words.nth(1)), number(words.nth(1))) else {
        return;
    };
    let upid = out.process(pid);
    let title = out.intern(b"oom_score_adj");
    let track = out.process_track(TrackType::OomScoreAdj, upid, title);
    out.whole_counter(track, at.ts, score);
    kill(at, upid, out);
}

fn number(word: Option<&[u8]>) -> Option<i64> {
    std::str::from_utf8(word?).ok()?.parse().ok()
}

/// Reads a counter.
#[inline]
pub(super) fn counter(at: At, name: &[u8], value: CounterValue, out: &mut TraceBuilder) {
    if let (COUNTER, CounterValue::Whole(pid @ 1..)) = (name, value) {
        let upid = out.process(pid);
        kill(at, upid, out);
    }
}

fn kill(at: At, upid: ProcessId, out: &mut TraceBuilder) {
    let title = out.intern(b"LMK");
    let track = out.process_track(TrackType::AndroidLmk, upid, title);
    let name = out.intern(b"mem.lmk");
    out.instant(track, at.ts, name, ArgSetId::NONE);
}
