//! The fields of a sample, in the order in which the kernel writes them (`perf_output_sample` in
//! `kernel/events/core.c`).

use super::attr::{Attr, field, read};
use crate::bytes::{ByteOrder, Cursor};

/// A sample. Fields after the copy of the user stack are not read.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample<'a> {
    pub ip: Option<u64>,
    pub task: Option<Task>,
    pub time: Option<u64>,
    pub cpu: Option<u32>,
    pub period: Option<u64>,
    pub values: Vec<Value>,
    chain: &'a [u8],
    order: ByteOrder,
    /// The data of a tracepoint; empty if it has none.
    pub raw: &'a [u8],
    /// Whether it has a copy of the stack.
    pub has_stack: bool,
}

/// A thread and its process. -1 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Task {
    pub pid: i32,
    pub tid: i32,
}

impl Task {
    pub fn parse(cursor: &mut Cursor<'_>) -> Option<Self> {
        let (pid, tid) = (cursor.i32()?, cursor.i32()?);
        Some(Self { pid, tid })
    }
}

/// The value of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub id: u64,
    pub value: u64,
}

impl<'a> Sample<'a> {
    /// Parses a sample. `None` if it is truncated.
    pub fn parse(mut from: Cursor<'a>, attr: &Attr, order: ByteOrder) -> Option<Self> {
        let mut sample = Self {
            order,
            ..Self::default()
        };
        from.u64_if(attr.has(field::IDENTIFIER))?;
        sample.ip = from.u64_if(attr.has(field::IP))?;
        if attr.has(field::TID) {
            sample.task = Some(Task::parse(&mut from)?);
        }
        sample.time = from.u64_if(attr.has(field::TIME))?;
        from.u64_if(attr.has(field::ADDR))?;
        from.u64_if(attr.has(field::ID))?;
        from.u64_if(attr.has(field::STREAM_ID))?;
        if attr.has(field::CPU) {
            // perf writes -1 into samples that it creates itself.
            sample.cpu = Some(from.u32()?).filter(|cpu| *cpu != u32::MAX);
            from.skip(4)?;
        }
        sample.period = from.u64_if(attr.has(field::PERIOD))?;
        if attr.has(field::READ) {
            sample.values = values(&mut from, attr.read_format)?;
        }
        if attr.has(field::CALLCHAIN) {
            let count = from.u64()?;
            sample.chain = from.take(count.checked_mul(8)?)?;
        }
        sample.after_chain(from, attr)?;
        Some(sample)
    }

    fn after_chain(&mut self, mut from: Cursor<'a>, attr: &Attr) -> Option<()> {
        /// `PERF_SAMPLE_BRANCH_HW_INDEX`: one more number precedes the branches.
        const HW_INDEX: u64 = 1 << 17;
        /// `PERF_SAMPLE_BRANCH_COUNTERS`: a number for each branch follows all of them.
        const COUNTERS: u64 = 1 << 19;
        let of_branch = match attr.branch_sample_type & COUNTERS {
            0 => 24,
            _ => 24 + 8,
        };
        if attr.has(field::RAW) {
            let size = from.u32()?;
            self.raw = from.take(size.into())?;
        }
        if attr.has(field::BRANCH_STACK) {
            let count = from.u64()?;
            from.u64_if(attr.branch_sample_type & HW_INDEX != 0)?;
            from.skip(count.checked_mul(of_branch)?)?;
        }
        if attr.has(field::REGS_USER) && from.u64()? != 0 {
            from.skip(8 * u64::from(attr.regs_user.count_ones()))?;
        }
        if attr.has(field::STACK_USER) {
            let size = from.u64()?;
            from.skip(size)?;
            self.has_stack = size > 0;
        }
        Some(())
    }

    /// The addresses of the stack, innermost first. Marks separate the kernel part from the user part.
    pub fn chain(&self) -> impl Iterator<Item = u64> + use<'a> {
        Cursor::new(self.chain, self.order).numbers()
    }
}

/// `PERF_SAMPLE_READ`: the values of a group of counters, or of one counter.
fn values(from: &mut Cursor<'_>, format: u64) -> Option<Vec<Value>> {
    let has = |bit| format & bit != 0;
    let first = from.u64()?;
    from.u64_if(has(read::TIME_ENABLED))?;
    from.u64_if(has(read::TIME_RUNNING))?;
    let mut values = Vec::new();
    let count = if has(read::GROUP) { first } else { 1 };
    for _ in 0..count {
        let value = if has(read::GROUP) { from.u64()? } else { first };
        let id = from.u64_if(has(read::ID))?;
        from.u64_if(has(read::LOST))?;
        values.extend(id.map(|id| Value { id, value }));
    }
    Some(values)
}
