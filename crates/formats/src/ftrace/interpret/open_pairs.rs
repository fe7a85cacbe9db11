//! The interpreter's state for pairs of kernel events.

use rustc_hash::FxHashMap;
use traceloom_trace::{CallStack, LaneKey, SliceBegin, SliceId, TrackId};

use crate::ftrace::syscalls::Machine;

/// The open slices of pairs.
#[derive(Debug, Default)]
pub(super) struct OpenPairs {
    /// The open slices of each track, matching the builder's, with their identities.
    pub stacks: FxHashMap<TrackId, CallStack<Open>>,
    /// Begins that wait for their end, by the track of the pair.
    pub waiting: FxHashMap<TrackId, Waiting>,
    /// The last system call of each thread, by its track.
    pub calls: FxHashMap<TrackId, Call>,
    /// The machine that determines system call numbers, once it was looked up.
    pub machine: Option<Option<Machine>>,
}

/// An open slice, and the number of slices around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub slice: SliceId,
    pub depth: usize,
}

/// A begin whose slice is created when its end arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub identity: u32,
    pub begin: SliceBegin,
}

/// The last system call of a thread: which families of events have shown its begin and its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub slice: SliceId,
    pub begins: u8,
    pub ends: u8,
}

/// A request that a device works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// The slice's key, derived from the start of the request.
    pub key: LaneKey,
    /// The number of sectors that are not completed yet.
    pub left: i64,
}
