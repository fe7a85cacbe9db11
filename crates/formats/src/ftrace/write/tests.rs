mod calls;

use std::collections::BTreeMap;

use traceloom_trace::{RowId, ThreadId, Trace};

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

/// The content of a trace as text that does not depend on row numbers.
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
        let mut args: Vec<String> = trace
            .args
            .set(row.arg_set_id)
            .map(|(key, value)| format!("{}={}", text(key), value.display(&trace.strings)))
            .collect();
        // The arguments come from two events. The trace does not store which event each argument came from.
        args.sort();
        let (ts, depth, track) = (us(row.ts), row.depth, track(row.track_id));
        format!("{ts} {end} {depth} {name} on {track} {}", args.join(" "))
    });
    facts.insert("slices", slices.collect());
    let flows = trace.flows.rows().map(|row| {
        let at = |slice: traceloom_trace::SliceId| us(trace.slices.ts.get(slice.row()));
        format!(
            "{} {} {}",
            at(row.slice_out),
            at(row.slice_in),
            text(row.name)
        )
    });
    facts.insert("flows", flows.collect());
    let counters = trace
        .counters
        .rows()
        .map(|row| format!("{} {} {}", us(row.ts), track(row.track_id), row.value));
    facts.insert("counters", counters.collect());
    let instants = trace.slices.instants().map(|row| trace.slices.row(row));
    let instants =
        instants.map(|row| format!("{} {} {}", us(row.ts), track(row.track_id), text(row.name)));
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

/// The first difference, as text.
fn differences(before: &Trace, after: &Trace) -> Vec<String> {
    let (before, after) = (facts(before), facts(after));
    let mut found = Vec::new();
    for (table, rows) in &before {
        let others = &after[table];
        if rows == others {
            continue;
        }
        // A thread that only wrote counters of its process cannot be distinguished. Counters of the
        // whole machine are assigned to the idle thread.
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
    // The markup is escaped in the page, and read back unchanged.
    assert!(!page.windows(9).any(|tag| tag == b"</SCRIPT>"));
    assert_eq!(
        again.slice_name(traceloom_trace::SliceId(0)),
        "</SCRIPT><b>"
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

/// Lines as the kernel prints them; the fields of each event are those of its print format.
const KERNEL: &str = "# tracer: nop\n\
    app-10 ( 10) [000] .... 1.000001: binder_transaction: transaction=7 dest_node=3 dest_proc=20 dest_thread=0 reply=0 flags=0x10 code=0x1\n\
    srv-21 ( 20) [001] .... 1.000002: binder_transaction_received: transaction=7\n\
    srv-21 ( 20) [001] .... 1.000003: tracing_mark_write: B|20|onTransact\n\
    srv-21 ( 20) [001] .... 1.000005: tracing_mark_write: E|20\n\
    srv-21 ( 20) [001] .... 1.000006: binder_transaction: transaction=8 dest_node=0 dest_proc=10 dest_thread=10 reply=1 flags=0x0 code=0x0\n\
    app-10 ( 10) [000] .... 1.000007: binder_transaction_received: transaction=8\n\
    app-10 ( 10) [000] .... 1.000008: binder_transaction: transaction=9 dest_node=3 dest_proc=20 dest_thread=0 reply=0 flags=0x11 code=0x2\n\
    srv-21 ( 20) [001] .... 1.000009: binder_transaction_received: transaction=9\n\
    <idle>-0 (-----) [000] d.h. 1.000010: irq_handler_entry: irq=23 name=arch_timer\n\
    <idle>-0 (-----) [000] d.h. 1.000012: irq_handler_exit: irq=23 ret=handled\n\
    <idle>-0 (-----) [000] ..s. 1.000013: softirq_entry: vec=1 [action=TIMER]\n\
    <idle>-0 (-----) [000] ..s. 1.000015: softirq_exit: vec=1 [action=TIMER]\n\
    kworker/0:1-30 ( 30) [000] .... 1.000020: workqueue_execute_start: work struct 00000000b1a1e8a5: function vmstat_update\n\
    kworker/0:1-30 ( 30) [000] .... 1.000024: workqueue_execute_end: work struct 00000000b1a1e8a5\n\
    kworker/0:1-30 ( 30) [000] .... 1.000030: block_rq_issue: 8,0 WS 4096 () 12345 + 8 [kworker/0:1]\n\
    kworker/0:1-30 ( 30) [000] .... 1.000040: block_rq_complete: 8,0 WS () 12345 + 8 [0]\n\
    app-10 ( 10) [000] .... 1.000050: ext4_sync_file_enter: dev 8,0 ino 58 parent 2 datasync 1\n\
    app-10 ( 10) [000] .... 1.000060: ext4_sync_file_exit: dev 8,0 ino 58 ret 0\n\
    app-10 ( 10) [000] .... 1.000070: tracing_mark_write: S|10|load a|b|77\n\
    app-10 ( 10) [000] .... 1.000071: tracing_mark_write: G|10|lane|one|5\n\
    app-10 ( 10) [000] .... 1.000072: tracing_mark_write: G|10|lane|two|6\n\
    app-10 ( 10) [000] .... 1.000073: tracing_mark_write: H|10|lane|5\n\
    app-10 ( 10) [000] .... 1.000074: tracing_mark_write: H|10|lane|6\n\
    app-10 ( 10) [000] .... 1.000075: tracing_mark_write: F|10|load a|b|77\n\
    app-10 ( 10) [000] .... 1.000076: tracing_mark_write: N|10|lane|now\n\
    app-10 ( 10) [000] .... 1.000077: tracing_mark_write: C|10|queue|3|view\n\
    app-10 ( 10) [000] .... 1.000080: mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=GFP_KERNEL\n\
    app-10 ( 10) [000] .... 1.000090: mm_vmscan_direct_reclaim_end: nr_reclaimed=32\n";

#[test]
fn kernel_events_come_back() {
    let trace = read_bytes(KERNEL.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!((trace.flows.len(), trace.slices.span_count()), (2, 14));
    let text = text_of(&trace);
    let again = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(differences(&trace, &again), [""; 0], "{text}");
    // Except for flags, padding and cookies, each line equals the one that was read.
    let payloads = |text: &str| {
        let payload = |line: &str| line.split_once(": ").map(|(_, payload)| payload.to_owned());
        let known = |payload: &String| !payload.contains("|G|") && !payload.contains("mark");
        let mut rows: Vec<String> = text.lines().filter_map(payload).filter(known).collect();
        rows.retain(|row| !row.starts_with("nop") && !row.contains('#'));
        rows
    };
    assert_eq!(payloads(KERNEL), payloads(&text));
}

#[test]
fn cuts_can_be_written() {
    let path = "systrace-html/performance_tool__trace.html";
    let Some(bytes) = corpus(path) else { return };
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    let (first, length) = (trace.bounds.0, trace.duration_ns());
    let cut = trace.cut(first + length / 3, first + length / 2);
    let again = read_bytes(text_of(&cut).as_bytes(), ReadOptions::default()).unwrap();
    let (before, after) = (facts(&cut), facts(&again));
    for table in ["slices", "counters", "sched"] {
        assert_eq!(before[table], after[table], "{table}");
    }
    println!("1 real traces checked");
}

#[test]
fn clocks_of_a_trace_without_threads_are_written() {
    let mut ring = testkit::tiny_ring();
    ring.chunks.clear();
    let trace = read_bytes(&ring.to_bytes(), ReadOptions::default()).unwrap();
    let threads = trace.real_threads().count();
    assert_eq!((threads, trace.clocks.len()), (0, 3));
    let text = text_of(&trace);
    let again = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    assert!(!again.clocks.is_empty(), "{text}");
}

#[test]
fn other_events_keep_their_fields() {
    let lines = [
        "workqueue_queue_work: work struct=00000000b1a1e8a5 function=f workqueue=w req_cpu=8192 cpu=1",
        "rcu_utilization: Start context switch",
        "f2fs_other: dev = (7,0), ino = 8",
        "ext4_other: dev 8,0 ino 58 len 4096",
    ];
    let columns = "             app-10      (     10) [000] ....     1.000001: ";
    let before: String = lines.map(|line| format!("{columns}{line}\n")).concat();
    let trace = read_bytes(before.as_bytes(), ReadOptions::default()).unwrap();
    let after = text_of(&trace);
    let after: String = after
        .split_inclusive('\n')
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(after, before);
}
