//! Puts the traces of an archive together.

use traceloom_trace::{
    ClockKind, ClockRow, Place, RepairKind, RowId, Shared, SourceId, Trace, TraceBuilder,
    align_clocks,
};

use crate::error::ReadError;
use crate::format::Target;
use crate::format_id;

/// The most entries of an archive whose traces are put on one time line. A recording has few files, and a trace that
/// waits for the others takes 12 KB even if it is empty.
const MOST_APART: usize = 64;

const UNALIGNED: &str = "a trace of the archive has no clock in common with the first Perfetto trace; its times stay \
                         as they are";

/// The traces that were read so far. A single trace, and text, go to the target at once.
pub(crate) struct Members {
    apart: bool,
    traces: Vec<Trace>,
}

impl Members {
    /// For an archive with this number of entries.
    pub fn of(entries: usize, out: &Target<'_>) -> Self {
        Self {
            apart: (2..=MOST_APART).contains(&entries) && matches!(out, Target::Trace(_)),
            traces: Vec::new(),
        }
    }

    /// Reads a trace of the archive. What was read before an error is kept.
    pub fn read<T>(
        &mut self,
        out: &mut Target<'_>,
        read: impl FnOnce(&mut Target<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if !self.apart {
            return read(out);
        }
        let mut builder = TraceBuilder::new();
        let result = read(&mut Target::Trace(&mut builder));
        if !builder.trace().sources.is_empty() {
            self.traces.push(builder.finish());
        }
        result
    }

    /// Adds the traces to the archive's.
    pub fn finish(self, out: &mut Target<'_>) {
        let Target::Trace(out) = out else {
            return;
        };
        let reference = self
            .traces
            .iter()
            .find(|trace| is(trace, &[format_id::PERFETTO]));
        let Some(clocks) = reference.map(clocks) else {
            for trace in self.traces {
                out.append_sources(trace, 0);
            }
            return;
        };
        let shared = Shared::from_here(out.trace());
        for trace in self.traces {
            let found = align_clocks(&clocks, &self::clocks(&trace));
            if found.is_none() {
                out.repair(RepairKind::BadClockSync, 1, Place::default(), || {
                    UNALIGNED.to_owned()
                });
            }
            let shift_ns = found.map_or(0, |found| found.shift_ns);
            if is(&trace, OF_SYSTEM) {
                out.append_shared(trace, shift_ns, shared);
            } else {
                out.append_sources(trace, shift_ns);
            }
        }
    }
}

/// Formats that number processes and threads as the system does.
const OF_SYSTEM: &[&str] = &[
    format_id::PERFETTO,
    format_id::FTRACE,
    format_id::ATRACE,
    format_id::SYSTRACE_HTML,
    format_id::SYSTRACE_JS,
    format_id::TRACE_DAT,
    format_id::CHROME_JSON,
    format_id::PROCESS_DUMP,
];

/// Formats whose times are those of `CLOCK_MONOTONIC`, unless they say otherwise.
const MONOTONIC: &[&str] = &[
    format_id::FTRACE,
    format_id::ATRACE,
    format_id::SYSTRACE_HTML,
    format_id::SYSTRACE_JS,
];

/// Whether all sources of a trace are of some formats.
fn is(trace: &Trace, formats: &[&str]) -> bool {
    let mut sources = trace.sources.format.iter();
    sources.all(|format| formats.contains(&trace.strings.get(format)))
}

/// The clock rows of a trace, and one for the clock of its own times.
fn clocks(trace: &Trace) -> Vec<ClockRow> {
    let mut rows = trace.clocks.clone();
    let own = if is(trace, &[format_id::PERFETTO]) {
        Some(ClockKind::Boot)
    } else if is(trace, MONOTONIC) {
        Some(ClockKind::Monotonic)
    } else {
        None
    };
    let is_told = |kind| rows.iter().any(|row| row.clock == kind);
    let tells = [ClockKind::Boot, ClockKind::Monotonic].map(is_told);
    let own = own.filter(|own| match own {
        ClockKind::Boot => !tells[0],
        _ => tells == [false, false],
    });
    rows.extend(own.map(|clock| ClockRow {
        source: SourceId::NONE,
        clock,
        ts: 0,
        value_ns: 0,
        precision_ns: 0,
        name: String::new(),
    }));
    rows
}

#[cfg(test)]
mod tests {
    use testkit::Proto;

    use super::*;
    use crate::format::ReadOptions;
    use crate::read_bytes;

    /// A snapshot: `CLOCK_BOOTTIME` is 500 ms ahead of `CLOCK_MONOTONIC`. And the process 100.
    fn perfetto() -> Vec<u8> {
        let clock = |id, ts| Proto::new().int(1, id).int(2, ts);
        let snapshot = Proto::new()
            .message(1, clock(6, 1_000_000_000))
            .message(1, clock(3, 500_000_000));
        let process = Proto::new().int(1, 100).int(2, 1).text(3, "com.example");
        let tree = Proto::new().message(1, process);
        let trace = Proto::new()
            .message(1, Proto::new().message(6, snapshot))
            .message(1, Proto::new().int(8, 1).message(2, tree));
        trace.bytes().to_vec()
    }

    const SYSTRACE: &str = "# tracer: nop\n#\n  \
        app-101 (  100) [001] ...1  1.000000: tracing_mark_write: B|100|draw\n  \
        app-101 (  100) [001] ...1  1.500000: tracing_mark_write: E|100\n";

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        use std::io::{Cursor, Write};
        let mut writer = zip::write::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            let options = zip::write::SimpleFileOptions::default();
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(entries: &[(&str, &[u8])]) -> Trace {
        read_bytes(&zip(entries), ReadOptions::default()).unwrap()
    }

    #[test]
    fn files_of_one_recording_share_processes_and_a_time_line() {
        let perfetto = perfetto();
        let systrace = ("a.systrace", SYSTRACE.as_bytes());
        for entries in [
            [systrace, ("b.pftrace", &perfetto)],
            [("b.pftrace", &perfetto), systrace],
        ] {
            let trace = read(&entries);
            let pids: Vec<i64> = trace.processes.pid.iter().collect();
            let ours = pids.iter().filter(|pid| **pid == 100).count();
            assert_eq!(ours, 1, "{pids:?}");
            let process = trace.processes.rows().find(|row| row.pid == 100).unwrap();
            assert_eq!(trace.strings.get(process.cmdline), "com.example");
            let thread = trace.threads.rows().find(|row| row.tid == 101).unwrap();
            assert_eq!(trace.processes.row(thread.upid.row()).pid, 100);
            let slice = trace.slices.row(0);
            assert_eq!((slice.ts, slice.dur), (1_500_000_000, 500_000_000));
        }
    }

    #[test]
    fn a_trace_without_a_common_clock_is_reported() {
        let json = br#"[{"ph":"X","name":"x","ts":1,"dur":1,"pid":1,"tid":1}]"#;
        let trace = read(&[("a.pftrace", &perfetto()), ("b.json", json)]);
        assert_eq!(trace.repairs.count(RepairKind::BadClockSync), 1);
    }

    #[test]
    fn a_collection_of_traces_stays_apart() {
        let other = SYSTRACE.replace("draw", "other");
        let trace = read(&[
            ("a.systrace", SYSTRACE.as_bytes()),
            ("b.systrace", other.as_bytes()),
        ]);
        assert_eq!(
            trace.processes.rows().filter(|row| row.pid == 100).count(),
            2
        );
        assert!(trace.slices.ts.iter().all(|ts| ts == 1_000_000_000));
    }
}
