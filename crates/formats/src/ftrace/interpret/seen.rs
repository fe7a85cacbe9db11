//! Threads that were seen on a CPU without a switch to them.

use traceloom_trace::Sighting;

use super::position::At;

/// A thread that was seen on a CPU without a switch to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Its first event there.
    pub at: At,
    /// The last event before its first one that shows another thread there, ns.
    pub after: i64,
    /// Its last event there, ns.
    pub last: i64,
    /// The start of its run according to its running time, ns.
    pub began: Option<i64>,
}

impl Seen {
    pub fn sighting(&self) -> Sighting {
        Sighting {
            utid: self.at.utid,
            after: self.after,
            first: self.at.ts,
            began: self.began,
        }
    }
}
