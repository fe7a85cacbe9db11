//! The owner and the name of a track, and what distinguishes it from others of its type.

/// The owner of a track.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TrackOwner {
    /// A thread.
    Thread,
    /// A process.
    Process,
    /// A CPU.
    Cpu,
    /// The whole machine.
    Machine,
}

impl TrackOwner {
    /// The owner in words: `thread`, `process`, `cpu`, `global`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Process => "process",
            Self::Cpu => "cpu",
            Self::Machine => "global",
        }
    }
}

/// How PerfettoSQL names a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrackTitle {
    /// Not at all.
    None,
    /// By the name in the trace.
    Own,
    /// All tracks of the type have this name.
    Fixed(&'static str),
    /// By its CPU, with this text before and after it.
    OfCpu(&'static str, &'static str),
}

/// Where the value of a dimension is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrackDimensionValue {
    /// The row of the track's thread.
    Thread,
    /// The row of the track's process.
    Process,
    /// The number of the track's CPU.
    Cpu,
    /// The variable part of the track's name, as text.
    Text,
    /// The variable part of the track's name, as a number; 0 if the name has none.
    Number,
    /// The argument of the track with this key; NULL if it has none.
    Argument,
    /// NULL: no file has a value for it.
    Absent,
    /// All tracks of the type have this text.
    Fixed(&'static str),
}

/// One of the values that together distinguish a track from others of its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrackDimension {
    /// Its key in PerfettoSQL.
    pub key: &'static str,
    /// Where the value of a track is stored.
    pub value: TrackDimensionValue,
}
