//! Android's log (logcat).

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, RowId, StringId, ThreadId, TraceBuilder};

use super::super::clocks::{ClockId, Converter};
use super::super::kernel::Kernel;
use super::super::survey::Survey;
use super::super::wire::{Field, Fields};

/// `CLOCK_REALTIME`, the clock of the log's timestamps.
const REALTIME: u32 = 1;

/// The priority of lines without one.
const INFO: u64 = 4;

/// The maximum length of the values of a binary event as text, bytes.
const MOST_VALUES: usize = 4096;

/// Collects the lines of the log. Packets have them in the order of their writers, so they are sorted at the end.
pub(super) struct Log<'s> {
    converter: Converter<'s>,
    lines: Vec<Line>,
    /// The number of lines whose timestamp cannot be converted.
    pub unconverted: u64,
    /// The number of lines that the recorder saw, failed to read and skipped, if recorded.
    counts: [Option<i64>; 3],
}

/// The names of these counts in `stats`, in the order of the fields of `AndroidLogPacket.Stats`.
const COUNTS: [&str; 3] = [
    "android_log_num_total",
    "android_log_num_failed",
    "android_log_num_skipped",
];

struct Line {
    ts: i64,
    tid: i32,
    pid: i32,
    priority: u64,
    tag: Option<StringId>,
    message: StringId,
}

impl<'s> Log<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            converter: survey.clocks.converter(),
            lines: Vec::new(),
            unconverted: 0,
            counts: [None; 3],
        }
    }

    /// An `AndroidLogPacket` of a machine.
    pub fn packet(
        &mut self,
        content: &[u8],
        machine: u32,
        kernel: &mut Kernel<'_>,
        out: &mut TraceBuilder,
    ) {
        for field in Fields::new(content) {
            match field.number {
                1 => self.event(field, machine, kernel, out),
                2 => self.stats(field.fields()),
                _ => {}
            }
        }
    }

    fn stats(&mut self, stats: Fields<'_>) {
        for field in stats {
            let place = (field.number as usize).checked_sub(1);
            if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
                *count = Some(field.int());
            }
        }
    }

    /// A `LogEvent`.
    fn event(
        &mut self,
        event: Field<'_>,
        machine: u32,
        kernel: &mut Kernel<'_>,
        out: &mut TraceBuilder,
    ) {
        let (mut pid, mut tid, mut time, mut priority) = (0, 0, 0, 0);
        let (mut tag, mut message, mut values) = (None, &b""[..], String::new());
        for field in event.fields() {
            match field.number {
                2 => pid = field.int32(),
                3 => tid = field.int32(),
                5 => time = field.int(),
                6 => tag = Some(out.intern(field.bytes())),
                7 => priority = field.uint(),
                8 => message = field.bytes(),
                9 => value(field.fields(), &mut values),
                _ => {}
            }
        }
        let Some(ts) = self
            .converter
            .convert(ClockId::new(REALTIME, 0, machine), time)
        else {
            self.unconverted += 1;
            return;
        };
        if tid > 0 && pid > 0 {
            kernel.thread_of(tid, pid);
        }
        let text = [message, values.as_bytes()].concat();
        let text = if message.is_empty() {
            text.trim_ascii_start()
        } else {
            &text
        };
        self.lines.push(Line {
            ts,
            tid,
            pid,
            priority: if priority == 0 { INFO } else { priority },
            tag,
            message: out.intern(text),
        });
    }

    /// Writes the lines, sorted by time.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        self.lines.sort_by_key(|line| line.ts);
        for (name, count) in COUNTS.iter().zip(self.counts) {
            if let Some(count) = count {
                out.stat(name, None, 0, count);
            }
        }
        let source = ArgValue::Text(out.intern(b"android_logcat"));
        let lifetimes = lifetimes(out);
        for line in self.lines {
            let mut cells = vec![
                ("utid", thread(&line, &lifetimes, out).into()),
                ("prio", ArgValue::Int(line.priority as i64)),
                ("log_source", source),
                ("msg", ArgValue::Text(line.message)),
            ];
            cells.extend(line.tag.map(|tag| ("tag", ArgValue::Text(tag))));
            out.record(line.ts, "__intrinsic_logs", &cells);
        }
    }
}

/// All threads with each tid, because tids are reused.
type Lifetimes = FxHashMap<i64, Vec<ThreadId>>;

fn lifetimes(out: &TraceBuilder) -> Lifetimes {
    let mut lifetimes = Lifetimes::default();
    for (row, tid) in out.trace().threads.tid.iter().enumerate() {
        let of_tid = lifetimes.entry(tid).or_default();
        of_tid.push(ThreadId::from_row(row));
    }
    lifetimes
}

/// The thread that wrote a line. Lines are added after all other events, so it is the thread with this tid that was
/// alive at the time of the line.
fn thread(line: &Line, lifetimes: &Lifetimes, out: &mut TraceBuilder) -> ThreadId {
    let tid = line.tid.into();
    let threads = &out.trace().threads;
    let known = lifetimes.get(&tid).map_or(&[][..], Vec::as_slice);
    let begun = known.partition_point(|utid| threads.start_ts.get(utid.row()) <= line.ts);
    if let Some(utid) = begun.checked_sub(1).map(|last| known[last]) {
        let end = threads.end_ts.get(utid.row());
        if end == NO_TIME || line.ts <= end {
            return utid;
        }
    }
    let utid = out.thread(tid);
    if line.tid > 0 && line.pid > 0 {
        out.put_in_process(utid, line.pid.into());
    }
    utid
}

/// Appends a value of a binary event, an `Arg`, as ` name=value`.
fn value(fields: Fields<'_>, to: &mut String) {
    let (mut name, mut value) = (None, String::new());
    for field in fields {
        match field.number {
            1 => name = Some(String::from_utf8_lossy(field.bytes())),
            2 => value = field.int().to_string(),
            3 => value = format!("{:.6}", f32::from_bits(field.uint() as u32)),
            4 => value = format!("\"{}\"", String::from_utf8_lossy(field.bytes())),
            _ => {}
        }
    }
    if let Some(name) = name
        && to.len() + name.len() + value.len() < MOST_VALUES
    {
        to.push_str(&format!(" {name}={value}"));
    }
}
