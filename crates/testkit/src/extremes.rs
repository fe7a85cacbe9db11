//! Extreme traces for viewers: empty ones, far too much of one thing, names that look like code.

use std::fmt::Write;

use crate::method_trace::{Clock, MethodTraceBytes, Record};

/// An unusual trace that every viewer must handle.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// A file name.
    pub name: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

/// All extreme traces.
pub fn extremes() -> Vec<Extreme> {
    let text = |name, text: String| Extreme {
        name,
        bytes: text.into_bytes(),
    };
    let methods = |name, trace: MethodTraceBytes| Extreme {
        name,
        bytes: trace.to_bytes(),
    };
    vec![
        text("empty.ftrace", HEADER.to_owned()),
        methods("empty.trace", method_trace(Vec::new(), Vec::new())),
        text("one-slice.ftrace", one_slice()),
        text("hostile-names.ftrace", hostile_names()),
        methods("long-name.trace", long_name(10 << 20)),
        methods("deep.trace", deep(100_000)),
        text("threads.ftrace", many_threads(40_000)),
        text("never-ending.ftrace", never_ending()),
        text("late-clock.ftrace", late_clock()),
        methods("no-length.trace", without_length()),
    ]
}

/// Names that would do harm, or look wrong, in a page that does not escape them.
pub const HOSTILE_NAMES: &[&str] = &[
    "<script>window.harmed=1</script>",
    "</script><script>window.harmed=1</script>",
    "<img src=x onerror=window.harmed=1>",
    "\"><svg onload=window.harmed=1>",
    "javascript:window.harmed=1",
    "${window.harmed=1}",
    "{{constructor.constructor('window.harmed=1')()}}",
    "<!-- --> ]]> &lt;b&gt; &amp; %3Cscript%3E",
    "<!--<script>",
    "--></SCRIPT ><script>window.harmed=1</script>",
    "<\\!--<\\\\script x<\\/script>",
    "</template></body></html>",
    "__proto__",
    "constructor",
    "\u{202e}txet sdrawkcab",
    "zero\u{200b}width and a \u{1f469}\u{200d}\u{1f4bb} family",
    "' OR 1=1; --",
];

const HEADER: &str = "# tracer: nop\n#\n";

/// A mark at `us` microseconds, as the kernel prints it.
fn mark(out: &mut String, tid: u32, us: u64, payload: &str) {
    let (seconds, rest) = (us / 1_000_000, us % 1_000_000);
    writeln!(
        out,
        "       thread-{tid}  (  100) [000] .... {seconds}.{rest:06}: tracing_mark_write: {payload}"
    )
    .expect("a string takes everything");
}

fn one_slice() -> String {
    let mut out = HEADER.to_owned();
    mark(&mut out, 100, 5_000_000, "B|100|alone");
    mark(&mut out, 100, 5_000_250, "E|100");
    out
}

fn hostile_names() -> String {
    let mut out = HEADER.to_owned();
    for (at, name) in HOSTILE_NAMES.iter().enumerate() {
        let (tid, begin) = (100 + at as u32 % 3, 1_000_000 + at as u64 * 1_000);
        mark(&mut out, tid, begin, &format!("B|100|{name}"));
        mark(&mut out, tid, begin + 300, &format!("C|100|{name}|{at}"));
        mark(&mut out, tid, begin + 400, &format!("S|100|{name}|{at}"));
        mark(&mut out, tid, begin + 700, &format!("F|100|{name}|{at}"));
        mark(&mut out, tid, begin + 900, "E|100");
    }
    out
}

fn never_ending() -> String {
    let mut out = HEADER.to_owned();
    mark(&mut out, 100, 1_000_000, "B|100|never ends");
    for at in 0..20 {
        let begin = 1_001_000 + at * 1_000;
        mark(&mut out, 100, begin, "B|100|ends");
        mark(&mut out, 100, begin, "B|100|no length");
        mark(&mut out, 100, begin, "E|100");
        mark(&mut out, 100, begin + 500, "E|100");
    }
    mark(&mut out, 100, 1_030_000, "B|100|never ends either");
    mark(&mut out, 101, 1_040_000, "B|100|other thread");
    mark(&mut out, 101, 1_050_000, "E|100");
    out
}

/// Times around 2^62 ns, where a double has a resolution of 1,024 ns.
fn late_clock() -> String {
    const START_US: u64 = (1 << 62) / 1_000;
    let mut out = HEADER.to_owned();
    for at in 0..50 {
        mark(&mut out, 100, START_US + at * 10, "B|100|outer");
        mark(&mut out, 100, START_US + at * 10 + 2, "B|100|inner");
        mark(&mut out, 100, START_US + at * 10 + 3, "E|100");
        mark(&mut out, 100, START_US + at * 10 + 7, "E|100");
    }
    out
}

fn many_threads(count: u32) -> String {
    let mut out = HEADER.to_owned();
    for nth in 0..count {
        let begin = 1_000_000 + u64::from(nth) * 7;
        mark(&mut out, 1_000 + nth, begin, "B|100|work");
        mark(&mut out, 1_000 + nth, begin + 5, "E|100");
    }
    out
}

fn deep(levels: u32) -> MethodTraceBytes {
    let at = |time_us, action, level: u32| Record {
        tid: 1,
        method: (level % 50 + 1) << 2,
        action,
        cpu_us: time_us,
        time_us,
    };
    let down = (0..levels).map(|level| at(level, 0, level));
    let up = (0..levels).map(|step| at(levels + step, 1, levels - 1 - step));
    method_trace(
        (1..=50)
            .map(|id| (id << 2, line(&format!("m{id}"))))
            .collect(),
        down.chain(up).collect(),
    )
}

fn long_name(bytes: usize) -> MethodTraceBytes {
    let at = |time_us, action| Record {
        tid: 1,
        method: 4,
        action,
        cpu_us: time_us,
        time_us,
    };
    let name = line(&"<b>long</b>".repeat(bytes / 11));
    method_trace(vec![(4, name)], vec![at(0, 0), at(1_000, 1)])
}

fn without_length() -> MethodTraceBytes {
    let at = |time_us, action, id: u32| Record {
        tid: 1,
        method: id << 2,
        action,
        cpu_us: 0,
        time_us,
    };
    let calls = (0..200).flat_map(|time| {
        [
            at(time, 0, 1),
            at(time, 0, 2),
            at(time, 1, 2),
            at(time, 1, 1),
        ]
    });
    method_trace(
        vec![(4, line("outer")), (8, line("inner"))],
        calls.collect(),
    )
}

fn line(method: &str) -> String {
    format!("com.example.Edge\t{method}\t()V\tEdge.java")
}

fn method_trace(methods: Vec<(u32, String)>, records: Vec<Record>) -> MethodTraceBytes {
    MethodTraceBytes {
        version: 3,
        clock: Clock::Dual,
        vm: "art",
        pid: Some(100),
        start_us: 1_000_000,
        elapsed_us: records.last().map_or(0, |record| record.time_us.into()),
        threads: vec![(1, "main".to_owned())],
        methods,
        records,
    }
}
