//! Advice on queries for kernel events that are in other tables than `ftrace_event`.

mod systrace;

use systrace::{Line, rows, session};
use traceloom_query::advice;

const APP: &str = "app-7 (7)";

/// Each event that the advice is about, as the kernel writes it.
const LINES: &[Line<'_>] = &[
    (APP, 1, "sched_waking: comm=b pid=8 prio=120 target_cpu=000"),
    (APP, 2, "sched_wakeup: comm=b pid=8 prio=120 target_cpu=000"),
    (
        APP,
        3,
        "sched_wakeup_new: comm=c pid=9 prio=120 target_cpu=000",
    ),
    (
        APP,
        4,
        "sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120",
    ),
    (APP, 5, "tracing_mark_write: B|7|work"),
    (APP, 6, "print: E|7"),
    (APP, 7, "cpu_frequency: state=1200000 cpu_id=0"),
    (APP, 8, "cpu_idle: state=4294967295 cpu_id=0"),
    (APP, 9, "irq_handler_entry: irq=5 name=disk"),
    (APP, 10, "irq_handler_exit: irq=5 ret=handled"),
    (APP, 11, "softirq_entry: vec=1 [action=TIMER]"),
    (APP, 12, "softirq_exit: vec=1 [action=TIMER]"),
    (APP, 13, "sys_enter: NR 63 (3, 0, 10, 0, 0, 0)"),
    (APP, 14, "sys_exit: NR 63 = 16"),
    (
        APP,
        15,
        "binder_transaction: transaction=1 dest_node=2 dest_proc=8 dest_thread=0 reply=0 flags=0x10 code=0x1",
    ),
    ("b-8 (8)", 16, "binder_transaction_received: transaction=1"),
];

#[test]
fn events_with_advice_have_no_rows() {
    let mut session = session(LINES);
    for (_, _, line) in LINES {
        let event = line.split(':').next().unwrap();
        let sql = format!("SELECT count(*) FROM ftrace_event WHERE name = '{event}'");
        assert_eq!(rows(&mut session, &sql).unwrap(), ["0"], "{event}");
        assert_eq!(advice(&sql).len(), 1, "{event}");
    }
}
