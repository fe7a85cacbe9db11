//! Converts column values to numbers and back.

use traceloom_trace::{
    ArgSetId, Column, MethodId, ProcessId, SliceId, SourceId, StringId, TaskState, ThreadId,
    TrackId, TrackType, WakeKind,
};

/// A value that can be stored in a column of a report.
pub(crate) trait Value: Copy + PartialEq {
    /// Its type.
    const KIND: Kind;
    /// Converts the value to a number.
    fn number(self) -> i64;
    /// Converts a number of its kind to a value.
    fn of(number: i64) -> Self;
}

/// A value type: its number in the directory, and its range.
pub(crate) struct Kind {
    pub code: u8,
    pub least: i64,
    pub most: i64,
}

/// A column of texts; the others are numbers, [`width`] bytes wide.
pub(crate) const TEXT: u8 = 9;

/// The origin of a thread state. One entry makes one row with several columns.
pub(crate) const ORIGIN: Kind = Kind {
    code: 10,
    least: i64::MIN,
    most: i64::MAX,
};

/// Bytes per row of a column in memory. For text, the size of its position.
pub(crate) fn width(ty: u8) -> u64 {
    const ORIGIN: u8 = self::ORIGIN.code;
    match ty {
        5 | 6 => 1,
        7 => 2,
        3 | 4 => 4,
        TEXT | ORIGIN => 24,
        _ => 8,
    }
}

macro_rules! values {
    ($($type:ty = $code:literal of $least:expr, $most:expr;
        $value:ident => $number:expr, $back:ident => $of:expr;)*) => {$(
        impl Value for $type {
            const KIND: Kind = Kind {
                code: $code,
                least: $least as i64,
                most: $most as i64,
            };
            #[inline]
            fn number(self) -> i64 {
                let $value = self;
                $number
            }
            #[inline]
            fn of($back: i64) -> Self {
                $of
            }
        }
    )*};
}

macro_rules! ids {
    ($($type:ident)*) => {
        values! {$($type = 4 of i32::MIN, i32::MAX; v => v.0.number(), n => $type(u32::of(n));)*}
    };
}

// A u32 is treated as signed, so that "none" (all bits set) is the small number -1.
values! {
    i64 = 1 of i64::MIN, i64::MAX; v => v, n => n;
    u64 = 2 of i64::MIN, i64::MAX; v => v as i64, n => n as u64;
    i32 = 3 of i32::MIN, i32::MAX; v => v.into(), n => n as i32;
    u32 = 4 of i32::MIN, i32::MAX; v => (v as i32).into(), n => n as u32;
    i8 = 5 of i8::MIN, i8::MAX; v => v.into(), n => n as i8;
    u8 = 6 of u8::MIN, u8::MAX; v => v.into(), n => n as u8;
    bool = 6 of 0, 1; v => v.into(), n => n != 0;
    TrackType = 6 of 0, TrackType::ALL.len() - 1; v => v as i64, n => TrackType::ALL[n as usize];
    WakeKind = 6 of 0, WakeKind::ALL.len() - 1; v => v as i64, n => WakeKind::ALL[n as usize];
    TaskState = 7 of u16::MIN, u16::MAX; v => v.0.into(), n => TaskState(n as u16);
    f64 = 8 of i64::MIN, i64::MAX; v => v.to_bits() as i64, n => f64::from_bits(n as u64);
}
ids! { StringId SliceId ThreadId ProcessId TrackId MethodId ArgSetId SourceId }

/// A column's values as numbers.
pub(crate) fn numbers<T: Value>(column: &Column<T>) -> Vec<i64> {
    column.iter().map(Value::number).collect()
}

/// A column of any type. Decoding works on numbers, so that only filling the column needs code for
/// each type.
pub(crate) trait AnyColumn {
    /// The type of its values.
    fn kind(&self) -> &'static Kind;
    /// Fills the column with `rows` copies of one value. The number is of the column's kind.
    fn repeat(&mut self, number: i64, rows: usize);
    /// Adds a chunk: one row for each number. All are of the column's kind.
    fn push_numbers(&mut self, numbers: &[i64]);
}

impl<T: Value> AnyColumn for Column<T> {
    fn kind(&self) -> &'static Kind {
        &T::KIND
    }

    fn repeat(&mut self, number: i64, rows: usize) {
        *self = Column::repeated(T::of(number), rows);
    }

    fn push_numbers(&mut self, numbers: &[i64]) {
        self.push_chunk(numbers.iter().map(|&number| T::of(number)).collect());
    }
}
