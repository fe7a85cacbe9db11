//! The formats of other tools, with advice for their users.

use super::signs::{
    is_callgrind, is_collapsed, is_gperftools, is_json_with, is_logcat, is_perf_script,
    is_perf_trace, is_picture, is_pprof, is_strace_summary, is_text_with,
};
use crate::perf_script::has_report;

/// A file format that traceloom does not read.
pub(super) struct ForeignFormat {
    /// The name with its article, for "this is …".
    pub name: &'static str,
    /// What the user can do with it.
    pub advice: &'static str,
    pub matches: fn(&[u8]) -> bool,
}

pub(super) const FORMATS: &[ForeignFormat] = &[
    ForeignFormat {
        name: "a perf.data file of a perf older than Linux 3.2",
        advice: "open it with `perf report`",
        matches: |head| head.starts_with(b"PERFFILE"),
    },
    ForeignFormat {
        name: "a summary of strace",
        advice: "record the calls with `strace -f -ttt -T`, without `-c`",
        matches: is_strace_summary,
    },
    ForeignFormat {
        name: "text of `perf script` without threads",
        advice: "print it again without `-F`, or with the fields `comm` and `tid`",
        matches: is_perf_script,
    },
    ForeignFormat {
        name: "a report of perf (sums without samples)",
        advice: "open the perf.data that it was made of, or the output of `perf script`",
        matches: |head| head.starts_with(b"# ") && has_report(head),
    },
    ForeignFormat {
        name: "the output of `perf trace`",
        advice: "record with `perf trace record`, and open the perf.data",
        matches: is_perf_trace,
    },
    ForeignFormat {
        name: "a table of `perf sched timehist`",
        advice: "open the perf.data that it was made of",
        matches: |head| is_text_with(head, "task name                       wait time  sch delay"),
    },
    ForeignFormat {
        name: "a dump of a perf.data (`perf script -D`)",
        advice: "open the perf.data",
        matches: |head| is_text_with(head, "\n. ... raw event: size "),
    },
    ForeignFormat {
        name: "a trace of Go's runtime",
        advice: "open it with `go tool trace`",
        matches: |head| head.starts_with(b"go 1.") && is_text_with(head, " trace\0"),
    },
    ForeignFormat {
        name: "spans of Jaeger or Zipkin",
        advice: "open them in Jaeger",
        matches: |head| is_json_with(head, &["\"traceID\"", "\"spans\""]),
    },
    ForeignFormat {
        name: "spans of OpenTelemetry",
        advice: "open them in Jaeger or another backend of OpenTelemetry",
        matches: |head| is_json_with(head, &["\"resourceSpans\""]),
    },
    ForeignFormat {
        name: "a trace of Playwright",
        advice: "open it with `npx playwright show-trace`",
        matches: |head| is_json_with(head, &["\"type\":\"context-options\"", "\"browserName\""]),
    },
    ForeignFormat {
        name: "a recording of perf as JSON",
        advice: "open the perf.data that it was made of with `perf report`",
        matches: |head| is_json_with(head, &["\"linux-perf-json-version\""]),
    },
    ForeignFormat {
        name: "a Java Flight Recorder file (JFR)",
        advice: "open it with JDK Mission Control",
        matches: |head| head.starts_with(b"FLR\0"),
    },
    ForeignFormat {
        name: "a Java heap dump (hprof)",
        advice: "open it with Android Studio or Eclipse MAT",
        matches: |head| head.starts_with(b"JAVA PROFILE 1.0"),
    },
    ForeignFormat {
        name: "a speedscope profile",
        advice: "open it at speedscope.app",
        matches: |head| is_json_with(head, &["speedscope.app/file-format"]),
    },
    ForeignFormat {
        name: "a heap profile of V8, or a CPU profile of an old Chrome",
        advice: "open it in Chrome's DevTools",
        matches: |head| is_json_with(head, &["\"head\"", "\"functionName\""]),
    },
    ForeignFormat {
        name: "a pprof profile",
        advice: "open it with `go tool pprof`",
        matches: is_pprof,
    },
    ForeignFormat {
        name: "a CPU profile of gperftools",
        advice: "open it with pprof",
        matches: |head| is_gperftools(head, 8) || is_gperftools(head, 4),
    },
    ForeignFormat {
        name: "a heap or contention profile of gperftools",
        advice: "open it with pprof",
        matches: |head| head.starts_with(b"heap profile: ") || head.starts_with(b"--- contention"),
    },
    ForeignFormat {
        name: "a trace of profilo",
        advice: "convert it with profilo's workflow tool",
        matches: |head| head.starts_with(b"dt\nver|"),
    },
    ForeignFormat {
        name: "a thread dump of ART (traces.txt, ANR)",
        advice: "it is text: read it in an editor",
        matches: |head| head.trim_ascii_start().starts_with(b"----- pid "),
    },
    ForeignFormat {
        name: "a Common Trace Format stream (LTTng, barectf)",
        advice: "open it with babeltrace2 or Trace Compass",
        matches: |head| {
            head.starts_with(b"\xc1\x1f\xfc\xc1")
                || head.starts_with(b"\xc1\xfc\x1f\xc1")
                || head.starts_with(b"/* CTF ")
        },
    },
    ForeignFormat {
        name: "a Fuchsia trace (FXT)",
        advice: "open it at ui.perfetto.dev",
        matches: |head| head.starts_with(b"\x10\x00\x04\x46\x78\x54\x16\x00"),
    },
    ForeignFormat {
        name: "a trace of Tracy",
        advice: "open it with Tracy",
        matches: |head| head.starts_with(b"tlZ\x04") || head.starts_with(b"tr\xfdP"),
    },
    ForeignFormat {
        name: "a Callgrind profile",
        advice: "open it with KCachegrind or callgrind_annotate",
        matches: is_callgrind,
    },
    ForeignFormat {
        name: "a profile of gprof (gmon.out)",
        advice: "open it with gprof and the program",
        matches: |head| head.starts_with(b"gmon"),
    },
    ForeignFormat {
        name: "a binary trace of OpenHarmony",
        advice: "open it with SmartPerf Host",
        matches: |head| head.starts_with(b"OHOSPROF"),
    },
    ForeignFormat {
        name: "a heap snapshot of V8 (Chrome, Node)",
        advice: "open it in Chrome's DevTools",
        matches: |head| is_json_with(head, &["\"snapshot\"", "\"node_fields\""]),
    },
    ForeignFormat {
        name: "a log of network requests (HAR)",
        advice: "open it in the browser's developer tools",
        matches: |head| is_json_with(head, &["\"log\"", "\"entries\"", "\"creator\""]),
    },
    ForeignFormat {
        name: "a bug report of Android",
        advice: "unpack it; traces are in its folder FS/data",
        matches: |head| {
            head.starts_with(
                b"========================================================\n== dumpstate",
            )
        },
    },
    ForeignFormat {
        name: "the output of logcat",
        advice: "it is text: read it in an editor",
        matches: |head| head.starts_with(b"--------- beginning of ") || is_logcat(head),
    },
    ForeignFormat {
        name: "an SQLite database",
        advice: "open it with sqlite3; if it is an export of Perfetto, open the trace it was made of",
        matches: |head| head.starts_with(b"SQLite format 3\0"),
    },
    ForeignFormat {
        name: "a program or library (ELF)",
        advice: "record it first, for example with `traceloom capture`",
        matches: |head| head.starts_with(b"\x7fELF"),
    },
    ForeignFormat {
        name: "a picture",
        advice: "open the trace that it shows",
        matches: is_picture,
    },
    ForeignFormat {
        name: "a list of collapsed stacks",
        advice: "traceloom only writes these; open it with speedscope or flamegraph.pl",
        matches: is_collapsed,
    },
];
