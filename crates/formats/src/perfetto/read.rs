//! The second pass: reads all items in time order and writes them to the tables.

use traceloom_trace::{Place, RepairKind, ThreadId, TraceBuilder};

use super::android::Android;
use super::counters::Counters;
use super::cpu_info;
use super::descriptors::{Declared, Descriptors};
use super::frames::Frames;
use super::generic::GenericKernel;
use super::graphics::Graphics;
use super::kernel::Kernel;
use super::machines::Machine;
use super::network::Network;
use super::packet::payload;
use super::profiling::Profiles;
use super::sequence::StateId;
use super::service::Service;
use super::survey::{Item, Survey};
use super::tasks;
use super::timeline::{Happening, Timeline};
use super::track_event::TrackEvents;
use super::wire::Fields;
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::parts::{MachineClocks, Part, PartRows};
use crate::pipeline;

/// Reads a file.
///
/// # Errors
/// If the compressed packets expand beyond the limits.
pub(super) fn read(
    file: &[u8],
    options: &ReadOptions,
    out: &mut TraceBuilder,
) -> Result<(), ReadError> {
    let mut survey = Survey::new(file, options)?;
    survey.report_losses(out);
    survey.clocks.report(out);
    let items = std::mem::take(&mut survey.items);
    survey.tracks.set_apart(&survey.source);
    let survey = survey;
    let descriptors = Descriptors::default();
    let declared = declared(&survey, &descriptors, out);
    let parts = options.nesting.parts.as_ref();
    for (number, items) in by_machine(&survey, items).into_iter().enumerate() {
        let of = (&survey, &declared);
        if number == 0 {
            let machine = read_machine(of, (number, items), options, out);
            match parts {
                Some(parts) => parts.push(own_part(&survey, &machine, out)),
                None => machine.finish(out),
            }
            continue;
        }
        let mut other = TraceBuilder::new();
        other.begin_source("", crate::format_id::PERFETTO);
        other.set_machine(number as i64);
        let machine = read_machine(of, (number, items), options, &mut other);
        if let Some(parts) = parts {
            parts.push(further_part(&survey, &machine, other));
        } else {
            machine.finish(&mut other);
            out.append(other.finish(), 0);
        }
    }
    if let Some(dump) = &options.process_dump {
        crate::process_dump::read_process_dump(dump, out);
    }
    Ok(())
}

/// The part of the machine that recorded. Its rows are in the trace of the file itself.
fn own_part(survey: &Survey<'_>, machine: &Machine, out: &TraceBuilder) -> Part {
    Part {
        raw: machine.raw(),
        facts: machine.facts(out),
        clocks: MachineClocks {
            own: survey.clocks.trace_clock_kind(),
            rows: survey.clocks.readings().collect(),
            is_synced: true,
        },
        rows: PartRows::Shared,
    }
}

/// The part of another machine. Its rows are in a separate trace.
fn further_part(survey: &Survey<'_>, machine: &Machine, out: TraceBuilder) -> Part {
    let mut converter = survey.clocks.converter();
    Part {
        raw: machine.raw(),
        facts: machine.facts(&out),
        clocks: MachineClocks {
            own: survey.clocks.trace_clock_kind(),
            rows: converter.readings(machine.raw()),
            is_synced: converter.is_synced(machine.raw()),
        },
        rows: PartRows::Own(Box::new(out.finish())),
    }
}

/// The descriptor table, extended with the messages that the trace declares.
fn declared<'s>(
    survey: &'s Survey<'s>,
    table: &'s Descriptors,
    out: &mut TraceBuilder,
) -> Declared<'s> {
    let mut declared = Declared::new(table);
    for set in &survey.extensions {
        declared.add(survey.source.get(*set));
    }
    let count = declared.refused;
    out.repair(RepairKind::SkippedEntry, count, Place::default(), || {
        "declarations of fields that are not valid, or too many".to_owned()
    });
    declared
}

/// Splits the items by machine, in the order of the machine numbers.
fn by_machine(survey: &Survey<'_>, items: Vec<Item>) -> Vec<Vec<Item>> {
    if survey.machines.is_empty() {
        return vec![items];
    }
    let mut all: Vec<Vec<Item>> = vec![Vec::new(); survey.machines.len() + 1];
    for item in items {
        let machine = survey.machine(survey.state_of(&item).machine);
        if let Some(items) = all.get_mut(machine as usize) {
            items.push(item);
        }
    }
    all
}

/// Reads the items of one machine.
fn read_machine<'s>(
    (survey, declared): (&'s Survey<'s>, &'s Declared<'s>),
    (machine, items): (usize, Vec<Item>),
    options: &ReadOptions,
    out: &mut TraceBuilder,
) -> Machine {
    let swapper = out.intern(b"swapper");
    out.name_thread(ThreadId::IDLE, swapper);
    let threads = threads(survey, options);
    let mut timeline = Timeline::new(survey, items, threads);
    data_start(survey, machine as i64, &mut timeline, out);
    let started = survey.started.filter(|_| !survey.keeps_older);
    let started = started.and_then(|(ts, state)| timeline.packet_time(state, ts));
    let complete_from = timeline.complete_from();
    let mut reader = Second {
        survey,
        kernel: Kernel::new(survey, declared.table, complete_from, options),
        events: TrackEvents::new(survey, &survey.tracks, declared),
        counters: Counters::new(survey),
        frames: Frames::default(),
        graphics: Graphics::new(survey),
        network: Network::new(survey),
        service: Service::new(survey, declared.table),
        android: Android::new(survey, declared.table),
        machine: Machine::of(survey, machine),
        is_first_machine: machine == 0,
        profiles: Profiles::new(survey),
        generic: GenericKernel::default(),
        started: started.unwrap_or(i64::MIN),
        too_early: 0,
        most_rows: FREE_ROWS + survey.source.bytes() / BYTES_FOR_ROW,
        beyond: 0,
        not_of_interest: 0,
        unread: Unread::default(),
    };
    reader.events.begin(machine as i64);
    let first = (out.trace().slices.len(), out.trace().tracks.len());
    // The timeline decodes kernel events too, so it has enough work for a thread of its own.
    pipeline::ahead(&mut timeline, threads, |(ts, happening)| {
        reader.happening(ts, happening, out);
    });
    reader.generic.finish(machine as i64, out);
    let machine = reader.finish(options, out);
    timeline.report(out);
    survey.translations.rename(first, out);
    machine
}

/// The number of threads for an input. Starting a thread takes longer than reading a small input.
fn threads(survey: &Survey<'_>, options: &ReadOptions) -> usize {
    const SMALL_BYTES: usize = 256 << 10;
    if survey.source.bytes() < SMALL_BYTES {
        return 1;
    }
    options.threads
}

/// Stores the time from which the data of all CPUs of a machine is complete.
fn data_start(
    survey: &Survey<'_>,
    machine: i64,
    timeline: &mut Timeline<'_>,
    out: &mut TraceBuilder,
) {
    let starts = survey.data_starts.iter();
    let own = starts.filter(|((raw, _), _)| survey.machine(*raw) == machine);
    let known = own.filter_map(|(_, (bundle, start))| Some((*bundle, (*start)?)));
    let latest = known.map(|(bundle, start)| timeline.convert(bundle, start));
    if let Some(ts) = latest.max() {
        out.metadata("ftrace_latest_data_start_ns", &ts.to_string());
    }
}

/// The number of counter values and arguments that any file may have, and the input bytes required for each further
/// one. Real traces have at most one row per 5 bytes.
const FREE_ROWS: usize = 1 << 20;
const BYTES_FOR_ROW: usize = 2;

struct Second<'s> {
    survey: &'s Survey<'s>,
    kernel: Kernel<'s>,
    events: TrackEvents<'s>,
    counters: Counters<'s>,
    frames: Frames,
    graphics: Graphics<'s>,
    network: Network<'s>,
    service: Service<'s>,
    android: Android<'s>,
    machine: Machine,
    is_first_machine: bool,
    profiles: Profiles<'s>,
    generic: GenericKernel,
    /// When the recording began, ns. The kernel's buffers may contain older events.
    started: i64,
    /// The number of kernel events from before `started`.
    too_early: u64,
    /// The maximum number of counter values and arguments, because a packet of few bytes can produce many.
    most_rows: usize,
    /// The number of packets beyond that limit.
    beyond: u64,
    /// The number of track events from before the recorder's range of interest.
    not_of_interest: u64,
    unread: Unread,
}

/// The number of packets of unsupported kinds, and the field number of the first one.
#[derive(Debug, Default)]
struct Unread {
    count: u64,
    first: u32,
}

impl Unread {
    fn add(&mut self, number: u32) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
    }
}

impl<'s> Second<'s> {
    fn happening(&mut self, ts: i64, happening: Happening<'s>, out: &mut TraceBuilder) {
        match happening {
            Happening::Packet {
                number,
                content,
                state,
            } => self.packet(ts, (number, content), state, out),
            _ if ts < self.started => self.too_early += 1,
            Happening::Kernel(event, bundle) => self.kernel.event(ts, &event, bundle, out),
            Happening::Switch(switch, bundle) => self.kernel.switch(ts, &switch, bundle, out),
            Happening::Waking(waking, bundle) => self.kernel.waking(ts, &waking, bundle, out),
        }
    }

    fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &'s [u8]),
        state: StateId,
        out: &mut TraceBuilder,
    ) {
        let state = self.survey.sequences.get(state);
        match number {
            payload::TRACK_EVENT if self.survey.interest.is_some_and(|from| ts < from) => {
                self.not_of_interest += 1;
                return;
            }
            payload::TRACK_EVENT => {
                self.events.event(ts, content, state, out);
                if let Some(stack) = self.events.stack.take() {
                    self.profiles.slice_stack(stack, state, out);
                }
                if let Some((slice, correlation)) = self.events.gpu.take() {
                    self.graphics.correlate(slice, correlation.fields(), out);
                }
                if let Some(event) = self.events.v8.take() {
                    self.profiles.v8_event(&event, state, out);
                }
                return;
            }
            _ if out.trace().counters.len() + out.trace().args.len() > self.most_rows => {
                self.beyond += 1;
                return;
            }
            _ => {}
        }
        self.counters
            .packet(ts, (number, content), state, &mut self.kernel, out);
        self.generic.packet(ts, number, content, out);
        self.events.packet(ts, (number, content), out);
        match number {
            payload::FRAME_TIMELINE => self.frames.event(ts, Fields::new(content), out),
            payload::CPU_INFO => cpu_info::cpu_info(content, out),
            payload::PROCESS_TREE => tasks::process_tree(content, &mut self.kernel, out),
            payload::PROCESS_DESCRIPTOR => tasks::process_descriptor(content, out),
            payload::SYSTEM_INFO => {
                self.machine.info(content, &mut self.kernel, out);
            }
            number => {
                let packet = (number, content);
                let is_read = self.profiles.packet(ts, packet, state, out)
                    || self.service.packet(ts, packet, state.machine, out)
                    || self.graphics.packet(ts, packet, state, out)
                    || self.network.packet(ts, packet, state, out)
                    || self
                        .android
                        .packet(ts, packet, state, &mut self.kernel, out);
                if !is_read && !payload::is_read(number) {
                    self.unread.add(number);
                }
            }
        }
    }

    fn finish(mut self, options: &ReadOptions, out: &mut TraceBuilder) -> Machine {
        self.events.finish(out);
        self.counters.finish(out);
        self.frames.finish(out);
        self.graphics.finish(out);
        self.service.finish(self.is_first_machine, out);
        self.android.finish(out);
        self.kernel.finish(out);
        self.events.name_threads(out);
        self.profiles.finish(options.symbolizer.as_deref(), out);
        let place = Place::default();
        let Unread { count, first } = self.unread;
        out.repair(RepairKind::SkippedEntry, count, place, || {
            format!("packets of kinds that are not read, first one with the field {first}")
        });
        out.repair(RepairKind::SkippedEntry, self.kernel.unknown, place, || {
            "kernel events that Perfetto's messages do not describe".to_owned()
        });
        out.repair(RepairKind::BadField, self.kernel.broken, place, || {
            "kernel events without content, or of a CPU that no machine has".to_owned()
        });
        out.repair(
            RepairKind::SkippedEntry,
            self.not_of_interest,
            place,
            || "track events from before the range of interest".to_owned(),
        );
        out.repair(RepairKind::BeyondLimit, self.beyond, place, || {
            "packets with too many counters or frames for their size".to_owned()
        });
        out.repair(RepairKind::SkippedEntry, self.too_early, place, || {
            "kernel events from before the recording began".to_owned()
        });
        out.repair(
            RepairKind::SkippedEntry,
            self.kernel.incomplete,
            place,
            || "kernel events from before all CPUs have events".to_owned(),
        );
        out.repair(
            RepairKind::SkippedEntry,
            self.kernel.without_thread,
            Place::default(),
            || "compact scheduling events before the first switch of their CPU".to_owned(),
        );
        out.repair(
            RepairKind::SchedMismatch,
            self.kernel.left_out,
            Place::default(),
            || "compact switches to the thread that was running already".to_owned(),
        );
        self.machine
    }
}
