//! Lists of `/proc/PID/task/TID`, which older versions of systrace made with `echo
//! /proc/[0-9]*/task/[0-9]*`.

use traceloom_trace::TraceBuilder;

use super::tasks;

/// Whether a line is such a list. The first path may lack its slash.
pub(super) fn is_list(line: &[u8]) -> bool {
    line.split(u8::is_ascii_whitespace)
        .next()
        .and_then(task)
        .is_some()
}

/// The process and thread of a path.
fn task(path: &[u8]) -> Option<(i64, i64)> {
    let path = std::str::from_utf8(path).ok()?;
    let path = path.strip_prefix('/').unwrap_or(path);
    let (pid, tid) = path.strip_prefix("proc/")?.split_once("/task/")?;
    let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0);
    Some((number(pid)?, number(tid)?))
}

/// Adds every path of a line.
pub(super) fn read(line: &[u8], out: &mut TraceBuilder) {
    for (pid, tid) in line.split(u8::is_ascii_whitespace).filter_map(task) {
        tasks::member(tid, pid, out);
    }
}
