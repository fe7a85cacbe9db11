//! Tests of Chrome's descriptors and events, other than slices.

use testkit::Proto;
use traceloom_trace::{ArgValue, RepairKind, Trace};

use super::super::tests::{packet, read};

fn descriptor(uuid: i64, content: Proto) -> Proto {
    packet(0, 60, content.int(1, uuid)).int(10, 1)
}

fn process(pid: i64) -> Proto {
    Proto::new().int(1, pid)
}

fn thread(pid: i64, tid: i64) -> Proto {
    Proto::new().int(1, pid).int(2, tid)
}

/// An instant on track 1, with its interned data.
fn event(event: Proto, interned: Proto) -> Proto {
    let event = event.int(9, 3).int(11, 1);
    let packet = packet(5, 11, event).int(10, 1).int(41, 1);
    packet.message(12, interned)
}

fn args(trace: &Trace, set: traceloom_trace::ArgSetId) -> Vec<String> {
    let text = |(key, value): (_, ArgValue)| {
        let value = value.display(&trace.strings);
        format!("{}={value}", trace.strings.get(key))
    };
    trace.args.set(set).map(text).collect()
}

fn thread_names(trace: &Trace) -> Vec<(i64, &str)> {
    let rows = trace.threads.rows();
    rows.map(|row| (row.tid, trace.strings.get(row.name)))
        .collect()
}

#[test]
fn processes_and_threads_have_the_names_of_their_kinds() {
    let kind = |kind| Proto::new().int(1, kind);
    let trace = read([
        descriptor(1, Proto::new().message(3, process(5)).message(6, kind(9))),
        descriptor(
            2,
            Proto::new()
                .message(3, process(6).text(6, "own name"))
                .message(6, kind(2)),
        ),
        descriptor(
            3,
            Proto::new().message(4, thread(5, 7)).message(7, kind(15)),
        ),
        descriptor(
            4,
            Proto::new()
                .message(4, thread(5, 8).text(5, "own name"))
                .message(7, kind(15)),
        ),
    ]);
    let processes = trace.processes.rows();
    let names: Vec<_> = processes.map(|row| trace.strings.get(row.name)).collect();
    assert_eq!(
        names,
        ["", "Service: network.mojom.NetworkService", "Renderer"]
    );
    assert_eq!(
        args(&trace, trace.processes.arg_set_id.get(1)),
        ["chrome.process_type=Service: network.mojom.NetworkService"]
    );
    let threads = thread_names(&trace);
    assert!(threads.contains(&(7, "CrBrowserMain")), "{threads:?}");
    assert!(threads.contains(&(8, "own name")), "{threads:?}");
    assert!(threads.contains(&(0, "swapper")), "{threads:?}");
}

/// The kernel stores only the first 15 bytes of a name.
#[test]
fn names_of_descriptors_are_those_of_threads() {
    let switch = Proto::new()
        .text(1, "ThreadPoolForeg")
        .int(2, 7)
        .int(4, 1)
        .text(5, "x")
        .int(6, 9);
    let event = Proto::new().int(1, 50).int(2, 7).message(4, switch);
    let own = thread(5, 7).text(5, "ThreadPoolForegroundWorker");
    let bundle = || Proto::new().message(1, Proto::new().int(1, 0).message(2, event.clone()));
    let by_track = [
        descriptor(1, Proto::new().message(4, own.clone())),
        bundle(),
    ];
    // Old versions of Chrome describe the thread of a sequence.
    let instant = Proto::new().int(9, 3).text(23, "i");
    let by_sequence = [
        packet(0, 44, own).int(10, 1).int(41, 1),
        packet(5, 11, instant).int(10, 1),
        bundle(),
    ];
    for trace in [read(by_track), read(by_sequence)] {
        let threads = thread_names(&trace);
        let own = (7, "ThreadPoolForegroundWorker");
        assert!(threads.contains(&own), "{threads:?}");
        assert!(threads.contains(&(9, "x")), "{threads:?}");
    }
}

#[test]
fn events_without_a_track_are_those_of_the_sandboxed_thread() {
    let sandboxed = Proto::new()
        .message(4, thread(5, 1).text(5, "main"))
        .message(7, Proto::new().int(3, 1));
    let begin = packet(5, 11, Proto::new().int(9, 1).text(23, "x")).int(10, 1);
    let trace = read([descriptor(1, sandboxed).int(41, 1), begin]);
    let of_5 = trace
        .threads
        .rows()
        .filter(|row| row.upid.0 == 1 && !row.is_main_thread);
    let of_5: Vec<_> = of_5.map(|row| row.tid).collect();
    assert_eq!(of_5, [5 << 32 | 1]);
}

#[test]
fn lines_of_the_log_are_rows() {
    let interned = Proto::new()
        .message(4, Proto::new().int(1, 3).text(2, r"c:\f.cc").int(4, 12))
        .message(20, Proto::new().int(1, 4).text(2, "hello"));
    let message = Proto::new().int(1, 3).int(2, 4).int(3, 5);
    let trace = read([
        descriptor(1, Proto::new().message(4, thread(5, 7))),
        event(Proto::new().message(21, message).int(34, 3), interned),
    ]);
    let cell = |name: &str| {
        let key = trace.strings.lookup(name).unwrap();
        trace.records.cell(0, key).unwrap().display(&trace.strings)
    };
    let cells = ["msg", "tag", "prio"].map(|name| cell(name).to_string());
    assert_eq!(cells, ["hello", r"c:\f.cc:12", "5"]);
    let args = args(&trace, trace.slices.arg_set_id.get(0));
    let files = [
        r"track_event.log_message.file_name=c:\f.cc",
        "source.file_name=c:/f.cc",
    ];
    for file in files {
        assert!(args.iter().any(|arg| arg == file), "{args:?}");
    }
}

#[test]
fn names_that_are_numbers_are_looked_up() {
    let interned = Proto::new().message(25, Proto::new().int(1, 9).text(2, "Memory.Total"));
    let sample = Proto::new().int(3, 8).int(4, 9);
    let location = Proto::new().text(2, "f.cc").int(4, 12);
    let content = Proto::new()
        .message(28, sample)
        .message(33, location)
        .int(3, 77);
    let trace = read([event(content, interned)]);
    let category = trace.strings.get(trace.slices.category.get(0));
    assert_eq!(category, "unknown(77)");
    assert_eq!(
        args(&trace, trace.slices.arg_set_id.get(0)),
        [
            "chrome_histogram_sample.name=Memory.Total",
            "chrome_histogram_sample.sample=8",
            "chrome_histogram_sample.name_iid=9",
            "source_location.file_name=f.cc",
            "source_location.line_number=12",
        ]
    );
}

#[test]
fn an_event_can_name_only_its_process() {
    let legacy = Proto::new().int(2, i64::from(b'I')).int(18, 32);
    let trace = read([
        packet(0, 44, thread(15, 16)).int(10, 1).int(41, 1),
        packet(5, 11, Proto::new().text(23, "dump").message(6, legacy)).int(10, 1),
    ]);
    let track = trace.tracks.row(trace.slices.track_id.get(0).0 as usize);
    let upid = trace.threads.row(track.utid.0 as usize).upid;
    assert_eq!(trace.processes.row(upid.0 as usize).pid, 32);
}

#[test]
fn jobs_have_names() {
    let interned = Proto::new().message(44, Proto::new().int(1, 9).text(2, "sync"));
    let field = |trace: &Trace| args(trace, trace.slices.arg_set_id.get(0));
    let content = || Proto::new().message(2006, Proto::new().int(21, 9));
    let known = read([event(content(), interned)]);
    assert_eq!(field(&known), ["job_scheduler_job.job_name=sync"]);
    let unknown = read([event(content(), Proto::new())]);
    assert_eq!(field(&unknown), ["job_scheduler_job.job_name_iid=9"]);
}

#[test]
fn metadata_names_the_thread_that_it_is_about() {
    let named = |tid: Option<i64>, name: &str| {
        let legacy = Proto::new().int(2, i64::from(b'M'));
        let legacy = tid
            .into_iter()
            .fold(legacy, |legacy, tid| legacy.int(19, tid));
        let annotation = Proto::new().text(10, "name").text(6, name);
        let event = Proto::new()
            .text(23, "thread_name")
            .message(4, annotation)
            .message(6, legacy);
        packet(5, 11, event).int(10, 1)
    };
    let again = thread(15, 18);
    let trace = read([
        packet(0, 44, thread(15, 16)).int(10, 1).int(41, 1),
        descriptor(3, Proto::new().message(4, thread(15, 18).text(5, "own"))),
        descriptor(3, Proto::new().message(4, again)),
        packet(1, 44, thread(15, 16)).int(10, 1),
        named(Some(17), "other"),
        named(None, "main"),
        named(Some(18), "late"),
    ]);
    let names = thread_names(&trace);
    for named in [(16, "main"), (17, "other"), (18, "own")] {
        assert!(names.contains(&named), "{names:?}");
    }
}

/// The values are those of Perfetto's unit tests.
#[test]
fn instruction_counts_of_a_sequence_add_up() {
    let start = thread(5, 7).int(6, 1).int(7, 2).int(8, 3_000);
    let start = packet(0, 44, start).int(10, 1).int(41, 1);
    let event = |ts, count: Proto| packet(ts, 11, count.int(9, 3).text(23, "x")).int(10, 1);
    let trace = read([
        start,
        event(10, Proto::new().int(8, 20)),
        event(20, Proto::new().int(20, 9_000)),
        event(30, Proto::new().int(8, 20)),
    ]);
    let values: Vec<_> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(values, [3_020.0, 9_000.0, 3_040.0]);
}

/// After a loss, and after the sequence clears its state, an event before the next descriptor is relative to an event
/// that is not in the trace.
#[test]
fn relative_times_count_from_a_descriptor_after_the_last_loss() {
    let start = |us| {
        let own = thread(15, 16).int(6, us);
        Proto::new().message(44, own).int(10, 1)
    };
    let event = |phase| {
        let legacy = Proto::new().int(2, phase);
        let event = Proto::new().int(1, 10).text(23, "x").message(6, legacy);
        Proto::new().message(11, event).int(10, 1)
    };
    let (begin, end) = (b'B'.into(), b'E'.into());
    let trace = read([
        start(1_000).int(41, 1),
        event(begin),
        event(end).int(42, 1),
        event(end).int(41, 1),
        start(2_000),
        event(end),
    ]);
    let slices: Vec<_> = trace.slices.rows().map(|row| (row.ts, row.dur)).collect();
    assert_eq!(slices, [(1_010_000, 1_000_000)]);
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 2);
}

/// The pid and `reliable_from` of each process that was listed without a description.
fn missing(trace: &Trace) -> Vec<(i64, Option<i64>)> {
    let table = trace
        .strings
        .lookup("experimental_missing_chrome_processes");
    let rows = trace.records.rows().table.iter().enumerate();
    let rows = rows.filter(|(_, of)| Some(*of) == table);
    let cell = |row, name| trace.records.cell(row, trace.strings.lookup(name)?);
    let row = |(row, _)| {
        let Some(ArgValue::Row(_, upid)) = cell(row, "upid") else {
            panic!("no process");
        };
        let from = match cell(row, "reliable_from") {
            Some(ArgValue::Int(ts)) => Some(ts),
            _ => None,
        };
        (trace.processes.pid.get(upid as usize), from)
    };
    rows.map(row).collect()
}

#[test]
fn processes_that_are_listed_but_not_described_lost_events() {
    const SECOND: i64 = 1_000_000_000;
    let list = |ts, field, pids: &[i64]| {
        let pids = pids
            .iter()
            .fold(Proto::new(), |list, pid| list.int(1, *pid));
        let event = Proto::new().int(9, 3).int(11, 1).message(field, pids);
        packet(ts, 11, event).int(10, 1).int(41, 1)
    };
    let described = |ts, pid| packet(ts, 60, Proto::new().int(1, pid).message(3, process(pid)));
    let trace = read([
        list(SECOND, 49, &[10, 11, 12, 13, 14]),
        list(5 * SECOND, 1042, &[10, 11, 14]),
        // In time, too late, and never.
        described(SECOND + 200_000_000, 10),
        described(5 * SECOND - 200_000_000, 10),
        described(7 * SECOND, 11),
        packet(2 * SECOND, 43, process(12)).int(10, 2),
    ]);
    let expected = [
        (11, Some(7 * SECOND)),
        (12, Some(2 * SECOND)),
        (13, Some(5 * SECOND)),
        (14, None),
    ];
    assert_eq!(missing(&trace), expected);
}
