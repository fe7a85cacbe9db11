//! Kernel events. `FtraceEvent` messages and compact switches become the same records as those of ftrace text and
//! `trace.dat`, so that one interpreter handles all three.

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_CPU, NO_FLAG, TraceBuilder, WakeKind};

use super::clocks::{ClockId, Converter, MONOTONIC_RAW};
use super::compact::{CompactSwitch, CompactWaking};
use super::descriptors::{Descriptors, Kind, MessageType, lone_message};
use super::kernel_event::KernelEvent;
use super::kernel_fields::{cpu_value, generic_field, switch, value, wake};
use super::quirks;
use super::states::{KernelVersion, task_state};
use super::survey::{Bundle, Survey};
use super::values::Values;
use super::wire::{Field, Fields};
use crate::format::ReadOptions;
use crate::ftrace::event::{
    CpuValueKind, Event, FieldList, FieldsEvent, NO_SHAPE, NO_TGID, Record, Switch, Value, Wake,
    irq_context,
};
use crate::ftrace::{Interpreter, mark};

/// The field numbers of the events in `FtraceEvent` with special handling.
mod number {
    pub const PRINT: u32 = 3;
    pub const SCHED_SWITCH: u32 = 4;
    pub const CPU_FREQUENCY: u32 = 11;
    pub const CPU_IDLE: u32 = 13;
    pub const SCHED_WAKEUP: u32 = 17;
    pub const SCHED_WAKING: u32 = 20;
    pub const SCHED_WAKEUP_NEW: u32 = 114;
    pub const GENERIC: u32 = 327;
}

/// The limit for CPU numbers.
const MOST_CPUS: u32 = crate::ftrace::event::MOST_CPUS;

/// Passes kernel events to the interpreter.
pub(super) struct Kernel<'s> {
    survey: &'s Survey<'s>,
    interpreter: Interpreter,
    converter: Converter<'s>,
    descriptors: &'s Descriptors,
    /// The `FtraceEvent` message, and the messages of the events that have occurred.
    events: MessageType<'static>,
    messages: FxHashMap<u32, Option<(&'s str, MessageType<'s>)>>,
    /// The next thread of the last switch of each CPU.
    last: FxHashMap<u32, Last<'s>>,
    /// The processes of threads, from process trees.
    tgids: FxHashMap<i32, i32>,
    pub version: Option<KernelVersion>,
    /// The time from which all CPUs have events, ns. Earlier events are incomplete, because those of other CPUs are
    /// missing.
    complete_from: i64,
    /// The number of events from before `complete_from` that are left out.
    pub incomplete: u64,
    /// The number of compact events before the first switch of their CPU. The running thread is unknown for them.
    pub without_thread: u64,
    /// The number of compact switches to the thread that was already running. The switch before each of these is
    /// missing.
    pub left_out: u64,
    /// The number of events without a descriptor.
    pub unknown: u64,
    /// The number of events without content or with an invalid CPU number.
    pub broken: u64,
}

/// A thread on a CPU.
#[derive(Clone, Copy)]
struct Last<'s> {
    tid: i32,
    prio: i32,
    comm: &'s [u8],
}

/// The time, thread and CPU of an event.
#[derive(Clone, Copy)]
struct Place<'s> {
    ts: i64,
    tid: i32,
    bundle: &'s Bundle,
    offset: u64,
    irq_context: i8,
}

/// The kernel's placeholder for an unknown thread name.
const UNKNOWN_COMM: &[u8] = b"<...>";

impl<'s> Kernel<'s> {
    pub fn new(
        survey: &'s Survey<'s>,
        descriptors: &'s Descriptors,
        complete_from: i64,
        options: &ReadOptions,
    ) -> Self {
        Self {
            survey,
            interpreter: Interpreter::for_whole_marks(options.rules.clone()),
            converter: survey.clocks.converter(),
            events: descriptors.message("FtraceEvent").unwrap_or_default(),
            descriptors,
            messages: FxHashMap::default(),
            last: FxHashMap::default(),
            tgids: FxHashMap::default(),
            version: None,
            complete_from,
            incomplete: 0,
            without_thread: 0,
            left_out: 0,
            unknown: 0,
            broken: 0,
        }
    }

    /// Sets the process of a thread for later events.
    pub fn thread_of(&mut self, tid: i32, tgid: i32) {
        self.tgids.insert(tid, tgid);
    }

    /// An `FtraceEvent`.
    pub fn event(&mut self, ts: i64, event: &KernelEvent<'s>, bundle: u32, out: &mut TraceBuilder) {
        let bundle = &self.survey.bundles[bundle as usize];
        let place = Place {
            ts,
            tid: event.tid,
            bundle,
            offset: self.survey.source.offset_of(event.bytes),
            irq_context: event.irq_context,
        };
        if event.number != 0 && bundle.cpu < MOST_CPUS {
            self.content(place, event, out);
        } else {
            self.broken += 1;
        }
    }

    fn content(&mut self, place: Place<'s>, event: &KernelEvent<'s>, out: &mut TraceBuilder) {
        let fields = Fields::new(event.content);
        let is_cropped = place.ts < self.complete_from;
        if is_cropped && event.number != number::GENERIC {
            // Other CPUs may have lost their events of this time, so the tables would be wrong.
            self.described(place, event.number, fields.clone(), out);
        }
        let event = match event.number {
            number::PRINT => {
                let text = fields.clone().find(|field| field.number == 2);
                Event::Mark(mark(text.map_or(&[], Field::bytes)))
            }
            number::SCHED_SWITCH => Event::Switch(switch(fields, self.version)),
            number::SCHED_WAKING => Event::Wake(wake(fields, WakeKind::Waking, place.irq_context)),
            number::SCHED_WAKEUP => Event::Wake(wake(fields, WakeKind::Wakeup, place.irq_context)),
            number::SCHED_WAKEUP_NEW => Event::Wake(wake(fields, WakeKind::New, place.irq_context)),
            number::CPU_FREQUENCY => cpu_value(fields, CpuValueKind::Frequency),
            number::CPU_IDLE => cpu_value(fields, CpuValueKind::Idle),
            number::GENERIC => return self.generic(place, fields, out),
            _ if is_cropped => return,
            number => return self.described(place, number, fields, out),
        };
        if let Event::Switch(switch) = event {
            let (tid, prio) = (switch.next_tid, switch.next_prio);
            self.last.insert(
                place.bundle.cpu,
                Last {
                    tid,
                    prio,
                    comm: switch.next_comm,
                },
            );
        }
        if !is_cropped {
            self.pass(place, event, FieldList::default(), out);
        }
    }

    fn pass(
        &mut self,
        place: Place<'s>,
        event: Event<'_>,
        fields: FieldList<'_>,
        out: &mut TraceBuilder,
    ) {
        let record = Record {
            ts: place.ts,
            tid: place.tid,
            tgid: self.tgids.get(&place.tid).copied().unwrap_or(NO_TGID),
            cpu: place.bundle.cpu,
            line: 0,
            comm: UNKNOWN_COMM,
            event,
        };
        if place.ts >= self.complete_from {
            self.interpreter.binary(&record, fields, place.offset, out);
        } else if let Event::Fields(event) = record.event {
            self.interpreter
                .keep(&record, event.name, fields, place.offset, out);
        } else {
            self.incomplete += 1;
        }
    }

    /// A switch of a `CompactSched`. For the first one of a CPU, only the next thread is known.
    pub fn switch(
        &mut self,
        ts: i64,
        switch: &CompactSwitch<'s>,
        bundle: u32,
        out: &mut TraceBuilder,
    ) {
        let bundle = &self.survey.bundles[bundle as usize];
        if bundle.cpu >= MOST_CPUS {
            self.broken += 1;
            return;
        }
        let next = Last {
            tid: switch.next_tid.max(0),
            prio: switch.next_prio,
            comm: switch.next_comm,
        };
        let Some(prev) = self.last.insert(bundle.cpu, next) else {
            self.without_thread += 1;
            return;
        };
        self.left_out += u64::from(prev.tid == next.tid);
        let event = Event::Switch(Switch {
            prev_comm: UNKNOWN_COMM,
            next_comm: next.comm,
            prev_tid: prev.tid,
            next_tid: next.tid,
            prev_prio: prev.prio,
            next_prio: next.prio,
            prev_state: task_state(switch.prev_state, self.version),
        });
        let place = Place {
            ts,
            tid: prev.tid,
            bundle,
            offset: 0,
            irq_context: NO_FLAG,
        };
        self.pass(place, event, FieldList::default(), out);
    }

    /// A wakeup of a `CompactSched`.
    pub fn waking(
        &mut self,
        ts: i64,
        waking: &CompactWaking<'s>,
        bundle: u32,
        out: &mut TraceBuilder,
    ) {
        let bundle = &self.survey.bundles[bundle as usize];
        if bundle.cpu >= MOST_CPUS {
            self.broken += 1;
            return;
        }
        let Some(waker) = self.last.get(&bundle.cpu).copied() else {
            self.without_thread += 1;
            return;
        };
        let event = Event::Wake(Wake {
            kind: WakeKind::Waking,
            comm: waking.comm,
            tid: waking.tid.max(0),
            prio: waking.prio,
            target_cpu: u32::try_from(waking.target_cpu).unwrap_or(NO_CPU),
            irq_context: waking.flags.map_or(NO_FLAG, irq_context),
        });
        let place = Place {
            ts,
            tid: waker.tid,
            bundle,
            offset: 0,
            irq_context: NO_FLAG,
        };
        self.pass(place, event, FieldList::default(), out);
    }

    /// An event whose fields are described by a message.
    fn described(
        &mut self,
        place: Place<'s>,
        number: u32,
        fields: Fields<'s>,
        out: &mut TraceBuilder,
    ) {
        let (events, descriptors, survey) = (&self.events, self.descriptors, self.survey);
        let find = || description(number, events, descriptors, survey);
        let Some((name, message)) = self.messages.entry(number).or_insert_with(find) else {
            self.unknown += 1;
            return;
        };
        let state = self.survey.sequences.get(place.bundle.state);
        let mut values = Values::default();
        for field in fields {
            if let Some(described) = message.field(field.number) {
                let key = quirks::key(name, described.name);
                values.push(
                    key.as_bytes(),
                    value(self.survey, &state, key, described.kind, field),
                );
            }
        }
        let name = *name;
        if let ("task_newtask" | "sched_process_free", Some(Value::Int(tid))) =
            (name, values.get(b"pid"))
        {
            // The tid may be reused by another thread.
            self.tgids.remove(&(tid as i32));
        }
        if name == "gpu_work_period" {
            self.interpreter.period_start = self.period_start(&values, state.machine);
        }
        quirks::complete(name, &mut values);
        let marker = quirks::marker(name, &values);
        let event = match marker.filter(|_| place.ts >= self.complete_from) {
            Some(marker) => Event::Mark(marker),
            None => Event::Fields(FieldsEvent {
                name: name.as_bytes(),
                shape: NO_SHAPE,
            }),
        };
        self.pass(place, event, values.list(), out);
    }

    /// The start of the period of a `gpu_work_period`. It is on `CLOCK_MONOTONIC_RAW`, not on the clock of the event.
    fn period_start(&mut self, values: &Values<'_>, machine: u32) -> Option<i64> {
        let Some(Value::Int(start)) = values.get(b"start_time_ns") else {
            return None;
        };
        let clock = ClockId::new(MONOTONIC_RAW, 0, machine);
        self.converter.convert(clock, start)
    }

    /// A generic event, which contains the names of its fields.
    fn generic(&mut self, place: Place<'s>, fields: Fields<'s>, out: &mut TraceBuilder) {
        let mut name: &[u8] = b"";
        let mut values = Values::default();
        for field in fields {
            match field.number {
                1 => name = field.bytes(),
                2 => {
                    let (key, value) = generic_field(field.fields());
                    values.push(key, value);
                }
                _ => {}
            }
        }
        let event = Event::Fields(FieldsEvent {
            name,
            shape: NO_SHAPE,
        });
        self.pass(place, event, values.list(), out);
    }

    /// Ends the input.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.interpreter.finish(out);
    }
}

/// The name and the fields of an event, from Perfetto's messages or else from the trace's own descriptors.
fn description<'s>(
    number: u32,
    events: &MessageType<'static>,
    descriptors: &'s Descriptors,
    survey: &'s Survey<'s>,
) -> Option<(&'s str, MessageType<'s>)> {
    if let Some(event) = events.field(number) {
        let Kind::Message(message) = event.kind else {
            return None;
        };
        return Some((event.name, descriptors.message(message)?));
    }
    let own = survey.generic_events.get(&number)?;
    lone_message(survey.source.get(*own))
}
