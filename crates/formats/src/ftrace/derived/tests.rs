//! Tests every event of the table, and those with their own code, as text: the rows that they produce, and that text
//! written from these rows produces the same rows again.

use traceloom_trace::{ArgSetId, NO_DURATION, RowId, Trace};

use super::table::TABLE;
use crate::format::{ReadOptions, WriteOptions, Writer};
use crate::ftrace::write::TextWriter;
use crate::read_bytes;

mod cases;

use cases::CASES;

fn read(text: &str) -> Trace {
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

/// The lines of a case, one each 10 µs.
fn text(events: &[&str]) -> String {
    let line = |(nth, event): (usize, &&str)| {
        let us = 10 * (nth + 1);
        format!("app-7 (    7) [002] .... 1.{us:06}: {event}\n")
    };
    events.iter().enumerate().map(line).collect()
}

fn arguments(trace: &Trace, args: ArgSetId) -> String {
    let args = trace.args.set(args).map(|(key, value)| {
        let value = value.display(&trace.strings);
        format!(" {}={value}", trace.strings.get(key))
    });
    args.collect()
}

/// Slices as `type track: name start+duration arguments`, times in µs, and counters as `type track: value arguments`.
fn shown(trace: &Trace) -> Vec<String> {
    let track = |row: usize| {
        let track = trace.tracks.row(row);
        let name = trace.strings.get(track.name);
        let cpu = (track.cpu >= 0).then(|| format!(" {}", track.cpu));
        let (kind, cpu) = (track.kind.name(), cpu.unwrap_or_default());
        if name.is_empty() {
            let tid = trace.threads.tid.get(track.utid.row());
            format!("{kind} {tid}")
        } else {
            format!("{kind} {name}{cpu}")
        }
    };
    let slices = trace.slices.rows().map(|slice| {
        let at = (slice.ts - 1_000_000_000) / 1_000;
        let dur = match slice.dur {
            NO_DURATION => "open".to_owned(),
            dur => (dur / 1_000).to_string(),
        };
        let category = match trace.strings.get(slice.category) {
            "" => String::new(),
            category => format!(" [{category}]"),
        };
        let name = trace.strings.get(slice.name);
        let args = arguments(trace, slice.arg_set_id);
        let track = track(slice.track_id.row());
        format!("{track}: {name}{category} {at}+{dur}{args}")
    });
    let counters = trace.counters.rows().map(|counter| {
        let args = arguments(trace, counter.arg_set_id);
        let track = track(counter.track_id.row());
        format!("{track}: {}{args}", counter.value)
    });
    slices.chain(counters).collect()
}

#[test]
fn every_case_shows_what_perfetto_shows() {
    let faults: Vec<String> = CASES
        .iter()
        .filter_map(|(events, expected)| {
            let found = shown(&read(&text(events)));
            (found != *expected)
                .then(|| format!("{events:#?}\nexpected {expected:#?}\nfound {found:#?}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_event_of_the_table_has_a_case() {
    let has = |event: &str| {
        let mut lines = CASES.iter().flat_map(|(events, _)| events.iter());
        lines.any(|line| line.split(':').next() == Some(event))
    };
    let missing: Vec<&str> = TABLE
        .iter()
        .map(|entry| entry.event)
        .filter(|event| !has(event) && !event.starts_with("mali_mali_PM_MCU_"))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_written_text_shows_the_same() {
    for (events, _) in CASES {
        let trace = read(&text(events));
        let mut out = Vec::new();
        TextWriter
            .write(&trace, &WriteOptions::default(), &mut out)
            .unwrap();
        let again = read(std::str::from_utf8(&out).unwrap());
        let sorted = |trace: &Trace| {
            let mut rows = shown(trace);
            rows.sort();
            rows
        };
        assert_eq!(
            sorted(&again),
            sorted(&trace),
            "{}",
            String::from_utf8_lossy(&out)
        );
        assert_eq!(again.ftrace_events.len(), trace.ftrace_events.len());
    }
}

#[test]
fn an_end_without_a_begin_is_counted_and_kept() {
    for event in [
        "trusty_smc_done: ret=1",
        "block_io_done: 8,1 WS 4096 () 64 + 8 none,0,0 [a]",
    ] {
        let trace = read(&text(&[event]));
        let unmatched = trace
            .repairs
            .count(traceloom_trace::RepairKind::UnmatchedEnd);
        assert_eq!((unmatched, trace.ftrace_events.len()), (1, 1), "{event}");
    }
}

/// A row of the table in `docs/formats.md`.
fn row(entry: &super::Entry) -> String {
    use super::{Action, On};
    let effect = match entry.does {
        Action::Begin => "begin",
        Action::End => "end",
        Action::Next => "next",
        Action::Moment => "moment",
        Action::Adds => "adds",
        Action::Counter(_) | Action::CounterAt(..) => "counter",
    };
    let track = match entry.on {
        On::Own => "thread".to_owned(),
        On::OwnOf(field) => format!("thread `{field}`"),
        On::Machine(_, name) | On::Lanes(_, name, _) => format!("machine {name}"),
        On::Cpu(_, name) => format!("CPU {name}"),
        On::CpuOf(_, name, field) => format!("CPU `{field}` {name}"),
    };
    let name = match entry.does {
        Action::Counter(field) | Action::CounterAt(field, _) => format!("`{field}`"),
        Action::End | Action::Adds => "–".to_owned(),
        _ => entry.name.to_owned(),
    };
    format!("| `{}` | {effect} | {track} | {name} |\n", entry.event)
}

#[test]
fn the_table_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
    let docs = std::fs::read_to_string(path).unwrap();
    let table: String = TABLE.iter().map(row).collect();
    assert!(
        docs.contains(&table),
        "docs/formats.md must have this table:\n{table}"
    );
}

/// The work for each event must not grow with the number of others at the same time. Otherwise this test would take an
/// hour.
#[test]
fn many_events_of_one_time_are_written() {
    const COUNT: usize = 50_000;
    let line = |irq| format!("app-7 (    7) [002] .... 1.000000: trusty_irq: irq={irq}\n");
    let trace = read(&(0..COUNT).map(line).collect::<String>());
    let mut written = Vec::new();
    let options = WriteOptions::default();
    TextWriter.write(&trace, &options, &mut written).unwrap();
    let again = read(std::str::from_utf8(&written).unwrap());
    assert_eq!(again.slices.len(), COUNT);
}
