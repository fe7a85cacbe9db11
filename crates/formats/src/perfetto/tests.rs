//! Tests of whole traces, made field by field.

use testkit::Proto;
use traceloom_trace::Trace;

use crate::{ReadOptions, read_bytes};

/// A `TracePacket` at a time, ns, with its content.
pub(super) fn packet(ts: i64, number: u32, content: Proto) -> Proto {
    Proto::new().int(8, ts).message(number, content)
}

/// Reads a trace of these packets.
pub(super) fn read(packets: impl IntoIterator<Item = Proto>) -> Trace {
    let trace = packets
        .into_iter()
        .fold(Proto::new(), |trace, packet| trace.message(1, packet));
    read_bytes(trace.bytes(), ReadOptions::default()).unwrap()
}

#[test]
fn a_process_and_its_thread() {
    let process = Proto::new()
        .int(1, 7)
        .int(2, 1)
        .text(3, "app")
        .text(3, "--fast");
    let thread = Proto::new().int(1, 8).text(2, "worker").int(3, 7);
    let tree = Proto::new().message(1, process).message(2, thread);
    let trace = read([packet(5, 2, tree)]);
    let threads: Vec<_> = trace.threads.rows().map(|row| row.tid).collect();
    assert!(threads.contains(&8));
    let app = trace.processes.rows().find(|row| row.pid == 7).unwrap();
    assert_eq!(trace.strings.get(app.cmdline), "app --fast");
}
