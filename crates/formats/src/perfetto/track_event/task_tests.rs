//! Tests of the processes and threads of track descriptors.

use testkit::Proto;
use traceloom_trace::{RepairKind, RowId, Trace};

use super::super::tests::{packet, read};

/// A descriptor on sequence 1.
fn descriptor(uuid: i64, content: Proto) -> Proto {
    packet(0, 60, content.int(1, uuid)).int(10, 1)
}

fn process(pid: i64, name: &str) -> Proto {
    Proto::new().message(3, Proto::new().int(1, pid).text(6, name))
}

fn thread(pid: i64, tid: i64, name: &str) -> Proto {
    Proto::new().message(4, Proto::new().int(1, pid).int(2, tid).text(5, name))
}

/// An instant of sequence 1 on a track.
fn instant(ts: i64, uuid: i64) -> Proto {
    let event = Proto::new().int(9, 3).int(11, uuid).text(23, "i");
    packet(ts, 11, event).int(10, 1)
}

/// The pid, the tid and the name of the thread of each slice.
fn owners(trace: &Trace) -> Vec<(i64, i64, &str)> {
    let tracks = trace.slices.track_id.iter();
    tracks
        .map(|track| {
            let utid = trace.track_thread(track).unwrap();
            let row = trace.threads.row(utid.row());
            let pid = trace.processes.pid.get(row.upid.row());
            (pid, row.tid, trace.strings.get(row.name))
        })
        .collect()
}

/// The pid and the name of each process except the idle process.
fn processes(trace: &Trace) -> Vec<(i64, &str)> {
    let rows = trace.processes.rows().skip(1);
    rows.map(|row| (row.pid, trace.strings.get(row.name)))
        .collect()
}

/// PyTorch writes each GPU as a process, and its streams as threads. Streams of different GPUs may have the same
/// number.
#[test]
fn threads_of_several_processes_may_have_the_same_tid() {
    let trace = read([
        descriptor(1, thread(0, 7, "of 0")),
        descriptor(2, thread(6, 7, "of 6")),
        descriptor(3, thread(7, 7, "of 7")),
        descriptor(4, thread(7, 6, "6 of 7")),
        descriptor(5, thread(6, 6, "6 of 6")),
        instant(1, 1),
        instant(2, 2),
        instant(3, 3),
        instant(4, 4),
        instant(5, 5),
    ]);
    let expected = [
        (0, 7, "of 0"),
        (6, 7, "of 6"),
        (7, 7, "of 7"),
        (7, 6, "6 of 7"),
        (6, 6, "6 of 6"),
    ];
    assert_eq!(owners(&trace), expected);
    let is_main = trace.threads.is_main_thread.iter().skip(1);
    assert_eq!(is_main.filter(|is_main| *is_main).count(), 2);
}

#[test]
fn a_thread_of_the_kernel_or_of_a_process_tree_is_that_of_its_descriptor() {
    let mark = Proto::new().text(2, "B|7|mark");
    let bundle = |tid, ts| {
        let event = Proto::new().int(1, ts).int(2, tid).message(3, mark.clone());
        Proto::new().message(1, Proto::new().int(1, 0).message(2, event))
    };
    let tree = Proto::new().message(2, Proto::new().int(1, 8).int(3, 7));
    let trace = read([
        packet(0, 2, tree),
        bundle(8, 1),
        bundle(9, 2),
        packet(3, 60, thread(7, 8, "in the tree").int(1, 1)),
        packet(3, 60, thread(7, 9, "only in events").int(1, 2)),
        packet(3, 60, thread(7, 7, "main").int(1, 3)),
    ]);
    let rows = trace.threads.rows().skip(1);
    let mut tids: Vec<i64> = rows.map(|row| row.tid).collect();
    tids.sort_unstable();
    assert_eq!(tids, [7, 8, 9]);
}

#[test]
fn the_thread_of_a_sequence_is_that_of_its_process() {
    let own = Proto::new().int(1, 5).int(2, 2);
    let event = Proto::new().int(9, 3).text(23, "i");
    let trace = read([
        descriptor(1, thread(5, 2, "of 5")),
        descriptor(2, thread(6, 2, "of 6")),
        packet(0, 44, own).int(10, 2).int(41, 1),
        packet(1, 11, event).int(10, 2),
    ]);
    assert_eq!(owners(&trace), [(5, 2, "of 5")]);
}

#[test]
fn a_thread_descriptor_without_a_pid_moves_no_thread() {
    let own = Proto::new().int(2, 8).text(5, "worker");
    let trace = read([
        descriptor(1, thread(7, 8, "first")),
        packet(1, 44, own).int(10, 2).int(41, 1),
        packet(2, 11, Proto::new().int(9, 3).text(23, "i")).int(10, 2),
    ]);
    assert_eq!(owners(&trace), [(7, 8, "first")]);
}

/// Gradle describes each process on the track 0.
#[test]
fn each_process_of_a_uuid_has_its_name() {
    let trace = read([
        descriptor(0, process(1, "one")),
        descriptor(0, process(2, "two")),
        descriptor(0, process(3, "three")),
        descriptor(0, process(2, "second")),
    ]);
    let expected = [(1, "one"), (2, "second"), (3, "three")];
    assert_eq!(processes(&trace), expected);
}

/// The input looks like two joined traces of a writer that numbers its tracks from 1.
#[test]
fn the_first_descriptor_of_a_uuid_has_its_events() {
    let of = |pid, name| {
        [
            descriptor(1, process(pid, name)),
            descriptor(2, thread(pid, pid + 1, name).int(5, 1)),
            instant(pid, 2),
        ]
    };
    let trace = read([of(100, "A"), of(200, "B")].into_iter().flatten());
    assert_eq!(owners(&trace), [(100, 101, "A"); 2]);
    assert_eq!(processes(&trace), [(100, "A"), (200, "B")]);
    let last = trace.threads.rows().last().unwrap();
    let last = (last.tid, trace.strings.get(last.name), last.upid.0);
    assert_eq!(last, (201, "B", 2));
    assert_eq!(trace.repairs.count(RepairKind::Redefined), 2);
}

#[test]
fn descriptors_that_differ_in_their_names_do_not_contradict() {
    let trace = read([
        descriptor(1, process(5, "zygote")),
        descriptor(1, process(5, "app")),
        descriptor(2, Proto::new().text(2, "old").int(5, 1).int(15, 2)),
        descriptor(2, Proto::new().text(2, "new").int(5, 1).int(15, 2)),
    ]);
    assert_eq!(processes(&trace), [(5, "app")]);
    assert_eq!(trace.repairs.count(RepairKind::Redefined), 0);
}

#[test]
fn a_counter_that_changes_its_meaning_contradicts() {
    let counter = |factor| Proto::new().message(8, Proto::new().int(4, factor));
    let value = |ts| {
        let event = Proto::new().int(9, 4).int(11, 1).int(30, 2);
        packet(ts, 11, event).int(10, 1)
    };
    let trace = read([
        descriptor(1, counter(10)),
        value(1),
        descriptor(1, counter(1_000)),
        value(2),
    ]);
    let values: Vec<f64> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(values, [20.0, 20.0]);
    assert_eq!(trace.repairs.count(RepairKind::Redefined), 1);
}

/// Until a sequence clears its state, its thread is unreliable.
#[test]
fn a_sequence_that_never_cleared_its_state_has_no_thread() {
    let event = |ts| packet(ts, 11, Proto::new().int(9, 3).text(23, "i")).int(10, 1);
    let read = |flags| {
        let own = descriptor(1, thread(5, 7, "worker")).int(13, flags);
        let trace = read([own, event(1)]);
        let track = trace.slices.track_id.get(0);
        let name = trace.strings.get(trace.tracks.name.get(track.row()));
        (trace.track_thread(track).is_some(), name.to_owned())
    };
    assert_eq!(read(0), (false, "Default Track".to_owned()));
    assert!(read(1).0);
}

#[test]
fn a_descriptor_without_a_uuid_describes_nothing() {
    let event = Proto::new().int(9, 3).int(11, 0).text(23, "i");
    let trace = read([
        packet(0, 60, process(5, "app")).int(10, 1),
        packet(1, 11, event).int(10, 1),
    ]);
    assert_eq!(processes(&trace), []);
    assert_eq!(trace.slices.len(), 1);
}
