//! Puts everything that the survey found in order of time.
//!
//! ```text
//! items, sorted   packet  run  packet …        the event at the earliest time comes next: the next item, or the next
//!                          │                   event of a run that has begun
//! runs in progress         ├─ event event …
//!                          └─ (one a CPU, mostly)
//! ```
//! A run is a bundle's events, which are in order already. So memory is needed for each bundle and not for each event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::clocks::Converter;
use super::compact::{CompactSwitch, CompactWaking, Switches, Wakings};
use super::source::Span;
use super::survey::{Item, Survey, What};
use super::wire::Fields;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub(super) enum Happening<'s> {
    /// A packet, with its state.
    Packet {
        span: Span,
        state: u32,
    },
    /// An `FtraceEvent`, with its bundle.
    Kernel {
        event: &'s [u8],
        bundle: u32,
    },
    Switch(CompactSwitch<'s>, u32),
    Waking(CompactWaking<'s>, u32),
}

/// Gives everything in order of time.
pub(super) struct Timeline<'s> {
    survey: &'s Survey<'s>,
    converter: Converter<'s>,
    /// The times on the trace's clock, and the indices of the items.
    items: std::iter::Peekable<std::vec::IntoIter<(i64, u32)>>,
    /// The runs that have begun, by the time of their next event.
    heads: BinaryHeap<Reverse<(i64, u32, usize)>>,
    runs: Vec<Run<'s>>,
    /// Places in `runs` that are free.
    free: Vec<usize>,
    /// Items without a way to the trace's clock, and the first of them.
    pub unconverted: (u64, Option<u32>),
}

/// The rest of a run. The time of its next event is in the heap.
enum Run<'s> {
    Events {
        next: &'s [u8],
        rest: Fields<'s>,
    },
    Switches {
        next: CompactSwitch<'s>,
        rest: Switches<'s>,
    },
    Wakings {
        next: CompactWaking<'s>,
        rest: Wakings<'s>,
    },
    Done,
}

impl<'s> Timeline<'s> {
    /// The events of a survey.
    pub fn new(survey: &'s Survey<'s>) -> Self {
        let mut timeline = Self {
            survey,
            converter: survey.clocks.converter(),
            items: Vec::new().into_iter().peekable(),
            heads: BinaryHeap::new(),
            runs: Vec::new(),
            free: Vec::new(),
            unconverted: (0, None),
        };
        let mut items = Vec::with_capacity(survey.items.len());
        for (index, item) in survey.items.iter().enumerate() {
            if let Some(ts) = timeline.time_of(item, index as u32) {
                items.push((ts, index as u32));
            }
        }
        items.sort_unstable();
        timeline.items = items.into_iter().peekable();
        timeline
    }

    /// The time of an item on the clock of the trace. Packets without a time are first.
    fn time_of(&mut self, item: &Item, index: u32) -> Option<i64> {
        if item.ts == i64::MIN {
            return Some(item.ts);
        }
        let clock = match item.what {
            What::Packet => self.survey.sequences.get(item.of).clock,
            _ => self.survey.bundles[item.of as usize].clock,
        };
        let ts = self.converter.convert(clock, item.ts);
        if ts.is_none() {
            self.unconverted.0 += 1;
            self.unconverted.1.get_or_insert(index);
        }
        ts
    }

    /// Converts a time of a bundle.
    fn convert(&mut self, bundle: u32, ts: i64) -> i64 {
        let clock = self.survey.bundles[bundle as usize].clock;
        self.converter.convert(clock, ts).unwrap_or(ts)
    }

    /// Converts a time of a packet with this state.
    pub fn packet_time(&mut self, state: u32, ts: i64) -> Option<i64> {
        let clock = self.survey.sequences.get(state).clock;
        self.converter.convert(clock, ts)
    }

    /// Begins a run. Its first event is at `ts`.
    fn begin(&mut self, ts: i64, index: u32) {
        let item = &self.survey.items[index as usize];
        let bytes = self.survey.source.get(item.span);
        let Some(run) = Run::begin(item.what, bytes) else {
            return;
        };
        let place = self.free.pop().unwrap_or_else(|| {
            self.runs.push(Run::Done);
            self.runs.len() - 1
        });
        self.runs[place] = run;
        self.heads.push(Reverse((ts, index, place)));
    }

    /// The next event of the run with the earliest one.
    fn from_run(&mut self) -> Option<(i64, Happening<'s>)> {
        let Reverse((ts, index, place)) = self.heads.pop()?;
        let bundle = self.survey.items[index as usize].of;
        let (happening, next) = self.runs[place].take(bundle);
        match next {
            Some(next) => {
                let next = self.convert(bundle, next).max(ts);
                self.heads.push(Reverse((next, index, place)));
            }
            None => self.free.push(place),
        }
        happening.map(|happening| (ts, happening))
    }
}

impl<'s> Iterator for Timeline<'s> {
    type Item = (i64, Happening<'s>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let head = self
                .heads
                .peek()
                .map(|Reverse((ts, index, _))| (*ts, *index));
            let item = match (self.items.peek().copied(), head) {
                (None, None) => return None,
                (Some(item), Some(head)) if item < head => item,
                (Some(item), None) => item,
                (_, Some(_)) => match self.from_run() {
                    Some(event) => return Some(event),
                    None => continue,
                },
            };
            self.items.next();
            let Item { span, what, of, .. } = self.survey.items[item.1 as usize];
            if what == What::Packet {
                return Some((item.0, Happening::Packet { span, state: of }));
            }
            self.begin(item.0, item.1);
        }
    }
}

impl<'s> Run<'s> {
    fn begin(what: What, bytes: &'s [u8]) -> Option<Self> {
        match what {
            What::Packet => None,
            What::Events => {
                let mut rest = Fields::new(bytes);
                Some(Self::Events {
                    next: next_event(&mut rest)?,
                    rest,
                })
            }
            What::Switches => {
                let mut rest = Switches::new(bytes);
                Some(Self::Switches {
                    next: rest.next()?,
                    rest,
                })
            }
            What::Wakings => {
                let mut rest = Wakings::new(bytes);
                Some(Self::Wakings {
                    next: rest.next()?,
                    rest,
                })
            }
        }
    }

    /// Takes the next event. Also returns the time of the one after it.
    fn take(&mut self, bundle: u32) -> (Option<Happening<'s>>, Option<i64>) {
        match self {
            Self::Events { next, rest } => {
                let event = Happening::Kernel {
                    event: next,
                    bundle,
                };
                let after = next_event(rest);
                *next = after.unwrap_or_default();
                (Some(event), after.map(super::survey::event_time))
            }
            Self::Switches { next, rest } => {
                let event = Happening::Switch(*next, bundle);
                let after = rest.next();
                *next = after.unwrap_or(*next);
                (Some(event), after.map(|after| after.ts))
            }
            Self::Wakings { next, rest } => {
                let event = Happening::Waking(*next, bundle);
                let after = rest.next();
                *next = after.unwrap_or(*next);
                (Some(event), after.map(|after| after.ts))
            }
            Self::Done => (None, None),
        }
    }
}

/// The next `FtraceEvent` of a bundle.
fn next_event<'a>(fields: &mut Fields<'a>) -> Option<&'a [u8]> {
    Some(fields.find(|field| field.number == 2)?.bytes())
}
