//! Method traces as a stream of events. A reader of `.trace` files produces it; the consumer builds tables or
//! counts a profile directly.

use crate::repair::{Place, RepairKind};

/// A thread of a method trace: the n-th that the file names or uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ThreadIndex(pub u32);

/// A method of a method trace: the n-th that the file names or uses. Below 2^30.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct MethodIndex(pub u32);

/// What a record says of its method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum MethodAction {
    /// The method was called.
    Enter = 0,
    /// It returned.
    Exit = 1,
    /// An exception left it. Counts as a return.
    Unwind = 2,
}

/// One record of a method trace, 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodEvent {
    /// Wall time, ns since the trace's start. Where only CPU clocks were recorded
    /// ([`MethodClocks::wall`] is false) it is rebuilt from them. 32 bits that ran over are
    /// continued; steps back on a thread are counted and kept.
    pub wall_ns: i64,
    /// The thread's CPU time, ns since the trace's start; 0 where it was not recorded.
    pub cpu_ns: i64,
    /// Where the record stands in the source, bytes.
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

    /// What happened to it.
    #[inline]
    pub fn action(self) -> MethodAction {
        match self.packed & 3 {
            0 => MethodAction::Enter,
            1 => MethodAction::Exit,
            _ => MethodAction::Unwind,
        }
    }
}

/// Which clocks the file recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodClocks {
    /// Wall time stands in the records.
    pub wall: bool,
    /// The threads' CPU time stands in the records.
    pub cpu: bool,
}

impl MethodClocks {
    /// The value of `clock=` that says this.
    pub fn name(self) -> &'static str {
        match (self.wall, self.cpu) {
            (true, true) => "dual",
            (true, false) => "wall",
            _ => "thread-cpu",
        }
    }
}

/// What is known before the first record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodTraceStart {
    /// The version as it stands in the binary header, `0xF3` and so on included.
    pub version: u16,
    /// The record encoding: `v1`, `v2`, `v3`, `a1`, `a2`, `b`, `long-running`.
    pub encoding: &'static str,
    /// The clocks in the records.
    pub clocks: MethodClocks,
    /// What the recording clock showed at the start, ns (Dalvik: since 1970; ART: monotonic).
    pub start_ns: i64,
    /// Bytes a record has, 0 where they vary.
    pub record_bytes: u16,
}

/// What a method's line in the file says. Fields that the line lacks are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MethodLine<'a> {
    /// The id as it stands in the file.
    pub raw_id: u64,
    /// The class; dotted in ART, slashed in Dalvik.
    pub class: &'a str,
    /// The method's name.
    pub name: &'a str,
    /// Its signature.
    pub signature: &'a str,
    /// Its source file.
    pub file: &'a str,
    /// Its line; -1 where the file has none.
    pub line: i32,
}

/// The consumer of a method trace. Readers call it in file order: `start`, then declarations and
/// batches of events as they come, then repairs, then `finish`.
///
/// Every thread and method is declared before the first event that names it, in the order of the
/// indices. Where the file has not told its name by then, the name or line is empty; the real one
/// may follow at any time, even behind the last event, and a file may change it.
pub trait MethodEvents {
    /// The header was read.
    fn start(&mut self, start: &MethodTraceStart);
    /// A thread was declared: its number in the file, and its name, empty while it is not known.
    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str);
    /// A method was declared. One whose name is not known gets an empty line with its id.
    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>);
    /// A batch of records.
    fn events(&mut self, batch: &[MethodEvent]);
    /// The reader mended or lost something.
    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, detail: String);
    /// All records were read. `key_section` has the lines `key=value` of the file.
    fn finish(&mut self, key_section: &[(String, String)]);
}
