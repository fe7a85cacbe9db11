//! Method traces as a stream of events. A reader of `.trace` files produces it, and the consumer
//! builds tables or counts a profile directly.

use crate::repair::{Place, RepairKind};

/// A thread of a method trace: the n-th that the file declares or uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ThreadIndex(pub u32);

/// A method of a method trace: the n-th that the file declares or uses. Below 2^30.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct MethodIndex(pub u32);

/// The action of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum MethodAction {
    /// The method was called.
    Enter = 0,
    /// It returned.
    Exit = 1,
    /// It was left by an exception. Counts as a return.
    Unwind = 2,
}

/// One record of a method trace, 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodEvent {
    /// Wall time, ns since the trace's start. If only CPU clocks were recorded
    /// ([`MethodClocks::wall`] is false), it is computed from them. Overflows of 32 bits are
    /// corrected; steps back on a thread are counted and kept.
    pub wall_ns: i64,
    /// The thread's CPU time, ns since the trace's start; 0 if it was not recorded.
    pub cpu_ns: i64,
    /// The offset of the record in the source, bytes.
    pub offset: u64,
    /// The thread.
    pub thread: ThreadIndex,
    packed: u32,
}

impl MethodEvent {
    /// A record of `thread` entering or leaving `method`.
    #[inline]
    pub fn new(
        thread: ThreadIndex,
        method: MethodIndex,
        action: MethodAction,
        wall_ns: i64,
        cpu_ns: i64,
        offset: u64,
    ) -> Self {
        Self {
            wall_ns,
            cpu_ns,
            offset,
            thread,
            packed: method.0 << 2 | action as u32,
        }
    }

    /// The method.
    #[inline]
    pub fn method(self) -> MethodIndex {
        MethodIndex(self.packed >> 2)
    }

    /// The action.
    #[inline]
    pub fn action(self) -> MethodAction {
        match self.packed & 3 {
            0 => MethodAction::Enter,
            1 => MethodAction::Exit,
            _ => MethodAction::Unwind,
        }
    }
}

/// The clocks recorded in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodClocks {
    /// Whether records have wall time.
    pub wall: bool,
    /// Whether records have the threads' CPU time.
    pub cpu: bool,
}

impl MethodClocks {
    /// The corresponding value of `clock=`.
    pub fn name(self) -> &'static str {
        match (self.wall, self.cpu) {
            (true, true) => "dual",
            (true, false) => "wall",
            _ => "thread-cpu",
        }
    }
}

/// The facts known before the first record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodTraceStart {
    /// The version in the binary header, such as 3 or `0xF3`.
    pub version: u16,
    /// The record encoding: `v1`, `v2`, `v3`, `a1`, `a2`, `b`, `long-running`.
    pub encoding: &'static str,
    /// The clocks in the records.
    pub clocks: MethodClocks,
    /// The value of the recording clock at the start, ns (Dalvik: since 1970; ART: monotonic).
    pub start_ns: i64,
    /// The size of a record, bytes; 0 if it varies.
    pub record_bytes: u16,
}

/// The contents of a method's line in the file. Missing fields are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MethodLine<'a> {
    /// The id in the file.
    pub raw_id: u64,
    /// The class; dotted in ART, slashed in Dalvik.
    pub class: &'a str,
    /// The method's name.
    pub name: &'a str,
    /// Its signature.
    pub signature: &'a str,
    /// Its source file.
    pub file: &'a str,
    /// Its line number; -1 if unknown.
    pub line: i32,
}

/// The consumer of a method trace. Readers call it in file order: `start`, then declarations and
/// batches of events as they occur, then repairs, then `finish`.
///
/// Every thread and method is declared before the first event that refers to it, in the order of the indices. If the
/// file has not given its name by then, the name or line is empty. The real name may follow at any time, even after
/// the last event, and a file may change it.
pub trait MethodEvents {
    /// The header was read.
    fn start(&mut self, start: &MethodTraceStart);
    /// A thread was declared: its number in the file and its name, which is empty while unknown.
    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str);
    /// A method was declared. If its name is unknown, its line has only the id.
    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>);
    /// A batch of records.
    fn events(&mut self, batch: &[MethodEvent]);
    /// The reader repaired or lost something.
    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, detail: String);
    /// All records were read. `key_section` has the file's `key=value` lines.
    fn finish(&mut self, key_section: &[(String, String)]);
}
