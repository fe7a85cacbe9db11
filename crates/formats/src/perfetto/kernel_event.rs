//! The fields that all kernel events have.

use traceloom_trace::NO_FLAG;

use super::wire::{Field, Fields, Value};
use crate::ftrace::event::irq_context;

/// An `FtraceEvent` with undecoded content.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelEvent<'a> {
    pub bytes: &'a [u8],
    /// The timestamp on the clock of the bundle, ns; 0 if there is none.
    pub ts: i64,
    /// The thread that was on the CPU.
    pub tid: i32,
    /// 1 if it happened in an interrupt, 0 if not, `NO_FLAG` if unknown.
    pub irq_context: i8,
    /// The field number of the content; 0 if there is none.
    pub number: u32,
    pub content: &'a [u8],
}

impl<'a> KernelEvent<'a> {
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut event = Self {
            bytes,
            ts: 0,
            tid: 0,
            irq_context: NO_FLAG,
            number: 0,
            content: &[],
        };
        let mut has_time = false;
        for Field { number, value } in Fields::new(bytes) {
            match (number, value) {
                // The first timestamp is used, as in the survey.
                (1, Value::Number(ts)) if !has_time => (event.ts, has_time) = (ts as i64, true),
                (1, _) => has_time = true,
                (2, Value::Number(tid)) => event.tid = (tid as i32).max(0),
                (5, Value::Number(flags)) => event.irq_context = irq_context(flags),
                (_, Value::Bytes(content)) => (event.number, event.content) = (number, content),
                _ => {}
            }
        }
        event
    }
}
