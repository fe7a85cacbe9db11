use crate::{
    FtraceEventRow, MethodRow, ProcessId, ProcessRow, RowId, SourceId, SourceRow, StringId,
    ThreadId, ThreadRow, Trace, TraceBuilder,
};

/// The tid, the name and the upid of each thread.
fn threads(trace: &Trace) -> Vec<(i64, String, Option<u32>)> {
    let rows = trace.threads.rows();
    let facts = |row: crate::ThreadRow| {
        let name = trace.strings.get(row.name).to_owned();
        (row.tid, name, row.upid.some().map(|upid| upid.0))
    };
    rows.map(facts).collect()
}

/// A trace in which an app and the idle thread have an event each.
fn kernel() -> Trace {
    let mut out = TraceBuilder::new();
    out.begin_source("kernel", "test");
    let app = out.thread(7);
    out.put_in_process(app, 7);
    let idle = out.idle_thread();
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
    out.finish()
}

fn check_kernel(trace: &Trace) {
    let expected = [(0, "swapper".to_owned(), None), (7, String::new(), Some(1))];
    assert_eq!(threads(trace), expected);
    assert_eq!(trace.processes.pid.iter().collect::<Vec<_>>(), [0, 7]);
    let events: Vec<ThreadId> = trace.ftrace_events.utid.iter().collect();
    assert_eq!(events, [ThreadId(0), ThreadId(1)]);
    assert_eq!(trace.real_threads().count(), 2);
    assert_eq!(trace.real_processes().collect::<Vec<_>>(), [ProcessId(1)]);
    assert_eq!(trace.idle_threads(), [ThreadId::IDLE]);
}

#[test]
fn an_idle_thread_is_the_first_row() {
    check_kernel(&kernel());
}

#[test]
fn a_trace_without_an_idle_thread_has_its_row() {
    let trace = TraceBuilder::new().finish();
    assert_eq!(threads(&trace), [(0, String::new(), None)]);
    assert_eq!(trace.processes.len(), 1);
    assert_eq!(trace.real_threads().count(), 0);
    assert_eq!(trace.real_processes().count(), 0);
}

/// Tables without reserved rows: a thread of a method trace, an app's thread in the only process, an idle thread, and
/// events of these threads.
fn old_tables(has_idle: bool) -> Trace {
    let mut trace = Trace::default();
    (trace.processes, trace.threads) = Default::default();
    trace.processes.push(ProcessRow {
        pid: 7,
        ..ProcessRow::idle()
    });
    let mut thread = |tid, upid, source| {
        trace.threads.push(ThreadRow {
            tid,
            upid,
            source: SourceId(source),
            ..ThreadRow::idle()
        })
    };
    thread(0, ProcessId::NONE, 0);
    thread(7, ProcessId(0), 1);
    if has_idle {
        thread(0, ProcessId::NONE, 1);
    }
    for name in ["methods", "kernel"] {
        trace.sources.push(SourceRow {
            name: trace.strings.intern(name),
            format: StringId::NULL,
            bytes: 0,
            machine: 0,
        });
    }
    trace.methods.push_sample(0);
    for utid in (0..trace.threads.len()).map(ThreadId::from_row) {
        trace.ftrace_events.push(FtraceEventRow {
            ts: 1,
            name: StringId::NULL,
            utid,
            cpu: 0,
            arg_set_id: Default::default(),
        });
    }
    trace
}

#[test]
fn tables_without_the_rows_get_them() {
    let of = |tid, upid| (tid, String::new(), upid);
    for has_idle in [true, false] {
        let mut trace = old_tables(has_idle);
        trace.reserve_idle_rows();
        assert_eq!(threads(&trace), [of(0, None), of(0, None), of(7, Some(1))]);
        assert_eq!(trace.processes.pid.iter().collect::<Vec<_>>(), [0, 7]);
        assert_eq!(trace.has_idle_thread(), has_idle);
        let events: Vec<u32> = trace.ftrace_events.utid.iter().map(|utid| utid.0).collect();
        assert_eq!(events, if has_idle { vec![1, 2, 0] } else { vec![1, 2] });
    }
}

#[test]
fn each_source_has_an_idle_thread_of_its_own() {
    let mut out = TraceBuilder::new();
    out.begin_source("one", "test");
    assert_eq!([out.idle_thread(), out.idle_thread()], [ThreadId(0); 2]);
    out.begin_source("two", "test");
    assert_eq!([out.idle_thread(), out.idle_thread()], [ThreadId(1); 2]);
    let trace = out.finish();
    let sources: Vec<SourceId> = trace.threads.source.iter().collect();
    assert_eq!(sources, [SourceId(0), SourceId(1)]);
    assert_eq!(trace.idle_threads(), [ThreadId(0), ThreadId(1)]);
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
    let trace = out.finish();
    let of = |upid| (0, String::new(), upid);
    assert_eq!(threads(&trace), [of(None), of(None), of(Some(1))]);
    assert_eq!(trace.idle_threads(), [ThreadId::IDLE]);
}

#[test]
fn other_kernels_mark_their_idle_threads() {
    let mut out = TraceBuilder::new();
    let [idle, busy] = [7, 8].map(|tid| out.thread(tid));
    out.add_thread_arg(idle, crate::IS_IDLE, crate::ArgValue::Bool(true));
    out.add_thread_arg(busy, crate::IS_IDLE, crate::ArgValue::Bool(false));
    assert_eq!(out.finish().idle_threads(), [ThreadId::IDLE, idle]);
}
