//! Row numbers of the tables, one type per table so that they cannot be mixed up.

/// A row number of a table: a `u32` that can also mean "none".
pub trait RowId: Copy + Eq {
    /// The value for "no row".
    const NONE: Self;
    /// Makes an id from a row number.
    fn from_row(row: usize) -> Self;
    /// The row number; meaningless for [`RowId::NONE`].
    fn row(self) -> usize;
    /// This id, or `None` if it is [`RowId::NONE`].
    fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

macro_rules! row_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl RowId for $name {
            const NONE: Self = Self(u32::MAX);
            #[inline]
            fn from_row(row: usize) -> Self {
                Self(row as u32)
            }
            #[inline]
            fn row(self) -> usize {
                self.0 as usize
            }
        }

        impl $name {
            #[inline]
            pub(crate) fn is_none(self) -> bool {
                self == Self::NONE
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NONE
            }
        }
    )*};
}

row_ids! {
    /// A row of the slice table.
    SliceId;
    /// A row of the thread table: what PerfettoSQL calls `utid`. Unique even if a tid is reused.
    ThreadId;
    /// A row of the process table: what PerfettoSQL calls `upid`. Unique even if a pid is reused.
    ProcessId;
    /// A row of the track table.
    TrackId;
    /// A row of the method table.
    MethodId;
    /// A set of arguments: a range of rows in the args table.
    ArgSetId;
    /// An input file (or one block of it) of the trace.
    SourceId;
    /// A row of the records.
    RecordId;
}

impl ThreadId {
    /// The kernel's idle thread, which is the first row of every trace.
    pub const IDLE: Self = Self(0);
}

impl ProcessId {
    /// The kernel's idle process, which is the first row of every trace.
    pub const IDLE: Self = Self(0);
}

/// An interned string of the trace. Zero is no string at all, one is the empty string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct StringId(pub u32);

impl StringId {
    /// No string: the file does not have it. SQL shows NULL.
    pub const NULL: Self = Self(0);
    /// The empty string.
    pub const EMPTY: Self = Self(1);

    pub(crate) fn is_none(self) -> bool {
        self == Self::NULL
    }

    /// Whether there is no text to show: no string, or the empty one.
    pub fn is_empty(self) -> bool {
        self.0 <= Self::EMPTY.0
    }
}
