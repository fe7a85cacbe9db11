//! Writes `.trace` files: versions 1 to 3, and the streaming variants of 2 and 3.
//!
//! Calls of methods are written, and so is every other slice of a thread: its name becomes the
//! method's, its category the class. Slices on tracks without a thread (async slices, counters)
//! have no call stack and are omitted.
//!
//! Times are microseconds since the start, in 32 bits. Finer times are truncated, and in a trace of
//! more than 71 minutes they overflow, which this crate's reader repairs. Versions 1 and 2 hold one
//! time: wall time, or CPU time if only that was recorded. Version 3 holds both, or only wall time
//! if no CPU time is known.

mod calls;
mod names;
mod omissions;

use std::io::Write;

use traceloom_trace::{RepairKind, RowId, Trace};

use self::calls::{Call, calls};
use self::names::Names;
use super::header::{MAGIC, STREAMING};
use crate::error::WriteError;
use crate::format::{WriteOptions, Writer};
use crate::format_id;
use crate::omissions::Written;

/// Bytes of a header, padding included.
const HEADER_BYTES: usize = 32;

/// Keys that keep their value; the values of the others are computed again.
const KEPT_KEYS: &[&str] = &[
    "clock-call-overhead-nsec",
    "vm",
    "pid",
    "alloc-count",
    "alloc-size",
    "gc-count",
    "sampling-interval-usec",
    "num-samples",
];

/// Writes `.trace` files.
pub(super) struct TraceWriter;

impl Writer for TraceWriter {
    fn extensions(&self) -> &'static [&'static str] {
        &["trace"]
    }

    fn write(
        &self,
        trace: &Trace,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let layout = Layout::choose(trace, options)?;
        let start_ns = start_ns(trace);
        let calls = calls(trace, start_ns);
        if calls.is_empty() {
            return Err(WriteError::NothingToWrite {
                format: format_id::METHOD_TRACE,
                holds: "calls of methods and slices of threads",
            });
        }
        let names = Names::assign(trace, layout.largest_tid())?;
        let mut file = File {
            trace,
            layout,
            names,
            calls: calls.len(),
            elapsed_us: calls.last().map_or(0, |call| call.wall_ns / 1000),
            cut_names: 0,
            bytes: Vec::with_capacity(1 << 16),
            out,
        };
        file.write(&calls, start_ns)?;
        Ok(file.omissions(&calls))
    }
}

/// The times in a record.
#[derive(Clone, Copy, PartialEq)]
enum Clock {
    Wall,
    ThreadCpu,
    Dual,
}

impl Clock {
    fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::ThreadCpu => "thread-cpu",
            Self::Dual => "dual",
        }
    }
}

#[derive(Clone, Copy)]
struct Layout {
    version: u8,
    streaming: bool,
    clock: Clock,
}

impl Layout {
    fn choose(trace: &Trace, options: &WriteOptions) -> Result<Self, WriteError> {
        let version = options.trace_version;
        let fits = if !options.streaming {
            matches!(version, 1..=3)
        } else {
            matches!(version, 2 | 3)
        };
        if !fits {
            return Err(WriteError::Option {
                format: format_id::METHOD_TRACE,
                option: "trace version",
                found: version.to_string(),
                expected: "1, 2 or 3 (2 or 3 when streaming)",
            });
        }
        let has_cpu = trace.slices.thread_ts.iter().any(|cpu| cpu >= 0);
        let clock = match (version, trace.metadata("method-trace-clocks")) {
            (3, _) if has_cpu => Clock::Dual,
            (1 | 2, Some("thread-cpu")) => Clock::ThreadCpu,
            _ => Clock::Wall,
        };
        Ok(Self {
            version,
            streaming: options.streaming,
            clock,
        })
    }

    fn largest_tid(self) -> i64 {
        match self.version {
            1 => u8::MAX.into(),
            _ => u16::MAX.into(),
        }
    }

    fn record_bytes(self) -> usize {
        let tid = if self.version == 1 { 1 } else { 2 };
        tid + 4 + if self.clock == Clock::Dual { 8 } else { 4 }
    }
}

/// The origin of times, ns: the original start if the trace was read from a method trace, otherwise
/// the first event.
fn start_ns(trace: &Trace) -> i64 {
    let first = trace.bounds.0.div_euclid(1000).saturating_mul(1000);
    let said = trace
        .clocks
        .iter()
        .find(|row| row.name == super::interpret::START);
    match said {
        Some(row) if row.ts <= first && first.saturating_sub(row.ts) < 1_000 << 32 => row.ts,
        _ => first,
    }
}

struct File<'a> {
    trace: &'a Trace,
    layout: Layout,
    names: Names,
    calls: usize,
    elapsed_us: i64,
    /// The number of names that were longer than their field.
    cut_names: u64,
    bytes: Vec<u8>,
    out: &'a mut dyn Write,
}

impl File<'_> {
    fn write(&mut self, calls: &[Call], start_ns: i64) -> Result<(), WriteError> {
        if self.layout.streaming {
            self.header(start_ns);
            self.stream(calls)?;
            let summary = self.key_section(false);
            self.escape(3);
            self.bytes.extend((summary.len() as u32).to_le_bytes());
            self.bytes.extend(summary);
        } else {
            let keys = self.key_section(true);
            self.bytes.extend(keys);
            self.header(start_ns);
            for call in calls {
                self.record(call);
                self.flush_full()?;
            }
        }
        self.flush()
    }

    /// Writes a streaming trace. Names are written before their first use; unused names precede the
    /// summary.
    fn stream(&mut self, calls: &[Call]) -> Result<(), WriteError> {
        let mut methods_written = vec![false; self.names.methods()];
        let mut threads_written = vec![false; self.trace.threads.len()];
        for call in calls {
            let thread = call.thread.row();
            if !std::mem::replace(&mut threads_written[thread], true) {
                self.write_thread(thread);
            }
            let method = self.names.method_of(self.trace, call.slice);
            if !std::mem::replace(&mut methods_written[method], true) {
                self.write_method(method);
            }
            self.record(call);
            self.flush_full()?;
        }
        for (method, _) in methods_written
            .iter()
            .enumerate()
            .filter(|(_, written)| !**written)
        {
            self.write_method(method);
            self.flush_full()?;
        }
        Ok(())
    }

    fn escape(&mut self, code: u8) {
        self.bytes.extend([0, 0, code]);
    }

    fn write_thread(&mut self, row: usize) {
        let name = self.names.thread_name(self.trace, row);
        let name = self.cut(&name);
        self.escape(2);
        self.bytes
            .extend((self.names.tid(row) as u16).to_le_bytes());
        self.bytes.extend((name.len() as u16).to_le_bytes());
        self.bytes.extend(name.as_bytes());
    }

    fn write_method(&mut self, method: usize) {
        let Some(line) = self.names.method_line(self.trace, method) else {
            return;
        };
        let line = self.cut(&line);
        self.escape(1);
        self.bytes.extend((line.len() as u16 + 1).to_le_bytes());
        self.bytes.extend(line.as_bytes());
        self.bytes.push(b'\n');
    }

    fn header(&mut self, start_ns: i64) {
        let begin = self.bytes.len();
        let streaming = if self.layout.streaming { STREAMING } else { 0 };
        let version = u16::from(self.layout.version) | streaming;
        self.bytes.extend(MAGIC);
        self.bytes.extend(version.to_le_bytes());
        self.bytes.extend((HEADER_BYTES as u16).to_le_bytes());
        // A trace that begins before the origin of its clock keeps its durations, but not its
        // start.
        self.bytes.extend((start_ns / 1000).max(0).to_le_bytes());
        if self.layout.version == 3 {
            let record = self.layout.record_bytes() as u16;
            self.bytes.extend(record.to_le_bytes());
        }
        self.bytes.resize(begin + HEADER_BYTES, 0);
    }

    fn record(&mut self, call: &Call) {
        let tid = self.names.tid(call.thread.row());
        let method = self.names.method_of(self.trace, call.slice);
        let word = self.names.method_id(method) | u32::from(call.is_exit);
        match self.layout.version {
            1 => self.bytes.push(tid as u8),
            _ => self.bytes.extend((tid as u16).to_le_bytes()),
        }
        self.bytes.extend(word.to_le_bytes());
        // The recorder also truncated times to 32 bits.
        let (cpu, wall) = ((call.cpu_ns / 1000) as u32, (call.wall_ns / 1000) as u32);
        if self.layout.clock != Clock::Wall {
            self.bytes.extend(cpu.to_le_bytes());
        }
        if self.layout.clock != Clock::ThreadCpu {
            self.bytes.extend(wall.to_le_bytes());
        }
    }

    /// The key section (`whole`), or the summary of a streaming trace, which has neither methods
    /// nor a number of calls.
    fn key_section(&self, whole: bool) -> Vec<u8> {
        let overflow = self.trace.repairs.count(RepairKind::BufferOverflow) > 0;
        let mut text = format!(
            "*version\n{}\ndata-file-overflow={overflow}\nclock={}\nelapsed-time-usec={}\n",
            self.layout.version,
            self.layout.clock.name(),
            self.elapsed_us,
        );
        if whole {
            text.push_str(&format!("num-method-calls={}\n", self.calls));
        }
        for key in KEPT_KEYS {
            if let Some(value) = self.trace.metadata(key) {
                text.push_str(&format!("{key}={value}\n"));
            }
        }
        text.push_str("*threads\n");
        for row in self.names.threads() {
            let name = self.names.thread_name(self.trace, row);
            text.push_str(&format!("{}\t{name}\n", self.names.tid(row)));
        }
        text.push_str("*methods\n");
        for method in (0..self.names.methods()).filter(|_| whole) {
            if let Some(line) = self.names.method_line(self.trace, method) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        text.push_str("*end\n");
        text.into_bytes()
    }

    /// Truncates a text to fit a 16-bit length, with a byte to spare for the line end.
    fn cut<'t>(&mut self, text: &'t str) -> &'t str {
        let mut end = text.len().min(usize::from(u16::MAX) - 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.cut_names += u64::from(end < text.len());
        &text[..end]
    }

    fn flush_full(&mut self) -> Result<(), WriteError> {
        if self.bytes.len() >= 1 << 16 {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}
