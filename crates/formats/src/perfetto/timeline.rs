//! Puts the items of the survey in time order.
//!
//! ```text
//! items, sorted   packet  run  packet …        the event at the earliest time comes next: the next item, or the next
//!                          │                   event of a run that has begun
//! runs in progress         ├─ event event …
//!                          └─ (mostly one per CPU)
//! ```
//! A run is the events of one bundle, which are already in time order. So memory is needed per bundle, not per event.
//!
//! At equal times, packets come before kernel events, and kernel events are ordered by CPU, as in Perfetto's sorter.
//! However, a run that has begun continues before a packet of the same time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::clocks::{ClockId, Converter};
use super::compact::{CompactSwitch, CompactWaking, Switches, Wakings};
use super::kernel_event::KernelEvent;
use super::sequence::StateId;
use super::source::Span;
use super::survey::{Item, Survey, What};
use super::wire::Fields;
use crate::pipeline;

/// A packet or a kernel event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Happening<'s> {
    /// A packet: the field number of its content, the content, and its state.
    Packet {
        number: u32,
        content: &'s [u8],
        state: StateId,
    },
    /// A kernel event and the index of its bundle.
    Kernel(KernelEvent<'s>, u32),
    Switch(CompactSwitch<'s>, u32),
    Waking(CompactWaking<'s>, u32),
}

/// An iterator over packets and kernel events in time order.
pub(super) struct Timeline<'s> {
    survey: &'s Survey<'s>,
    converter: Converter<'s>,
    /// Sorted by time, which is already on the trace's clock.
    items: std::iter::Peekable<std::vec::IntoIter<Item>>,
    /// The runs that have begun: the time of the next event, the CPU, the order in the file, and the index in `runs`.
    heads: BinaryHeap<Reverse<(i64, u32, u64, usize)>>,
    /// Whether the last one was a kernel event.
    is_in_run: bool,
    runs: Vec<Run<'s>>,
    /// Free indices in `runs`.
    free: Vec<usize>,
    /// The number of items whose time cannot be converted to the trace's clock, and the first of them with its clock.
    unconverted: (u64, Option<(Span, ClockId)>),
    /// Blocks of compact scheduling data whose columns have different lengths.
    uneven: u64,
}

/// The rest of a run. The time of its next event is in the heap.
enum Run<'s> {
    Events {
        next: KernelEvent<'s>,
        rest: Fields<'s>,
        bundle: u32,
    },
    Switches {
        next: CompactSwitch<'s>,
        rest: Box<Switches<'s>>,
        bundle: u32,
    },
    Wakings {
        next: CompactWaking<'s>,
        rest: Box<Wakings<'s>>,
        bundle: u32,
    },
    Done,
}

impl<'s> Timeline<'s> {
    /// A timeline of `items`, which are taken from the survey.
    pub fn new(survey: &'s Survey<'s>, mut items: Vec<Item>, threads: usize) -> Self {
        let mut timeline = Self {
            survey,
            converter: survey.clocks.converter(),
            items: Vec::new().into_iter().peekable(),
            heads: BinaryHeap::new(),
            is_in_run: false,
            runs: Vec::new(),
            free: Vec::new(),
            unconverted: (0, None),
            uneven: 0,
        };
        items.retain_mut(|item| timeline.put_on_trace_clock(item));
        // The switches and wakings of a block may begin at the same time. Then they keep their order in the list. A run
        // begins before a packet of the same time is passed on.
        pipeline::sort(&mut items, threads, |item| {
            (item.ts, item.is_packet(), item.span.order())
        });
        timeline.items = items.into_iter().peekable();
        timeline
    }

    /// Converts the time of an item. Returns whether that was possible. Packets without a timestamp come first.
    fn put_on_trace_clock(&mut self, item: &mut Item) -> bool {
        if item.ts == i64::MIN {
            return true;
        }
        let clock = match item.what() {
            What::Packet(state) => self.survey.sequences.get(state).clock,
            What::Events(bundle) | What::Switches(bundle) | What::Wakings(bundle) => {
                self.survey.bundles[bundle as usize].clock
            }
        };
        match self.converter.convert(clock, item.ts) {
            Some(ts) => item.ts = ts,
            None => {
                self.unconverted.0 += 1;
                self.unconverted.1.get_or_insert((item.span, clock));
                return false;
            }
        }
        true
    }

    /// Converts a timestamp of a bundle to the trace's clock.
    pub fn convert(&mut self, bundle: u32, ts: i64) -> i64 {
        let clock = self.survey.bundles[bundle as usize].clock;
        self.converter.convert(clock, ts).unwrap_or(ts)
    }

    /// Converts a timestamp of a packet with this state to the trace's clock.
    pub fn packet_time(&mut self, state: u32, ts: i64) -> Option<i64> {
        let clock = self.survey.sequences.get(state).clock;
        self.converter.convert(clock, ts)
    }

    /// The time from which all CPUs have events, ns; [`i64::MIN`] if it is not recorded.
    pub fn complete_from(&mut self) -> i64 {
        let begins = self.survey.begins.iter();
        let times = begins.filter_map(|(clock, ts)| self.converter.convert(*clock, *ts));
        times.max().unwrap_or(i64::MIN)
    }

    /// Reports items whose timestamp cannot be converted, and compact blocks with columns of different lengths.
    pub fn report(&self, out: &mut TraceBuilder) {
        let place = Place::default();
        out.repair(RepairKind::TornRecord, self.uneven, place, || {
            "columns of compact scheduling events have different lengths".to_owned()
        });
        if let (count, Some((first, clock))) = self.unconverted {
            let place = Place::at_offset(self.survey.source.offset(first));
            out.repair(RepairKind::Unplaced, count, place, || {
                format!(
                    "a packet's time is on {clock}, which no snapshot connects to the trace's clock"
                )
            });
        }
    }

    /// Begins a run.
    fn begin(&mut self, item: &Item) {
        let bytes = self.survey.source.get(item.span);
        let Some(run) = Run::begin(item.what(), bytes) else {
            // The survey found a timestamp, so another column must be empty.
            self.uneven += 1;
            return;
        };
        let place = self.free.pop().unwrap_or_else(|| {
            self.runs.push(Run::Done);
            self.runs.len() - 1
        });
        self.runs[place] = run;
        let cpu = match item.what() {
            What::Packet(_) => 0,
            What::Events(bundle) | What::Switches(bundle) | What::Wakings(bundle) => {
                self.survey.bundles[bundle as usize].cpu
            }
        };
        let head = (item.ts, cpu, item.span.order(), place);
        self.heads.push(Reverse(head));
    }

    /// Whether the next event overall belongs to a run. Also true at the end, when nothing is left.
    fn is_turn_of_run(&self, item: Option<&Item>) -> bool {
        match (self.heads.peek(), item) {
            (None, item) => item.is_none(),
            (Some(_), None) => true,
            (Some(Reverse((head, ..))), Some(item)) => {
                *head < item.ts || (*head == item.ts && item.is_packet() && self.is_in_run)
            }
        }
    }

    /// The earliest of the next events of all runs.
    fn next_of_runs(&mut self) -> Option<(i64, Happening<'s>)> {
        let mut head = self.heads.peek_mut()?;
        let Reverse((ts, .., place)) = *head;
        let (happening, next) = self.runs[place].take()?;
        match next {
            Some(next) => {
                let clock = self.survey.bundles[happening.bundle() as usize].clock;
                let next = self.converter.convert(clock, next).unwrap_or(next);
                // Dropping the guard restores the order of the heap.
                head.0.0 = next.max(ts);
            }
            None => {
                PeekMut::pop(head);
                self.uneven += u64::from(self.runs[place].is_uneven());
                self.runs[place] = Run::Done;
                self.free.push(place);
            }
        }
        Some((ts, happening))
    }
}

impl Happening<'_> {
    /// The bundle of a kernel event; 0 for a packet.
    fn bundle(&self) -> u32 {
        match self {
            Self::Packet { .. } => 0,
            Self::Kernel(_, bundle) | Self::Switch(_, bundle) | Self::Waking(_, bundle) => *bundle,
        }
    }
}

impl<'s> Iterator for Timeline<'s> {
    type Item = (i64, Happening<'s>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let item = self.items.peek().copied();
            if self.is_turn_of_run(item.as_ref()) {
                self.heads.peek()?;
                if let Some(event) = self.next_of_runs() {
                    self.is_in_run = true;
                    return Some(event);
                }
                continue;
            }
            let item = self.items.next()?;
            match item.what() {
                What::Packet(state) => {
                    self.is_in_run = false;
                    return Some((
                        item.ts,
                        Happening::Packet {
                            number: item.number,
                            content: self.survey.source.get(item.span),
                            state,
                        },
                    ));
                }
                _ => self.begin(&item),
            }
        }
    }
}

impl<'s> Run<'s> {
    fn begin(what: What, bytes: &'s [u8]) -> Option<Self> {
        match what {
            What::Packet(_) => None,
            What::Events(bundle) => {
                let mut rest = Fields::new(bytes);
                Some(Self::Events {
                    next: next_event(&mut rest)?,
                    rest,
                    bundle,
                })
            }
            What::Switches(bundle) => {
                let mut rest = Switches::new(bytes);
                Some(Self::Switches {
                    next: rest.next()?,
                    rest: Box::new(rest),
                    bundle,
                })
            }
            What::Wakings(bundle) => {
                let mut rest = Wakings::new(bytes);
                Some(Self::Wakings {
                    next: rest.next()?,
                    rest: Box::new(rest),
                    bundle,
                })
            }
        }
    }

    /// Whether the run ended while a column still had values.
    fn is_uneven(&self) -> bool {
        match self {
            Self::Switches { rest, .. } => rest.is_uneven(),
            Self::Wakings { rest, .. } => rest.is_uneven(),
            Self::Events { .. } | Self::Done => false,
        }
    }

    /// Takes the next event. Also returns the time of the one after it.
    fn take(&mut self) -> Option<(Happening<'s>, Option<i64>)> {
        Some(match self {
            Self::Events { next, rest, bundle } => {
                let event = Happening::Kernel(*next, *bundle);
                let after = next_event(rest);
                *next = after.unwrap_or(*next);
                (event, after.map(|after| after.ts))
            }
            Self::Switches { next, rest, bundle } => {
                let event = Happening::Switch(*next, *bundle);
                let after = rest.next();
                *next = after.unwrap_or(*next);
                (event, after.map(|after| after.ts))
            }
            Self::Wakings { next, rest, bundle } => {
                let event = Happening::Waking(*next, *bundle);
                let after = rest.next();
                *next = after.unwrap_or(*next);
                (event, after.map(|after| after.ts))
            }
            Self::Done => return None,
        })
    }
}

/// The next `FtraceEvent` of a bundle.
fn next_event<'a>(fields: &mut Fields<'a>) -> Option<KernelEvent<'a>> {
    let event = fields.find(|field| field.number == 2)?;
    Some(KernelEvent::read(event.bytes()))
}
