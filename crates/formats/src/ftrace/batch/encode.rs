//! Encoding events into a batch.

use super::layout::{CONTEXT_SHIFT, EventBatch, ShapeKeys, TASK, Task, WIDE, kind};
use traceloom_trace::WakeKind;

use crate::ftrace::event::{CounterValue, CpuValueKind, Event, Field, FieldsEvent, Mark, NO_SHAPE};
use crate::ftrace::intern::InternTable;
use crate::ftrace::payload::{SwitchTasks, WokenTask};
use crate::ftrace::swar::{hash_ends, same_bytes};

/// The items interned in the current batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interned {
    tasks: InternTable,
    texts: InternTable,
}

/// The columns that every event has: thread, CPU and time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventHead {
    /// The index of the task in the batch.
    pub task: u32,
    pub cpu: u32,
    pub ts: i64,
}

/// Encodes the lines of a batch one by one.
pub(crate) struct Encoder<'p, 'a> {
    batch: &'p mut EventBatch<'a>,
    interned: &'p mut Interned,
    ts: i64,
    skipped: u32,
}

impl<'p, 'a> Encoder<'p, 'a> {
    /// Begins with an empty batch.
    pub fn new(batch: &'p mut EventBatch<'a>, interned: &'p mut Interned) -> Self {
        batch.clear();
        interned.tasks.clear();
        interned.texts.clear();
        Self {
            batch,
            interned,
            ts: 0,
            skipped: 0,
        }
    }

    /// Counts a line without an event.
    pub fn skip_line(&mut self) {
        self.batch.lines += 1;
        self.skipped += 1;
    }

    /// Adds a switch between two tasks of the batch.
    #[inline(always)]
    pub fn switch(&mut self, front: EventHead, switch: SwitchTasks<u32>) {
        self.front(kind::SWITCH, front);
        let state = u32::from(switch.prev_state.0);
        let priorities = [switch.prev_prio, switch.next_prio].map(|prio| prio as u32);
        self.words([
            switch.prev,
            switch.next,
            priorities[0],
            priorities[1],
            state,
        ]);
    }

    /// Adds a wake-up of a task of the batch.
    #[inline(always)]
    pub fn wake(
        &mut self,
        front: EventHead,
        kind: WakeKind,
        woken: WokenTask<u32>,
        irq_context: i8,
    ) {
        self.front(wake_kind(kind), front);
        let task = with_context(woken.task, irq_context);
        self.words([task, woken.prio as u32, woken.target_cpu]);
    }

    /// Adds an event with its fields.
    #[inline(always)]
    pub fn push(&mut self, front: EventHead, event: Event<'a>, fields: &[Field<'a>]) {
        match event {
            Event::CpuValue(value) => {
                let kind = match value.kind {
                    CpuValueKind::Idle => kind::IDLE,
                    CpuValueKind::Frequency => kind::FREQUENCY,
                };
                self.front(kind, front);
                let [low, high] = split(value.value as u64);
                self.words([value.cpu, low, high]);
            }
            Event::Mark(mark) => self.mark(mark, front),
            Event::Fields(event) => self.fields(event, fields, front),
            rare => self.rare(rare, front),
        }
    }

    #[inline(always)]
    fn front(&mut self, kind: u32, EventHead { task, cpu, ts }: EventHead) {
        self.batch.lines += 1;
        let since = i32::try_from(ts.wrapping_sub(self.ts));
        let skipped = std::mem::take(&mut self.skipped);
        self.ts = ts;
        match (since, u8::try_from(skipped), u16::try_from(cpu)) {
            (Ok(since), Ok(skipped), Ok(cpu)) => {
                let front = kind | u32::from(skipped) << 8 | u32::from(cpu) << 16;
                self.words([front, task, since as u32]);
            }
            _ => {
                let [low, high] = split(ts as u64);
                self.words([kind | WIDE, task, skipped, cpu, low, high]);
            }
        }
    }

    #[inline(always)]
    fn mark(&mut self, mark: Mark<'a>, front: EventHead) {
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
                let (kind, bits) = match value {
                    CounterValue::Whole(value) => (kind::WHOLE_COUNTER, value as u64),
                    CounterValue::Float(value) => (kind::COUNTER, value.to_bits()),
                };
                self.front(kind, front);
                let [low, high] = split(bits);
                self.words([pid as u32, name, low, high, category]);
            }
            rare => self.rare(Event::Mark(rare), front),
        }
    }

    fn rare(&mut self, event: Event<'a>, front: EventHead) {
        self.front(kind::RARE, front);
        self.batch.rare.push(event);
    }

    #[inline(always)]
    fn fields(&mut self, event: FieldsEvent<'a>, fields: &[Field<'a>], front: EventHead) {
        if event.shape == NO_SHAPE {
            return self.keyed(event, fields, front);
        }
        if event.shape as usize > self.batch.shapes.len() {
            self.learn(event, fields);
        }
        self.front(kind::SHAPED, front);
        self.words([event.shape]);
        self.values(fields);
    }

    /// Stores the keys of the next shape.
    #[inline(never)]
    fn learn(&mut self, event: FieldsEvent<'a>, fields: &[Field<'a>]) {
        let EventBatch { shapes, keys, .. } = &mut *self.batch;
        shapes.push(ShapeKeys {
            event: event.name,
            first: keys.len(),
            count: fields.len(),
        });
        keys.extend(fields.iter().map(|field| field.key));
    }

    #[inline(never)]
    fn keyed(&mut self, event: FieldsEvent<'a>, fields: &[Field<'a>], front: EventHead) {
        let name = self.text(event.name);
        self.front(kind::FIELDS, front);
        let keys = &mut self.batch.keys;
        let first = keys.len() as u32;
        keys.extend(fields.iter().map(|field| field.key));
        self.words([name, first, fields.len() as u32]);
        self.values(fields);
    }

    #[inline(always)]
    fn values(&mut self, fields: &[Field<'a>]) {
        let values = fields.iter().map(|field| field.value);
        self.batch.values.extend(values);
    }

    /// The number of a task. `tgid` is [`NO_TGID`](crate::ftrace::event::NO_TGID) if unknown.
    #[inline(never)]
    pub fn task(&mut self, comm: &'a [u8], tid: i32, tgid: i32) -> u32 {
        let hash = hash_ends(comm) ^ (tid ^ tgid.rotate_left(12)) as u32;
        let is_it =
            |task: &Task<'_>| task.tid == tid && task.tgid == tgid && same_bytes(task.comm, comm);
        let (table, tasks) = (&mut self.interned.tasks, &mut self.batch.tasks);
        table.intern(hash, tasks, is_it, Task { comm, tid, tgid })
    }

    #[inline(always)]
    fn text(&mut self, text: &'a [u8]) -> u32 {
        let is_it = |other: &&[u8]| std::ptr::eq(*other, text) || same_bytes(other, text);
        let (table, texts) = (&mut self.interned.texts, &mut self.batch.texts);
        table.intern(hash_ends(text), texts, is_it, text)
    }

    #[inline(always)]
    fn words<const N: usize>(&mut self, words: [u32; N]) {
        self.batch.words.extend_from_slice(&words);
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

/// A word with the number of a task, and above it the interrupt context: -1, 0 or 1.
#[inline(always)]
fn with_context(task: u32, irq_context: i8) -> u32 {
    task & TASK | (irq_context as u32) << CONTEXT_SHIFT
}

/// The two words of a long number, the low one first.
#[inline(always)]
fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

#[cfg(test)]
mod tests;
