//! Tests of the order in which packets and kernel events fill the tables. This order determines the row numbers.

use testkit::Proto;
use traceloom_trace::Trace;

use super::tests::{packet, read};

/// A packet with a mark of a thread for each text.
fn marks(cpu: i64, marks: &[(i64, &str)]) -> Proto {
    let bundle = marks
        .iter()
        .fold(Proto::new().int(1, cpu), |bundle, (ts, text)| {
            let print = Proto::new().text(2, text);
            bundle.message(2, Proto::new().int(1, *ts).int(2, 7).message(3, print))
        });
    Proto::new().message(1, bundle)
}

/// An instant of a track event, with its own track.
fn instant(ts: i64, name: &str) -> Proto {
    let event = Proto::new().int(9, 3).int(11, 5).text(23, name);
    packet(ts, 11, event).int(10, 1).int(41, 1)
}

fn names(trace: &Trace) -> Vec<&str> {
    let slices = trace.slices.rows();
    slices.map(|row| trace.strings.get(row.name)).collect()
}

#[test]
fn packets_come_before_kernel_events_of_the_same_time() {
    let trace = read([
        marks(1, &[(10, "B|7|b"), (20, "B|7|d"), (30, "B|7|e")]),
        marks(0, &[(10, "B|7|a")]),
        instant(10, "first"),
        packet(0, 60, Proto::new().int(1, 5).text(2, "track")),
        // Kernel events of a run that has begun continue first.
        instant(30, "last"),
    ]);
    assert_eq!(names(&trace), ["first", "a", "b", "d", "e", "last"]);
}

#[test]
fn processes_are_numbered_in_the_order_of_packets() {
    let descriptor = |pid| {
        Proto::new()
            .int(1, pid)
            .message(3, Proto::new().int(1, pid))
    };
    let tree = Proto::new().message(1, Proto::new().int(1, 20).int(2, 10).text(3, "app"));
    let trace = read([
        packet(5, 2, tree),
        // A packet without a timestamp follows the packet before it.
        Proto::new().message(60, descriptor(30)),
        Proto::new().message(60, descriptor(20)),
        packet(3, 60, descriptor(40)),
    ]);
    let pids: Vec<i64> = trace.processes.rows().map(|row| row.pid).collect();
    assert_eq!(pids, [0, 40, 10, 20, 30]);
    // Each process has a main thread.
    let tids: Vec<i64> = trace.threads.rows().map(|row| row.tid).collect();
    assert_eq!(tids, pids);
    assert!(
        trace
            .threads
            .is_main_thread
            .iter()
            .skip(1)
            .all(|is_main| is_main)
    );
}
