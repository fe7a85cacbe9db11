//! Pages of systrace with any blocks, as its agents wrote them. The agents' source is catapult's
//! `systrace/tracing_agents`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::samples::gzip;

/// The process that every block with processes names: its pid.
pub const PAGE_PID: i64 = 2311;

/// A thread of this process. Only the process dump shows that it belongs to the process.
pub const PAGE_TID: i64 = 2360;

/// The kind of a block: which agent wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageBlock {
    /// `atrace_agent`, `ftrace_agent`.
    Ftrace,
    /// The same, compressed (trace2html).
    PackedFtrace,
    /// `android_process_data_agent` with toybox.
    Processes,
    /// The same with toolbox.
    LegacyProcesses,
    /// `android_cgroup_agent`.
    Cgroups,
    /// `atrace_process_dump`.
    Memory,
    /// `walt_agent`.
    Walt,
    /// `battor_trace_agent`.
    Battor,
    /// The tracing controller, and Chrome.
    Json,
}

impl PageBlock {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Ftrace,
        Self::PackedFtrace,
        Self::Processes,
        Self::LegacyProcesses,
        Self::Cgroups,
        Self::Memory,
        Self::Walt,
        Self::Battor,
        Self::Json,
    ];

    /// The text of a block with this many rows beyond those that it always has.
    pub fn text(self, rows: usize) -> Vec<u8> {
        match self {
            Self::Ftrace => ftrace(rows).into_bytes(),
            Self::PackedFtrace => {
                let packed = BASE64_STANDARD.encode(gzip(ftrace(rows).as_bytes()));
                format!("{packed}\n").into_bytes()
            }
            Self::Processes => processes(rows).into_bytes(),
            Self::LegacyProcesses => legacy(rows).into_bytes(),
            Self::Cgroups => cgroups(rows).into_bytes(),
            Self::Memory => memory(rows).into_bytes(),
            Self::Walt => walt(rows).into_bytes(),
            Self::Battor => battor(rows).into_bytes(),
            Self::Json => json(rows).into_bytes(),
        }
    }
}

/// A page with these blocks. `before` is the text before the first one: the viewer.
pub fn systrace_page(before: &str, blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut page = format!("<!DOCTYPE html>\n<html>{before}\n<!-- BEGIN TRACE -->\n").into_bytes();
    for block in blocks {
        page.extend(b"  <script class=\"trace-data\" type=\"application/text\">\n");
        page.extend(block);
        page.extend(b"  </script>\n");
    }
    page.extend(b"<!-- END TRACE -->\n</body>\n</html>\n");
    page
}

fn lines(rows: usize, line: impl Fn(usize) -> String) -> String {
    (0..rows).map(line).collect()
}

fn ftrace(rows: usize) -> String {
    const MARK: &str = "tracing_mark_write:";
    let first = format!(
        "# tracer: nop\n#\n RenderThread-2350  [001] ...1   10.000100: {MARK} B|{PAGE_PID}|drawn\n \
         RenderThread-2350  [001] ...1   10.000150: {MARK} trace_event_clock_sync: name=unique-id\n \
         RenderThread-2350  [001] ...1   10.000200: {MARK} E|{PAGE_PID}\n       Worker-{PAGE_TID}  [001] \
         d..3   10.000300: sched_waking: comm=RenderThread pid=2350 prio=120 target_cpu=001\n"
    );
    let more = |row| {
        let us = 1_000 + row * 3;
        format!(" RenderThread-2350  [001] ...1   10.{us:06}: {MARK} C|{PAGE_PID}|count|{row}\n")
    };
    first + &lines(rows, more)
}

fn processes(rows: usize) -> String {
    let titles = "USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM                       \n";
    let app = format!(
        "u0_a12 {PAGE_PID}   712 1500000  88000 do_epoll_wait 0 S com.example.app app_process64\n"
    );
    let more = |row| {
        let pid = 10_000 + row;
        format!("root         {pid}     2       0      0 worker_thread 0 I [kworker/{row}:0]   1\n")
    };
    let threads = format!(
        "USER           PID   TID CMD            \nu0_a12 {PAGE_PID}  {PAGE_PID} com.example.app\n\
         u0_a12 {PAGE_PID}  {PAGE_TID} Worker\n"
    );
    format!("PROCESS DUMP\n{titles}{app}{}{threads}", lines(rows, more))
}

fn legacy(rows: usize) -> String {
    let titles = "USER     PID   PPID  VSIZE  RSS     WCHAN    PC         NAME\n";
    let app =
        format!("u0_a12    {PAGE_PID} 712   1500000 88000 ffffffff b6ef0da8 S com.example.app\n");
    let more = |row| {
        let pid = 10_000 + row;
        format!("root      {pid} 2     0      0     ffffffff 00000000 S kworker/{row}:0\n")
    };
    let thread =
        format!("u0_a12    {PAGE_TID} {PAGE_PID}  1500000 88000 ffffffff b6ef0da8 S Worker\n");
    let more = lines(rows, more);
    format!("PROCESS DUMP\n{titles}{app}{more}{titles}{app}{thread}{more}")
}

fn cgroups(rows: usize) -> String {
    let more = |row| format!("/group{row} (root=4) : {row}\n");
    format!(
        "# tracer: \nCGROUP DUMP\n#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t4\t7\t1\n\
         # cgroup task attachment\n/top-app (root=4) : {PAGE_PID}\n{}",
        lines(rows, more)
    )
}

fn memory(rows: usize) -> String {
    let more = |row| {
        format!(
            ",{{\"ts\":\"{}\",\"meminfo\":{{\"MemFree\":{row}}}}}",
            10_001 + row
        )
    };
    format!(
        "ATRACE_PROCESS_DUMP\n{{\"clock_sync_markers\":{{\"unique-id\":10000}},\"dump\":{{\"start_ts\":\"10000\",\
         \"snapshots\":[{{\"ts\":\"10000\",\"memdump\":{{\"{PAGE_PID}\":{{\"vm\":2629,\"rss\":249}}}}}}{}],\
         \"processes\":{{\"{PAGE_PID}\":{{\"name\":\"com.example.app\",\"threads\":{{\"{PAGE_TID}\":\
         {{\"name\":\"Worker\"}}}}}}}}}}}}\n",
        lines(rows, more)
    )
}

fn walt(rows: usize) -> String {
    const MARK: &str = "<0>-0  (-----) [001] ...1";
    let more = |row| {
        let us = 1_000 + row * 3;
        format!("{MARK}  10.{us:06}: tracing_mark_write: C|0|walt count|{row}\n")
    };
    format!(
        "# tracer: \n# clock_type=LINUX_CLOCK_MONOTONIC\n\
         {MARK}  10.000100: tracing_mark_write: B|0|touched\n\
         {MARK}  10.000200: tracing_mark_write: E|0\n{}\
         {MARK}  10.000150: tracing_mark_write: trace_event_clock_sync: name=unique-id\n",
        lines(rows, more)
    )
}

fn battor(rows: usize) -> String {
    let more = |row| format!("{}.10 6.5 4307.7\n", row + 1);
    format!(
        "# BattOr\n# sample_rate 10000 Hz, gain 10.1x\n0.00 6.5 4307.7 <unique-id>\n{}",
        lines(rows, more)
    )
}

fn json(rows: usize) -> String {
    let more = |row| {
        format!(
            ",{{\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":{row},\"name\":\"chrome count\",\"args\":{{\"v\":{row}}}}}"
        )
    };
    format!(
        "{{\"traceEvents\":[{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10000100,\"dur\":50,\"name\":\"loaded\"}},\
         {{\"ph\":\"c\",\"pid\":1,\"tid\":1,\"ts\":10000150,\"name\":\"clock_sync\",\"args\":{{\"sync_id\":\"unique-id\",\
         \"issue_ts\":10000150}}}}{}]}}\n",
        lines(rows, more)
    )
}
