//! The survey of kernel events. Each bundle has the events of one CPU.

use super::super::clocks::{BOOTTIME, ClockId, MONOTONIC_RAW};
use super::super::packet::Packet;
use super::super::source::Span;
use super::super::wire::{Field, Fields, Packed, Value};
use super::item::{Bundle, Item, What, event_time};
use super::packets::Survey;

/// A clock number for the kernel's `global` trace clock, which has no number in Perfetto.
const GLOBAL: u32 = u32::MAX;

/// The fields of `FtraceEventBundle` that apply to all of its events.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    cpu: u32,
    lost: bool,
    /// `FtraceClock`; 0 is `CLOCK_BOOTTIME`.
    clock: u64,
    /// When the bundle was read: the time on the bundle's clock, and on `CLOCK_BOOTTIME`.
    read_at: Option<i64>,
    boot_at: Option<i64>,
    /// The end of the previous bundle, even if that one was overwritten.
    before: Option<i64>,
}

impl Head {
    fn read(bundle: &[u8]) -> Self {
        let mut head = Self::default();
        for field in Fields::new(bundle) {
            match field.number {
                1 => head.cpu = field.uint() as u32,
                3 => head.lost = field.bool(),
                5 => head.clock = field.uint(),
                6 => head.read_at = Some(field.int()),
                7 => head.boot_at = Some(field.int()),
                9 | 10 => head.before = Some(field.int()),
                _ => {}
            }
        }
        head
    }

    fn clock(&self, machine: u32) -> ClockId {
        let number = match self.clock {
            0 => BOOTTIME,
            4 => MONOTONIC_RAW,
            _ => GLOBAL,
        };
        ClockId::new(number, 0, machine)
    }
}

impl Survey<'_> {
    /// Lists the events of a bundle.
    pub(super) fn bundle(&mut self, packet: &Packet<'_>, bytes: &[u8], span: Span) {
        let head = Head::read(bytes);
        if head.lost {
            self.losses.in_kernel.add(self.source.offset(span));
        }
        let clock = head.clock(packet.machine);
        if let (GLOBAL, Some(read_at), Some(boot_at)) = (clock.number(), head.read_at, head.boot_at)
        {
            let boot = ClockId::new(BOOTTIME, 0, packet.machine);
            self.clocks.pair([(clock, read_at), (boot, boot_at)]);
        }
        if self.cpus.insert((packet.machine, head.cpu)) {
            self.begins.extend(head.before.map(|ts| (clock, ts)));
        }
        let file_bytes = self.source.file().len();
        let Some(state) = self.sequences.state(packet, BOOTTIME, file_bytes) else {
            self.losses.too_many_states.add(self.source.offset(span));
            return;
        };
        let of = self.bundles.len() as u32;
        self.bundles.push(Bundle {
            cpu: head.cpu,
            clock,
            state,
        });
        let start = Fields::new(bytes).find(|field| matches!(field.number, 9 | 10));
        self.data_starts
            .entry((packet.machine, head.cpu))
            .or_insert((of, start.map(Field::int)));
        self.events(bytes, span, of);
        for field in Fields::new(bytes) {
            match field.number {
                4 => self.compact(field.bytes(), span.of(bytes, field.bytes()), of),
                11 => self.generic_event(bytes, span, field),
                _ => {}
            }
        }
    }

    /// Reads a `GenericEventDescriptor`. In the whole trace, only the first descriptor of each event number is used.
    fn generic_event(&mut self, bytes: &[u8], span: Span, field: Field<'_>) {
        let (mut number, mut descriptor) = (0, &[][..]);
        for field in field.fields() {
            match field.number {
                1 => number = field.uint() as u32,
                2 => descriptor = field.bytes(),
                _ => {}
            }
        }
        let place = || span.of(bytes, descriptor);
        self.generic_events.entry(number).or_insert_with(place);
    }

    /// Lists the events as runs. Within a run, timestamps never decrease.
    fn events(&mut self, bytes: &[u8], span: Span, of: u32) {
        let mut run: Option<Run> = None;
        let mut fields = Fields::new(bytes);
        let mut start = 0;
        while let Some(field) = fields.next() {
            let (begin, end) = (std::mem::replace(&mut start, fields.at()), fields.at());
            if field.number != 2 {
                continue;
            }
            let ts = event_time(field.bytes());
            match &mut run {
                Some(run) if run.last <= ts => (run.last, run.end) = (ts, end),
                _ => {
                    self.end_run(run.take(), bytes, span, of);
                    run = Some(Run {
                        first: ts,
                        last: ts,
                        begin,
                        end,
                    });
                }
            }
        }
        self.end_run(run, bytes, span, of);
    }

    fn end_run(&mut self, run: Option<Run>, bytes: &[u8], span: Span, of: u32) {
        if let Some(run) = run {
            let span = span.of(bytes, &bytes[run.begin..run.end]);
            self.items
                .push(Item::new(run.first, span, What::Events(of)));
        }
    }

    /// Lists both halves of a `CompactSched`. Their timestamps are stored as unsigned deltas, so they never decrease.
    fn compact(&mut self, bytes: &[u8], span: Span, of: u32) {
        for (number, what) in [(1, What::Switches(of)), (7, What::Wakings(of))] {
            let times = Fields::new(bytes).find(|field| field.number == number);
            if let Some(first) = times.and_then(first_number) {
                self.items.push(Item::new(first as i64, span, what));
            }
        }
    }
}

/// Consecutive events of a bundle: their first and last timestamp, and their range of bytes in the bundle.
struct Run {
    first: i64,
    last: i64,
    begin: usize,
    end: usize,
}

/// The first number of a repeated field, packed or not.
fn first_number(field: Field<'_>) -> Option<u64> {
    match field.value {
        Value::Number(number) => Some(number),
        Value::Bytes(packed) => Packed::new(packed).next(),
    }
}
