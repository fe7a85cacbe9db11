//! Small ftrace texts end to end: kernel events, function tracers and the user's rules.

mod common;

use std::sync::Arc;

use common::{counters, open, read, slices, text};
use traceloom_formats::{EventRules, ReadOptions};
use traceloom_trace::{NO_NUMBER, RepairKind, RowId};

#[test]
fn kernel_events() {
    let trace = read(
        "\
a-1 (    1) [000] d.h. 1.000001: irq_handler_entry: irq=23 name=timer
a-1 (    1) [000] d.h. 1.000003: irq_handler_exit: irq=23 ret=handled
a-1 (    1) [000] ..s. 1.000004: softirq_entry: vec=9 [action=RCU]
a-1 (    1) [000] ..s. 1.000006: softirq_exit: vec=9 [action=RCU]
a-1 (    1) [000] .... 1.000010: block_rq_issue: 8,0 WS 4096 () 64 + 8 [a]
a-1 (    1) [000] .... 1.000011: block_rq_issue: 8,0 R 4096 () 96 + 8 [a]
a-1 (    1) [000] .... 1.000012: block_rq_complete: 8,0 WS () 64 + 8 [0]
a-1 (    1) [000] .... 1.000013: block_rq_complete: 8,0 R () 96 + 8 [0]
a-1 (    1) [000] .... 1.000014: workqueue_execute_start: work struct 00000000b1a1e8a5: function tick
a-1 (    1) [000] .... 1.000015: workqueue_execute_end: work struct 00000000b1a1e8a5
a-1 (    1) [000] .... 1.000020: clock_set_rate: gpu_clk state=200 cpu_id=0
a-1 (    1) [000] .... 1.000021: cpu_frequency: state=600000 cpu_id=3
a-1 (    1) [000] .... 1.000022: rss_stat: mm_id=5 curr=1 type=MM_ANONPAGES size=4096B
a-1 (    1) [000] .... 1.000023: oom_score_adj_update: pid=1 comm=a oom_score_adj=900
a-1 (    1) [000] .... 1.000024: made_up: n=-1 addr=0xff text=two words
",
    );
    assert_eq!(
        slices(&trace),
        [
            "c0:irq/0 IRQ (timer) 1000001+2",
            "c0:softirq/0 RCU 1000004+2",
            "g:block 8,0/0 WS 1000010+2",
            "g:block 8,0/0 R 1000011+2",
            "t1:/0 tick 1000014+1",
        ]
    );
    assert_eq!(
        counters(&trace),
        [
            "clock_frequency gpu_clk Frequency=200",
            "cpu_frequency cpufreq=600000",
            "process_memory mem.rss.anon=4096",
            "oom_score_adj oom_score_adj=900"
        ]
    );
    let event = trace.ftrace_events.row(0);
    let args = trace
        .args
        .set(event.arg_set_id)
        .map(|(key, value)| format!("{}={}", text(&trace, key), value.display(&trace.strings)));
    assert_eq!(
        args.collect::<Vec<_>>(),
        ["n=-1", "addr=0xff", "text=two words"]
    );
    assert_eq!(trace.ftrace_events.len(), 1);
}

/// The creator of a process may become known only at the end. By then, the process may have ended.
#[test]
fn a_process_that_ended_keeps_its_parent() {
    let trace = read(
        "\
a-1 [000] .... 1.000001: task_newtask: pid=7 comm=a clone_flags=1200011 oom_score_adj=0
a-7 [000] .... 1.000002: sched_process_exit: comm=a pid=7 prio=120
b-8 [000] .... 1.000003: sched_process_free: comm=a pid=7 prio=120
a-1 [000] .... 1.000004: sched_process_exec: filename=/a pid=1 old_pid=1
",
    );
    let processes: Vec<_> = trace
        .real_processes()
        .map(|id| trace.processes.row(id.row()))
        .map(|process| (process.pid, process.ppid))
        .collect();
    assert_eq!(processes, [(7, 1), (1, NO_NUMBER)]);
}

#[test]
fn binder_calls_and_their_arrows() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: binder_transaction: transaction=7 dest_node=4 dest_proc=2 dest_thread=0 reply=0 flags=0x10 code=0x3
b-2 (    2) [001] .... 1.000003: binder_transaction_received: transaction=7
b-2 (    2) [001] .... 1.000006: binder_transaction: transaction=8 dest_node=0 dest_proc=1 dest_thread=1 reply=1 flags=0x0 code=0x0
a-1 (    1) [000] .... 1.000009: binder_transaction_received: transaction=8
a-1 (    1) [000] .... 1.000010: binder_transaction: transaction=9 dest_node=4 dest_proc=2 dest_thread=0 reply=0 flags=0x11 code=0x3
b-2 (    2) [001] .... 1.000012: binder_transaction_received: transaction=9
",
    );
    assert_eq!(
        slices(&trace),
        [
            "t1:/0 binder transaction 1000001+8",
            "t2:/0 binder reply 1000003+3",
            "t1:/0 binder transaction async 1000010+0",
            "t2:/0 binder async rcv 1000012+0",
        ]
    );
    let flows: Vec<_> = trace
        .flows
        .rows()
        .map(|row| (row.slice_out.0, row.slice_in.0))
        .collect();
    assert_eq!(flows, [(0, 1), (2, 3)]);
}

#[test]
fn function_graph_with_and_without_times() {
    let timed = read(
        "\
# tracer: function_graph
#
  12.000001 |   0)  bash-12      |               |  sys_open() {
  12.000002 |   0)  bash-12      |   0.541 us    |    getname();
  12.000009 |   0)  bash-12      |   8.000 us    |  }
",
    );
    assert_eq!(
        slices(&timed),
        [
            "t12:functions/0 sys_open 12000001+8",
            "t12:functions/1 getname 12000002+0"
        ]
    );
    assert_eq!(timed.slices.dur.get(1), 541);
    let bare = read(
        "\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  sys_open() {
 0)   2.000 us    |    getname();
 0)   1.000 us    |    do_open();
 0) + 12.000 us   |  }
 ------------------------------------------
 0)  bash-12       =>  sshd-99
 ------------------------------------------
 0)   1.000 us    |  sys_poll();
",
    );
    let bare_slices = slices(&bare);
    assert_eq!(
        bare_slices,
        [
            "c0:functions/0 sys_open 0+12",
            "c0:functions/1 getname 0+2",
            "c0:functions/1 do_open 2+1",
            "t99:functions/0 sys_poll 12+1",
        ]
    );
    assert_eq!(bare.repairs.count(RepairKind::RebuiltTime), 5);
    let trace_cmd = read(
        "\
version = 6
cpus=1
              ls-4734  [000]     1.000001: funcgraph_entry:                   |  sys_open() {
              ls-4734  [000]     1.000002: funcgraph_entry:        1.000 us   |    getname();
              ls-4734  [000]     1.000005: funcgraph_exit:         4.000 us   |  }
",
    );
    assert_eq!(
        slices(&trace_cmd),
        [
            "t4734:functions/0 sys_open 1000001+4",
            "t4734:functions/1 getname 1000002+1"
        ]
    );
}

#[test]
fn the_function_tracer() {
    let trace = read("a-1 [000] .... 1.000001: vfs_read <-ksys_read\n");
    let event = trace.ftrace_events.row(0);
    let args: Vec<_> = trace
        .args
        .set(event.arg_set_id)
        .map(|(_, value)| value.display(&trace.strings))
        .collect();
    assert_eq!(
        (text(&trace, event.name), args),
        (
            "function",
            vec!["vfs_read".to_owned(), "ksys_read".to_owned()]
        )
    );
}

#[test]
fn rules_explain_events_of_ones_own() {
    let rules = EventRules::parse(
        r#"
[[event]]
name = "battery_level"
counter = "level"
track = "global"
[[event]]
name = "dma_start"
begin = "what"
title = "dma"
key = "channel"
[[event]]
name = "dma_stop"
end = true
title = "dma"
key = "channel"
[[event]]
name = "overheat"
instant = ""
"#,
    )
    .unwrap();
    let input = "\
a-1 (    1) [000] .... 1.000001: battery_level: level=80 mV=4100
a-1 (    1) [000] .... 1.000002: dma_start: channel=3 what=copy
a-1 (    1) [000] .... 1.000004: dma_stop: channel=3
a-1 (    1) [000] .... 1.000005: overheat: zone=cpu
a-1 (    1) [000] .... 1.000006: battery_level: volts=4
";
    let options = ReadOptions {
        rules: Arc::new(rules),
        ..ReadOptions::default()
    };
    let trace = open(input.as_bytes(), options);
    assert_eq!(counters(&trace), ["global_counter battery_level=80"]);
    assert_eq!(slices(&trace), ["t1:dma 3/0 copy 1000002+2"]);
    assert_eq!(
        text(
            &trace,
            trace
                .slices
                .name
                .get(trace.slices.instants().next().unwrap())
        ),
        "overheat"
    );
    assert_eq!(trace.ftrace_events.len(), 5);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
}

/// Both families of events, in the order in which Linux 6.18 wrote them and in the other order.
#[test]
fn a_system_call_recorded_twice_is_one_slice() {
    let enter = "\
a-1 (    1) [000] .... 1.000001: sys_enter: NR 5 (5, 7ffc8a6c3180, 7ffc8a6c3180, 0, 0, 0)
a-1 (    1) [000] .... 1.000001: sys_newfstat(fd: 5, statbuf: 0x7ffc8a6c3180)
";
    let exit = "\
a-1 (    1) [000] .... 1.000007: sys_exit: NR 5 = 0
a-1 (    1) [000] .... 1.000007: sys_newfstat -> 0x0
";
    let swapped = |text: &str| {
        let (first, second) = text.split_once('\n').unwrap();
        format!("{second}{first}\n")
    };
    for text in [
        [enter, exit].concat(),
        [&swapped(enter), exit].concat(),
        [enter, &swapped(exit)].concat(),
    ] {
        let later = text.replace(" 1.0000", " 1.0001");
        let trace = read(&format!("{text}{later}"));
        let names: Vec<_> = trace
            .slices
            .name
            .iter()
            .map(|id| self::text(&trace, id).to_owned())
            .collect();
        assert_eq!(names, ["sys_newfstat"; 2]);
        assert!(trace.repairs.rows().is_empty(), "{text}");
        assert_eq!(trace.ftrace_events.len(), 0);
    }
}

#[test]
fn system_calls_of_each_writer() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: sys_enter: NR 56 (ffffff9c, 7f00, 0, 0, 0, 0)
a-1 (    1) [000] .... 1.000003: sys_exit: NR 56 = 3
a-1 (    1) [000] .... 1.000010: sys_openat(dfd: ffffff9c, filename: 7f0012, flags: 80000, mode: 0)
a-1 (    1) [000] .... 1.000014: sys_openat -> 0x3
a-1 (    1) [000] .... 1.000020: sys_getpid()
a-1 (    1) [000] .... 1.000021: sys_getpid -> 0x1
a-1 (    1) [000] .... 1.000030: sys_enter_close:       fd: 0x00000003
a-1 (    1) [000] .... 1.000033: sys_exit_close:        0x0
a-1 (    1) [000] .... 1.000040: sys_enter: NR 93 (0, 0, 0, 0, 0, 0)
b-2 (    2) [000] .... 1.000041: sys_exit: NR 220 = 0
",
    );
    assert_eq!(
        slices(&trace),
        [
            "t1:syscalls/0 sys_56 1000001+2",
            "t1:syscalls/0 sys_openat 1000010+4",
            "t1:syscalls/0 sys_getpid 1000020+1",
            "t1:syscalls/0 sys_close 1000030+3",
            "t1:syscalls/0 sys_93 1000040+open",
        ]
    );
    let args: Vec<_> = trace
        .args
        .set(trace.slices.arg_set_id.get(1))
        .map(|(key, value)| format!("{}={}", text(&trace, key), value.display(&trace.strings)))
        .collect();
    assert_eq!(
        args,
        [
            "name=openat",
            "dfd=0xffffff9c",
            "filename=0x7f0012",
            "flags=0x80000",
            "mode=0x0",
            "ret=0x3"
        ]
    );
    // A new thread returns from a call that its parent made.
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

#[test]
fn raw_functions_nest() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: funcgraph_entry: func=ffffffff8101 depth=0
a-1 (    1) [000] .... 1.000002: funcgraph_entry: func=ffffffff8202 depth=1
a-1 (    1) [000] .... 1.000004: funcgraph_exit: func=ffffffff8202 calltime=0x1 rettime=0x2 depth=1
a-1 (    1) [000] .... 1.000009: funcgraph_exit: func=ffffffff8101 calltime=0x1 rettime=0x2 depth=0
",
    );
    assert_eq!(
        slices(&trace),
        [
            "t1:functions/0 ffffffff8101 1000001+8",
            "t1:functions/1 ffffffff8202 1000002+2",
        ]
    );
}

#[test]
fn requests_that_complete_in_parts_or_are_issued_again() {
    let trace = read(
        "\
a-1 (    1) [000] .... 1.000001: block_rq_issue: 8,0 R 8192 () 64 + 16 [a]
a-1 (    1) [000] .... 1.000003: block_rq_complete: 8,0 R () 64 + 8 [0]
a-1 (    1) [000] .... 1.000006: block_rq_complete: 8,0 R () 72 + 8 [0]
a-1 (    1) [000] .... 1.000010: block_rq_issue: 8,0 W 4096 () 64 + 8 [a]
a-1 (    1) [000] .... 1.000015: block_rq_issue: 8,0 W 4096 () 64 + 8 [a]
a-1 (    1) [000] .... 1.000019: block_rq_complete: 8,0 W () 64 + 8 [0]
a-1 (    1) [000] .... 1.000020: block_rq_complete: 8,0 W () 64 + 8 [0]
",
    );
    assert_eq!(
        slices(&trace),
        [
            "g:block 8,0/0 R 1000001+5",
            "g:block 8,0/0 W 1000010+5",
            "g:block 8,0/0 W 1000015+4",
        ]
    );
    let count = |kind| trace.repairs.count(kind);
    assert_eq!(
        (
            count(RepairKind::MissingExit),
            count(RepairKind::UnmatchedEnd)
        ),
        (1, 1)
    );
}

/// Lines of a kernel 6.18 with the options `sym-addr` and `sym-offset`, and of `trace-cmd report --ts-diff`.
#[test]
fn callers_with_addresses_and_differences_of_time() {
    let trace = read(
        "\
            bash-20382   [001] ...1. 51151.863721: tracing_mark_write <ffffffff81498b1a>: B|20382|hello
            bash-20382   [001] ...1. 51151.863731: tracing_mark_write+0x8a/0x170: E|20382
            bash-20382   [001] ...1. 51151.863741: tracing_mark_write <stack>: B|20382|no address
              ls-17437   [000] 51151.863751: (+4)     sched_wakeup:         migration/0:18 [0] CPU:000
              ls-17437   [000] 51151.863752: (+1)(+1)     sched_wakeup:         migration/0:18 [0] CPU:000
",
    );
    assert_eq!(slices(&trace), ["t20382:/0 hello 51151863721+10"]);
    assert_eq!(trace.wakeups.len(), 1);
}
