//! Tables as Arrow arrays, without copying the rows (feature `arrow`).

use std::sync::Arc;

use arrow_array::types::{
    Float64Type, Int8Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::ScalarBuffer;

use crate::column::Column;
use crate::ids::{ArgSetId, MethodId, ProcessId, SliceId, SourceId, StringId, ThreadId, TrackId};
use crate::state::TaskState;
use crate::track_type::TrackType;
use crate::wake_kind::WakeKind;

/// A table that can be converted to Arrow arrays.
pub trait IntoArrow {
    /// Each column's name with its chunks as arrays; all columns have the same chunk lengths.
    fn columns(self) -> Vec<(&'static str, Vec<ArrayRef>)>;
}

/// A value that an Arrow array holds.
pub trait ArrowValue: Copy + PartialEq {
    /// The array's type.
    type Type: ArrowPrimitiveType;
    /// The value in the array.
    fn native(self) -> <Self::Type as ArrowPrimitiveType>::Native;
}

/// Passes the column's chunks to Arrow. `collect` reuses the allocation of each chunk, because the
/// native value has the size and alignment of the row's value.
pub(crate) fn freeze<T: ArrowValue>(column: Column<T>) -> Vec<ArrayRef> {
    let freeze_chunk = |chunk: Vec<T>| {
        let values: Vec<_> = chunk.into_iter().map(ArrowValue::native).collect();
        Arc::new(PrimitiveArray::<T::Type>::new(
            ScalarBuffer::from(values),
            None,
        )) as ArrayRef
    };
    column.into_chunks().into_iter().map(freeze_chunk).collect()
}

macro_rules! arrow_values {
    ($($type:ty => $arrow:ty, $value:ident -> $native:expr;)*) => {$(
        impl ArrowValue for $type {
            type Type = $arrow;
            #[inline]
            fn native(self) -> <Self::Type as ArrowPrimitiveType>::Native {
                let $value = self;
                $native
            }
        }
    )*};
}

arrow_values! {
    i64 => Int64Type, v -> v;
    i32 => Int32Type, v -> v;
    i8 => Int8Type, v -> v;
    u64 => UInt64Type, v -> v;
    u32 => UInt32Type, v -> v;
    f64 => Float64Type, v -> v;
    bool => UInt8Type, v -> v.into();
    TrackType => UInt8Type, v -> v as u8;
    WakeKind => UInt8Type, v -> v as u8;
    TaskState => UInt16Type, v -> v.0;
    StringId => UInt32Type, v -> v.0;
    SliceId => UInt32Type, v -> v.0;
    ThreadId => UInt32Type, v -> v.0;
    ProcessId => UInt32Type, v -> v.0;
    TrackId => UInt32Type, v -> v.0;
    MethodId => UInt32Type, v -> v.0;
    ArgSetId => UInt32Type, v -> v.0;
    SourceId => UInt32Type, v -> v.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::CHUNK_ROWS;

    #[test]
    fn chunks_are_handed_over_without_a_copy() {
        let mut column = Column::default();
        (0..CHUNK_ROWS + 5).for_each(|n| column.push(SliceId(n as u32)));
        let before: Vec<*const SliceId> = column.chunks().iter().map(|c| c.as_ptr()).collect();
        let arrays = freeze(column);
        assert_eq!(
            arrays.iter().map(|a| a.len()).collect::<Vec<_>>(),
            [CHUNK_ROWS, 5]
        );
        for (array, before) in arrays.iter().zip(before) {
            assert_eq!(array.to_data().buffers()[0].as_ptr().cast(), before);
        }
    }
}
