//! Texts with many rows of each table.

use super::kind::{Kind, joined};

pub(super) const KINDS: &[Kind] = &[
    ("ftrace threads", |n| {
        ftrace(n, |i| {
            format!(" t-{i} [000] .... 1.000001: cpu_idle: state=1 cpu_id=0\n")
        })
    }),
    ("ftrace processes", |n| {
        ftrace(n, |i| mark(i + 10, &format!("C|{}|n|1", i + 10)))
    }),
    ("ftrace births of one number", |n| {
        ftrace(n, |i| {
            format!(
                " a-7 [000] .... 1.{i:06}: task_newtask: pid=9 comm=b clone_flags=3d0f00 oom_score_adj=0\n \
         b-9 [000] .... 1.{i:06}: sched_process_exit: comm=b pid=9 prio=120\n"
            )
        })
    }),
    ("ftrace counters", |n| {
        ftrace(n, |i| mark(7, &format!("C|7|counter {i}|1")))
    }),
    ("ftrace names", |n| {
        ftrace(n, |i| mark(7, &format!("B|7|name {i}")) + &mark(7, "E|7"))
    }),
    ("ftrace begins", |n| ftrace(n, |_| mark(7, "B|7|a"))),
    ("ftrace ends", |n| ftrace(n, |_| mark(7, "E|7"))),
    ("ftrace asyncs that never end", |n| {
        ftrace(n, |i| mark(7, &format!("S|7|a|{i}")))
    }),
    ("ftrace asyncs of one cookie", |n| {
        ftrace(n, |_| mark(7, "S|7|a|1"))
    }),
    ("ftrace tracks", |n| {
        ftrace(n, |i| mark(7, &format!("G|7|track {i}|a|1")))
    }),
    ("ftrace CPUs", |n| {
        ftrace(n, |i| {
            format!(
                " a-7 [{:03}] .... 1.000001: cpu_frequency: state=1 cpu_id={}\n",
                i % 60_000,
                i % 60_000
            )
        })
    }),
    ("ftrace switches", |n| {
        ftrace(n, |i| {
            format!(
                " a-{a} [000] d..3 1.{i:06}: sched_switch: prev_comm=a prev_pid={a} prev_prio=120 prev_state=S ==> \
         next_comm=a next_pid={b} next_prio=120\n",
                a = i + 10,
                b = i + 11
            )
        })
    }),
    ("ftrace wakings", |n| {
        ftrace(n, |i| {
            format!(
                " a-7 [000] d..3 1.{i:06}: sched_waking: comm=w pid={} prio=120 target_cpu=000\n",
                i + 10
            )
        })
    }),
    ("ftrace transactions", |n| {
        ftrace(n, |i| {
            format!(
                " a-7 [000] .... 1.{i:06}: binder_transaction: transaction={i} dest_node=1 dest_proc=9 dest_thread=0 reply=0 \
         flags=0x10 code=0x1\n"
            )
        })
    }),
    ("ftrace disk requests", |n| {
        ftrace(n, |i| {
            format!(" a-7 [000] .... 1.{i:06}: block_rq_issue: 8,0 R 4096 () {i} + 8 [a]\n")
        })
    }),
    ("ftrace devices", |n| {
        ftrace(n, |i| {
            format!(" a-7 [000] .... 1.{i:06}: block_rq_issue: {i},0 R 4096 () 8 + 8 [a]\n")
        })
    }),
    ("ftrace interrupts", |n| {
        ftrace(n, |i| {
            format!(" a-7 [000] .... 1.{i:06}: irq_handler_entry: irq={i} name=irq{i}\n")
        })
    }),
    ("ftrace work", |n| {
        ftrace(n, |i| {
            format!(
                " a-7 [000] .... 1.{i:06}: workqueue_execute_start: work struct {i:x}: function f{i}\n"
            )
        })
    }),
    ("ftrace clocks and regulators", |n| {
        ftrace(n, |i| {
            format!(
                " a-7 [000] .... 1.{i:06}: clock_enable: clk{i} state=1 cpu_id=0\n \
         a-7 [000] .... 1.{i:06}: regulator_enable: name=r{i}\n"
            )
        })
    }),
    ("ftrace events without a rule", |n| {
        ftrace(n, |i| {
            format!(" a-7 [000] .... 1.{i:06}: event_{i}: key{i}={i}\n")
        })
    }),
    ("ftrace functions", |n| {
        ftrace(n, |i| {
            format!(" a-7 [000] .... 1.{i:06}: function_{i} <-parent_{i}\n")
        })
    }),
    ("ftrace calls of function_graph", |n| {
        ftrace(n, |i| format!(" 0)               |  call_{i}() {{\n"))
    }),
    ("ftrace facts", |n| {
        ftrace(n, |i| format!("# fact{i}: {i}\n"))
    }),
    ("ftrace clock markers", |n| {
        ftrace(n, |i| {
            mark(7, &format!("trace_event_clock_sync: name=m{i}"))
        })
    }),
    ("ftrace clock points", |n| {
        ftrace(n, |i| {
            mark(7, &format!("trace_event_clock_sync: parent_ts={i}.5"))
        })
    }),
    ("ftrace lines that are no events", |n| {
        ftrace(n, |i| format!("nothing {i}\n"))
    }),
    ("ftrace buffers", |n| {
        ftrace(n, |i| {
            format!("##### CPU {} buffer started ####\n", i % 60_000)
        })
    }),
    ("tables after ftrace text", |n| {
        ftrace(n, |i| format!("USER PID NAME\nroot {} init\n", i + 10))
    }),
    ("dump processes", |n| {
        dump("USER PID PPID NAME\n", n, |i| {
            format!("root {} 1 p{i}\n", i + 10)
        })
    }),
    ("dump threads", |n| {
        dump("USER PID TID CMD\n", n, |i| {
            format!("root 9 {} t{i}\n", i + 10)
        })
    }),
    ("dump threads of toolbox", |n| {
        dump(
            "USER PID PPID VSIZE RSS WCHAN PC NAME\nroot 9 1 5 5 0 0 S /init\n",
            n,
            |i| format!("root {} 9 5 5 0 0 S t{i}\n", i + 10),
        )
    }),
    ("dump tables", |n| {
        dump("", n, |i| format!("USER PID NAME\nroot {} p\n", i + 10))
    }),
    ("dump paths", |n| {
        dump("", n, |i| format!("/proc/9/task/{i}\n"))
    }),
    ("dump paths in a line", |n| {
        dump("", n, |i| format!("/proc/9/task/{i} "))
    }),
    ("cgroups", |n| {
        dump("CGROUP DUMP\n", n, |i| {
            format!("/group{i} (root=4) : {i}\n")
        })
    }),
    ("BattOr samples", |n| {
        dump("# BattOr\n", n, |i| format!("{i} 1 1 <m{i}>\n"))
    }),
    ("BattOr facts", |n| {
        dump("# BattOr\n", n, |i| format!("# fact{i} {i}\n"))
    }),
    ("memory snapshots", |n| {
        memory(
            n,
            |i| format!(r#",{{"ts":"{}","meminfo":{{"MemFree":{i}}}}}"#, i + 1),
            |_| String::new(),
        )
    }),
    ("memory lines", |n| {
        memory(
            n,
            |i| format!(r#",{{"ts":"1","meminfo":{{"Line{i}":{i}}}}}"#),
            |_| String::new(),
        )
    }),
    ("memory processes", |n| {
        memory(
            n,
            |_| String::new(),
            |i| format!(r#","{}":{{"name":"p{i}"}}"#, i + 10),
        )
    }),
];

fn mark(tid: usize, payload: &str) -> String {
    format!(" app-{tid} [000] .... 1.000001: tracing_mark_write: {payload}\n")
}

fn ftrace(count: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let first = mark(7, "C|7|first|1");
    format!("# tracer: nop\n#\n{first}{}", joined(count, line)).into_bytes()
}

fn dump(titles: &str, count: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    format!("{titles}{}", joined(count, line)).into_bytes()
}

fn memory(
    count: usize,
    snapshot: impl Fn(usize) -> String,
    process: impl Fn(usize) -> String,
) -> Vec<u8> {
    format!(
        "ATRACE_PROCESS_DUMP\n{{\"dump\":{{\"start_ts\":\"1\",\"snapshots\":[{{\"ts\":\"1\"}}{}],\
         \"processes\":{{\"9\":{{\"name\":\"a\"}}{}}}}}}}\n",
        joined(count, snapshot),
        joined(count, process)
    )
    .into_bytes()
}
