//! The layout of a batch.
//!
//! ```text
//! front   kind | lines skipped | CPU,  task,  ns since the previous event       three words
//! wide    kind | WIDE,  task,  lines skipped,  CPU,  time (two words)           if one does not fit
//! body    sched_switch: two tasks, two priorities, state;  B: pid, text;  irq_handler_entry: shape
//! ```
//! A task (name, thread, process), a text and the keys of an event are stored once and referred to
//! by number, so the consumer rarely touches the lines that events come from. Values have a list of
//! their own.

use crate::ftrace::event::{Event, Value};

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
    /// Fields whose keys are those of a shape.
    pub const SHAPED: u32 = 9;
    /// Fields with their own keys.
    pub const FIELDS: u32 = 10;
    /// An event that is kept as it is, in a list.
    pub const RARE: u32 = 11;
    /// A counter whose value is a whole number.
    pub const WHOLE_COUNTER: u32 = 12;
}

/// Set in a front that has the wide form.
pub(super) const WIDE: u32 = 0x80;

/// The bits with the number of the task in the first word of a wake-up.
pub(super) const TASK: u32 = (1 << CONTEXT_SHIFT) - 1;

/// The first bit of the interrupt context in that word.
pub(super) const CONTEXT_SHIFT: u32 = 30;

/// A thread as a line or an event names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub comm: &'a [u8],
    pub tid: i32,
    pub tgid: i32,
}

/// The keys of a shape: `count` of them, from `first`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeKeys<'a> {
    pub event: &'a [u8],
    pub first: usize,
    pub count: usize,
}

/// The events of some whole lines.
#[derive(Debug, Default)]
pub(crate) struct EventBatch<'a> {
    pub(super) words: Vec<u32>,
    pub(super) tasks: Vec<Task<'a>>,
    pub(super) texts: Vec<&'a [u8]>,
    /// From shape 1.
    pub(super) shapes: Vec<ShapeKeys<'a>>,
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) values: Vec<Value<'a>>,
    pub(super) rare: Vec<Event<'a>>,
    /// The number of lines, including those without an event.
    pub lines: u32,
}

impl<'a> EventBatch<'a> {
    /// Empties the batch and keeps its memory.
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

/// An empty list with the memory of another, whose items differ only in a lifetime.
pub(crate) fn emptied<A, B>(mut items: Vec<A>) -> Vec<B> {
    items.clear();
    items.into_iter().map_while(|_| None).collect()
}
