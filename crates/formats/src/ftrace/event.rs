//! What an ftrace stream says, event by event: what a tokenizer gives and the interpreter takes.
//!
//! The events borrow their text from the input and know nothing of lines or tables, so that a
//! decoder of binary ftrace data can give the same ones.

use std::borrow::Cow;

use traceloom_trace::TaskState;
/// A process number that no column told.
pub(crate) const NO_TGID: i32 = -1;

/// One line of text, or one binary record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// When, ns (or ticks, where the clock counts no seconds).
    pub ts: i64,
    /// The thread that was on the CPU.
    pub tid: i32,
    /// Its process, [`NO_TGID`] where the input does not say.
    pub tgid: i32,
    /// The CPU.
    pub cpu: u32,
    /// The line within its piece of input, from 0.
    pub line: u32,
    /// The thread's name; may be `<...>`.
    pub comm: &'a [u8],
    /// What happened.
    pub event: Event<'a>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    /// A CPU turned from one thread to another.
    Switch(Switch<'a>),
    /// A thread was woken.
    Wake(Wake<'a>),
    /// A program wrote into trace_marker.
    Mark(Mark<'a>),
    /// A number that belongs to a CPU.
    CpuValue(CpuValue),
    /// Any other event of the kernel, with its fields.
    Fields(FieldsEvent<'a>),
    /// The function tracer saw a call.
    Function {
        /// The function.
        name: &'a [u8],
        /// Its caller.
        parent: &'a [u8],
    },
    /// A row of the function_graph tracer.
    Graph(GraphRow<'a>),
    /// Something about the trace itself; it has no thread, CPU or time.
    Header(Header<'a>),
    /// Text that no rule reads.
    Unparsed(&'a [u8]),
}

/// `sched_switch`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Switch<'a> {
    pub prev_comm: &'a [u8],
    pub next_comm: &'a [u8],
    pub prev_tid: i32,
    pub next_tid: i32,
    pub next_prio: i32,
    pub prev_state: TaskState,
}

/// Which of the three wake-up events it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WakeKind {
    /// `sched_waking`: on the waker's CPU.
    Waking,
    /// `sched_wakeup`: on the CPU of the woken thread.
    Wakeup,
    /// `sched_wakeup_new`: the first of a thread's life.
    New,
}

/// `sched_waking`, `sched_wakeup`, `sched_wakeup_new`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wake<'a> {
    pub kind: WakeKind,
    pub comm: &'a [u8],
    pub tid: i32,
}

/// What the number of a [`CpuValue`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CpuValueKind {
    /// `cpu_idle`: the idle state, 4294967295 while not idle.
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

/// Payloads of trace_marker; libcutils writes them (`trace.h`, `trace-dev.inc`).
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
        value: f64,
        category: &'a [u8],
    },
    /// `S|pid|name|cookie` and, with a track, `G|pid|track|name|cookie`.
    AsyncBegin {
        pid: i32,
        track: Option<&'a [u8]>,
        name: &'a [u8],
        cookie: i64,
    },
    /// `F|pid|name|cookie` and `H|pid|track|[name|]cookie`.
    AsyncEnd {
        pid: i32,
        track: Option<&'a [u8]>,
        name: &'a [u8],
        cookie: i64,
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
    /// A `trace_event_clock_sync` that says none of these.
    BadSync { text: &'a [u8] },
    /// Anything else that a program wrote.
    Text { text: &'a [u8] },
}

impl Mark<'_> {
    /// Whether it is about clocks, not about the program.
    pub fn is_clock(&self) -> bool {
        matches!(
            self,
            Self::ParentTime { .. }
                | Self::Realtime { .. }
                | Self::SyncName { .. }
                | Self::BadSync { .. }
        )
    }
}

/// An event with fields, which are given beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FieldsEvent<'a> {
    pub name: &'a [u8],
    /// Events of a piece that have the same number here have the same name and the same keys;
    /// [`NO_SHAPE`](super::shapes::NO_SHAPE) tells nothing.
    pub shape: u32,
}

/// One field of an event. The key is empty for text that has none.
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
    /// As it would be printed.
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

/// A row of function_graph; what it lacks is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GraphRow<'a> {
    /// What the row says.
    pub call: GraphCall<'a>,
    /// How long the call took, ns.
    pub dur: Option<i64>,
    /// Whether the row has a time of its own.
    pub timed: bool,
}

/// What a row of function_graph says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GraphCall<'a> {
    /// `func() {`
    Enter(&'a [u8]),
    /// `func();`
    Leaf(&'a [u8]),
    /// `}`, with the function's name where `funcgraph-tail` was on.
    Exit,
    /// `/* text */`
    Comment(&'a [u8]),
    /// ` 0)  old-1  =>  new-2`: the CPU's thread is now the record's.
    Switch,
}

/// A line about the trace itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Header<'a> {
    /// Nothing worth keeping: column titles, blank lines, `TRACE:`.
    Nothing,
    /// `# clock_type=LINUX_CLOCK_MONOTONIC`: systrace put it before what a WALT noted.
    Clock(&'a [u8]),
    /// `# tracer: nop`.
    Tracer(&'a [u8]),
    /// `# entries-in-buffer/entries-written: 116/116   #P:1`.
    Entries {
        kept: u64,
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
