use std::collections::BTreeMap;

use traceloom_trace::{RowId, ThreadId, Trace, TrackKind};

use super::TextWriter;
use crate::capture::corpus;
use crate::format::{Format, ReadOptions, WriteOptions, Writer};
use crate::read_bytes;

fn text_of(trace: &Trace) -> String {
    let mut out = Vec::new();
    TextWriter
        .write(trace, &WriteOptions::default(), &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

/// What a trace says, in words that do not depend on row numbers.
fn facts(trace: &Trace) -> BTreeMap<&'static str, Vec<String>> {
    let mut facts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let tid = |utid: ThreadId| {
        utid.some()
            .map_or(-1, |utid| trace.threads.tid.get(utid.row()))
    };
    let us = |ns: i64| ns.div_euclid(1_000);
    let text = |id| trace.strings.get(id);
    let track = |id: traceloom_trace::TrackId| {
        let row = trace.tracks.row(id.row());
        let pid = row
            .upid
            .some()
            .map_or(-1, |upid| trace.processes.pid.get(upid.row()));
        format!(
            "{} {} {} {pid} {}",
            row.kind.name(),
            text(row.name),
            tid(row.utid),
            row.cpu
        )
    };
    let slices = (0..trace.slices.len()).map(|n| {
        let row = trace.slices.row(n);
        let id = traceloom_trace::SliceId(n as u32);
        let end = if row.dur < 0 {
            -1
        } else {
            us(row.ts + row.dur)
        };
        let name = trace.slice_name(id);
        // Binder's slices on threads come back without the fields of their transactions.
        let on_thread = trace.tracks.kind.get(row.track_id.row()) == TrackKind::Thread;
        let mut args: Vec<String> = trace
            .args
            .set(row.arg_set_id)
            .filter(|_| !on_thread)
            .map(|(key, value)| format!("{}={}", text(key), value.display(&trace.strings)))
            .collect();
        // Two events give them; which of the two gave what is not kept.
        args.sort();
        let (ts, depth, track) = (us(row.ts), row.depth, track(row.track_id));
        format!("{ts} {end} {depth} {name} on {track} {}", args.join(" "))
    });
    facts.insert("slices", slices.collect());
    let counters = trace
        .counters
        .rows()
        .map(|row| format!("{} {} {}", us(row.ts), track(row.track_id), row.value));
    facts.insert("counters", counters.collect());
    let instants = trace
        .instants
        .rows()
        .map(|row| format!("{} {} {}", us(row.ts), track(row.track_id), text(row.name)));
    facts.insert("instants", instants.collect());
    let sched = trace.sched_slices.rows().map(|row| {
        let end = if row.dur < 0 {
            -1
        } else {
            us(row.ts + row.dur)
        };
        let (cpu, prio) = (row.cpu, row.priority);
        format!(
            "{} {end} {cpu} {} {} {prio}",
            us(row.ts),
            tid(row.utid),
            row.end_state
        )
    });
    facts.insert("sched", sched.collect());
    let states = trace.thread_states.rows().map(|row| {
        let end = if row.dur < 0 {
            -1
        } else {
            us(row.ts + row.dur)
        };
        format!(
            "{} {end} {} {} {} {} {}",
            us(row.ts),
            tid(row.utid),
            row.state,
            row.io_wait,
            text(row.blocked_function),
            tid(row.waker_utid)
        )
    });
    facts.insert("states", states.collect());
    let events = trace.ftrace_events.rows().map(|row| {
        let args: Vec<String> = trace
            .args
            .set(row.arg_set_id)
            .map(|(key, value)| format!("{}={}", text(key), value.display(&trace.strings)))
            .collect();
        let (name, cpu) = (text(row.name), row.cpu);
        format!(
            "{} {name} {} {cpu} {}",
            us(row.ts),
            tid(row.utid),
            args.join(" ")
        )
    });
    facts.insert("events", events.collect());
    let clocks = trace.clocks.iter().map(|row| {
        format!(
            "{} {:?} {} {}",
            us(row.ts),
            row.clock,
            us(row.value_ns),
            row.name
        )
    });
    facts.insert("clocks", clocks.collect());
    let threads = trace.threads.rows().map(|row| {
        let pid = row
            .upid
            .some()
            .map_or(-1, |upid| trace.processes.pid.get(upid.row()));
        format!("{} {} {pid}", row.tid, text(row.name))
    });
    facts.insert("threads", threads.collect());
    facts.values_mut().for_each(|rows| rows.sort());
    facts
}

/// The first difference, for people.
fn differences(before: &Trace, after: &Trace) -> Vec<String> {
    let (before, after) = (facts(before), facts(after));
    let mut found = Vec::new();
    for (table, rows) in &before {
        let others = &after[table];
        if rows == others {
            continue;
        }
        // A thread that did nothing but write counters of its process is not told apart.
        // What the machine itself counts is put down to the idle thread.
        let is_old = |row: &String| row == "0 swapper -1" || rows.binary_search(row).is_ok();
        if *table == "threads" && others.iter().all(is_old) {
            continue;
        }
        let missing: Vec<_> = rows
            .iter()
            .filter(|row| others.binary_search(row).is_err())
            .collect();
        let added: Vec<_> = others
            .iter()
            .filter(|row| rows.binary_search(row).is_err())
            .collect();
        found.push(format!(
            "{table}: {} -> {}; {} missing {:?}; {} added {:?}",
            rows.len(),
            others.len(),
            missing.len(),
            &missing[..missing.len().min(4)],
            added.len(),
            &added[..added.len().min(4)]
        ));
    }
    found
}

fn real_files(folder: &str) -> Vec<std::path::PathBuf> {
    let root = crate::capture::corpus_root().join(folder);
    let Ok(entries) = std::fs::read_dir(root) else {
        eprintln!("skipped: no corpus ({folder})");
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[test]
fn real_traces_come_back() {
    let mut checked = 0;
    let mut failed = 0;
    for folder in ["ftrace-text", "systrace-html", "atrace-compressed"] {
        for path in real_files(folder) {
            let bytes = std::fs::read(&path).unwrap();
            let Ok(trace) = read_bytes(&bytes, ReadOptions::default()) else {
                continue;
            };
            let mut out = Vec::new();
            if TextWriter
                .write(&trace, &WriteOptions::default(), &mut out)
                .is_err()
            {
                continue;
            }
            let again = read_bytes(&out, ReadOptions::default()).unwrap();
            let found = differences(&trace, &again);
            failed += usize::from(!found.is_empty());
            for difference in found {
                println!("{}: {difference}", path.display());
            }
            checked += 1;
        }
    }
    println!("{checked} real traces checked");
    assert_eq!(failed, 0);
}

#[test]
fn method_traces_open_as_text() {
    let Some(bytes) = corpus("traceview-v3/adt-tools-base__exception.trace") else {
        return;
    };
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    let text = text_of(&trace);
    let again = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    let calls = |trace: &Trace| {
        let row = |n: usize| {
            let row = trace.slices.row(n);
            let name = trace.slice_name(traceloom_trace::SliceId(n as u32));
            (row.ts / 1_000, row.dur, row.depth, name)
        };
        (0..trace.slices.len()).map(row).collect::<Vec<_>>()
    };
    assert_eq!(calls(&trace), calls(&again), "{text}");
    assert!(text.contains("tracing_mark_write: B|1|com.test.android.traceview.Exceptions.foo"));
    println!("1 real traces checked");
}

#[test]
fn pages_come_back_and_cannot_end_early() {
    let text = "# tracer: nop\n  a-1 [000] .... 1.000000: tracing_mark_write: B|1|</SCRIPT><b>\n\
                  a-1 [000] .... 1.000001: tracing_mark_write: E|1\n";
    let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    let writer = crate::systrace_html::SystraceHtml.writer().unwrap();
    let mut page = Vec::new();
    writer
        .write(&trace, &WriteOptions::default(), &mut page)
        .unwrap();
    let again = read_bytes(&page, ReadOptions::default()).unwrap();
    assert_eq!(
        again.slice_name(traceloom_trace::SliceId(0)),
        "<\\/SCRIPT><b>"
    );
    let Some(bytes) = corpus("systrace-html/performance_tool__mytrace.html") else {
        return;
    };
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    page.clear();
    writer
        .write(&trace, &WriteOptions::default(), &mut page)
        .unwrap();
    let again = read_bytes(&page, ReadOptions::default()).unwrap();
    assert_eq!(differences(&trace, &again), [""; 0]);
    println!("1 real traces checked");
}
