//! Facts that the recorder noted, and losses and damage in the recording.

use traceloom_ring::{ClockSource, Events, FileHeader, FileState, Policy, Recording, SyncPoint};
use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

/// The maximum distance between two clocks that are read one after the other, ns.
const PRECISION_NS: i64 = 1_000;

/// Adds facts, clocks and losses to the trace.
pub(super) fn report(recording: &Recording<'_>, out: &mut TraceBuilder) {
    let header = &recording.header;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let clock = match header.clock {
        ClockSource::Boot => "boot",
        ClockSource::Monotonic => "mono",
        ClockSource::Counter => "counter",
    };
    let policy = match header.policy {
        Policy::DropOldest => "drop-oldest",
        Policy::Stop => "stop",
    };
    out.metadata("ring-version", &header.version.to_string());
    out.metadata("clock", clock);
    out.metadata("when-full", policy);
    out.metadata("pid", &header.pid.to_string());
    if header.sample_ns > 0 {
        let us = header.sample_ns / 1_000;
        out.metadata("sampling-interval-usec", &us.to_string());
        out.metadata("num-samples", &header.samples.to_string());
    }
    if header.min_call_ns > 0 {
        let us = header.min_call_ns as f64 / 1e3;
        out.metadata("min-call-usec", &us.to_string());
    }
    for (key, value) in [
        ("process", header.process_name()),
        ("boot-id", header.boot_id()),
    ] {
        if !value.is_empty() {
            out.metadata(key, &text(value));
        }
    }
    if header.pid != 0 {
        let upid = out.process(header.pid.into());
        let name = out.intern(header.process_name());
        out.name_process(upid, name);
    }
    for point in [header.start, header.end] {
        report_clocks(header.clock, point, out);
    }
    report_losses(header, out);
}

/// Relates the trace's clock to clocks that other traces use.
fn report_clocks(source: ClockSource, point: SyncPoint, out: &mut TraceBuilder) {
    let ns = |value: u64| i64::try_from(value).ok().filter(|ns| *ns != 0);
    let ts = match source {
        ClockSource::Monotonic => point.mono_ns,
        ClockSource::Boot | ClockSource::Counter => point.boot_ns,
    };
    let Some(ts) = ns(ts) else { return };
    for (clock, value) in [
        (ClockKind::Boot, point.boot_ns),
        (ClockKind::Monotonic, point.mono_ns),
        (ClockKind::Realtime, point.real_ns),
    ] {
        if let Some(value_ns) = ns(value) {
            out.clock(ClockRow {
                source: SourceId::NONE,
                clock,
                ts,
                value_ns,
                precision_ns: PRECISION_NS,
                name: String::new(),
            });
        }
    }
}

fn report_losses(header: &FileHeader, out: &mut TraceBuilder) {
    let losses = &header.losses;
    let lost = losses
        .full
        .saturating_add(losses.nested)
        .saturating_add(losses.threads);
    let whole = Place::default();
    out.repair(RepairKind::LostEvents, lost, whole, || {
        format!(
            "{} found no free chunk, {} were in signal handlers nested too deeply, {} of too many threads",
            losses.full, losses.nested, losses.threads
        )
    });
    out.repair(
        RepairKind::BufferOverflow,
        losses.dropped_events,
        whole,
        || format!("{} chunks gave way to newer ones", losses.dropped_chunks),
    );
    out.repair(RepairKind::BadField, losses.notes, whole, || {
        "names of ids found no room".to_owned()
    });
    let crashed = u64::from(header.state == FileState::Recording);
    out.repair(RepairKind::MissingSummary, crashed, whole, String::new);
}

/// Counts what could not be read.
pub(super) fn report_faults(
    recording: &Recording<'_>,
    events: &Events<'_, '_>,
    out: &mut TraceBuilder,
) {
    let faults = &recording.faults;
    let mut report = |kind, (count, at), detail: &str| {
        out.repair(kind, count, Place::at_offset(at), || detail.to_owned());
    };
    let overfull = (faults.overfull, faults.first_overfull);
    report(
        RepairKind::BrokenBlock,
        overfull,
        "a chunk says that it holds more than fits",
    );
    report(
        RepairKind::TornRecord,
        events.torn(),
        "a chunk's records end in something else",
    );
    report(
        RepairKind::TornRecord,
        events.partial_marks(),
        "a part of a long mark is missing",
    );
    for thread in recording.threads() {
        report(
            RepairKind::BrokenBlock,
            (thread.missing_between, thread.first_missing),
            "chunks in the middle of a thread's story are missing",
        );
    }
    let cut = (faults.missing_chunks, 0);
    report(
        RepairKind::TornRecord,
        cut,
        "the file ends before its last chunks",
    );
}
