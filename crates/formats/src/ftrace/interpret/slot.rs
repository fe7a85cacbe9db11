//! What is known about one lifetime of a thread.

use traceloom_trace::{NO_CPU, RowId, StringId, ThreadId, TrackId};

use super::position::Position;
use crate::ftrace::event::NO_TGID;
use crate::ftrace::swar::same_bytes;

/// The size of an inline name. Names have at most 15 bytes in the kernel. Longer ones come from
/// other tools and are compared as strings.
const INLINE_NAME: usize = 16;

/// The maximum length of a name in the kernel's `latency-format`, bytes.
const LATENCY_NAME: usize = 8;

/// One lifetime of a thread.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub tid: i32,
    pub utid: ThreadId,
    /// Its process; [`NO_TGID`] while unknown.
    pub tgid: i32,
    /// Whether the process is from a column. Markers cannot override it.
    pub tgid_from_column: bool,
    /// Whether it was just created. One creation has several events.
    pub fresh: bool,
    /// The position where it was first named.
    pub first_position: Position,
    /// Its track, once it has slices.
    pub track: TrackId,
    /// The CPU on which it was last seen without a switch to it; [`NO_CPU`] if it was not.
    pub seen_on: u32,
    /// The last name from a kernel event, and whether it is still the current name.
    pub event_name: StringId,
    pub is_name_from_event: bool,
    name_length: u8,
    name: [u8; INLINE_NAME],
}

impl Slot {
    /// A thread about which nothing else is known.
    pub fn new(tid: i32, utid: ThreadId, first_position: Position) -> Self {
        Self {
            tid,
            utid,
            tgid: NO_TGID,
            tgid_from_column: false,
            fresh: false,
            first_position,
            track: TrackId::NONE,
            seen_on: NO_CPU,
            event_name: StringId::NULL,
            is_name_from_event: false,
            name_length: u8::MAX,
            name: [0; INLINE_NAME],
        }
    }

    /// Sets the name that columns are compared with.
    pub fn set_name(&mut self, name: &[u8]) {
        self.is_name_from_event = false;
        self.name_length = u8::MAX;
        if name.len() <= INLINE_NAME {
            self.name_length = name.len() as u8;
            self.name[..name.len()].copy_from_slice(name);
        }
    }

    pub fn is_idle(&self) -> bool {
        self.tid == 0
    }

    /// Whether a line with this name and process adds no information.
    #[inline(always)]
    pub fn is_known_as(&self, name: &[u8], tgid: i32) -> bool {
        let in_process = tgid == NO_TGID || self.tgid_from_column && tgid == self.tgid;
        self.is_idle() || in_process && self.is_named(name)
    }

    /// Whether `name` is the known name, truncated by `latency-format`.
    pub fn is_cut(&self, name: &[u8]) -> bool {
        let known = self.name.get(..usize::from(self.name_length));
        name.len() == LATENCY_NAME && known.is_some_and(|known| known.starts_with(name))
    }

    /// Whether this is its name.
    #[inline(always)]
    pub fn is_named(&self, name: &[u8]) -> bool {
        let known = self.name.get(..usize::from(self.name_length));
        known.is_some_and(|known| same_bytes(known, name))
    }
}

/// Whether the text stands for a name that the writer did not know.
pub(super) fn is_unknown(name: &[u8]) -> bool {
    name.first() == Some(&b'<') && name.last() == Some(&b'>')
}
