//! Converts records to threads, mappings, stacks, counters and samples.

use traceloom_trace::{Place, RepairKind, StringId, TraceBuilder};

use super::attr::Attr;
use super::counters::Counters;
use super::facts;
use super::head::Parts;
use super::order::{Queue, Timed, has_task};
use super::records::{Record, Records, kind};
use super::sample::{Sample, Task};
use super::stacks::Chains;
use super::stats::Stats;
use super::survey::Survey;
use super::tally::Tally;
use super::tasks::{self, Lineage, Tasks};
use super::tracepoints::Tracepoints;
use super::unpack::unpack;
use crate::bytes::Cursor;
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::profile::{
    BYTES, Execution, NONE, Sample as Row, Samples, add_samples, add_stacks, cpu_mode,
};

/// Memory limit for samples: a base for any file, bytes, and the bytes allowed for each byte of the file.
const OF_SAMPLES: (usize, usize) = (24 << 20, 7);

/// Reads a file.
///
/// # Errors
///
/// If the header is invalid, or the compressed records expand to more bytes than allowed.
pub(super) fn read(
    file: &[u8],
    options: &ReadOptions,
    out: &mut TraceBuilder,
) -> Result<(), ReadError> {
    let parts = Parts::find(file)?;
    out.add_source_bytes(file.len() as u64);
    let further = parts.further.map_or(&[][..], |(bytes, _)| bytes);
    let data = [parts.data, further].map(|bytes| Records::new(bytes, parts.order));
    let unpacked = unpack(data.into_iter().flatten(), options, parts.order, out)?;
    let bytes = file.len() + unpacked.len();
    let survey = Survey::new(&parts, &unpacked, bytes);
    facts::report(&survey, out);
    let mut interpreter = Interpreter::new(&survey, bytes, out);
    let queue = interpreter.queue(&parts, &unpacked, out);
    for record in queue.sorted() {
        interpreter.record(&record, out);
    }
    interpreter.finish(options, out);
    facts::report_clock(&survey, out);
    report_ends(&parts, out);
    Ok(())
}

/// Reports missing parts of the file.
fn report_ends(parts: &Parts<'_>, out: &mut TraceBuilder) {
    let end = Place::at_offset((parts.data_at + parts.data.len()) as u64);
    out.repair(
        RepairKind::TornRecord,
        u64::from(parts.missing > 0),
        end,
        || format!("{} bytes are missing", parts.missing),
    );
    let is_alone = parts.further.is_some_and(|(bytes, _)| bytes.is_empty());
    out.repair(RepairKind::TornRecord, is_alone.into(), end, || {
        "the files `data.0`, `data.1` … are missing, which have the samples; open the folder that perf wrote"
            .to_owned()
    });
    out.repair(
        RepairKind::MissingSummary,
        u64::from(parts.is_open),
        end,
        || "the header does not give the length of the data".to_owned(),
    );
}

struct Interpreter<'a, 's> {
    survey: &'s Survey<'a>,
    tasks: Tasks,
    chains: Chains<'a>,
    samples: Samples,
    counters: Counters,
    stats: Stats,
    tally: Tally,
    tracepoints: Tracepoints<'a>,
    source: StringId,
    /// The memory left for samples, bytes.
    room: usize,
}

impl<'a, 's> Interpreter<'a, 's> {
    fn new(survey: &'s Survey<'a>, bytes: usize, out: &mut TraceBuilder) -> Self {
        let mut samples = Samples::default();
        let source = out.intern(b"linux.perf");
        let command = facts::command_line(survey);
        let counters = Counters::new(&survey.events, &command, &mut samples, out);
        Self {
            survey,
            tasks: Tasks::default(),
            chains: Chains::new(bytes),
            samples,
            counters,
            stats: Stats::default(),
            tally: Tally {
                broken: survey.broken,
                skipped_features: survey.skipped.clone(),
                ..Tally::default()
            },
            tracepoints: Tracepoints::new(survey.tracing_data, survey.coverage, out),
            source,
            room: OF_SAMPLES.0 + OF_SAMPLES.1 * bytes,
        }
    }

    /// Collects the records that must be sorted by time.
    fn queue(
        &mut self,
        parts: &Parts<'a>,
        unpacked: &'a [u8],
        out: &mut TraceBuilder,
    ) -> Queue<'a> {
        let mut queue = Queue::default();
        let places = [(unpacked, None), (parts.data, Some(parts.data_at))];
        let further = parts.further.map(|(bytes, at)| (bytes, Some(at)));
        // Compressed records lie between uncompressed ones. All of them have times.
        for (bytes, at) in places.into_iter().chain(further) {
            let mut records = Records::new(bytes, parts.order);
            for mut record in records.by_ref() {
                record.at += at.unwrap_or(0);
                self.enqueue(record, &mut queue);
            }
            let torn = u64::from(records.left() > 0);
            let place = at.map(|at| Place::at_offset((at + records.at()) as u64));
            out.repair(
                RepairKind::TornRecord,
                torn,
                place.unwrap_or_default(),
                || format!("{} bytes are not a record", records.left()),
            );
        }
        self.tally.rebuilt = queue.rebuilt;
        queue
    }

    fn enqueue(&mut self, record: Record<'a>, queue: &mut Queue<'a>) {
        let order = self.survey.order;
        let events = &self.survey.events;
        match record.kind {
            kind::FINISHED_ROUND => queue.end_round(),
            kind::SAMPLE => match events.of(&record, order) {
                Some(event) => queue.push(record, events, event, order),
                None => self.tally.unknown_events += 1,
            },
            kind::MMAP | kind::MMAP2 | kind::COMM | kind::FORK | kind::EXIT => {
                if has_task(&record, order) {
                    let event = events.of(&record, order).unwrap_or(0);
                    queue.push(record, events, event, order);
                } else {
                    self.tally.broken += 1;
                }
            }
            kind::LOST | kind::LOST_SAMPLES => self.lost(&record),
            kind::STAT => {
                let is_read = self.stats.add(record.cursor(order), events);
                self.tally.broken += u64::from(is_read.is_none());
            }
            kind::STAT_ROUND => {
                let is_read = self.stats.end_round(record.cursor(order));
                self.tally.broken += u64::from(is_read.is_none());
            }
            _ if is_known(record.kind) => {}
            other => self.tally.skip(other),
        }
    }

    /// Counts lost samples and records. In LOST, the id of an event comes before their number.
    fn lost(&mut self, record: &Record<'a>) {
        /// `PERF_RECORD_MISC_LOST_SAMPLES_BPF`
        const IS_FILTERED: u16 = 1 << 15;
        let mut numbers = record.cursor(self.survey.order).numbers();
        let losses = &mut self.tally.losses;
        let (count, at) = match record.kind {
            kind::LOST => (&mut losses.in_buffers, 1),
            _ if record.misc & IS_FILTERED != 0 => (&mut losses.filtered, 0),
            _ => (&mut losses.of_events, 0),
        };
        match numbers.nth(at) {
            Some(lost) => *count = count.saturating_add(lost),
            None => self.tally.broken += 1,
        }
    }

    fn record(&mut self, timed: &Timed<'a>, out: &mut TraceBuilder) {
        let from = timed.record.cursor(self.survey.order);
        let is_read = match timed.record.kind {
            kind::SAMPLE => self.sample(timed, out),
            kind::COMM => self.comm(from, out),
            kind::FORK => self.fork(from, ts_of(timed), out),
            kind::EXIT => self.exit(from, ts_of(timed), out),
            _ => self.chains.map(&timed.record, self.survey, out),
        };
        self.tally.broken += u64::from(is_read.is_none());
    }

    /// Names a thread. If the thread runs another program, its mappings stay: for a moment, its stacks still have
    /// addresses of the old program. The mappings of the new program replace the old ones.
    fn comm(&mut self, mut from: Cursor<'a>, out: &mut TraceBuilder) -> Option<()> {
        let task = Task::parse(&mut from)?;
        self.tasks.comm(task, from.text()?, out);
        Some(())
    }

    fn fork(&mut self, from: Cursor<'a>, ts: Option<i64>, out: &mut TraceBuilder) -> Option<()> {
        let born = Lineage::parse(from)?;
        self.tasks.fork(born, ts, out);
        if born.task.pid != born.parent.pid {
            self.chains.maps.fork(born.parent.pid, born.task.pid);
        }
        Some(())
    }

    fn exit(&mut self, from: Cursor<'a>, ts: Option<i64>, out: &mut TraceBuilder) -> Option<()> {
        let ended = Lineage::parse(from)?;
        self.tasks.exit(ended.task, ts, out);
        Some(())
    }

    fn sample(&mut self, timed: &Timed<'a>, out: &mut TraceBuilder) -> Option<()> {
        let order = self.survey.order;
        let attr = self.survey.events.list.get(timed.event as usize)?.attr;
        let sample = Sample::parse(timed.record.cursor(order), &attr, order)?;
        let (Some(ts), Some(task)) = (ts_of(timed), sample.task) else {
            self.tally.incomplete += 1;
            return Some(());
        };
        let values = sample.values.len().max(1);
        let Some(room) = self.room.checked_sub(BYTES + 200 * values) else {
            self.tally.beyond += 1;
            return Some(());
        };
        self.room = room;
        self.row(timed, &sample, &attr, (ts, task), out);
        Some(())
    }

    fn row(
        &mut self,
        timed: &Timed<'a>,
        sample: &Sample<'a>,
        attr: &Attr,
        (ts, task): (i64, Task),
        out: &mut TraceBuilder,
    ) {
        // The lowest three bits are the CPU mode.
        let mode = cpu_mode(u64::from(timed.record.misc & 7));
        let (callsite, unmapped) =
            self.chains
                .callsite(sample, timed.record.misc, task, self.survey, out);
        self.tally.unmapped += unmapped;
        self.tracepoints
            .add(sample, attr, timed.record.at, (ts, task));
        self.tally.stacks += u64::from(sample.has_stack);
        self.tally.unknown_modes += u64::from(mode.is_empty());
        let who = crate::profile::Task {
            upid: tasks::process(task.pid, out),
            utid: tasks::thread(task, out),
            context: NONE,
        };
        let execution = Execution {
            cpu: sample.cpu,
            mode: out.intern_unless_empty(mode.as_bytes()),
        };
        let row = Row {
            task: self.samples.task(who),
            execution: self.samples.execution(execution),
            callsite,
            session: self.counters.session(timed.event),
            counters: self.counters.values(
                ts,
                timed.event,
                sample,
                &self.survey.events,
                &mut self.samples,
                out,
            ),
            ..Row::at(ts, self.source)
        };
        self.samples.samples.push(row);
    }

    fn finish(mut self, options: &ReadOptions, out: &mut TraceBuilder) {
        if let Some(symbolizer) = &options.symbolizer {
            self.chains.name_frames(&**symbolizer, self.survey, out);
        }
        self.counters
            .stats(&self.stats, &self.survey.events, &mut self.samples, out);
        let mut tally = self.tally;
        tally.dropped_values = self.counters.dropped + self.stats.dropped;
        tally.losses.are_counted_twice = self.survey.events.count_losses();
        tally.untimed_counts = self.stats.untimed();
        tally.raw = self.tracepoints.unread;
        tally.beyond += self.chains.beyond() + self.survey.symbols.beyond;
        tally.report(out);
        if let Some(callsites) = add_stacks(&self.chains.stacks, out) {
            add_samples(self.samples, callsites, out);
        }
        self.tracepoints.read(self.tasks.named(), options, out);
    }
}

/// The time of a record, if it has one that fits into 64 bits with a sign.
fn ts_of(timed: &Timed<'_>) -> Option<i64> {
    timed.ts.and_then(|ts| i64::try_from(ts).ok())
}

/// Whether nothing of a record is lost by skipping it: it was used before samples are read, or it repeats other
/// records.
fn is_known(kind: u32) -> bool {
    const ID_INDEX: u32 = 69;
    const CPU_MAP: u32 = 74;
    const TIME_CONV: u32 = 79;
    matches!(
        kind,
        kind::HEADER_ATTR
            | kind::BUILD_ID
            | kind::EVENT_UPDATE
            | kind::HEADER_FEATURE
            | kind::COMPRESSED
            | kind::COMPRESSED2
            | kind::FINISHED_INIT
            | kind::KSYMBOL
            | kind::CALLCHAIN_DEFERRED
            | kind::KERNEL_SYMBOLS
            | kind::EVENT_ID
            | kind::TRACING_DATA
            | kind::TRACING_DATA_OF_SIMPLEPERF
            | ID_INDEX
            | kind::THREAD_MAP
            | kind::STAT_CONFIG
            | CPU_MAP
            | TIME_CONV
    )
}
