//! Events into the words of a [`Piece`].

use super::eight::{ends_hash, is_same};
use super::event::{CpuValueKind, Event, Field, FieldsEvent, Mark, WakeKind};
use super::known::Slots;
use super::piece::{Piece, ShapeKeys, Task, WIDE, kind};
use super::shapes::NO_SHAPE;
use super::typed::SwitchOf;

/// What the packer finds again within a piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    tasks: Slots,
    texts: Slots,
}

/// What stands before every event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    /// The number of the task.
    pub task: u32,
    pub cpu: u32,
    pub ts: i64,
}

/// Packs the lines of a piece, one by one.
pub(super) struct Packer<'p, 'a> {
    piece: &'p mut Piece<'a>,
    seen: &'p mut Seen,
    ts: i64,
    passed_over: u32,
}

impl<'p, 'a> Packer<'p, 'a> {
    /// Begins with an empty piece.
    pub fn new(piece: &'p mut Piece<'a>, seen: &'p mut Seen) -> Self {
        piece.clear();
        seen.tasks.clear();
        seen.texts.clear();
        Self {
            piece,
            seen,
            ts: 0,
            passed_over: 0,
        }
    }

    /// A line that says nothing.
    pub fn pass_over(&mut self) {
        self.piece.lines += 1;
        self.passed_over += 1;
    }

    /// The next line is a switch between two of the piece's tasks.
    #[inline(always)]
    pub fn switch(&mut self, front: Front, switch: SwitchOf<u32>) {
        self.front(kind::SWITCH, front);
        let state = u32::from(switch.prev_state.0);
        self.words([switch.prev, switch.next, switch.next_prio as u32, state]);
    }

    /// The next line wakes one of the piece's tasks.
    #[inline(always)]
    pub fn wake(&mut self, front: Front, kind: WakeKind, woken: u32) {
        self.front(wake_kind(kind), front);
        self.words([woken]);
    }

    /// The event of the next line, and its fields.
    #[inline(always)]
    pub fn push(&mut self, front: Front, event: Event<'a>, fields: &[Field<'a>]) {
        match event {
            Event::CpuValue(value) => {
                let kind = match value.kind {
                    CpuValueKind::Idle => kind::IDLE,
                    CpuValueKind::Frequency => kind::FREQUENCY,
                };
                self.front(kind, front);
                let [low, high] = two(value.value as u64);
                self.words([value.cpu, low, high]);
            }
            Event::Mark(mark) => self.mark(mark, front),
            Event::Fields(event) => self.fields(event, fields, front),
            rare => self.rare(rare, front),
        }
    }

    #[inline(always)]
    fn front(&mut self, kind: u32, Front { task, cpu, ts }: Front) {
        self.piece.lines += 1;
        let since = i32::try_from(ts.wrapping_sub(self.ts));
        let passed_over = std::mem::take(&mut self.passed_over);
        self.ts = ts;
        match (since, u8::try_from(passed_over), u16::try_from(cpu)) {
            (Ok(since), Ok(passed_over), Ok(cpu)) => {
                let front = kind | u32::from(passed_over) << 8 | u32::from(cpu) << 16;
                self.words([front, task, since as u32]);
            }
            _ => {
                let [low, high] = two(ts as u64);
                self.words([kind | WIDE, task, passed_over, cpu, low, high]);
            }
        }
    }

    #[inline(always)]
    fn mark(&mut self, mark: Mark<'a>, front: Front) {
        match mark {
            Mark::Begin { pid, name } => {
                let name = self.text(name);
                self.front(kind::BEGIN, front);
                self.words([pid as u32, name]);
            }
            Mark::End { pid } => {
                self.front(kind::END, front);
                self.words([pid as u32]);
            }
            Mark::Counter {
                pid,
                name,
                value,
                category,
            } => {
                let (name, category) = (self.text(name), self.text(category));
                self.front(kind::COUNTER, front);
                let [low, high] = two(value.to_bits());
                self.words([pid as u32, name, low, high, category]);
            }
            rare => self.rare(Event::Mark(rare), front),
        }
    }

    fn rare(&mut self, event: Event<'a>, front: Front) {
        self.front(kind::RARE, front);
        self.piece.rare.push(event);
    }

    #[inline(always)]
    fn fields(&mut self, event: FieldsEvent<'a>, fields: &[Field<'a>], front: Front) {
        if event.shape == NO_SHAPE {
            return self.keyed(event, fields, front);
        }
        if event.shape as usize > self.piece.shapes.len() {
            self.learn(event, fields);
        }
        self.front(kind::SHAPED, front);
        self.words([event.shape]);
        self.values(fields);
    }

    /// Tells the keys of the next shape.
    #[inline(never)]
    fn learn(&mut self, event: FieldsEvent<'a>, fields: &[Field<'a>]) {
        let Piece { shapes, keys, .. } = &mut *self.piece;
        shapes.push(ShapeKeys {
            event: event.name,
            first: keys.len(),
            count: fields.len(),
        });
        keys.extend(fields.iter().map(|field| field.key));
    }

    #[inline(never)]
    fn keyed(&mut self, event: FieldsEvent<'a>, fields: &[Field<'a>], front: Front) {
        let name = self.text(event.name);
        self.front(kind::FIELDS, front);
        let keys = &mut self.piece.keys;
        let first = keys.len() as u32;
        keys.extend(fields.iter().map(|field| field.key));
        self.words([name, first, fields.len() as u32]);
        self.values(fields);
    }

    #[inline(always)]
    fn values(&mut self, fields: &[Field<'a>]) {
        let values = fields.iter().map(|field| field.value);
        self.piece.values.extend(values);
    }

    /// The number of a task. Its process is [`NO_TGID`](super::event::NO_TGID) where nothing tells it.
    #[inline(never)]
    pub fn task(&mut self, comm: &'a [u8], tid: i32, tgid: i32) -> u32 {
        let hash = ends_hash(comm) ^ (tid ^ tgid.rotate_left(12)) as u32;
        let is_it =
            |task: &Task<'_>| task.tid == tid && task.tgid == tgid && is_same(task.comm, comm);
        let (slots, tasks) = (&mut self.seen.tasks, &mut self.piece.tasks);
        slots.number(hash, tasks, is_it, Task { comm, tid, tgid })
    }

    #[inline(always)]
    fn text(&mut self, text: &'a [u8]) -> u32 {
        let is_it = |other: &&[u8]| std::ptr::eq(*other, text) || is_same(other, text);
        let (slots, texts) = (&mut self.seen.texts, &mut self.piece.texts);
        slots.number(ends_hash(text), texts, is_it, text)
    }

    #[inline(always)]
    fn words<const N: usize>(&mut self, words: [u32; N]) {
        self.piece.words.extend_from_slice(&words);
    }
}

#[inline(always)]
fn wake_kind(kind: WakeKind) -> u32 {
    match kind {
        WakeKind::Waking => kind::WAKING,
        WakeKind::Wakeup => kind::WAKEUP,
        WakeKind::New => kind::WAKEUP_NEW,
    }
}

/// The words of a long number, the low one first.
#[inline(always)]
fn two(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

#[cfg(test)]
mod tests;
