//! The events of some lines, small: threads hand pieces to each other, and what one processor core
//! wrote costs another more to take over than the same events cost to pack.
//!
//! ```text
//! front   kind | lines passed over | CPU,  task,  ns since the event before     three words
//! wide    kind | WIDE,  task,  lines passed over,  CPU,  time (two words)       where one does not fit
//! behind  sched_switch: task, task, priority, state;  B: pid, text;  irq_handler_entry: shape
//! ```
//! A task (name, thread, process), a text and the keys of an event are told once and meant by their number, so
//! that whoever reads events hardly touches the lines that they come from. Values stand in a list of their own.

use traceloom_trace::TaskState;

use super::event::{CpuValue, CpuValueKind, Event, FieldList, FieldsEvent, Mark};
use super::event::{Record, Switch, Value, Wake, WakeKind};
use super::shapes::NO_SHAPE;

/// Kinds of events: the lowest bits of a front.
pub(super) mod kind {
    pub const SWITCH: u32 = 0;
    pub const WAKING: u32 = 1;
    pub const WAKEUP: u32 = 2;
    pub const WAKEUP_NEW: u32 = 3;
    pub const BEGIN: u32 = 4;
    pub const END: u32 = 5;
    pub const COUNTER: u32 = 6;
    pub const IDLE: u32 = 7;
    pub const FREQUENCY: u32 = 8;
    /// Fields whose keys the piece knows.
    pub const SHAPED: u32 = 9;
    /// Fields with keys of their own.
    pub const FIELDS: u32 = 10;
    /// An event that stands in a list as it is.
    pub const RARE: u32 = 11;
}

/// In a front: something of it does not fit into its bits.
pub(super) const WIDE: u32 = 0x80;

/// What a line or an event says of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub comm: &'a [u8],
    pub tid: i32,
    pub tgid: i32,
}

/// The keys of a shape: `count` from `first` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeKeys<'a> {
    pub event: &'a [u8],
    pub first: usize,
    pub count: usize,
}

/// Some whole lines of the input, tokenized.
#[derive(Debug, Default)]
pub(crate) struct Piece<'a> {
    pub(super) words: Vec<u32>,
    pub(super) tasks: Vec<Task<'a>>,
    pub(super) texts: Vec<&'a [u8]>,
    /// From shape 1 on.
    pub(super) shapes: Vec<ShapeKeys<'a>>,
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) values: Vec<Value<'a>>,
    pub(super) rare: Vec<Event<'a>>,
    /// How many lines the piece has, the ones that say nothing included.
    pub lines: u32,
}

impl<'a> Piece<'a> {
    /// The events in their order.
    pub fn records(&self) -> Records<'_, 'a> {
        Records {
            piece: self,
            words: &self.words,
            rare: self.rare.iter(),
            ts: 0,
            line: 0,
            value: 0,
            fields: FieldList::default(),
        }
    }

    /// An empty piece with the memory of this one, for another text.
    pub fn emptied<'b>(self) -> Piece<'b> {
        let mut words = self.words;
        words.clear();
        Piece {
            words,
            tasks: emptied(self.tasks),
            texts: emptied(self.texts),
            shapes: emptied(self.shapes),
            keys: emptied(self.keys),
            values: emptied(self.values),
            rare: emptied(self.rare),
            lines: 0,
        }
    }

    /// Empties the piece and keeps its memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.tasks.clear();
        self.texts.clear();
        self.shapes.clear();
        self.keys.clear();
        self.values.clear();
        self.rare.clear();
        self.lines = 0;
    }
}

/// An empty list with the memory of another, whose items differ in what they borrow alone.
pub(crate) fn emptied<A, B>(mut items: Vec<A>) -> Vec<B> {
    items.clear();
    items.into_iter().map_while(|_| None).collect()
}

/// The events of a piece, one after the other.
#[derive(Debug)]
pub(crate) struct Records<'p, 'a> {
    piece: &'p Piece<'a>,
    words: &'p [u32],
    rare: std::slice::Iter<'p, Event<'a>>,
    ts: i64,
    line: u32,
    /// Values before those of the next event.
    value: usize,
    fields: FieldList<'p>,
}

/// What stands before every event.
struct Front<'a> {
    kind: u32,
    cpu: u32,
    line: u32,
    task: Task<'a>,
}

impl<'p, 'a> Records<'p, 'a> {
    /// The next event.
    #[inline]
    pub fn next(&mut self) -> Option<Record<'a>> {
        let front = self.front()?;
        Some(Record {
            ts: self.ts,
            tid: front.task.tid,
            tgid: front.task.tgid,
            cpu: front.cpu,
            line: front.line,
            comm: front.task.comm,
            event: self.event(front.kind)?,
        })
    }

    /// The fields of the last event that had some.
    #[inline]
    pub fn fields(&self) -> FieldList<'p> {
        self.fields
    }

    #[inline(always)]
    fn front(&mut self) -> Option<Front<'a>> {
        let [front, task] = self.take()?;
        let (passed_over, cpu) = if front & WIDE == 0 {
            let [delta] = self.take()?;
            self.ts = self.ts.wrapping_add(i64::from(delta as i32));
            (front >> 8 & 0xff, front >> 16)
        } else {
            let [passed_over, cpu, low, high] = self.take()?;
            self.ts = long(low, high) as i64;
            (passed_over, cpu)
        };
        let line = self.line + passed_over;
        self.line = line + 1;
        let task = self.task(task)?;
        let kind = front & (WIDE - 1);
        Some(Front {
            kind,
            cpu,
            line,
            task,
        })
    }

    #[inline(always)]
    fn event(&mut self, kind: u32) -> Option<Event<'a>> {
        Some(match kind {
            kind::SWITCH => Event::Switch(self.switch()?),
            kind::WAKING => self.wake(WakeKind::Waking)?,
            kind::WAKEUP => self.wake(WakeKind::Wakeup)?,
            kind::WAKEUP_NEW => self.wake(WakeKind::New)?,
            kind::BEGIN | kind::END | kind::COUNTER => Event::Mark(self.mark(kind)?),
            kind::IDLE => self.cpu_value(CpuValueKind::Idle)?,
            kind::FREQUENCY => self.cpu_value(CpuValueKind::Frequency)?,
            kind::SHAPED => Event::Fields(self.shaped()?),
            kind::FIELDS => Event::Fields(self.keyed()?),
            _ => *self.rare.next()?,
        })
    }

    #[inline(always)]
    fn switch(&mut self) -> Option<Switch<'a>> {
        let [prev, next, next_prio, prev_state] = self.take()?;
        let (prev, next) = (self.task(prev)?, self.task(next)?);
        Some(Switch {
            prev_comm: prev.comm,
            next_comm: next.comm,
            prev_tid: prev.tid,
            next_tid: next.tid,
            next_prio: next_prio as i32,
            prev_state: TaskState(prev_state as u16),
        })
    }

    #[inline(always)]
    fn wake(&mut self, kind: WakeKind) -> Option<Event<'a>> {
        let [task] = self.take()?;
        let Task { comm, tid, .. } = self.task(task)?;
        Some(Event::Wake(Wake { kind, comm, tid }))
    }

    #[inline(always)]
    fn mark(&mut self, kind: u32) -> Option<Mark<'a>> {
        let [pid] = self.take()?;
        let pid = pid as i32;
        if kind == kind::END {
            return Some(Mark::End { pid });
        }
        let [name] = self.take()?;
        let name = self.text(name)?;
        if kind == kind::BEGIN {
            return Some(Mark::Begin { pid, name });
        }
        let [low, high, category] = self.take()?;
        Some(Mark::Counter {
            pid,
            name,
            value: f64::from_bits(long(low, high)),
            category: self.text(category)?,
        })
    }

    #[inline(always)]
    fn cpu_value(&mut self, kind: CpuValueKind) -> Option<Event<'a>> {
        let [cpu, low, high] = self.take()?;
        let value = long(low, high) as i64;
        Some(Event::CpuValue(CpuValue { kind, cpu, value }))
    }

    #[inline(always)]
    fn shaped(&mut self) -> Option<FieldsEvent<'a>> {
        let [shape] = self.take()?;
        let keys = self.piece.shapes.get((shape as usize).checked_sub(1)?)?;
        self.next_fields(keys.first, keys.count)?;
        let name = keys.event;
        Some(FieldsEvent { name, shape })
    }

    fn keyed(&mut self) -> Option<FieldsEvent<'a>> {
        let [name, first, count] = self.take()?;
        self.next_fields(first as usize, count as usize)?;
        let (name, shape) = (self.text(name)?, NO_SHAPE);
        Some(FieldsEvent { name, shape })
    }

    #[inline(always)]
    fn next_fields(&mut self, first: usize, count: usize) -> Option<()> {
        let piece = self.piece;
        let keys = piece.keys.get(first..first + count)?;
        let values = piece.values.get(self.value..self.value + count)?;
        self.value += count;
        self.fields = FieldList { keys, values };
        Some(())
    }

    #[inline(always)]
    fn task(&self, number: u32) -> Option<Task<'a>> {
        self.piece.tasks.get(number as usize).copied()
    }

    #[inline(always)]
    fn text(&self, number: u32) -> Option<&'a [u8]> {
        self.piece.texts.get(number as usize).copied()
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let (taken, rest) = self.words.split_first_chunk()?;
        self.words = rest;
        Some(*taken)
    }
}

/// A number of two words.
#[inline(always)]
fn long(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
