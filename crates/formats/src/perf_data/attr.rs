//! `perf_event_attr`: what an event counts, and which fields its samples have.

use crate::bytes::{ByteOrder, Cursor};

/// The bits of `sample_type`: the fields of a sample.
pub(super) mod field {
    pub const IP: u64 = 1 << 0;
    pub const TID: u64 = 1 << 1;
    pub const TIME: u64 = 1 << 2;
    pub const ADDR: u64 = 1 << 3;
    pub const READ: u64 = 1 << 4;
    pub const CALLCHAIN: u64 = 1 << 5;
    pub const ID: u64 = 1 << 6;
    pub const CPU: u64 = 1 << 7;
    pub const PERIOD: u64 = 1 << 8;
    pub const STREAM_ID: u64 = 1 << 9;
    pub const RAW: u64 = 1 << 10;
    pub const BRANCH_STACK: u64 = 1 << 11;
    pub const REGS_USER: u64 = 1 << 12;
    pub const STACK_USER: u64 = 1 << 13;
    pub const IDENTIFIER: u64 = 1 << 16;
}

/// The bits of `read_format`: the fields of a counter's value.
pub(super) mod read {
    pub const TIME_ENABLED: u64 = 1 << 0;
    pub const TIME_RUNNING: u64 = 1 << 1;
    pub const ID: u64 = 1 << 2;
    pub const GROUP: u64 = 1 << 3;
    pub const LOST: u64 = 1 << 4;
}

/// Bits of the flags.
const FREQ: u64 = 1 << 10;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCK_ID: u64 = 1 << 25;

/// Size of the first version of the struct, bytes.
const FIRST_VERSION: usize = 64;

/// `perf_event_attr`. Fields that the file's version does not have are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attr {
    /// `type`: hardware, software, tracepoint …
    pub kind: u32,
    pub config: u64,
    /// `sample_period`, or the frequency, Hz.
    period: u64,
    pub sample_type: u64,
    pub read_format: u64,
    flags: u64,
    pub branch_sample_type: u64,
    /// The user-space registers in a sample, one bit for each.
    pub regs_user: u64,
    clock_id: i32,
}

impl Attr {
    /// Reads a struct of any version. `None` if it is shorter than the first one.
    pub fn parse(bytes: &[u8], order: ByteOrder) -> Option<Self> {
        if bytes.len() < FIRST_VERSION {
            return None;
        }
        let word = |at| order.u64(bytes, at).unwrap_or(0);
        // On big-endian machines, the first bit field is the highest bit.
        let flags = if order.big_endian {
            word(40).reverse_bits()
        } else {
            word(40)
        };
        Some(Self {
            kind: order.u32(bytes, 0)?,
            config: word(8),
            period: word(16),
            sample_type: word(24),
            read_format: word(32),
            flags,
            branch_sample_type: word(72),
            regs_user: word(80),
            clock_id: order.u32(bytes, 92).unwrap_or(0) as i32,
        })
    }

    /// The size of the struct at the start of `bytes`, as the struct states it.
    pub fn length(bytes: &[u8], order: ByteOrder) -> usize {
        match order.u32(bytes, 4) {
            None | Some(0) => FIRST_VERSION,
            Some(size) => size as usize,
        }
    }

    /// Whether a sample has this field.
    pub fn has(&self, field: u64) -> bool {
        self.sample_type & field != 0
    }

    /// The number of events between two samples, if it is fixed.
    pub fn fixed_period(&self) -> Option<u64> {
        (self.flags & FREQ == 0).then_some(self.period)
    }

    /// Whether the kernel takes samples of this event. Counters that are only read have a huge period.
    pub fn is_timebase(&self) -> bool {
        self.period < 1 << 62
    }

    /// The number of the clock for all times, if the recorder chose one.
    pub fn clock_id(&self) -> Option<i32> {
        (self.flags & USE_CLOCK_ID != 0).then_some(self.clock_id)
    }

    /// The id of the event to which a sample belongs.
    pub fn id_of_sample(&self, mut sample: Cursor<'_>) -> Option<u64> {
        let before = match self.sample_type {
            has if has & field::IDENTIFIER != 0 => 0,
            has if has & field::ID != 0 => {
                has & (field::IP | field::TID | field::TIME | field::ADDR)
            }
            _ => return None,
        };
        sample.skip(8 * u64::from(before.count_ones()))?;
        sample.u64()
    }

    /// The time of a sample.
    pub fn time_of_sample(&self, mut sample: Cursor<'_>) -> Option<u64> {
        let before = self.sample_type & (field::IDENTIFIER | field::IP | field::TID);
        if !self.has(field::TIME) {
            return None;
        }
        sample.skip(8 * u64::from(before.count_ones()))?;
        sample.u64()
    }

    /// The id of the event to which another record belongs.
    pub fn id_of_other(&self, record: &[u8], order: ByteOrder) -> Option<u64> {
        let after = match self.sample_type {
            has if has & field::IDENTIFIER != 0 => 0,
            has if has & field::ID != 0 => has & (field::STREAM_ID | field::CPU),
            _ => return None,
        };
        self.counted_back(record, after, order)
    }

    /// The time of a record that is not a sample.
    pub fn time_of_other(&self, record: &[u8], order: ByteOrder) -> Option<u64> {
        const AFTER: u64 = field::ID | field::STREAM_ID | field::CPU | field::IDENTIFIER;
        if self.has(field::TIME) {
            self.counted_back(record, self.sample_type & AFTER, order)
        } else {
            None
        }
    }

    /// The thread of a record that is not a sample; `rest` is what follows the fields of its kind.
    pub fn tid_of_other(&self, mut rest: Cursor<'_>) -> Option<i32> {
        if self.flags & SAMPLE_ID_ALL == 0 || !self.has(field::TID) {
            return None;
        }
        // The number of the process.
        rest.skip(4)?;
        rest.i32()
    }

    /// A number at the end of a record, before these fields.
    fn counted_back(&self, record: &[u8], after: u64, order: ByteOrder) -> Option<u64> {
        let back = 8 * (1 + after.count_ones() as usize);
        let at = record.len().checked_sub(back)?;
        match self.flags & SAMPLE_ID_ALL {
            0 => None,
            _ => order.u64(record, at),
        }
    }
}
