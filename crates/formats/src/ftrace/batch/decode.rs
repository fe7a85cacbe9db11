//! Decoding a batch.

use traceloom_trace::{TaskState, WakeKind};

use super::layout::{CONTEXT_SHIFT, EventBatch, TASK, Task, WIDE, kind};
use crate::ftrace::event::{
    CounterValue, CpuValue, CpuValueKind, Event, FieldList, FieldsEvent, Mark, NO_SHAPE, Record,
    Switch, Wake,
};

impl<'a> EventBatch<'a> {
    /// The events in order.
    pub fn records(&self) -> Records<'_, 'a> {
        Records {
            batch: self,
            words: &self.words,
            rare: self.rare.iter(),
            ts: 0,
            line: 0,
            value: 0,
            fields: FieldList::default(),
        }
    }
}

/// Iterates over the events of a batch.
#[derive(Debug)]
pub(crate) struct Records<'p, 'a> {
    batch: &'p EventBatch<'a>,
    words: &'p [u32],
    rare: std::slice::Iter<'p, Event<'a>>,
    ts: i64,
    line: u32,
    /// The position of the next event's values.
    value: usize,
    fields: FieldList<'p>,
}

/// The words at the start of every event.
struct EventHead<'a> {
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

    /// The fields of the last event with fields.
    #[inline]
    pub fn fields(&self) -> FieldList<'p> {
        self.fields
    }

    #[inline(always)]
    fn front(&mut self) -> Option<EventHead<'a>> {
        let [front, task] = self.take()?;
        let (skipped, cpu) = if front & WIDE == 0 {
            let [delta] = self.take()?;
            self.ts = self.ts.wrapping_add(i64::from(delta as i32));
            (front >> 8 & 0xff, front >> 16)
        } else {
            let [skipped, cpu, low, high] = self.take()?;
            self.ts = long(low, high) as i64;
            (skipped, cpu)
        };
        let line = self.line + skipped;
        self.line = line + 1;
        let task = self.task(task)?;
        let kind = front & (WIDE - 1);
        Some(EventHead {
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
            kind::BEGIN | kind::END | kind::COUNTER | kind::WHOLE_COUNTER => {
                Event::Mark(self.mark(kind)?)
            }
            kind::IDLE => self.cpu_value(CpuValueKind::Idle)?,
            kind::FREQUENCY => self.cpu_value(CpuValueKind::Frequency)?,
            kind::SHAPED => Event::Fields(self.shaped()?),
            kind::FIELDS => Event::Fields(self.keyed()?),
            _ => *self.rare.next()?,
        })
    }

    #[inline(always)]
    fn switch(&mut self) -> Option<Switch<'a>> {
        let [prev, next, prev_prio, next_prio, prev_state] = self.take()?;
        let (prev, next) = (self.task(prev)?, self.task(next)?);
        Some(Switch {
            prev_comm: prev.comm,
            next_comm: next.comm,
            prev_tid: prev.tid,
            next_tid: next.tid,
            prev_prio: prev_prio as i32,
            next_prio: next_prio as i32,
            prev_state: TaskState(prev_state as u16),
        })
    }

    #[inline(always)]
    fn wake(&mut self, kind: WakeKind) -> Option<Event<'a>> {
        let [word, prio, target_cpu] = self.take()?;
        let Task { comm, tid, .. } = self.task(word & TASK)?;
        Some(Event::Wake(Wake {
            kind,
            comm,
            tid,
            prio: prio as i32,
            target_cpu,
            irq_context: (word as i32 >> CONTEXT_SHIFT) as i8,
        }))
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
        let bits = long(low, high);
        let value = match kind {
            kind::COUNTER => CounterValue::Float(f64::from_bits(bits)),
            _ => CounterValue::Whole(bits as i64),
        };
        Some(Mark::Counter {
            pid,
            name,
            value,
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
        let keys = self.batch.shapes.get((shape as usize).checked_sub(1)?)?;
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
        let batch = self.batch;
        let keys = batch.keys.get(first..first + count)?;
        let values = batch.values.get(self.value..self.value + count)?;
        self.value += count;
        self.fields = FieldList { keys, values };
        Some(())
    }

    #[inline(always)]
    fn task(&self, number: u32) -> Option<Task<'a>> {
        self.batch.tasks.get(number as usize).copied()
    }

    #[inline(always)]
    fn text(&self, number: u32) -> Option<&'a [u8]> {
        self.batch.texts.get(number as usize).copied()
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let (taken, rest) = self.words.split_first_chunk()?;
        self.words = rest;
        Some(*taken)
    }
}

/// A number stored in two words.
#[inline(always)]
fn long(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
