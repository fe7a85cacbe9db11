//! Merges the traces of an archive.

use traceloom_trace::{
    ClockKind, ClockRow, Place, RepairKind, RowId, Shared, SourceId, Trace, TraceBuilder,
    align_clocks,
};

use super::listing::Listing;
use super::manifest::{Manifest, refuse};
use super::pieces::{Member, pieces};
use super::place::Places;
use super::sift::Found;
use crate::error::ReadError;
use crate::format::{ReadOptions, Target};
use crate::format_id;
use crate::parts::Parts;

/// The maximum number of entries of an archive whose traces are put on one time line. A recording has few files, and a
/// trace that waits for the others takes 12 KB even if it is empty.
const MOST_APART: usize = 64;

const LOST: &str = "nothing connects the clocks of a file with the time line of the manifest; the file is left out";

const UNALIGNED: &str = "a trace of the archive has no clock in common with the first Perfetto trace; its times stay \
                         as they are";

/// The maximum number of entries of an archive with a manifest. All wait, because each may be from another machine.
const MOST_WITH_MANIFEST: usize = 1_024;

/// The traces that were read so far. A single trace, or text, goes directly to the target.
pub(crate) struct Members {
    apart: bool,
    manifest: Option<Manifest>,
    files: Vec<Member>,
    listing: Listing,
}

impl Members {
    /// Creates the state for an archive with this number of entries and this manifest.
    ///
    /// # Errors
    /// If there is a manifest, and the archive has more entries than can wait for each other.
    pub fn of(entries: usize, found: Option<Found>, out: &Target<'_>) -> Result<Self, ReadError> {
        let is_trace = matches!(out, Target::Trace(_));
        let mut listing = Listing::default();
        if let Some(found) = &found {
            listing.manifest(&found.name, found.bytes);
        }
        let manifest = found.filter(|_| is_trace).map(|found| found.manifest);
        if manifest.is_some() && entries > MOST_WITH_MANIFEST {
            return Err(refuse(format!(
                "the archive has {entries} entries; with a manifest, {MOST_WITH_MANIFEST} are the most"
            )));
        }
        Ok(Self {
            apart: is_trace && (manifest.is_some() || (2..=MOST_APART).contains(&entries)),
            manifest,
            files: Vec::new(),
            listing,
        })
    }

    /// Reads a trace of the archive. The part read before an error is kept.
    ///
    /// # Errors
    /// Those of `read`; [`ReadError::Manifest`] if the manifest describes an archive inside the archive.
    pub fn read<T>(
        &mut self,
        name: &str,
        options: &ReadOptions,
        out: &mut Target<'_>,
        read: impl FnOnce(&ReadOptions, &mut Target<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if !self.apart {
            let sources = |out: &Target<'_>| match out {
                Target::Trace(out) => out.trace().sources.len(),
                _ => 0,
            };
            let first = sources(out);
            let result = read(options, out);
            if let Target::Trace(out) = out {
                self.listing.trace(name, out.trace(), first);
            }
            return result;
        }
        let parts = Parts::default();
        let mut options = options.clone();
        options.nesting.parts = Some(parts.clone());
        let mut builder = TraceBuilder::new();
        let result = read(&options, &mut Target::Trace(&mut builder));
        if !builder.trace().sources.is_empty() && !is_no_trace(&result) {
            self.listing.trace(name, builder.trace(), 0);
            self.files.push(Member {
                name: name.to_owned(),
                trace: builder.finish(),
                parts: parts.take(),
            });
        }
        result
    }

    /// Adds the traces to the archive's, which has the format `archive`.
    ///
    /// # Errors
    /// [`ReadError::Manifest`] if a file does not match the manifest.
    pub fn finish(self, archive: &str, out: &mut Target<'_>) -> Result<(), ReadError> {
        let Target::Trace(out) = out else {
            return Ok(());
        };
        self.listing.write(archive, out);
        match &self.manifest {
            Some(manifest) => by_manifest(self.files, manifest, out),
            None => by_clocks(self.files, out),
        }
    }
}

/// Whether a file begins like a trace but turned out not to be one.
fn is_no_trace<T>(result: &Result<T, ReadError>) -> bool {
    let error = result.as_ref().err().map(ReadError::innermost);
    let no_trace = |error| {
        matches!(
            error,
            &ReadError::Foreign { .. } | &ReadError::UnknownFormat { .. }
        )
    };
    error.is_some_and(no_trace)
}

/// Places the traces as the manifest specifies.
fn by_manifest(
    members: Vec<Member>,
    manifest: &Manifest,
    out: &mut TraceBuilder,
) -> Result<(), ReadError> {
    let files: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
    let (pieces, machines) = pieces(members, Some(manifest))?;
    let places = Places {
        manifest,
        pieces: &pieces,
        files: &files,
        monotonic: MONOTONIC,
    };
    let shifts = places.shifts();
    let shared = Shared::from_here(out.trace());
    let mut lost = 0;
    for (piece, shift_ns) in pieces.into_iter().zip(shifts) {
        match shift_ns {
            Some(shift_ns) => append(piece.trace, shift_ns, shared, out),
            None => lost += 1,
        }
    }
    machines.write(&manifest.machines(), out);
    report_clocks(manifest, out);
    report_lost(lost, out);
    Ok(())
}

/// Adds the parts of the manifest that concern the whole archive.
fn report_clocks(manifest: &Manifest, out: &mut TraceBuilder) {
    if let Some(line) = &manifest.trace_time {
        out.metadata("trace_time_clock_id", &line.clock.to_string());
    }
    for (key, value) in &manifest.attributes {
        out.metadata(&format!("manifest_attribute.{key}"), value);
    }
}

/// Counts files whose clocks are not connected to the others, as a repair and as Perfetto's statistic.
fn report_lost(lost: u64, out: &mut TraceBuilder) {
    out.repair(RepairKind::BadClockSync, lost, Place::default(), || {
        LOST.to_owned()
    });
    if lost != 0 {
        let name = "clock_sync_unrelatable_clock_domains";
        out.stat(name, None, 0, lost as i64);
    }
}

/// Puts the traces on the time line of the first Perfetto trace.
fn by_clocks(members: Vec<Member>, out: &mut TraceBuilder) -> Result<(), ReadError> {
    let reference = members
        .iter()
        .find(|member| is(&member.trace, &[format_id::PERFETTO]));
    let Some(clocks) = reference.map(|member| clocks(&member.trace)) else {
        for member in members {
            out.append_sources(member.trace, 0);
        }
        return Ok(());
    };
    let shared = Shared::from_here(out.trace());
    let shift = |member: &Member| align_clocks(&clocks, &self::clocks(&member.trace));
    let shifts: Vec<_> = members.iter().map(shift).collect();
    let unaligned = shifts.iter().filter(|shift| shift.is_none()).count();
    let (pieces, machines) = pieces(members, None)?;
    for piece in pieces {
        let shift_ns = shifts[piece.file]
            .as_ref()
            .map_or(0, |found| found.shift_ns);
        append(piece.trace, shift_ns, shared, out);
    }
    machines.write(&[], out);
    out.repair(
        RepairKind::BadClockSync,
        unaligned as u64,
        Place::default(),
        || UNALIGNED.to_owned(),
    );
    Ok(())
}

fn append(trace: Trace, shift_ns: i64, shared: Shared, out: &mut TraceBuilder) {
    if is(&trace, OF_SYSTEM) {
        out.append_shared(trace, shift_ns, shared);
    } else {
        out.append_sources(trace, shift_ns);
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

/// Formats whose times are those of `CLOCK_MONOTONIC`, unless they name another clock.
const MONOTONIC: &[&str] = &[
    format_id::FTRACE,
    format_id::ATRACE,
    format_id::SYSTRACE_HTML,
    format_id::SYSTRACE_JS,
];

/// Whether all sources of a trace have one of these formats.
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
    let has_clock = |kind| rows.iter().any(|row| row.clock == kind);
    let known = [ClockKind::Boot, ClockKind::Monotonic].map(has_clock);
    let own = own.filter(|own| match own {
        ClockKind::Boot => !known[0],
        _ => known == [false, false],
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
    use traceloom_trace::ArgValue;

    use testkit::Proto;

    use super::*;
    use crate::format::ReadOptions;
    use crate::read_bytes;

    /// A snapshot: `CLOCK_BOOTTIME` is 500 ms ahead of `CLOCK_MONOTONIC`. The trace also has the process 100.
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

    /// For each listed file: its name, size, format and place.
    fn listed(trace: &Trace) -> Vec<String> {
        let text = |value| match value {
            Some(ArgValue::Text(text)) => trace.strings.get(text).to_owned(),
            Some(ArgValue::Int(number)) => number.to_string(),
            _ => "-".to_owned(),
        };
        let row = |row| {
            let cell = |key: &str| trace.records.cell(row, trace.strings.lookup(key)?);
            ["name", "size", "format", "processing_order"].map(|key| text(cell(key)))
        };
        let tables = trace.records.rows().table.iter().enumerate();
        let rows =
            tables.filter(|(_, table)| trace.strings.get(*table) == traceloom_trace::FILES_TABLE);
        rows.map(|(at, _)| row(at).join(" ")).collect()
    }

    #[test]
    fn an_archive_lists_the_files_that_were_read() {
        let perfetto = perfetto();
        let manifest = br#"{"perfetto_manifest": {"version": 1, "files": []}}"#;
        let entries: [(&str, &[u8]); 4] = [
            ("a.systrace", SYSTRACE.as_bytes()),
            ("notes.txt", b"no trace"),
            ("meta.json", manifest),
            ("b.pftrace", &perfetto),
        ];
        let sizes = [SYSTRACE.len(), manifest.len(), perfetto.len()];
        let expected = [
            format!("- {} zip 0", sizes.iter().sum::<usize>()),
            format!("meta.json {} perfetto_manifest 1", sizes[1]),
            format!("b.pftrace {} perfetto 2", sizes[2]),
            format!("a.systrace {} ftrace 3", sizes[0]),
        ];
        assert_eq!(listed(&read(&entries)), expected);
        let alone = [
            format!("- {} zip 0", sizes[0]),
            format!("a.systrace {} ftrace 1", sizes[0]),
        ];
        assert_eq!(listed(&read(&entries[..2])), alone);
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
