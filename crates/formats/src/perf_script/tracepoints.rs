//! Tracepoints, whose fields follow on the first line: `sched:sched_switch: prev_comm=…`. This module converts each to
//! a line of ftrace text, and passes these lines to the reader for ftrace text.

use std::io::Write;

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind};

use super::line::Head;
use crate::error::ReadError;
use crate::format::{Format, ReadOptions, Target};
use crate::format_id;
use crate::ftrace::FtraceText;

/// The tracepoints of a text.
#[derive(Default)]
pub(super) struct Tracepoints {
    /// One line for each line of the input, so that line numbers match. Lines that are not tracepoints are empty.
    text: Vec<u8>,
    /// The number of lines since the last tracepoint.
    others: usize,
    /// Whether any tracepoint belongs to an idle thread. This only happens in recordings of the whole machine.
    is_machine: bool,
    /// The thread that each CPU switched to last.
    running: FxHashMap<u32, i64>,
}

impl Tracepoints {
    /// Counts a line of the input.
    pub fn next_line(&mut self) {
        self.others += 1;
    }

    /// Adds the sample on the last line, if it is a tracepoint.
    pub fn add(&mut self, head: &Head<'_>) -> bool {
        let (Some(ts_ns), Some(cpu)) = (head.ts_ns, head.cpu) else {
            return false;
        };
        let Some((_, name)) = head.event.split_once(':').filter(|_| !head.rest.is_empty()) else {
            return false;
        };
        let Some(tid) = self.thread(head, name, cpu) else {
            return false;
        };
        self.is_machine |= head.tid == 0;
        let lines = self.text.len() + self.others.saturating_sub(1);
        self.text.resize(lines, b'\n');
        self.others = 0;
        let comm = match tid {
            0 => "<idle>",
            _ if head.tid < 0 => "<...>",
            _ => head.comm,
        };
        let (seconds, ns) = (ts_ns / 1_000_000_000, ts_ns % 1_000_000_000);
        // Writing to memory does not fail.
        _ = write!(self.text, "{comm:>16}-{tid:<7} ");
        _ = match head.pid.filter(|pid| *pid > 0) {
            Some(pid) => write!(self.text, "({pid:>7})"),
            None => write!(self.text, "(-------)"),
        };
        let rest = head.rest;
        _ = writeln!(
            self.text,
            " [{cpu:03}] .... {seconds}.{ns:09}: {name}: {rest}"
        );
        true
    }

    /// The thread of a tracepoint. perf prints -1 for a thread that is about to end. It is the thread that its CPU
    /// switched to last.
    fn thread(&mut self, head: &Head<'_>, name: &str, cpu: u32) -> Option<i64> {
        let before = self.running.get(&cpu).copied();
        let is_switch = name == "sched_switch";
        if let Some(next) = number(head.rest, "next_pid=").filter(|_| is_switch) {
            self.running.insert(cpu, next);
        }
        let prev = number(head.rest, "prev_pid=").filter(|_| is_switch);
        Some(head.tid).filter(|tid| *tid >= 0).or(prev).or(before)
    }

    /// Reads the tracepoints.
    ///
    /// # Errors
    /// Those of ftrace's reader.
    pub fn read(self, options: &ReadOptions, out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.text.is_empty() {
            return Ok(());
        }
        let Some(mut reader) = FtraceText.reader(options) else {
            return Ok(());
        };
        let (text, skipped) = if self.is_machine {
            (self.text, 0)
        } else {
            without_scheduling(&self.text)
        };
        let trace = out.trace(format_id::PERF_SCRIPT)?;
        trace.repair(RepairKind::SkippedEntry, skipped, Place::default(), || {
            "switches and wake-ups of some threads, which do not tell what else ran".to_owned()
        });
        reader.feed(&text, out)?;
        reader.finish(out)
    }
}

/// The number after a key.
fn number(fields: &str, key: &str) -> Option<i64> {
    let (_, value) = fields.split_once(key)?;
    value.split(' ').next()?.parse().ok()
}

/// Blanks the lines of the scheduler. Also returns their number.
fn without_scheduling(text: &[u8]) -> (Vec<u8>, u64) {
    let mut skipped = 0;
    let finder = memchr::memmem::Finder::new(": sched_");
    let lines = text.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let event = finder.find(line).map(|at| &line[at + 2..]);
        match event {
            Some(event) if !event.starts_with(b"sched_process_") => {
                skipped += 1;
                &b"\n"[..]
            }
            _ => line,
        }
    });
    let left = lines.flatten().copied().collect();
    (left, skipped)
}
