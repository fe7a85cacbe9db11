//! Tracepoints: kernel events with fields, such as switches between threads.
//!
//! perf records them as samples (`perf sched record`, `perf record -e sched:sched_switch -a`). Their data has the
//! layout of ftrace's ring buffer, and the file contains the formats of their fields. So they are read like the events
//! of a `trace.dat`.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::attr::Attr;
use super::sample::{Sample, Task};
use crate::format::ReadOptions;
use crate::ftrace::event::MOST_CPUS;
use crate::ring_buffer::{Coverage, PagelessEvent, RawFormats, RawReader};
use crate::trace_dat::perf_formats;

/// The tracepoints of a recording, in order of time.
pub(super) struct Tracepoints<'a> {
    formats: Option<RawFormats>,
    events: Vec<PagelessEvent<'a>>,
    /// Which threads were recorded, if the file says so.
    coverage: Option<Coverage>,
    /// Samples whose data cannot be read: the formats or the CPU are missing, or the event is not a tracepoint.
    pub unread: u64,
}

impl<'a> Tracepoints<'a> {
    /// Reads the formats. They may be missing.
    pub fn new(tracing_data: &[u8], coverage: Option<Coverage>, out: &mut TraceBuilder) -> Self {
        let place = Place::default();
        let formats = match perf_formats(tracing_data) {
            _ if tracing_data.is_empty() => None,
            Ok((formats, broken)) => {
                out.repair(RepairKind::BadField, broken, place, || {
                    "formats of tracepoints that cannot be read".to_owned()
                });
                Some(formats)
            }
            Err(error) => {
                out.repair(RepairKind::BrokenBlock, 1, place, || {
                    format!("the formats of tracepoints: {error}")
                });
                None
            }
        };
        Self {
            formats,
            events: Vec::new(),
            coverage,
            unread: 0,
        }
    }

    /// Adds the data of a sample. `at` is the offset of its record in the file, or in the decompressed data, bytes.
    pub fn add(&mut self, sample: &Sample<'a>, attr: &Attr, at: usize, (ts_ns, task): (i64, Task)) {
        /// `PERF_TYPE_TRACEPOINT`.
        const TRACEPOINT: u32 = 2;
        /// If an event has no data, the kernel pads it to this length, bytes.
        const NOTHING: usize = 4;
        let is_tracepoint = attr.kind == TRACEPOINT;
        if sample.raw.is_empty() || !is_tracepoint && sample.raw.len() <= NOTHING {
            return;
        }
        let cpu = sample.cpu.filter(|cpu| is_tracepoint && *cpu < MOST_CPUS);
        let (Some(formats), Some(cpu)) = (&mut self.formats, cpu) else {
            self.unread += 1;
            return;
        };
        if task.pid > 0 && task.tid > 0 {
            formats.set_tgid(task.tid, task.pid);
        }
        self.events.push(PagelessEvent {
            cpu,
            ts_ns,
            offset: at as u64,
            data: sample.raw,
        });
    }

    /// Reads the events. The threads that are `named` keep their names: those that the kernel saved may be of threads
    /// that had the same numbers before.
    pub fn read(
        self,
        named: impl Iterator<Item = i32>,
        options: &ReadOptions,
        out: &mut TraceBuilder,
    ) {
        let Some(mut formats) = self.formats.filter(|_| !self.events.is_empty()) else {
            return;
        };
        named.for_each(|tid| formats.forget_comm(tid));
        let coverage = self
            .coverage
            .unwrap_or_else(|| guess(&formats, &self.events));
        let mut reader = RawReader::new(options);
        reader.read_events(&formats, coverage, &self.events, out);
        reader.finish(out);
    }
}

/// Guesses which threads were recorded. It is the whole machine if an idle thread has an event, or if nearly every
/// switch of a CPU leaves the thread that the previous switch led to. A few switches may be lost.
fn guess(formats: &RawFormats, events: &[PagelessEvent<'_>]) -> Coverage {
    let mut running = FxHashMap::default();
    let (mut fitting, mut all) = (0u64, 0u64);
    for event in events {
        if formats.is_of_idle_thread(event.data) {
            return Coverage::Machine;
        }
        let Some((prev, next)) = formats.switch(event.data) else {
            continue;
        };
        if let Some(before) = running.insert(event.cpu, next) {
            all += 1;
            fitting += u64::from(before == prev);
        }
    }
    if fitting >= all - all / 10 {
        Coverage::Machine
    } else {
        Coverage::SomeThreads
    }
}
