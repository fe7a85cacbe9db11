//! Systrace pages with many blocks.

use super::kind::Kind;
use crate::systrace_page::{PageBlock, systrace_page};

pub(super) const KINDS: &[Kind] = &[
    ("page of ftrace blocks", |count| page(count, ftrace)),
    ("page of blocks on a far CPU", |count| page(count, far_cpu)),
    ("page of process dumps", |count| page(count, dump)),
    ("page of cgroup dumps", |count| page(count, cgroups)),
    ("page of memory dumps", |count| page(count, memory)),
    ("page of BattOr blocks", |count| page(count, battor)),
    ("page of BattOr blocks with markers", |count| {
        page(count, marked)
    }),
    ("page of WALT blocks", |count| page(count, walt)),
    ("page of JSON blocks", |count| page(count, json)),
    ("page of empty blocks", |count| {
        page(count, |_| "\n".to_owned())
    }),
    ("page of blocks that are no traces", |count| {
        page(count, |_| "x\n".to_owned())
    }),
    ("page of packed blocks", packed),
    ("scripts of a page", scripts),
];

/// A page of one ftrace block and many others.
fn page(count: usize, block: impl Fn(usize) -> String) -> Vec<u8> {
    let mut blocks = vec![PageBlock::Ftrace.text(0)];
    blocks.extend((0..count).map(|nth| block(nth).into_bytes()));
    systrace_page("", &blocks)
}

fn ftrace(nth: usize) -> String {
    let (pid, tid) = (nth * 2 + 10, nth * 2 + 11);
    format!(
        " a-{pid} [000] d..3 2.000000: sched_switch: prev_comm=a prev_pid={pid} prev_prio=120 prev_state=S ==> \
         next_comm=b next_pid={tid} next_prio=120\n b-{tid} [000] .... 2.000001: tracing_mark_write: C|{pid}|n|1\n"
    )
}

fn far_cpu(_: usize) -> String {
    " a-9 [65535] .... 2.000001: cpu_idle: state=1 cpu_id=65535\n".to_owned()
}

fn dump(nth: usize) -> String {
    format!(
        "PROCESS DUMP\nUSER PID TID CMD\nroot {pid} {pid} p{nth}\n",
        pid = nth + 10
    )
}

fn cgroups(nth: usize) -> String {
    format!("# tracer: \nCGROUP DUMP\n/g{nth} (root=4) : {nth}\n")
}

fn memory(nth: usize) -> String {
    format!(
        "ATRACE_PROCESS_DUMP\n{{\"clock_sync_markers\":{{\"unique-id\":10000}},\"dump\":{{\"start_ts\":\"10000\",\
         \"snapshots\":[{{\"ts\":\"10000\",\"memdump\":{{\"{}\":{{\"vm\":2629}}}}}}]}}}}\n",
        nth + 10
    )
}

fn battor(_: usize) -> String {
    "# BattOr\n1 2 3\n".to_owned()
}

/// Block `nth` shares a clock marker only with block `nth - 1`, and block 0 with the trace.
fn marked(nth: usize) -> String {
    let later = if nth == 0 {
        "unique-id".to_owned()
    } else {
        format!("m{nth}")
    };
    format!("# BattOr\n1 2 3 <m{}>\n2 2 3 <{later}>\n", nth + 1)
}

fn walt(nth: usize) -> String {
    const MARK: &str = "<0>-0  (-----) [001] ...1  10.000100: tracing_mark_write:";
    format!(
        "# tracer: \n# clock_type=LINUX_CLOCK_MONOTONIC\n{MARK} C|0|walt|1\n{MARK} trace_event_clock_sync: name=w{nth}\n"
    )
}

fn json(nth: usize) -> String {
    format!(
        "{{\"traceEvents\":[{{\"ph\":\"X\",\"pid\":{nth},\"tid\":1,\"ts\":1,\"dur\":5,\"name\":\"a\"}},\
         {{\"ph\":\"c\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"clock_sync\",\"args\":{{\"sync_id\":\"j{nth}\"}}}}]}}\n"
    )
}

fn packed(count: usize) -> Vec<u8> {
    let block = PageBlock::PackedFtrace.text(0);
    systrace_page("", &vec![block; count])
}

fn scripts(count: usize) -> Vec<u8> {
    let before = "<script>var a;</script>".repeat(count);
    systrace_page(&before, &[PageBlock::Ftrace.text(0)])
}
