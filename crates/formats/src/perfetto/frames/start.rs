//! The fields of the four messages for frame starts.

use super::super::wire::{Field, Fields, Value};

/// The slots of fields in a [`Start`]: the field numbers in `ActualSurfaceFrameStart`, followed by the fields that only
/// `ActualDisplayFrameStart` has.
pub(super) mod slot {
    pub const COOKIE: usize = 1;
    pub const TOKEN: usize = 2;
    pub const DISPLAY_TOKEN: usize = 3;
    pub const PID: usize = 4;
    pub const PRESENT: usize = 6;
    pub const ON_TIME: usize = 7;
    pub const GPU_COMPOSITION: usize = 8;
    pub const JANK: usize = 9;
    pub const PREDICTION: usize = 10;
    pub const IS_BUFFER: usize = 11;
    pub const SEVERITY: usize = 12;
    pub const DELAY_MS: usize = 13;
    pub const JITTER_MS: usize = 14;
    pub const SEVERITY_SCORE: usize = 15;
    pub const JANK_EXPERIMENTAL: usize = 16;
    pub const PRESENT_EXPERIMENTAL: usize = 17;
    pub const DEBUG: usize = 18;
    pub const FENCE: usize = 19;
    pub const ANIMATION_MS: usize = 20;
    pub const LATCHED: usize = 21;
    pub const LATCHABLE: usize = 22;
}

const SLOTS: usize = 23;

/// The field number of the layer's name in messages of surface frames.
const LAYER: u32 = 5;

/// The slots of the fields of `ActualDisplayFrameStart`, by field number. `ExpectedDisplayFrameStart` has only the
/// first ones.
const OF_DISPLAY: [usize; 17] = [
    0,
    slot::COOKIE,
    slot::TOKEN,
    slot::PID,
    slot::PRESENT,
    slot::ON_TIME,
    slot::GPU_COMPOSITION,
    slot::JANK,
    slot::PREDICTION,
    slot::SEVERITY,
    slot::DELAY_MS,
    slot::SEVERITY_SCORE,
    slot::JANK_EXPERIMENTAL,
    slot::PRESENT_EXPERIMENTAL,
    slot::DEBUG,
    slot::LATCHED,
    slot::LATCHABLE,
];

/// The start of a frame.
#[derive(Clone, Debug)]
pub(super) struct Start<'a> {
    /// Whether this is a surface frame of an app. Otherwise it is a display frame.
    pub is_surface: bool,
    pub layer: Option<&'a [u8]>,
    values: [Option<u64>; SLOTS],
}

impl<'a> Start<'a> {
    pub fn read(fields: Fields<'a>, is_surface: bool) -> Self {
        let mut start = Self {
            is_surface,
            layer: None,
            values: [None; SLOTS],
        };
        for field in fields {
            start.field(field);
        }
        start
    }

    fn field(&mut self, field: Field<'a>) {
        let number = field.number as usize;
        let slot = if self.is_surface {
            Some(number).filter(|number| *number <= slot::ANIMATION_MS)
        } else {
            OF_DISPLAY.get(number).copied()
        };
        match (field.value, slot) {
            (Value::Bytes(layer), _) if self.is_surface && field.number == LAYER => {
                self.layer = Some(layer);
            }
            (Value::Number(value), Some(slot)) => self.values[slot] = Some(value),
            _ => {}
        }
    }

    pub fn int(&self, slot: usize) -> Option<i64> {
        self.values[slot].map(|value| value as i64)
    }

    /// The value of an enum or a set of bits; 0 if absent.
    pub fn bits(&self, slot: usize) -> i32 {
        self.values[slot].unwrap_or(0) as i32
    }

    /// The value of a `float`; 0 if absent.
    pub fn float(&self, slot: usize) -> f64 {
        f32::from_bits(self.values[slot].unwrap_or(0) as u32).into()
    }
}
