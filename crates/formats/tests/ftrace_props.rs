//! Properties of the ftrace reader: printed events are read back, and no input causes harm.

mod common;

use std::fmt::Write;

use common::{fingerprint, open, read, text};
use proptest::prelude::*;
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::RowId;

/// Lines that would take quadratic time if a rule searched backwards or ahead without a limit.
#[test]
fn long_lines_cost_no_more_than_their_length() {
    let head = "a-1 [000] .... 1.000001: ";
    let units = [
        "-1 ",
        "-1    ",
        "-",
        "[",
        "-1 (",
        "-1 [0] ",
        "=",
        "a=",
        "a={ ",
        "a=\" ",
        "a=( ",
        " =",
        "a: ",
        ", ",
        "]",
        "a=]",
        "a=)",
        "1 ",
        "|",
        "1|",
        "B|1|",
        " <-",
        "x:1 [",
        "==> ",
        " prev_pid=",
        "#",
        "CPU ",
        "/*",
        "=>",
    ];
    let starts = [
        "",
        head,
        "sched_switch: prev_comm=",
        "sched_switch: ",
        "some_event: ",
        "some_event: a=",
        "block_rq_issue: 8,0 ",
        "tracing_mark_write: C|1|",
        "tracing_mark_write: S|1|",
        "bprint: ",
        "funcgraph_entry: ",
        " 0) ",
    ];
    for start in starts {
        for unit in units {
            let line = start.to_owned() + &unit.repeat(100_000 / unit.len());
            let at = std::time::Instant::now();
            let _ = read_bytes(
                format!("# tracer: nop\n{head}{line}\n{line}").as_bytes(),
                ReadOptions::default(),
            );
            // Quadratic time would take minutes. The bound leaves room for a slow and busy machine.
            assert!(at.elapsed().as_secs() < 10, "{start}{unit}…");
        }
    }
}

prop_compose! {
    /// A name that the kernel allows: up to 15 bytes except line ends.
    fn comm()(name in "[a-zA-Z0-9/:#_.()\\[\\]<>= -]{1,15}") -> String {
        name
    }
}

proptest! {
    #[test]
    fn printed_lines_read_back(
        comm in comm(), next in comm(), tid in 1i32..4_194_304, next_tid in 1i32..4_194_304,
        tgid in proptest::option::of(1i32..4_194_304), cpu in 0u32..512, us in 0u64..1_000_000_000_000,
        flags in "([.dDbX][.NnpLlB][.HhsZz][.0-9a-f][.0-9a-f]?)?", padded: bool,
    ) {
        let tgid_column = tgid.map_or(String::new(), |tgid| format!("({tgid:>7}) "));
        let time = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
        let mut line = String::new();
        if padded {
            let _ = write!(line, "{comm:>16}-{tid:<7} {tgid_column}[{cpu:03}] {flags} {time:>12}: ");
        } else {
            let _ = write!(line, "{comm}-{tid} {tgid_column}[{cpu:03}] {flags} {time}: ");
        }
        let _ = writeln!(
            line,
            "sched_switch: prev_comm={comm} prev_pid={tid} prev_prio=120 prev_state=S ==> next_comm={next} next_pid={next_tid} next_prio=97"
        );
        let trace = read(&line);
        prop_assert_eq!(trace.sched_slices.len(), 1);
        let slice = trace.sched_slices.row(0);
        prop_assert_eq!((slice.ts, slice.cpu, slice.priority), (us as i64 * 1000, cpu, 97));
        prop_assert_eq!(trace.threads.tid.get(slice.utid.row()), i64::from(next_tid));
        let thread = trace.threads.rows().find(|row| row.tid == i64::from(tid)).unwrap();
        let pid = thread.upid.some().map(|upid| trace.processes.pid.get(upid.row()));
        prop_assert_eq!(pid, tgid.map(i64::from));
        let named = if next_tid == tid { &next } else { &comm };
        if !named.starts_with('<') && !named.starts_with(' ') {
            prop_assert_eq!(text(&trace, thread.name), named);
        }
    }

    #[test]
    fn any_bytes_after_a_line_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..2000), seed: u64) {
        let mut input = b"a-1 [000] .... 1.000001: tracing_mark_write: B|1|x\n".to_vec();
        input.extend_from_slice(&bytes);
        let whole = open(&input, ReadOptions::default());
        let chunked = common::open_in_chunks(&input, seed, 50);
        prop_assert_eq!(fingerprint(&whole), fingerprint(&chunked));
    }

    #[test]
    fn mutated_lines_do_no_harm(which in 0usize..8, at in 0usize..200, with in "[-=|:\\[\\]({ 0-9a-z,\"]{0,6}") {
        let lines = [
            "  app-1  (   10) [000] d..2 1.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120",
            "  app-1  (   10) [000] d..2 1.000001: sched_waking: comm=b pid=2 prio=120 target_cpu=001",
            "  app-1  (   10) [000] d..2 1.000001: tracing_mark_write: G|1|track|name|17",
            "  app-1  (   10) [000] d..2 1.000001: block_rq_issue: 8,0 WS 4096 () 64 + 8 none,0,0 [a]",
            "  12.000002 |   0)  bash-12      |   0.541 us    |    getname();",
            "  app-1  (   10) [000] d..2 1.000001: some_event: a={1 2} b=(x) c=\"d e\" f=0xff [g=h]",
            "CPU:1 [LOST 12 EVENTS]",
            "# entries-in-buffer/entries-written: 5/105   #P:2",
        ];
        let mut line = lines[which].to_owned();
        let at = at.min(line.len());
        line.replace_range(at..(at + with.len()).min(line.len()), &with);
        let _ = read_bytes(format!("# tracer: nop\n{line}\n").as_bytes(), ReadOptions::default());
        let _ = read_bytes(&line.as_bytes()[..at], ReadOptions::default());
    }
}
