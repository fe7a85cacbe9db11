//! Problems of an input, and how they were handled. Readers count every repair, guess and loss
//! here.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::ids::SourceId;
use crate::remap::{Remap, Value};

/// The effect of a repair on the trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// For information; no value changes.
    Note,
    /// Something was repaired: values near it follow from a rule, not from a record.
    Mended,
    /// Something is missing that existed when the trace was recorded.
    Loss,
}

impl Severity {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Mended => "mended",
            Self::Loss => "loss",
        }
    }
}

macro_rules! repair_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $severity:ident, $text:literal;)*) => {
        /// The kind of problem.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum RepairKind {
            $($(#[$doc])* $kind,)*
        }

        impl RepairKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The kind's stable name in tables and JSON.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Its severity.
            pub fn severity(self) -> Severity {
                match self { $(Self::$kind => Severity::$severity,)* }
            }

            /// What it means and what was done, in one sentence for users.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$kind => $text,)* }
            }
        }
    };
}

repair_kinds! {
    /// An exit whose method is not on the stack.
    UnmatchedExit = "unmatched_exit", Mended,
        "a method returned that was never seen to start (often called before recording began); ignored";
    /// An end without a begin.
    UnmatchedEnd = "unmatched_end", Mended,
        "a slice or flow ended that was never seen to begin (often begun before recording began); ignored";
    /// Calls closed because their caller returned, or because the following events are lost.
    MissingExit = "missing_exit", Mended,
        "a caller returned while its callee was still open, or what came next is lost; closed with the caller, or where last seen";
    /// Slices or calls that were open at the end.
    NeverClosed = "never_closed", Note,
        "still open when the trace ends; shown up to the end, without a duration";
    /// Threads for which no line gave a process.
    MissingTgid = "missing_tgid", Mended,
        "lines lack the process of their thread; found from other events";
    /// Threads whose process is still unknown.
    UnknownProcess = "unknown_process", Note,
        "no event or dump tells which process these threads belong to";
    /// The start of a ring buffer, where some CPUs have no data yet.
    CircularPrefix = "circular_prefix", Loss,
        "a CPU's buffer starts later than those of the others: its earlier events were overwritten";
    /// Time that steps back.
    TimeWentBack = "time_went_back", Mended,
        "time stepped back; events were put in order of time";
    /// A duration that would have been negative.
    NegativeDuration = "negative_duration", Mended,
        "an end is before its beginning; the duration was set to zero";
    /// A 32-bit clock that overflowed.
    ClockWrapped = "clock_wrapped", Note,
        "a 32-bit microsecond clock overflowed (every 71 minutes); corrected";
    /// A method id that was not declared.
    UnknownMethod = "unknown_method", Mended,
        "a record has a method id that is not in the method table; shown by its id";
    /// A thread id that was not declared.
    UnknownThread = "unknown_thread", Mended,
        "a record has a thread id that is not in the thread table; shown by its id";
    /// An id declared twice with different texts.
    Redefined = "redefined", Note,
        "an id was declared twice with different text; only one is shown";
    /// An action that does not exist in any version of the format.
    UnknownAction = "unknown_action", Loss,
        "a record has an action that does not exist in any version of the format; ignored";
    /// The last record is incomplete.
    TornRecord = "torn_record", Loss,
        "the file ends in the middle of a record; everything before it is kept";
    /// A block that contradicts itself.
    BrokenBlock = "broken_block", Loss,
        "a block contradicts its own header; the readable part is kept";
    /// A method trace whose text part is missing.
    MissingKeySection = "missing_key_section", Loss,
        "the key section (the .key file) is missing: threads and methods are shown by their numbers";
    /// A streaming trace without its end.
    MissingSummary = "missing_summary", Note,
        "the trace has no summary: the app was stopped while recording; the recorded part is kept";
    /// Bytes after the end of the data.
    TrailingBytes = "trailing_bytes", Note,
        "bytes after the end of the trace data; ignored";
    /// Events that the recorder lost.
    LostEvents = "lost_events", Loss,
        "the recorder lost events: its buffer was overrun";
    /// The buffer was full.
    BufferOverflow = "buffer_overflow", Loss,
        "the recording buffer was full: events before or after it are missing";
    /// More than the limit for the input's size.
    BeyondLimit = "beyond_limit", Loss,
        "the input is so dense that all of it would need more memory than allowed for its size; the rest is left out or combined";
    /// The file's number of records differs from its header.
    CountMismatch = "count_mismatch", Note,
        "the number of records in the header differs from that in the file";
    /// A name truncated by the recorder.
    NameCut = "name_cut", Note,
        "a name was truncated by the recorder at its limit of 1024 bytes";
    /// Bytes that are not UTF-8.
    InvalidUtf8 = "invalid_utf8", Note,
        "a name is not UTF-8; its invalid bytes are shown as U+FFFD";
    /// A line that matches no rule.
    UnparsedLine = "unparsed_line", Loss,
        "a line could not be read; ignored";
    /// A field that matches no rule.
    BadField = "bad_field", Mended,
        "a field of an event could not be read; the event is kept without it";
    /// A sync point that cannot be used.
    BadClockSync = "bad_clock_sync", Note,
        "a clock sync marker could not be read";
    /// Events without a time on the trace's time line.
    Unplaced = "unplaced", Loss,
        "events have no time, or one that cannot be put on the trace's time line; left out";
    /// The scheduler's events are inconsistent, for example because a switch is missing.
    SchedMismatch = "sched_mismatch", Mended,
        "a CPU switched away from another thread than the one that was running; a switch is missing";
    /// A switch that the kernel omitted.
    InferredSwitch = "inferred_switch", Mended,
        "no switch to a thread was recorded, but it ran: its start follows from its wake-up, its events or its running time";
    /// Times that are not those of a wall clock: computed from threads' CPU clocks, or from the order of the events.
    RebuiltTime = "rebuilt_time", Note,
        "no wall-clock times were recorded; the time line is rebuilt, and does not show waiting";
    /// A line ending damaged by adb.
    CrlfDamage = "crlf_damage", Mended,
        "line ends were changed during the transfer (adb shell); restored";
    /// A part of the input that no table holds, or a file in an archive that is not a trace.
    SkippedEntry = "skipped_entry", Note,
        "a part of the input has no table, or a file in an archive is not a trace; skipped";
}

/// A position in the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Byte offset in the source, after decompression.
    pub offset: Option<u64>,
    /// Line number, from 1, in text formats.
    pub line: Option<u64>,
    /// Time on the trace's clock.
    pub ts: Option<i64>,
}

impl Place {
    /// A byte offset.
    pub fn at_offset(offset: u64) -> Self {
        Self {
            offset: Some(offset),
            ..Self::default()
        }
    }

    /// A line number, counted from 1.
    pub fn at_line(line: u64) -> Self {
        Self {
            line: Some(line),
            ..Self::default()
        }
    }

    /// The same place with a time.
    pub fn with_ts(self, ts: i64) -> Self {
        Self {
            ts: Some(ts),
            ..self
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.offset, self.ts) {
            (Some(line), _, _) => write!(f, "line {line}"),
            (_, Some(offset), _) => write!(f, "byte {offset}"),
            (_, _, Some(ts)) => write!(
                f,
                "{}.{:09} s",
                ts.div_euclid(1_000_000_000),
                ts.rem_euclid(1_000_000_000)
            ),
            _ => f.write_str("the whole file"),
        }
    }
}

/// All repairs of one kind in one source.
#[derive(Clone, PartialEq, Debug)]
pub struct RepairRow {
    /// The input it happened in.
    pub source: SourceId,
    /// The kind.
    pub kind: RepairKind,
    /// How often it occurred. For losses that have their own count, the number of lost items.
    pub count: u64,
    /// The place of the first one.
    pub first: Place,
    /// The details of the first one.
    pub detail: String,
}

/// The repair table: one row for each kind and source.
#[derive(Clone, Debug, Default)]
pub struct RepairTable {
    rows: Vec<RepairRow>,
    /// The index of the first `indexed` rows.
    by_kind: FxHashMap<(SourceId, RepairKind), usize>,
    indexed: usize,
}

impl RepairTable {
    /// Creates a table with these rows. If several have the same kind and source, later repairs are
    /// added to the last one.
    pub fn from_rows(rows: Vec<RepairRow>) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    /// Counts `count` repairs. `detail` is called only the first time, so it may be expensive.
    pub fn add(
        &mut self,
        source: SourceId,
        kind: RepairKind,
        count: u64,
        place: Place,
        detail: impl FnOnce() -> String,
    ) {
        if count == 0 {
            return;
        }
        for row in self.indexed..self.rows.len() {
            let RepairRow { source, kind, .. } = self.rows[row];
            self.by_kind.insert((source, kind), row);
        }
        self.indexed = self.rows.len();
        if let Some(&row) = self.by_kind.get(&(source, kind)) {
            self.rows[row].count = self.rows[row].count.saturating_add(count);
            return;
        }
        self.rows.push(RepairRow {
            source,
            kind,
            count,
            first: place,
            detail: detail(),
        });
    }

    /// Gives sources their new ids.
    pub(crate) fn remap(&mut self, to: &mut impl Remap) {
        for row in &mut self.rows {
            row.source = row.source.remapped(to);
        }
        // The index is rebuilt at the next repair.
        (self.by_kind, self.indexed) = (Default::default(), 0);
    }

    /// Replaces the times of first occurrences.
    pub(crate) fn shift_times(&mut self, shifted: impl Fn(i64) -> i64) {
        for row in &mut self.rows {
            row.first.ts = row.first.ts.map(&shifted);
        }
    }

    /// The rows in the order of first occurrence.
    pub fn rows(&self) -> &[RepairRow] {
        &self.rows
    }

    /// The number of repairs of `kind` in all sources.
    pub fn count(&self, kind: RepairKind) -> u64 {
        self.rows
            .iter()
            .filter(|row| row.kind == kind)
            .fold(0, |sum, row| sum.saturating_add(row.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_and_the_sum_are_kept() {
        let mut repairs = RepairTable::default();
        let (source, kind) = (SourceId(0), RepairKind::LostEvents);
        repairs.add(source, kind, 3, Place::at_line(7), || "CPU 1".into());
        repairs.add(source, kind, 4, Place::at_line(9), || unreachable!());
        repairs.add(source, kind, 0, Place::at_line(1), || unreachable!());
        assert_eq!(repairs.count(kind), 7);
        assert_eq!(repairs.rows()[0].first.to_string(), "line 7");
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = RepairKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RepairKind::ALL.len());
    }
}
