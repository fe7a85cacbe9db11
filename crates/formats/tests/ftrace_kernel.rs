//! Small ftrace texts end to end: kernel events, function tracers and the user's rules.

mod common;

use std::sync::Arc;

use common::{counters, open, read, slices, text};
use traceloom_formats::{EventRules, ReadOptions};
use traceloom_trace::RepairKind;

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
            "c0:irq/0 timer 1000001+2",
            "c0:softirq/0 RCU 1000004+2",
            "g:block 8,0/0 WS 1000010+2",
            "g:block 8,0/0 R 1000011+2",
            "t1:workqueue/0 tick 1000014+1",
        ]
    );
    assert_eq!(
        counters(&trace),
        [
            "counter gpu_clk Frequency=200",
            "cpu_counter cpufreq=600000",
            "process_counter mem.rss.anon=4096",
            "process_counter oom_score_adj=900"
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
    assert_eq!(counters(&trace), ["counter battery_level=80"]);
    assert_eq!(slices(&trace), ["t1:dma 3/0 copy 1000002+2"]);
    assert_eq!(text(&trace, trace.instants.name.get(0)), "overheat");
    assert_eq!(trace.ftrace_events.len(), 5);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
}
