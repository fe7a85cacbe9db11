//! Decodes events. The few kinds that make up most of a trace are read directly from their bytes;
//! all others become fields according to a plan for their kind.

use traceloom_trace::{NO_CPU, NO_FLAG, NO_PRIORITY, TaskState, WakeKind};

use super::format::{EventField, EventFormat, FieldKind};
use super::layout::PageLayout;
use super::print::{Context, Plan, Shown};
use super::states::States;
use super::symbols::Symbols;
use crate::bytes::ByteOrder;
use crate::ftrace::event::{
    CpuValue, CpuValueKind, GraphCall, GraphRow, MOST_CPUS, Switch, Wake, irq_context,
};

/// The positions of the fields common to all events: the kernel's `struct trace_entry`.
pub(super) const ID_AT: usize = 0;
pub(super) const TID_AT: usize = 4;

/// The kind of event that a format describes, with the fields that are needed.
#[derive(Debug)]
pub(super) enum Kind {
    Switch(Box<SwitchFields>),
    Wake(WakeKind, Box<WakeFields>),
    CpuValue(CpuValueKind, [EventField; 2]),
    /// A text from trace_marker or `trace_printk`: `ip`, `buf`.
    Print([EventField; 2]),
    /// A constant text from `trace_printk`: `ip`, and the address of the text.
    Bputs([EventField; 2]),
    /// `trace_printk` with arguments: `ip`, the address of the format, and the start of the
    /// arguments.
    Bprint([EventField; 3]),
    /// A driver's own markers, which are printed like those of trace_marker.
    Marker(Plan),
    Function([EventField; 2]),
    GraphEntry(EventField),
    /// `func`, and the start and end time of the call if the kernel records them.
    GraphExit(EventField, Option<[EventField; 2]>),
    /// Any other event.
    Fields,
}

/// The fields of `sched_switch`.
#[derive(Debug)]
pub(super) struct SwitchFields {
    prev_comm: EventField,
    prev_pid: EventField,
    prev_state: EventField,
    next_comm: EventField,
    next_pid: EventField,
    prev_prio: EventField,
    next_prio: EventField,
    states: States,
}

/// The fields of the wake-up events.
#[derive(Debug)]
pub(super) struct WakeFields {
    comm: EventField,
    pid: EventField,
    prio: Option<EventField>,
    target_cpu: Option<EventField>,
    flags: Option<EventField>,
}

impl Kind {
    pub fn new(format: &EventFormat, layout: PageLayout) -> Self {
        let known = match (format.system.as_str(), format.name.as_str()) {
            ("sched", name) => Self::sched(name, format, layout),
            ("power", "cpu_idle") => Self::cpu_value(CpuValueKind::Idle, format),
            ("power", "cpu_frequency") => Self::cpu_value(CpuValueKind::Frequency, format),
            ("ftrace", name) => Self::ftrace(name, format),
            (_, "tracing_mark_write" | "systrace" | "0") => {
                Plan::whole_text(format, layout.long_bytes).map(Self::Marker)
            }
            _ => None,
        };
        known.unwrap_or(Self::Fields)
    }

    fn sched(name: &str, format: &EventFormat, layout: PageLayout) -> Option<Self> {
        let wake = |kind| {
            let fields = WakeFields::new(format)?;
            Some(Self::Wake(kind, Box::new(fields)))
        };
        match name {
            "sched_switch" => SwitchFields::new(format, layout)
                .map(Box::new)
                .map(Self::Switch),
            "sched_waking" => wake(WakeKind::Waking),
            "sched_wakeup" => wake(WakeKind::Wakeup),
            "sched_wakeup_new" => wake(WakeKind::New),
            _ => None,
        }
    }

    fn cpu_value(kind: CpuValueKind, format: &EventFormat) -> Option<Self> {
        Some(Self::CpuValue(kind, numbers(format, ["state", "cpu_id"])?))
    }

    fn ftrace(name: &str, format: &EventFormat) -> Option<Self> {
        let field = |name| format.field(name).cloned();
        Some(match name {
            "print" => Self::Print([field("ip")?, field("buf")?]),
            "bputs" => Self::Bputs([field("ip")?, field("str")?]),
            "bprint" => Self::Bprint([field("ip")?, field("fmt")?, field("buf")?]),
            "function" => Self::Function([field("ip")?, field("parent_ip")?]),
            "funcgraph_entry" | "fgraph_retaddr_entry" => Self::GraphEntry(field("func")?),
            "funcgraph_exit" => {
                let ends = field("calltime").zip(field("rettime"));
                Self::GraphExit(field("func")?, ends.map(<[EventField; 2]>::from))
            }
            _ => return None,
        })
    }
}

/// The fields with these names, if all of them are numbers.
fn numbers<const N: usize>(format: &EventFormat, names: [&str; N]) -> Option<[EventField; N]> {
    let is_number = |field: &&EventField| {
        field.kind == FieldKind::Number && matches!(field.size, 1 | 2 | 4 | 8)
    };
    let fields = names.map(|name| format.field(name).filter(is_number).cloned());
    let found: Vec<EventField> = fields.into_iter().flatten().collect();
    found.try_into().ok()
}

/// Like [`numbers`], with strings before them.
fn texts_and_numbers(
    format: &EventFormat,
    [text]: [&str; 1],
    [number]: [&str; 1],
) -> Option<[EventField; 2]> {
    let text = format.field(text).filter(|field| field.is_text())?;
    let [number] = numbers(format, [number])?;
    Some([text.clone(), number])
}

impl SwitchFields {
    fn new(format: &EventFormat, layout: PageLayout) -> Option<Self> {
        let [prev_comm, prev_pid] = texts_and_numbers(format, ["prev_comm"], ["prev_pid"])?;
        let [next_comm, next_pid] = texts_and_numbers(format, ["next_comm"], ["next_pid"])?;
        let [prev_state, prev_prio, next_prio] =
            numbers(format, ["prev_state", "prev_prio", "next_prio"])?;
        Some(Self {
            states: States::new(format, layout),
            prev_comm,
            prev_pid,
            prev_state,
            next_comm,
            next_pid,
            prev_prio,
            next_prio,
        })
    }

    #[inline]
    pub fn read<'a>(&self, event: &'a [u8], order: ByteOrder) -> Option<Switch<'a>> {
        let int = |field: &EventField| field.int(event, order).map(|value| value as i32);
        Some(Switch {
            prev_comm: comm(&self.prev_comm, event, order)?,
            next_comm: comm(&self.next_comm, event, order)?,
            prev_tid: tid(int(&self.prev_pid)?)?,
            next_tid: tid(int(&self.next_pid)?)?,
            prev_prio: int(&self.prev_prio)?,
            next_prio: int(&self.next_prio)?,
            prev_state: self.state(event, order)?,
        })
    }

    #[inline]
    fn state(&self, event: &[u8], order: ByteOrder) -> Option<TaskState> {
        let bits = self.prev_state.int(event, order)?;
        Some(self.states.decode(bits as u64))
    }
}

impl WakeFields {
    fn new(format: &EventFormat) -> Option<Self> {
        let [comm, pid] = texts_and_numbers(format, ["comm"], ["pid"])?;
        let number = |name| numbers(format, [name]).map(|[field]| field);
        Some(Self {
            comm,
            pid,
            prio: number("prio"),
            target_cpu: number("target_cpu"),
            flags: number("common_flags"),
        })
    }

    /// Decodes the wake-up in `event`.
    #[inline]
    pub fn read<'a>(&self, kind: WakeKind, event: &'a [u8], order: ByteOrder) -> Option<Wake<'a>> {
        let int = |field: &Option<EventField>| field.as_ref()?.int(event, order);
        let target_cpu = int(&self.target_cpu).and_then(|cpu| u32::try_from(cpu).ok());
        Some(Wake {
            kind,
            comm: comm(&self.comm, event, order)?,
            tid: tid(self.pid.int(event, order)? as i32)?,
            prio: int(&self.prio).map_or(NO_PRIORITY, |prio| prio as i32),
            target_cpu: target_cpu.filter(|cpu| *cpu < MOST_CPUS).unwrap_or(NO_CPU),
            irq_context: int(&self.flags).map_or(NO_FLAG, |flags| irq_context(flags as u64)),
        })
    }
}

/// A thread id; `None` if it is negative.
#[inline]
fn tid(tid: i32) -> Option<i32> {
    (tid >= 0).then_some(tid)
}

/// A thread's name. In nearly all kernels it is a 16-byte field of the event itself, so its NUL can
/// be searched directly.
#[inline]
fn comm<'a>(field: &EventField, event: &'a [u8], order: ByteOrder) -> Option<&'a [u8]> {
    if field.kind != FieldKind::Text || field.size != 16 {
        return field.text(event, order);
    }
    let bytes: &[u8; 16] = event.get(field.offset..)?.first_chunk()?;
    const ONES: u128 = u128::MAX / 0xff;
    let word = u128::from_le_bytes(*bytes);
    let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
    Some(&bytes[..(zeros.trailing_zeros() / 8) as usize])
}

/// The CPU number in `event`.
#[inline]
pub(super) fn cpu_value(
    kind: CpuValueKind,
    [state, cpu]: &[EventField; 2],
    event: &[u8],
    order: ByteOrder,
) -> Option<CpuValue> {
    Some(CpuValue {
        kind,
        value: state.int(event, order)?,
        cpu: u32::try_from(cpu.int(event, order)?)
            .ok()
            .filter(|cpu| *cpu < MOST_CPUS)?,
    })
}

/// The text of a `print` event. It ends at its NUL or at the end of the event.
#[inline]
pub(super) fn printed<'a>(buf: &EventField, event: &'a [u8]) -> Option<&'a [u8]> {
    let bytes = event.get(buf.offset..)?;
    Some(match memchr::memchr(0, bytes) {
        Some(end) => &bytes[..end],
        None => bytes,
    })
}

/// The function_graph row for entering or leaving `func`.
pub(super) fn graph_row<'a>(call: GraphCall<'a>, dur: Option<i64>) -> GraphRow<'a> {
    GraphRow {
        call,
        dur,
        timed: true,
    }
}

/// The name of the function at an address, or the address as text in `made`.
pub(super) fn function_name<'a>(
    symbols: &'a Symbols,
    address: u64,
    made: &'a mut Vec<u8>,
) -> &'a [u8] {
    match symbols.function(address) {
        Some((name, _)) => name,
        None => {
            made.clear();
            made.extend(format!("{address:#x}").bytes());
            made
        }
    }
}

/// The complete text of an event, formatted with its print format.
pub(super) fn whole_text<'a>(
    plan: &'a Plan,
    mut context: Context<'a, '_>,
) -> Option<std::ops::Range<usize>> {
    let mut whole = None;
    plan.each(&mut context, |_, shown| {
        if let Shown::Made(range) = shown {
            whole = Some(range);
        }
    });
    whole
}

#[cfg(test)]
mod tests {
    use super::super::format::up_to_nul;
    use super::*;

    /// With the option `funcgraph-retaddr`, the event at the start of a call has another name.
    #[test]
    fn calls_with_their_callers() {
        let text = "name: fgraph_retaddr_entry\nID: 19\n\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n";
        let format = EventFormat::parse("ftrace", text.as_bytes()).unwrap();
        let layout = PageLayout::usual(ByteOrder::default(), 8, 4096);
        assert!(matches!(Kind::new(&format, layout), Kind::GraphEntry(_)));
    }

    #[test]
    fn names_of_sixteen_bytes() {
        let text = "name: sched_wakeup\nID: 1\n\tfield:char comm[16];\toffset:0;\tsize:16;\tsigned:0;\n\
            \tfield:pid_t pid;\toffset:16;\tsize:4;\tsigned:1;\n";
        let format = EventFormat::parse("sched", text.as_bytes()).unwrap();
        let layout = PageLayout::usual(ByteOrder::default(), 8, 4096);
        let Kind::Wake(kind, fields) = Kind::new(&format, layout) else {
            panic!("not a wake-up");
        };
        for length in 0..=16 {
            let mut event = vec![b'\xff'; length];
            event.resize(16, 0);
            event.extend(7u32.to_le_bytes());
            let wake = fields.read(kind, &event, ByteOrder::default()).unwrap();
            assert_eq!((wake.comm.len(), wake.tid), (length, 7));
            assert_eq!(wake.comm, up_to_nul(&event[..16]));
        }
    }
}
