//! What connects the events of an async slice.

use rustc_hash::FxHashMap;
use traceloom_trace::{ProcessId, RowId, StringId};

use super::rows::{LOCAL, Row};

/// Identifies the events of an async slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub upid: ProcessId,
    category: StringId,
    id: StringId,
    /// Only the old phases (`S`, `F`) distinguish slices of one id by their names.
    name: StringId,
}

impl Key {
    /// The key of an event.
    pub fn of(row: &Row) -> Self {
        let nests = matches!(row.phase, b'b' | b'n' | b'e');
        Self {
            upid: row.upid,
            category: row.category,
            id: row.id,
            name: if nests { StringId::NULL } else { row.name },
        }
    }

    /// The same key without the process.
    pub fn in_any_process(self) -> Self {
        let upid = ProcessId::NONE;
        Self { upid, ..self }
    }
}

/// The keys under which the slice of an event may be open. The first is that of the event's own process; the second is
/// that of the process where a slice with the same id began last, by `began`.
pub(super) fn keys(
    began: &FxHashMap<Key, ProcessId>,
    key: Key,
    row: &Row,
) -> impl Iterator<Item = Key> + use<> {
    let began = began.get(&key.in_any_process()).copied();
    let other = began.filter(|upid| *upid != key.upid && row.flags & LOCAL == 0);
    std::iter::once(key).chain(other.map(|upid| Key { upid, ..key }))
}
