//! Decodes the fields of kernel events.

use traceloom_trace::{NO_CPU, WakeKind};

use super::descriptors::Kind;
use super::quirks;
use super::sequence::State;
use super::states::{KernelVersion, task_state};
use super::survey::Survey;
use super::wire::{Field, Fields, Value as Wire};
use crate::ftrace::event::{CpuValue, CpuValueKind, Event, MOST_CPUS, Switch, Value, Wake};

/// The value of a field. Function addresses are replaced by names if the trace has them.
pub(super) fn value<'s>(
    survey: &'s Survey<'_>,
    state: &State,
    key: &str,
    kind: Kind,
    field: Field<'s>,
) -> Value<'s> {
    const KERNEL_SYMBOLS: u32 = 26;
    match (kind, field.value) {
        (_, Wire::Bytes(text)) => Value::Text(text),
        (Kind::Signed | Kind::Enum(_), Wire::Number(number)) => Value::Int(number as i64),
        (_, Wire::Number(number)) if quirks::is_function(key) => {
            let symbol = survey.sequences.interned(state, KERNEL_SYMBOLS, number);
            let symbol = symbol.map(|span| Fields::new(survey.source.get(span)));
            let text = symbol.and_then(|mut fields| fields.find(|field| field.number == 2));
            text.map_or(Value::Hex(number), |text| Value::Text(text.bytes()))
        }
        (_, Wire::Number(number)) if quirks::is_hex(key) => Value::Hex(number),
        (_, Wire::Number(number)) => match i64::try_from(number) {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Hex(number),
        },
    }
}

/// The name and value of a field of a generic event.
pub(super) fn generic_field(fields: Fields<'_>) -> (&[u8], Value<'_>) {
    let (mut key, mut value): (&[u8], _) = (b"", Value::Int(0));
    for field in fields {
        match field.number {
            1 => key = field.bytes(),
            3 => value = Value::Text(field.bytes()),
            4 => value = Value::Int(field.int()),
            5 => {
                let number = field.uint();
                value = i64::try_from(number).map_or(Value::Hex(number), Value::Int);
            }
            _ => {}
        }
    }
    (key, value)
}

/// `sched_switch`.
pub(super) fn switch(fields: Fields<'_>, version: Option<KernelVersion>) -> Switch<'_> {
    let mut switch = Switch {
        prev_comm: b"",
        next_comm: b"",
        prev_tid: 0,
        next_tid: 0,
        prev_prio: 0,
        next_prio: 0,
        prev_state: task_state(0, version),
    };
    for field in fields {
        match field.number {
            1 => switch.prev_comm = field.bytes(),
            2 => switch.prev_tid = field.int32().max(0),
            3 => switch.prev_prio = field.int32(),
            4 => switch.prev_state = task_state(field.int(), version),
            5 => switch.next_comm = field.bytes(),
            6 => switch.next_tid = field.int32().max(0),
            7 => switch.next_prio = field.int32(),
            _ => {}
        }
    }
    switch
}

/// Reads a wakeup event. All kinds have the same fields.
pub(super) fn wake(fields: Fields<'_>, kind: WakeKind, irq_context: i8) -> Wake<'_> {
    let mut wake = Wake {
        kind,
        comm: b"",
        tid: 0,
        prio: 0,
        target_cpu: 0,
        irq_context,
    };
    for field in fields {
        match field.number {
            1 => wake.comm = field.bytes(),
            2 => wake.tid = field.int32().max(0),
            3 => wake.prio = field.int32(),
            5 => wake.target_cpu = u32::try_from(field.int()).unwrap_or(NO_CPU),
            _ => {}
        }
    }
    wake
}

/// `cpu_frequency` and `cpu_idle`.
pub(super) fn cpu_value(fields: Fields<'_>, kind: CpuValueKind) -> Event<'static> {
    let (mut cpu, mut value) = (0, 0);
    for field in fields {
        match field.number {
            1 => value = field.uint() as u32,
            2 => cpu = field.uint() as u32,
            _ => {}
        }
    }
    Event::CpuValue(CpuValue {
        kind,
        cpu: cpu.min(MOST_CPUS - 1),
        value: value.into(),
    })
}
