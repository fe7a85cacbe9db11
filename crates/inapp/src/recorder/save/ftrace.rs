//! Writing ftrace text.

use std::collections::HashMap;
use std::io::{self, Write};

use traceloom_ring::Recording;

/// Writes the header that tools look for (`# tracer: nop`, the TGID column), and one line per event. The CPU is unknown
/// and always 0.
pub(super) fn write(recording: &Recording<'_>, out: &mut impl Write) -> io::Result<()> {
    let names: HashMap<u32, &[u8]> = recording.names().collect();
    let clocks = clocks(recording);
    let count = (recording.events().count() + clocks.len()) as u64;
    let lost = recording.header.losses;
    let lost = [lost.full, lost.nested, lost.threads, lost.dropped_events];
    let written = lost.into_iter().fold(count, u64::saturating_add);
    write!(
        out,
        "# tracer: nop\n\
         #\n\
         # entries-in-buffer/entries-written: {count}/{written}   #P:1\n\
         #\n\
         #                                          _-----=> irqs-off\n\
         #                                         / _----=> need-resched\n\
         #                                        | / _---=> hardirq/softirq\n\
         #                                        || / _--=> preempt-depth\n\
         #                                        ||| /     delay\n\
         #           TASK-PID       TGID    CPU#  ||||   TIMESTAMP  FUNCTION\n\
         #              | |           |       |   ||||      |         |\n"
    )?;
    let header = &recording.header;
    let start_ns = recording.clock().ns(header.start.ticks);
    let first = recording.threads().first().map(|thread| thread.owner);
    for line in clocks {
        let owner = first.unwrap_or_default();
        front(owner.name(), owner.tid, owner.pid, start_ns, out)?;
        writeln!(out, "trace_event_clock_sync: {line}")?;
    }
    let mut mark = Vec::new();
    for event in recording.events() {
        let Some(thread) = recording.threads().get(event.thread) else {
            continue;
        };
        let pid = thread.owner.pid;
        mark.clear();
        let name_of = |id| names.get(&id).copied();
        event.what.write_mark(pid, name_of, &mut mark);
        // The payload may end with a line feed.
        while let [.., b'\n' | 0] = mark[..] {
            mark.pop();
        }
        replace_line_ends(&mut mark);
        front(thread.owner.name(), thread.owner.tid, pid, event.ts_ns, out)?;
        out.write_all(&mark)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// `comm-tid (tgid) [cpu] flags seconds: tracing_mark_write: `
fn front(comm: &[u8], tid: u32, pid: u32, ts_ns: i64, out: &mut impl Write) -> io::Result<()> {
    let mut comm = match comm {
        b"" => b"<...>".to_vec(),
        comm => comm.to_vec(),
    };
    replace_line_ends(&mut comm);
    let comm = String::from_utf8_lossy(&comm);
    let micros = ts_ns / 1_000;
    let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
    write!(
        out,
        "{comm:>16}-{tid:<7} ({pid:>7}) [000] ...1 {seconds:>5}.{micros:06}: tracing_mark_write: "
    )
}

/// Sync points in atrace's format: the other clocks at the start.
fn clocks(recording: &Recording<'_>) -> Vec<String> {
    let start = recording.header.start;
    if start.mono_ns == 0 {
        return Vec::new();
    }
    let micros = start.mono_ns / 1_000;
    vec![
        format!("parent_ts={}.{:06}", micros / 1_000_000, micros % 1_000_000),
        format!("realtime_ts={}", start.real_ns / 1_000_000),
    ]
}

fn replace_line_ends(text: &mut [u8]) {
    for byte in text {
        if matches!(byte, b'\n' | b'\r' | 0) {
            *byte = b' ';
        }
    }
}
