//! Processes and threads without events.

use traceloom_trace::Trace;

use crate::trip::trip;

const TEXT: &str = "# tracer: nop\n#\n\
    app-10 (     10) [000] .... 1.000000: tracing_mark_write: B|10|draw\n\
    app-10 (     10) [000] .... 1.000100: tracing_mark_write: E|10\n\
    USER           PID  PPID     VSZ    RSS WCHAN            PC S NAME                        COMM\n\
    u0_a66          10     5 1500000  88000 SyS_epoll_wait    0 S com.example.app             app_process64\n\
    USER           PID   TID CMD\n\
    u0_a66          10    10 app\n\
    u0_a66          10    12 Jit thread pool\n";

#[test]
fn processes_and_threads_of_a_dump_come_back() {
    for format in ["ftrace", "systrace-html"] {
        let trip = trip(TEXT.as_bytes(), format).expect("a trace");
        let text = String::from_utf8_lossy(&trip.texts[0]);
        assert!(
            trip.differences().is_empty(),
            "{:?}\n{text}",
            trip.differences()
        );
        for trace in &trip.tables {
            assert_eq!(
                processes(trace),
                ["10 com.example.app uid 10066 ppid 5"],
                "{text}"
            );
            assert_eq!(threads(trace), ["10 app", "12 Jit thread pool"], "{text}");
        }
        assert_eq!(text.contains("PROCESS DUMP"), format == "systrace-html");
    }
}

fn processes(trace: &Trace) -> Vec<String> {
    let rows = trace.processes.rows().filter(|row| row.pid == 10);
    rows.map(|row| {
        let name = trace.strings.get(row.name);
        format!("{} {name} uid {} ppid {}", row.pid, row.uid, row.ppid)
    })
    .collect()
}

fn threads(trace: &Trace) -> Vec<String> {
    let rows = trace.threads.rows().filter(|row| row.tid > 0);
    rows.map(|row| format!("{} {}", row.tid, trace.strings.get(row.name)))
        .collect()
}

/// Header lines other than column titles are facts about the recording.
#[test]
fn facts_come_back() {
    let text = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 1/1   #P:8\n\
        # enabled events: sched:sched_switch sched:sched_wakeup\n# clock_type=LINUX_CLOCK_MONOTONIC\n\
        app-10 (     10) [000] .... 1.000000: tracing_mark_write: I|10|here\n";
    let trip = trip(text.as_bytes(), "ftrace").unwrap();
    assert!(trip.differences().is_empty(), "{:?}", trip.differences());
    for trace in &trip.tables {
        assert_eq!(trace.metadata("cpus"), Some("8"));
        let events = trace.metadata("enabled events");
        assert_eq!(events, Some("sched:sched_switch sched:sched_wakeup"));
        assert_eq!(trace.metadata("clock_type"), Some("LINUX_CLOCK_MONOTONIC"));
    }
}
