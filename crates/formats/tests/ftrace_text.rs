//! Small ftrace texts end to end: what each rule makes of them.

mod common;

use std::fmt::Write;
use std::sync::Arc;

use common::{fingerprint, open, text};
use proptest::prelude::*;
use traceloom_formats::{EventRules, ReadOptions, read_bytes};
use traceloom_trace::{ClockKind, NO_DURATION, NO_TIME, RepairKind, RowId, Trace};

fn read(input: &str) -> Trace {
    open(input.as_bytes(), ReadOptions::default())
}

/// Slices as `track/depth name start+dur`, times in µs.
fn slices(trace: &Trace) -> Vec<String> {
    let show = |row: traceloom_trace::SliceRow| {
        let track = trace.tracks.row(row.track_id.row());
        let owner = match (track.utid.some(), track.upid.some()) {
            (Some(utid), _) => format!("t{}", trace.threads.tid.get(utid.row())),
            (None, Some(upid)) => format!("p{}", trace.processes.pid.get(upid.row())),
            _ if track.cpu >= 0 => format!("c{}", track.cpu),
            _ => "g".to_owned(),
        };
        let dur = if row.dur == NO_DURATION {
            "open".to_owned()
        } else {
            (row.dur / 1000).to_string()
        };
        let (track, name) = (text(trace, track.name), text(trace, row.name));
        format!(
            "{owner}:{track}/{} {name} {}+{dur}",
            row.depth,
            row.ts / 1000
        )
    };
    trace.slices.rows().map(show).collect()
}

fn counters(trace: &Trace) -> Vec<String> {
    let show = |row: traceloom_trace::CounterRow| {
        let track = trace.tracks.row(row.track_id.row());
        format!(
            "{} {}={}",
            track.kind.name(),
            text(trace, track.name),
            row.value
        )
    };
    trace.counters.rows().map(show).collect()
}

#[test]
fn every_marker() {
    let trace = read(
        "\
app-11 (-----) [000] .... 1.000001: tracing_mark_write: B|10|outer|part
app-11 (-----) [000] .... 1.000002: tracing_mark_write: B|10|inner
app-11 (-----) [000] .... 1.000003: tracing_mark_write: E
app-11 (-----) [000] .... 1.000004: 0: C|10|heap|42
app-11 (-----) [000] .... 1.000005: print: tracing_mark_write: S|10|load|7
app-12 (-----) [001] .... 1.000006: tracing_mark_write: S|10|load|8
app-12 (-----) [001] .... 1.000007: tracing_mark_write: F|10|load|7
app-12 (-----) [001] .... 1.000009: tracing_mark_write: G|10|jobs|one|1
app-12 (-----) [001] .... 1.000010: tracing_mark_write: H|10|jobs|1
app-12 (-----) [001] .... 1.000011: tracing_mark_write: I|10|now
app-12 (-----) [001] .... 1.000011: tracing_mark_write: hello world
app-12 (-----) [001] .... 1.000012: tracing_mark_write: N|10|jobs|then
app-11 (-----) [000] .... 1.000013: systrace: E|10
app-11 (-----) [000] .... 1.000014: tracing_mark_write: E|10
app-11 (-----) [000] .... 1.000015: tracing_mark_write: trace_event_clock_sync: realtime_ts=1503658729660
",
    );
    assert_eq!(
        slices(&trace),
        [
            "t11:/0 outer|part 1000001+12",
            "t11:/1 inner 1000002+1",
            "p10:load/0 load 1000005+2",
            "p10:load/0 load 1000006+open",
            "p10:jobs/0 one 1000009+1",
        ]
    );
    assert_eq!(counters(&trace), ["process_counter heap=42"]);
    let names: Vec<_> = trace
        .instants
        .rows()
        .map(|row| text(&trace, row.name))
        .collect();
    assert_eq!(names, ["now", "hello world", "then"]);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
    assert_eq!(trace.repairs.count(RepairKind::MissingTgid), 2);
    let first = trace
        .repairs
        .rows()
        .iter()
        .find(|row| row.kind == RepairKind::UnmatchedEnd)
        .unwrap();
    assert_eq!(first.first.to_string(), "line 14");
    assert_eq!(
        (trace.clocks[0].clock, trace.clocks[0].ts),
        (ClockKind::Realtime, 1_000_015_000)
    );
}

#[test]
fn the_column_knows_the_process_better_than_the_marker() {
    let trace = read(
        "\
app-11 (   10) [000] .... 1.000001: tracing_mark_write: B|1|in a container
app-11 (   10) [000] .... 1.000002: tracing_mark_write: C|1|n|1
app-11 (-----) [000] .... 1.000003: tracing_mark_write: E|1
",
    );
    let pids: Vec<_> = trace.processes.pid.iter().collect();
    assert_eq!(pids, [10]);
    assert_eq!(trace.repairs.count(RepairKind::MissingTgid), 0);
}

#[test]
fn a_number_used_again_is_another_thread() {
    let trace = read(
        "\
sh-5 (    5) [000] .... 1.000001: task_newtask: pid=7 comm=sh clone_flags=1200011 oom_score_adj=0
sh-5 (    5) [000] .... 1.000002: sched_process_fork: comm=sh pid=5 child_comm=sh child_pid=7
sh-5 (    5) [000] .... 1.000003: sched_wakeup_new: comm=sh pid=7 prio=120 target_cpu=001
ls-7 (-----) [001] .... 1.000010: task_rename: pid=7 oldcomm=sh newcomm=ls oom_score_adj=0
<...>-7 (-----) [001] .... 1.000020: sched_process_exit: comm=ls pid=7 prio=120
<...>-7 (-----) [001] d... 1.000021: sched_switch: prev_comm=ls prev_pid=7 prev_prio=120 prev_state=Z ==> next_comm=swapper/1 next_pid=0 next_prio=120
sh-5 (    5) [000] .... 1.000030: task_newtask: pid=7 comm=sh clone_flags=3d0f00 oom_score_adj=0
sh-5 (    5) [000] .... 1.000031: sched_wakeup_new: comm=sh pid=7 prio=120 target_cpu=001
<idle>-0 (-----) [001] d... 1.000040: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=7 next_prio=120
",
    );
    let lives: Vec<_> = trace.threads.rows().filter(|row| row.tid == 7).collect();
    assert_eq!(lives.len(), 2, "{lives:?}");
    assert_eq!(
        (lives[0].start_ts, lives[0].end_ts),
        (1_000_001_000, 1_000_020_000)
    );
    assert_eq!(
        (lives[1].start_ts, lives[1].end_ts),
        (1_000_030_000, NO_TIME)
    );
    let names: Vec<_> = lives.iter().map(|row| text(&trace, row.name)).collect();
    assert_eq!(names, ["ls", "worker"]);
    let process = |row: &traceloom_trace::ThreadRow| trace.processes.row(row.upid.row());
    assert_eq!((process(&lives[0]).pid, process(&lives[0]).ppid), (7, 5));
    assert_eq!(process(&lives[1]).pid, 5);
    let swapper = trace.threads.rows().find(|row| row.tid == 0).unwrap();
    assert_eq!(text(&trace, swapper.name), "swapper");
}

#[test]
fn a_ring_buffer_and_lost_events() {
    let trace = read(
        "\
# tracer: nop
#
# entries-in-buffer/entries-written: 5/105   #P:2
#
##### CPU 0 buffer started ####
a-1 (    1) [000] .... 1.000001: tracing_mark_write: E|1
a-1 (    1) [000] .... 1.000002: tracing_mark_write: E|1
##### CPU 1 buffer started ####
a-1 (    1) [001] .... 1.000003: tracing_mark_write: E|1
CPU:1 [LOST 12 EVENTS]
a-1 (    1) [001] .... 1.000005: tracing_mark_write: B|1|x
what is this
a-1 (    1) [001] .... 1.000004: tracing_mark_write: E|1
",
    );
    let repairs: Vec<_> = trace
        .repairs
        .rows()
        .iter()
        .map(|row| (row.kind.name(), row.count, row.first.to_string()))
        .collect();
    let expected = [
        ("buffer_overflow", 100, "line 3"),
        ("lost_events", 12, "line 10"),
        ("unparsed_line", 1, "line 12"),
        ("time_went_back", 1, "line 13"),
        ("negative_duration", 1, "1.000004000 s"),
        ("circular_prefix", 2, "line 1"),
        ("unmatched_end", 1, "line 9"),
    ];
    assert_eq!(
        repairs,
        expected.map(|(kind, count, place)| (kind, count, place.to_owned()))
    );
    assert_eq!(trace.metadata("tracer"), Some("nop"));
}

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

#[test]
fn a_torn_last_line_is_kept_and_counted() {
    let trace = read(
        "\
a-1 [000] .... 1.000001: cpu_idle: state=1 cpu_id=0
a-1 [000] .... 1.000002: sched_switch: prev_comm=a prev_pid=1",
    );
    assert_eq!(
        (trace.sched_slices.len(), trace.ftrace_events.len()),
        (0, 1)
    );
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
}

#[test]
fn the_last_line_of_an_old_systrace_is_at_no_time() {
    let trace = read(
        "\
a-1 [000] 50.000001: 0: B|1|x
dummy-0000 [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0
",
    );
    assert_eq!(trace.bounds, (50_000_001_000, 50_000_001_000));
    assert_eq!(trace.repairs.count(RepairKind::TimeWentBack), 0);
    assert_eq!(
        (trace.clocks[0].clock, trace.clocks[0].ts),
        (ClockKind::Monotonic, 0)
    );
}

#[test]
fn names_that_the_recorder_cut() {
    let name = "x".repeat(1023 - "B|12345|".len());
    let trace = read(&format!(
        "a-1 [000] .... 1.000001: tracing_mark_write: B|12345|{name}\n"
    ));
    assert_eq!(trace.repairs.count(RepairKind::NameCut), 1);
    let trace = read(&format!(
        "a-1 [000] .... 1.000001: tracing_mark_write: B|12345|{}\n",
        &name[1..]
    ));
    assert_eq!(trace.repairs.count(RepairKind::NameCut), 0);
}

#[test]
fn a_page_with_several_blocks_shares_threads() {
    use traceloom_formats::{AnyReader, Reader, Target};
    let mut builder = traceloom_trace::TraceBuilder::new();
    builder.begin_source("page", "systrace");
    let dump = "PROCESS DUMP\nUSER PID PPID VSZ RSS WCHAN PC S NAME COMM\nu0_a7 10 1 0 0 0 0 S com.example.long.name   ample.long.name\nUSER PID TID CMD\nu0_a7 10 11 RenderThread\n";
    let ftrace = "RenderThread-11 [000] .... 1.000001: sched_waking: comm=x pid=12 prio=120 target_cpu=000\n";
    for block in [dump, ftrace] {
        let mut reader = AnyReader::new(ReadOptions {
            joined: true,
            ..ReadOptions::default()
        });
        let mut out = Target::Trace(&mut builder);
        reader.feed(block.as_bytes(), &mut out).unwrap();
        reader.finish(&mut out).unwrap();
    }
    let trace = builder.finish();
    assert_eq!(trace.sources.len(), 1);
    let render = trace.threads.rows().find(|row| row.tid == 11).unwrap();
    let process = trace.processes.row(render.upid.row());
    assert_eq!(
        (process.pid, process.uid, text(&trace, process.name)),
        (10, 10_007, "com.example.long.name")
    );
    assert_eq!(trace.repairs.count(RepairKind::MissingTgid), 1);
}

/// Lines that would cost the square of their length if a rule looked back or ahead without end.
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
            // A square would take minutes; this leaves room for a slow and busy machine.
            assert!(at.elapsed().as_secs() < 10, "{start}{unit}…");
        }
    }
}

prop_compose! {
    /// A name as the kernel allows it: up to 15 bytes, whatever they are but line ends.
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
