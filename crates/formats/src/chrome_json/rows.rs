//! Events that have to be sorted before slices are built.

use traceloom_trace::{
    ArgSetId, MethodId, NO_DURATION, ProcessId, RowId, SliceBegin, StringId, ThreadId,
};

/// An event of a thread or of an async slice. It is kept small, because every event of the file has
/// one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub ts: i64,
    /// The duration of an `X`; [`ties`](super::ties) also finds that of a `B`.
    pub dur: i64,
    pub thread_ts: i64,
    pub thread_dur: i64,
    pub name: StringId,
    pub category: StringId,
    /// The id of an async slice or of a flow.
    pub id: StringId,
    pub args: ArgSetId,
    pub utid: ThreadId,
    pub upid: ProcessId,
    /// The order in the file.
    pub sequence: u32,
    pub phase: u8,
    pub flags: u8,
}

/// A flow arrives at this event.
pub(super) const FLOW_IN: u8 = 1;
/// A flow starts at this event.
pub(super) const FLOW_OUT: u8 = 2;
/// A flow ends at the enclosing slice.
pub(super) const ENCLOSING: u8 = 4;
/// The id of an async slice is valid only within its process.
pub(super) const LOCAL: u8 = 8;
/// The event is an `X` without a duration.
pub(super) const NO_END: u8 = 16;

impl Row {
    /// The sort key on a thread: ends and begins in file order, then complete slices from the longest to the shortest,
    /// then flows, which need all slices of that time. A flow that waits for the next slice is sorted with the begins,
    /// because the next slice may begin at the same time.
    pub fn thread_key(&self) -> (ThreadId, i64, u8, std::cmp::Reverse<i64>, u32) {
        let dur = if self.phase == b'X' { self.dur } else { 0 };
        let order = std::cmp::Reverse(dur);
        (self.utid, self.ts, self.rank(), order, self.sequence)
    }

    /// The rank among events of the same time.
    pub fn rank(&self) -> u8 {
        match self.phase {
            b'X' => 1,
            b'f' if self.is_waiting() => 0,
            b's' | b't' | b'f' => 2,
            _ => 0,
        }
    }

    /// Whether it is a flow that ends at the next slice.
    pub fn is_waiting(&self) -> bool {
        self.phase == b'f' && self.flags & ENCLOSING == 0
    }

    pub fn begin(&self) -> SliceBegin {
        SliceBegin {
            ts: self.ts,
            thread_ts: self.thread_ts,
            name: self.name,
            category: self.category,
            arg_set_id: self.args,
            method_id: MethodId::NONE,
        }
    }

    /// The thread's CPU clock at the end of a complete slice.
    pub fn thread_end(&self) -> Option<i64> {
        let known = self.thread_ts != NO_DURATION && self.thread_dur != NO_DURATION;
        known.then(|| self.thread_ts.saturating_add(self.thread_dur))
    }
}
