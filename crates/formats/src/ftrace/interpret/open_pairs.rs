//! What the interpreter remembers of pairs of kernel events.

use rustc_hash::FxHashMap;
use traceloom_trace::{CallStack, LaneKey, SliceBegin, SliceId, TrackId};

use crate::ftrace::syscalls::Machine;

/// The open slices of pairs.
#[derive(Debug, Default)]
pub(super) struct OpenPairs {
    /// By track, as the builder has them, with what identifies each.
    pub stacks: FxHashMap<TrackId, CallStack<Open>>,
    /// Begins that wait for their end, by the track of the pair.
    pub waiting: FxHashMap<TrackId, Waiting>,
    /// The machine that numbers the system calls, once asked for.
    pub machine: Option<Option<Machine>>,
}

/// An open slice, and how many are around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub slice: SliceId,
    pub depth: usize,
}

/// A begin whose slice is made when its end arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub identity: u32,
    pub begin: SliceBegin,
}

/// A request that a device works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// The slice's key: where the request began.
    pub key: LaneKey,
    /// Sectors that are not completed.
    pub left: i64,
}
