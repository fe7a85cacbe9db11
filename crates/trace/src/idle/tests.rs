use crate::{FtraceEventRow, MethodRow, ProcessId, RowId, StringId, ThreadId, Trace, TraceBuilder};

/// The tid, the name and the upid of each thread.
fn threads(trace: &Trace) -> Vec<(i64, String, Option<u32>)> {
    let rows = trace.threads.rows();
    let facts = |row: crate::ThreadRow| {
        let name = trace.strings.get(row.name).to_owned();
        (row.tid, name, row.upid.some().map(|upid| upid.0))
    };
    rows.map(facts).collect()
}

#[test]
fn an_idle_thread_becomes_the_first_row() {
    let mut out = TraceBuilder::new();
    out.begin_source("kernel", "test");
    let app = out.thread(7);
    out.put_in_process(app, 7);
    let idle = out.thread(0);
    let swapper = out.intern(b"swapper");
    out.name_thread(idle, swapper);
    for utid in [idle, app] {
        let event = FtraceEventRow {
            ts: 1,
            name: swapper,
            utid,
            cpu: 0,
            arg_set_id: Default::default(),
        };
        out.ftrace_event(event);
    }
    let mut trace = out.finish();
    trace.put_idle_first();
    let expected = [
        (0, "swapper".to_owned(), Some(0)),
        (7, String::new(), Some(1)),
    ];
    assert_eq!(threads(&trace), expected);
    assert!(trace.threads.is_main_thread.iter().all(|is_main| is_main));
    assert_eq!(trace.processes.pid.iter().collect::<Vec<_>>(), [0, 7]);
    let events: Vec<ThreadId> = trace.ftrace_events.utid.iter().collect();
    assert_eq!(events, [ThreadId(0), ThreadId(1)]);
}

#[test]
fn a_trace_without_an_idle_thread_gets_one() {
    let mut trace = Trace::default();
    trace.put_idle_first();
    assert_eq!(threads(&trace), [(0, String::new(), Some(0))]);
    assert_eq!(trace.processes.len(), 1);
}

/// A thread 0 of a virtual machine, and one in a process, are threads like others.
#[test]
fn only_the_kernels_thread_0_is_idle() {
    let mut out = TraceBuilder::new();
    let source = out.begin_source("methods", "test");
    let null = StringId::NULL;
    let names = MethodRow {
        raw_id: 4,
        class: null,
        name: null,
        signature: null,
        file: null,
        line: -1,
        source,
    };
    out.method(names);
    out.thread(0);
    out.begin_source("browser", "test");
    let utid = out.new_thread(0);
    out.put_in_process(utid, 0);
    let mut trace = out.finish();
    assert!(trace.idle_threads().is_empty());
    trace.put_idle_first();
    let (none, own) = (None, Some(1));
    let of = |upid| (0, String::new(), upid);
    assert_eq!(threads(&trace), [of(Some(0)), of(none), of(own)]);
    assert_eq!(trace.threads.upid.get(0), ProcessId::from_row(0));
}
