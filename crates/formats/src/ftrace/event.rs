//! Events of an ftrace stream: the output of a tokenizer and the input of the interpreter.
//!
//! Events borrow their text from the input and do not depend on lines or tables, so the decoder of
//! binary ftrace data produces the same events.

use std::borrow::Cow;

use traceloom_trace::{TaskState, WakeKind};

/// The process of a line without that column.
pub(crate) const NO_TGID: i32 = -1;

/// The limit for CPU numbers. A text with a larger number only resembles a CPU column.
pub(crate) const MOST_CPUS: u32 = 1 << 16;

/// The shape of an event without a remembered shape.
pub(crate) const NO_SHAPE: u32 = 0;

/// One line of text, or one binary record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// Time in ns, or in ticks if the clock does not count seconds.
    pub ts: i64,
    /// The thread that was on the CPU.
    pub tid: i32,
    /// Its process; [`NO_TGID`] if unknown.
    pub tgid: i32,
    /// The CPU.
    pub cpu: u32,
    /// The line within its batch, from 0.
    pub line: u32,
    /// The thread's name; may be `<...>`.
    pub comm: &'a [u8],
    /// What happened.
    pub event: Event<'a>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    /// A CPU switched from one thread to another.
    Switch(Switch<'a>),
    /// A thread was woken.
    Wake(Wake<'a>),
    /// A program wrote to trace_marker.
    Mark(Mark<'a>),
    /// A value that belongs to a CPU.
    CpuValue(CpuValue),
    /// Any other event of the kernel, with its fields.
    Fields(FieldsEvent<'a>),
    /// The function tracer recorded a call.
    Function {
        /// The function.
        name: &'a [u8],
        /// Its caller.
        parent: &'a [u8],
    },
    /// A row of the function_graph tracer.
    Graph(GraphRow<'a>),
    /// The name of an event with a stack, whose functions are on the lines after it.
    Stack(&'a [u8]),
    /// A line about the trace itself, without thread, CPU or time.
    Header(Header<'a>),
    /// Text that matches no rule.
    Unparsed(&'a [u8]),
}

/// `sched_switch`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Switch<'a> {
    pub prev_comm: &'a [u8],
    pub next_comm: &'a [u8],
    pub prev_tid: i32,
    pub next_tid: i32,
    pub prev_prio: i32,
    pub next_prio: i32,
    pub prev_state: TaskState,
}

/// `sched_waking`, `sched_wakeup`, `sched_wakeup_new`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wake<'a> {
    pub kind: WakeKind,
    pub comm: &'a [u8],
    pub tid: i32,
    /// [`NO_PRIORITY`](traceloom_trace::NO_PRIORITY) if unknown.
    pub prio: i32,
    /// [`NO_CPU`](traceloom_trace::NO_CPU) if unknown.
    pub target_cpu: u32,
    /// 1 if an interrupt did it, 0 if not, `NO_FLAG` if unknown.
    pub irq_context: i8,
}

/// The meaning of a [`CpuValue`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CpuValueKind {
    /// `cpu_idle`: the idle state; 4294967295 while not idle.
    Idle,
    /// `cpu_frequency`, kHz.
    Frequency,
}

/// `cpu_idle` and `cpu_frequency`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CpuValue {
    pub kind: CpuValueKind,
    pub cpu: u32,
    pub value: i64,
}

/// Payloads of trace_marker, as libcutils writes them (`trace.h`, `trace-dev.inc`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mark<'a> {
    /// `B|pid|name`.
    Begin { pid: i32, name: &'a [u8] },
    /// `E|pid` and bare `E`.
    End { pid: i32 },
    /// `C|pid|name|value`, newer ones with `|category`.
    Counter {
        pid: i32,
        name: &'a [u8],
        value: CounterValue,
        category: &'a [u8],
    },
    /// `S|pid|name|cookie` and, with a track, `G|pid|track|name|cookie`.
    AsyncBegin {
        pid: i32,
        track: Option<&'a [u8]>,
        name: &'a [u8],
        cookie: Cookie<'a>,
    },
    /// `F|pid|name|cookie` and `H|pid|track|[name|]cookie`.
    AsyncEnd {
        pid: i32,
        track: Option<&'a [u8]>,
        name: &'a [u8],
        cookie: Cookie<'a>,
    },
    /// `I|pid|name` and `N|pid|track|name`.
    Instant {
        pid: i32,
        track: Option<&'a [u8]>,
        name: &'a [u8],
    },
    /// `trace_event_clock_sync: parent_ts=`, ns.
    ParentTime { value_ns: i64, precision_ns: i64 },
    /// `trace_event_clock_sync: realtime_ts=`, ms since 1970.
    Realtime { value_ms: i64 },
    /// `trace_event_clock_sync: name=`.
    SyncName { name: &'a [u8] },
    /// A `trace_event_clock_sync` of an unknown form.
    BadSync { text: &'a [u8] },
    /// Any other text.
    Text { text: &'a [u8] },
}

/// Distinguishes an asynchronous slice from others of the same name: a number, or the text of an unusual writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cookie<'a> {
    Number(i64),
    Text(&'a [u8]),
}

/// The value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CounterValue {
    Whole(i64),
    Float(f64),
}

impl Event<'_> {
    /// Whether the line of the event shows which thread runs on its CPU.
    #[inline]
    pub fn shows_who_runs(&self) -> bool {
        !matches!(self, Self::Mark(mark) if !mark.shows_who_runs())
    }
}

impl Mark<'_> {
    /// Whether the mark synchronises clocks.
    pub fn is_clock(&self) -> bool {
        matches!(
            self,
            Self::ParentTime { .. }
                | Self::Realtime { .. }
                | Self::SyncName { .. }
                | Self::BadSync { .. }
        )
    }

    /// Whether the line of the mark shows which thread runs on its CPU. In the tables, counters,
    /// asynchronous slices and the instants of a process have no thread, so a text that was written
    /// from tables names another thread. Agents on the host add clock marks whose thread and CPU
    /// are not real.
    pub fn shows_who_runs(&self) -> bool {
        matches!(
            self,
            Self::Begin { .. }
                | Self::End { .. }
                | Self::Instant { track: None, .. }
                | Self::Text { .. }
        )
    }
}

/// An event with fields, which are passed next to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FieldsEvent<'a> {
    pub name: &'a [u8],
    /// Events of a batch with the same shape have the same name and the same keys. [`NO_SHAPE`]
    /// gives no information.
    pub shape: u32,
}

/// One field of an event. The key is empty for text without a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Field<'a> {
    pub key: &'a [u8],
    pub value: Value<'a>,
}

/// The fields of an event: the nth key has the nth value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FieldList<'p> {
    pub keys: &'p [&'p [u8]],
    pub values: &'p [Value<'p>],
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Int(i64),
    Hex(u64),
    Text(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The value as text.
    pub fn shown(self) -> Cow<'a, str> {
        match self {
            Self::Int(value) => value.to_string().into(),
            Self::Hex(value) => format!("{value:#x}").into(),
            Self::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => text.into(),
                Err(_) => String::from_utf8_lossy(text),
            },
        }
    }
}

/// A row of function_graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GraphRow<'a> {
    /// The kind of row.
    pub call: GraphCall<'a>,
    /// The duration of the call, ns.
    pub dur: Option<i64>,
    /// Whether the row has its own timestamp.
    pub timed: bool,
}

/// The kind of a row of function_graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GraphCall<'a> {
    /// `func() {`
    Enter(&'a [u8]),
    /// `func();`
    Leaf(&'a [u8]),
    /// `}`, with the function's name where `funcgraph-tail` was on; otherwise without one.
    Exit(&'a [u8]),
    /// `/* text */`
    Comment(&'a [u8]),
    /// ` 0)  old-1  =>  new-2`: the record's thread is now the one on the CPU.
    Switch,
    /// `==========> |` and `<========== |`: an interrupt begins or ends. The calls in it have their own rows.
    Interrupt,
}

impl GraphCall<'_> {
    /// Whether the kernel recorded an entry for the row. The others are printed between entries.
    pub fn is_entry(self) -> bool {
        !matches!(self, Self::Switch | Self::Interrupt)
    }
}

/// A line about the trace itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Header<'a> {
    /// A line without information: column titles, blank lines, `TRACE:`.
    Nothing,
    /// `# clock_type=LINUX_CLOCK_MONOTONIC`: systrace put it before WALT events.
    Clock(&'a [u8]),
    /// `# tracer: nop`.
    Tracer(&'a [u8]),
    /// `# inferred switches: as events`: the text was written from tables.
    InferredAreEvents,
    /// `# entries-in-buffer/entries-written: 116/116   #P:1`.
    Entries {
        in_buffer: u64,
        written: u64,
        cpus: Option<u32>,
    },
    /// `cpus=6`.
    Cpus(u32),
    /// `version = 6`.
    Version(&'a [u8]),
    /// `CPU 3 is empty`.
    CpuEmpty(u32),
    /// `##### CPU 2 buffer started ####`.
    BufferStarted(u32),
    /// `CPU:2 [LOST 17 EVENTS]`; a missing number is 0.
    Lost { cpu: u32, events: u64 },
    /// Another `# key: value` line.
    Fact { key: &'a [u8], value: &'a [u8] },
}

/// Whether the flags of an event (`common_flags`) show that it happened in an interrupt: 1, or 0.
pub(crate) fn irq_context(flags: u64) -> i8 {
    const HARD_OR_SOFT: u64 = 0x08 | 0x10;
    i8::from(flags & HARD_OR_SOFT != 0)
}
