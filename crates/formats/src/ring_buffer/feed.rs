//! Converts raw events to records for the interpreter.

mod repeats;
mod texts;

use self::repeats::{Repeats, Seen, has_teller};
use super::decode::{self, ID_AT, Kind, TID_AT};
use super::format::EventFormat;
use super::formats::{KnownEvent, RawFormats};
use super::merge::{CpuBytes, Merge, Timed};
use super::pages::PageFault;
use super::print::{Context, Shown};
use crate::bytes::ByteOrder;
use crate::ftrace::emptied;
use crate::ftrace::event::{Event, FieldList, FieldsEvent, Mark, NO_SHAPE, NO_TGID, Record, Value};
use crate::ftrace::mark;

/// Receives the events of a ring buffer in order of time.
pub(super) trait RawSink {
    /// An event with its fields; `offset` is the start of its record.
    fn record(&mut self, record: &Record<'_>, fields: FieldList<'_>, offset: u64);
    /// An event that another buffer recorded too, with its name and its fields.
    fn repeated(&mut self, record: &Record<'_>, name: &[u8], fields: FieldList<'_>, offset: u64);
    /// Missing or broken data of a CPU; `start` is the start of its pages.
    fn fault(&mut self, fault: PageFault, cpu: u32, start: u64);
    /// A record that has an unknown event number or is shorter than its format.
    fn unreadable(&mut self, why: Unreadable, offset: u64, ts: i64);
}

/// Why a record cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unreadable {
    /// No format has this event number.
    UnknownId(u16),
    /// The record is too short even for the event number and the thread.
    TooShort(usize),
}

/// The buffer from which switches, wake-ups and CPU values are taken. If several buffers recorded
/// the same events, each would otherwise count twice.
#[derive(Debug, Default)]
struct Chosen {
    switch: Option<usize>,
    wake: Option<usize>,
    cpu_value: Option<usize>,
}

impl Chosen {
    /// Whether events of this kind are taken from a buffer other than this one.
    fn has_other(&self, kind: &Kind, buffer: usize) -> bool {
        let chosen = match kind {
            Kind::Switch(_) => self.switch,
            Kind::Wake(..) => self.wake,
            Kind::CpuValue(..) => self.cpu_value,
            _ => None,
        };
        chosen.is_some_and(|chosen| chosen != buffer)
    }
}

/// Reads events one by one. It reuses the memory for texts and fields.
struct Feed<'a, S> {
    formats: &'a RawFormats,
    cpus: &'a [CpuBytes<'a>],
    merge: Merge<'a>,
    sink: S,
    coverage: Coverage,
    /// The last thread on each CPU, with its name and process.
    last: Vec<Thread<'a>>,
    chosen: Chosen,
    /// The events that several buffers recorded, if there are several.
    repeats: Option<Repeats<'a>>,
    shown: Vec<(&'a [u8], Shown<'a>)>,
    made: Vec<u8>,
    text: Vec<u8>,
    /// Reused memory for keys and values.
    fields: (Vec<&'static [u8]>, Vec<Value<'static>>),
}

#[derive(Clone, Copy, Debug)]
struct Thread<'a> {
    tid: i32,
    tgid: i32,
    comm: &'a [u8],
}

/// What the kernel prints for a thread with an unknown name.
const UNKNOWN_COMM: &[u8] = b"<...>";

/// Passes all events of `cpus` to `sink` in order of time. Missing or broken data is reported
/// before the event that follows it.
pub(super) fn feed<'a>(formats: &'a RawFormats, cpus: &'a [CpuBytes<'a>], sink: impl RawSink) {
    let mut feed = Feed::new(formats, cpus, sink);
    for stream in 0..cpus.len() {
        feed.report_faults(stream);
    }
    while let Some(event) = feed.merge.next() {
        feed.event(event);
        if feed.merge.has_faults(event.stream) {
            feed.report_faults(event.stream);
        }
    }
}

/// Passes events that are already in order to `sink`. `cpus` contains no pages, only CPU numbers and layouts.
pub(super) fn feed_events<'a>(
    formats: &'a RawFormats,
    cpus: &'a [CpuBytes<'a>],
    coverage: Coverage,
    events: impl Iterator<Item = Timed<'a>>,
    sink: impl RawSink,
) {
    let mut feed = Feed::new(formats, cpus, sink);
    feed.coverage = coverage;
    events.for_each(|event| feed.event(event));
}

/// Which threads were recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coverage {
    /// All threads of the machine.
    Machine,
    /// Some threads. Their switches and wake-ups do not show what else ran, so these events are kept as other events.
    SomeThreads,
}

impl Coverage {
    /// Whether the events of a format are only kept as other events.
    fn only_keeps(self, format: &EventFormat) -> bool {
        let is_scheduler =
            || format.system == "sched" && !format.name.starts_with("sched_process_");
        self == Self::SomeThreads && is_scheduler()
    }
}

impl<'a, S: RawSink> Feed<'a, S> {
    fn new(formats: &'a RawFormats, cpus: &'a [CpuBytes<'a>], sink: S) -> Self {
        let nobody = Thread {
            tid: -1,
            tgid: NO_TGID,
            comm: UNKNOWN_COMM,
        };
        let first = cpus.first().map(|cpu| cpu.buffer);
        let several = cpus.iter().any(|cpu| Some(cpu.buffer) != first);
        Self {
            formats,
            cpus,
            merge: Merge::new(cpus),
            sink,
            coverage: Coverage::Machine,
            last: vec![nobody; cpus.len()],
            chosen: Chosen::default(),
            repeats: several.then(Repeats::default),
            shown: Vec::new(),
            made: Vec::new(),
            text: Vec::new(),
            fields: Default::default(),
        }
    }

    #[cold]
    fn report_faults(&mut self, stream: usize) {
        let cpu = &self.cpus[stream];
        for fault in self.merge.take_faults(stream) {
            self.sink.fault(fault, cpu.cpu, cpu.offset);
        }
    }

    #[inline]
    fn event(&mut self, timed: Timed<'a>) {
        let cpu = &self.cpus[timed.stream];
        let (order, data) = (cpu.layout.order, timed.raw.data);
        let offset = cpu.offset + timed.raw.offset;
        let (Some(id), Some(tid)) = (order.u16(data, ID_AT), order.u32(data, TID_AT)) else {
            let why = Unreadable::TooShort(data.len());
            return self.sink.unreadable(why, offset, timed.ts);
        };
        let Some(event) = self.formats.event(id) else {
            return self
                .sink
                .unreadable(Unreadable::UnknownId(id), offset, timed.ts);
        };
        let thread = self.thread(timed.stream, tid as i32);
        let record = Record {
            ts: timed.ts,
            tid: thread.tid,
            tgid: thread.tgid,
            cpu: cpu.cpu,
            line: 0,
            comm: thread.comm,
            event: Event::Unparsed(b""),
        };
        if let Some(repeats) = self.repeats.as_mut().filter(|_| !has_teller(&event.kind)) {
            let (buffer, ts) = (cpu.buffer, timed.ts);
            if repeats.has((cpu.cpu, id), Seen { buffer, ts, data }) {
                return self.with_fields(event, timed, record, (offset, true));
            }
        }
        if self.coverage.only_keeps(&event.format) {
            return self.with_fields(event, timed, record, (offset, true));
        }
        match self.quick(event, data, order, cpu.buffer) {
            Some(event) => {
                self.sink
                    .record(&Record { event, ..record }, FieldList::default(), offset)
            }
            None => self.slow(event, record, timed, offset),
        }
    }

    /// The thread of an event, with its name and process from other sources. Consecutive events usually have the same
    /// thread.
    #[inline]
    fn thread(&mut self, stream: usize, tid: i32) -> Thread<'a> {
        let last = &mut self.last[stream];
        if last.tid != tid {
            *last = Thread {
                // Negative numbers are not valid thread ids.
                tid: tid.max(0),
                tgid: self.formats.tgid(tid).unwrap_or(NO_TGID),
                comm: match tid {
                    0 => b"<idle>",
                    _ => self.formats.comm(tid).unwrap_or(UNKNOWN_COMM),
                },
            };
        }
        *last
    }

    /// Decodes the kinds of events that need no extra memory.
    #[inline]
    fn quick(
        &mut self,
        event: &'a KnownEvent,
        data: &'a [u8],
        order: ByteOrder,
        buffer: usize,
    ) -> Option<Event<'a>> {
        let is_chosen = |chosen: &mut Option<usize>| *chosen.get_or_insert(buffer) == buffer;
        match &event.kind {
            Kind::Switch(fields) => fields
                .read(data, order)
                .filter(|_| is_chosen(&mut self.chosen.switch))
                .map(Event::Switch),
            Kind::Wake(kind, fields) => fields
                .read(*kind, data, order)
                .filter(|_| is_chosen(&mut self.chosen.wake))
                .map(Event::Wake),
            Kind::CpuValue(kind, fields) => decode::cpu_value(*kind, fields, data, order)
                .filter(|_| is_chosen(&mut self.chosen.cpu_value))
                .map(Event::CpuValue),
            Kind::Print([_, buf]) => {
                let mark = mark(decode::printed(buf, data)?);
                // A text that is not a marker is reported with the function that printed it.
                (!matches!(mark, Mark::Text { .. })).then_some(Event::Mark(mark))
            }
            _ => None,
        }
    }

    fn slow(&mut self, event: &'a KnownEvent, record: Record<'a>, timed: Timed<'a>, offset: u64) {
        let order = self.cpus[timed.stream].layout.order;
        let data = timed.raw.data;
        let converted = match &event.kind {
            Kind::Print([ip, buf]) => decode::printed(buf, data).map(|text| {
                self.plain_text(ip.int(data, order), text, record, offset);
            }),
            Kind::Bputs([ip, text]) => {
                let address = order.uint(data, text.offset, text.size);
                let text = address.and_then(|address| self.formats.symbols().text(address));
                text.map(|text| self.print(event, ip.int(data, order), text, record, offset))
            }
            Kind::Bprint(fields) => self.bprint(event, fields, timed, record, offset),
            Kind::Marker(_) => self.marker(event, timed, record, offset),
            Kind::Function([ip, parent]) => {
                let ips = ip.int(data, order).zip(parent.int(data, order));
                ips.map(|(ip, parent)| self.function(ip as u64, parent as u64, record, offset))
            }
            Kind::GraphEntry(_) | Kind::GraphExit(..) => self.graph(event, timed, record, offset),
            Kind::Switch(_) | Kind::Wake(..) | Kind::CpuValue(..) | Kind::Fields => None,
        };
        if converted.is_none() {
            let buffer = self.cpus[timed.stream].buffer;
            let is_repeated = self.chosen.has_other(&event.kind, buffer);
            self.with_fields(event, timed, record, (offset, is_repeated));
        }
    }

    /// Decodes any event according to the plan of its kind.
    fn with_fields(
        &mut self,
        event: &'a KnownEvent,
        timed: Timed<'a>,
        record: Record<'a>,
        (offset, is_repeated): (u64, bool),
    ) {
        self.made.clear();
        self.shown.clear();
        let shown = &mut self.shown;
        let mut context = Context {
            event: timed.raw.data,
            format: &event.format,
            order: self.cpus[timed.stream].layout.order,
            symbols: self.formats.symbols(),
            made: &mut self.made,
        };
        self.formats
            .plan(event)
            .each(&mut context, |key, value| shown.push((key, value)));
        let made = &self.made;
        let (mut keys, mut values) = std::mem::take(&mut self.fields);
        keys.extend(self.shown.iter().map(|(key, _)| *key));
        values.extend(self.shown.iter().map(|(_, shown)| match shown {
            Shown::Int(value) => Value::Int(*value),
            Shown::Hex(value) => Value::Hex(*value),
            Shown::Text(text) => Value::Text(text),
            Shown::Made(range) => Value::Text(made.get(range.clone()).unwrap_or_default()),
        }));
        let fields = FieldList {
            keys: &keys,
            values: &values,
        };
        let name = event.format.name.as_bytes();
        let shape = NO_SHAPE;
        let converted = Event::Fields(FieldsEvent { name, shape });
        let record = Record {
            event: converted,
            ..record
        };
        if is_repeated {
            self.sink.repeated(&record, name, fields, offset);
        } else {
            self.sink.record(&record, fields, offset);
        }
        self.fields = (emptied(keys), emptied(values));
    }
}
