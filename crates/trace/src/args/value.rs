//! The values of arguments, and how they are stored.

use crate::ids::{ArgSetId, ProcessId, RecordId, RowId, SliceId, StringId, ThreadId, TrackId};
use crate::remap::IdKind;
use crate::strings::StringPool;

/// One value of an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ArgValue {
    /// A signed number.
    Int(i64),
    /// A number that was written in hexadecimal: an address, flags.
    Hex(u64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(StringId),
    /// A number without a sign that does not fit into a signed one.
    Unsigned(u64),
    /// True or false.
    Bool(bool),
    /// A value that the file gives as absent.
    Null,
    /// An object or a list in JSON.
    Json(StringId),
    /// A row of another table. It is updated when that row moves. Only records refer to sets and records this way.
    Row(IdKind, u32),
}

pub(super) const INT: u8 = 0;
const HEX: u8 = 1;
const FLOAT: u8 = 2;
pub(super) const TEXT: u8 = 3;
const UNSIGNED: u8 = 4;
const BOOL: u8 = 5;
pub(super) const NULL: u8 = 6;
pub(super) const JSON: u8 = 7;
const FIRST_ROW: u8 = 8;
pub(super) const LAST_ROW: u8 = FIRST_ROW + ROWS.len() as u8 - 1;

/// The tables whose rows a value can be, in the order of their numbers in storage.
const ROWS: [IdKind; 6] = [
    IdKind::Process,
    IdKind::Thread,
    IdKind::Track,
    IdKind::Slice,
    IdKind::ArgSet,
    IdKind::Record,
];

/// The table that a kind of value refers to.
pub(super) fn row_of(kind: u8) -> Option<IdKind> {
    let place = kind.checked_sub(FIRST_ROW)?;
    ROWS.get(usize::from(place)).copied()
}

/// Marks the kind of the last argument of a set.
pub(super) const LAST: u8 = 0x80;

impl ArgValue {
    #[inline]
    pub(super) fn pack(self) -> (u8, u64) {
        match self {
            Self::Int(value) => (INT, value as u64),
            Self::Hex(value) => (HEX, value),
            Self::Float(value) => (FLOAT, value.to_bits()),
            Self::Text(id) => (TEXT, id.0.into()),
            Self::Unsigned(value) => (UNSIGNED, value),
            Self::Bool(value) => (BOOL, value.into()),
            Self::Null => (NULL, 0),
            Self::Json(id) => (JSON, id.0.into()),
            Self::Row(of, row) => match ROWS.iter().position(|known| *known == of) {
                Some(place) => (FIRST_ROW + place as u8, row.into()),
                None => (NULL, 0),
            },
        }
    }

    pub(super) fn unpack(kind: u8, bits: u64) -> Self {
        match kind & !LAST {
            INT => Self::Int(bits as i64),
            HEX => Self::Hex(bits),
            FLOAT => Self::Float(f64::from_bits(bits)),
            UNSIGNED => Self::Unsigned(bits),
            BOOL => Self::Bool(bits != 0),
            NULL => Self::Null,
            JSON => Self::Json(StringId(bits as u32)),
            TEXT => Self::Text(StringId(bits as u32)),
            // The largest number means no row.
            kind => match row_of(kind).filter(|_| bits < u32::MAX.into()) {
                Some(of) => Self::Row(of, bits as u32),
                None => Self::Null,
            },
        }
    }

    /// The value as text, as ftrace or JSON prints it.
    pub fn display(self, strings: &StringPool) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Hex(value) => format!("{value:#x}"),
            Self::Float(value) => value.to_string(),
            Self::Text(id) | Self::Json(id) => strings.get(id).to_owned(),
            Self::Unsigned(value) => value.to_string(),
            Self::Bool(value) => value.to_string(),
            Self::Null => "null".to_owned(),
            Self::Row(_, row) => row.to_string(),
        }
    }
}

macro_rules! rows {
    ($($type:ident: $kind:ident;)*) => {$(
        impl From<$type> for ArgValue {
            /// A row; no value for "no row".
            fn from(id: $type) -> Self {
                match id.some() {
                    Some(id) => Self::Row(IdKind::$kind, id.0),
                    None => Self::Null,
                }
            }
        }
    )*};
}

rows! {
    ProcessId: Process;
    ThreadId: Thread;
    TrackId: Track;
    SliceId: Slice;
    ArgSetId: ArgSet;
    RecordId: Record;
}
