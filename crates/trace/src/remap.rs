//! New row numbers for every column that contains row numbers. The column's type shows whether its values are ids. So
//! merging, sorting, cutting and compacting cannot forget a column.

use crate::column::Column;
use crate::ids::{
    ArgSetId, MethodId, ProcessId, RecordId, SliceId, SourceId, StringId, ThreadId, TrackId,
};
use crate::state::TaskState;
use crate::track_type::TrackType;
use crate::wake_kind::WakeKind;

/// What an id refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IdKind {
    /// A string.
    String,
    /// A row of the sources.
    Source,
    /// A row of the processes.
    Process,
    /// A row of the threads.
    Thread,
    /// A row of the tracks.
    Track,
    /// A row of the slices.
    Slice,
    /// A row of the methods.
    Method,
    /// A set of arguments.
    ArgSet,
    /// A row of the records.
    Record,
}

/// Gives ids new values.
pub(crate) trait Remap {
    /// Whether ids of this kind change. Columns of other kinds are not visited.
    fn changes(&self, kind: IdKind) -> bool;

    /// The new value of an id, which is not the one for "no row".
    fn new_id(&mut self, kind: IdKind, id: u32) -> u32;
}

/// A value of a column: an id, or a plain number.
pub(crate) trait Value: Copy + PartialEq {
    /// What it refers to; `None` for a plain number.
    const KIND: Option<IdKind> = None;

    /// The value with a new id.
    fn remapped(self, _to: &mut impl Remap) -> Self {
        self
    }

    /// The raw number of an id, for tests.
    #[cfg(test)]
    fn raw_id(self) -> u32 {
        0
    }

    /// The value with this number, if it is an id, for tests.
    #[cfg(test)]
    fn sample(id: u32) -> Self;
}

macro_rules! id_values {
    ($($type:ident: $kind:ident;)*) => {$(
        impl Value for $type {
            const KIND: Option<IdKind> = Some(IdKind::$kind);

            #[inline]
            fn remapped(self, to: &mut impl Remap) -> Self {
                if self.is_none() {
                    return self;
                }
                Self(to.new_id(IdKind::$kind, self.0))
            }

            #[cfg(test)]
            fn raw_id(self) -> u32 {
                self.0
            }

            #[cfg(test)]
            fn sample(id: u32) -> Self {
                Self(id)
            }
        }
    )*};
}

id_values! {
    StringId: String;
    SourceId: Source;
    ProcessId: Process;
    ThreadId: Thread;
    TrackId: Track;
    SliceId: Slice;
    MethodId: Method;
    ArgSetId: ArgSet;
    RecordId: Record;
}

macro_rules! plain_values {
    ($($type:ty: $sample:expr;)*) => {$(
        impl Value for $type {
            #[cfg(test)]
            fn sample(_: u32) -> Self {
                $sample
            }
        }
    )*};
}

plain_values! {
    bool: true;
    i8: 1;
    u8: 1;
    i32: 1;
    u32: 1;
    i64: 1;
    u64: 1;
    f64: 1.0;
    TaskState: TaskState::SLEEPING;
    TrackType: TrackType::ThreadExecution;
    WakeKind: WakeKind::Waking;
}

/// Gives the ids of a column their new values; a column of plain numbers stays as it is.
pub(crate) fn remap_column<T: Value>(column: &mut Column<T>, to: &mut impl Remap) {
    if T::KIND.is_some_and(|kind| to.changes(kind)) {
        column.update(|value| value.remapped(to));
    }
}
