//! The fields of a `TrackEvent`.

use traceloom_trace::SliceId;

use super::super::wire::{Field, Fields, Packed, Value};

/// `TrackEvent.Type`.
pub(super) mod kind {
    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
    pub const STATE: u64 = 5;
}

/// The value of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Double(f64),
}

impl Number {
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Double(value) => value,
        }
    }
}

/// A `TrackEvent`.
#[derive(Clone, Debug, Default)]
pub(super) struct Event<'a> {
    pub kind: u64,
    pub track: Option<u64>,
    pub name: Option<&'a [u8]>,
    pub name_iid: u64,
    pub categories: Vec<&'a [u8]>,
    pub category_iids: Vec<u64>,
    pub value: Option<Number>,
    pub extra_tracks: Vec<u64>,
    pub extra_values: Vec<Number>,
    pub extra_double_tracks: Vec<u64>,
    pub extra_doubles: Vec<Number>,
    pub flows: Vec<u64>,
    pub ending_flows: Vec<u64>,
    pub thread_delta_us: Option<i64>,
    pub thread_us: Option<i64>,
    /// The number of instructions that the thread has executed: since the last event, and in total.
    pub instructions_delta: Option<i64>,
    pub instructions: Option<i64>,
    pub legacy: Option<Legacy<'a>>,
    /// The stack at the event: an inline callstack, or its iid.
    pub callstack: Option<Field<'a>>,
    pub callstack_weight: Option<f64>,
    /// Annotations, and messages of other types, for the arguments.
    pub others: Vec<Field<'a>>,
}

/// A `TrackEvent.LegacyEvent`: the additional fields of Chrome's old trace events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Legacy<'a> {
    pub name_iid: u64,
    /// The letter of the phase, as in Chrome's JSON.
    pub phase: u8,
    pub dur_us: Option<i64>,
    pub thread_dur_us: Option<i64>,
    pub unscoped_id: Option<u64>,
    pub local_id: Option<u64>,
    pub global_id: Option<u64>,
    pub id_scope: &'a [u8],
    pub bind_id: Option<u64>,
    pub binds_to_enclosing: bool,
    /// 1 in, 2 out, 3 both.
    pub flow_direction: u64,
    /// 1 global, 2 process, 3 thread.
    pub scope: u64,
    pub pid: Option<i32>,
    pub tid: Option<i32>,
}

/// The stack at the beginning or the end of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceStack<'s> {
    pub slice: SliceId,
    /// The inline callstack, or its iid.
    pub callstack: Field<'s>,
    pub weight: Option<f64>,
    pub is_end: bool,
}

impl<'a> Event<'a> {
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut event = Event::default();
        for field in Fields::new(bytes) {
            event.field(field);
        }
        event
    }

    fn field(&mut self, field: Field<'a>) {
        match field.number {
            9 => self.kind = field.uint(),
            11 => self.track = Some(field.uint()),
            23 => self.name = Some(field.bytes()),
            10 => self.name_iid = field.uint(),
            22 => self.categories.push(field.bytes()),
            3 => numbers(field, &mut self.category_iids),
            30 => self.value = Some(Number::Int(field.int())),
            44 => self.value = Some(Number::Double(f64::from_bits(field.uint()))),
            31 => numbers(field, &mut self.extra_tracks),
            12 => {
                let mut values = Vec::new();
                numbers(field, &mut values);
                self.extra_values
                    .extend(values.iter().map(|value| Number::Int(*value as i64)));
            }
            45 => numbers(field, &mut self.extra_double_tracks),
            46 => {
                let mut values = Vec::new();
                fixed(field, &mut values);
                let doubles = values
                    .iter()
                    .map(|bits| Number::Double(f64::from_bits(*bits)));
                self.extra_doubles.extend(doubles);
            }
            36 => numbers(field, &mut self.flows),
            47 => fixed(field, &mut self.flows),
            42 => numbers(field, &mut self.ending_flows),
            48 => fixed(field, &mut self.ending_flows),
            2 => self.thread_delta_us = Some(field.int()),
            17 => self.thread_us = Some(field.int()),
            55 | 56 => self.callstack = Some(field),
            57 => self.callstack_weight = Some(f64::from_bits(field.uint())),
            6 => self.legacy = Some(Legacy::read(field.fields())),
            // The survey reads the timestamps.
            1 | 16 => {}
            8 => self.instructions_delta = Some(field.int()),
            20 => self.instructions = Some(field.int()),
            _ => self.others.push(field),
        }
    }
}

impl<'a> Legacy<'a> {
    /// The flow that the event itself takes part in, and its direction.
    pub fn bound_flow(&self) -> Option<(u64, u64)> {
        Some((self.bind_id?, self.flow_direction))
    }

    fn read(fields: Fields<'a>) -> Self {
        let mut legacy = Legacy::default();
        for field in fields {
            match field.number {
                1 => legacy.name_iid = field.uint(),
                2 => legacy.phase = field.uint() as u8,
                3 => legacy.dur_us = Some(field.int()),
                4 => legacy.thread_dur_us = Some(field.int()),
                6 => legacy.unscoped_id = Some(field.uint()),
                7 => legacy.id_scope = field.bytes(),
                8 => legacy.bind_id = Some(field.uint()),
                10 => legacy.local_id = Some(field.uint()),
                11 => legacy.global_id = Some(field.uint()),
                12 => legacy.binds_to_enclosing = field.bool(),
                13 => legacy.flow_direction = field.uint(),
                14 => legacy.scope = field.uint(),
                18 => legacy.pid = Some(field.int32()),
                19 => legacy.tid = Some(field.int32()),
                _ => {}
            }
        }
        legacy
    }
}

/// Repeated varints, packed or not.
pub(super) fn numbers(field: Field<'_>, into: &mut Vec<u64>) {
    match field.value {
        Value::Number(number) => into.push(number),
        Value::Bytes(packed) => into.extend(Packed::new(packed)),
    }
}

/// Repeated 8-byte numbers, packed or not.
fn fixed(field: Field<'_>, into: &mut Vec<u64>) {
    match field.value {
        Value::Number(number) => into.push(number),
        Value::Bytes(packed) => {
            let (numbers, _) = packed.as_chunks::<8>();
            into.extend(numbers.iter().map(|number| u64::from_le_bytes(*number)));
        }
    }
}
