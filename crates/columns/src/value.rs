//! Values of columns as numbers.

use traceloom_trace::{
    ArgSetId, Column, MethodId, ProcessId, SliceId, SourceId, StringId, TaskState, ThreadId,
    TrackId, TrackKind,
};

/// A value that a column of a report holds.
pub(crate) trait Value: Copy + PartialEq {
    /// The type's number in the directory.
    const TYPE: u8;
    fn number(self) -> i64;
    /// `None` for a number that is no such value.
    fn from_number(number: i64) -> Option<Self>;
}

/// A column of texts; the others are numbers, [`width`] bytes wide.
pub(crate) const TEXT: u8 = 9;

/// Where a thread state comes from: each makes a row of several columns.
pub(crate) const ORIGIN: u8 = 10;

/// Bytes a row of a column takes in memory; for text, what its place takes.
pub(crate) fn width(ty: u8) -> u64 {
    match ty {
        5 | 6 => 1,
        7 => 2,
        3 | 4 => 4,
        TEXT | ORIGIN => 24,
        _ => 8,
    }
}

macro_rules! values {
    ($($type:ty = $code:literal, $value:ident => $number:expr, $back:ident => $from:expr;)*) => {$(
        impl Value for $type {
            const TYPE: u8 = $code;
            #[inline]
            fn number(self) -> i64 {
                let $value = self;
                $number
            }
            #[inline]
            fn from_number($back: i64) -> Option<Self> {
                $from
            }
        }
    )*};
}

// A u32 counts as signed, so that "none" (all bits set) is the small number -1.
values! {
    i64 = 1, v => v, n => Some(n);
    u64 = 2, v => v as i64, n => Some(n as u64);
    i32 = 3, v => v.into(), n => i32::try_from(n).ok();
    u32 = 4, v => (v as i32).into(), n => i32::try_from(n).ok().map(|n| n as u32);
    i8 = 5, v => v.into(), n => i8::try_from(n).ok();
    u8 = 6, v => v.into(), n => u8::try_from(n).ok();
    bool = 6, v => v.into(), n => (n & !1 == 0).then_some(n == 1);
    TrackKind = 6, v => v as i64, n => TrackKind::ALL.get(usize::try_from(n).ok()?).copied();
    TaskState = 7, v => v.0.into(), n => u16::try_from(n).ok().map(TaskState);
    f64 = 8, v => v.to_bits() as i64, n => Some(f64::from_bits(n as u64));
    StringId = 4, v => v.0.number(), n => u32::from_number(n).map(StringId);
    SliceId = 4, v => v.0.number(), n => u32::from_number(n).map(SliceId);
    ThreadId = 4, v => v.0.number(), n => u32::from_number(n).map(ThreadId);
    ProcessId = 4, v => v.0.number(), n => u32::from_number(n).map(ProcessId);
    TrackId = 4, v => v.0.number(), n => u32::from_number(n).map(TrackId);
    MethodId = 4, v => v.0.number(), n => u32::from_number(n).map(MethodId);
    ArgSetId = 4, v => v.0.number(), n => u32::from_number(n).map(ArgSetId);
    SourceId = 4, v => v.0.number(), n => u32::from_number(n).map(SourceId);
}

/// A column's values as numbers.
pub(crate) fn numbers<T: Value>(column: &Column<T>) -> Vec<i64> {
    column.iter().map(Value::number).collect()
}
