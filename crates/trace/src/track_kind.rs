//! The kinds of tracks.

/// The owner and the contents of a track.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TrackKind {
    /// Nested slices of a thread.
    Thread,
    /// A named track of a thread, separate from its own slices.
    ThreadTrack,
    /// Nested slices that belong to a process but not to a thread.
    Process,
    /// A named track of a process (`G`/`H`/`N` markers).
    ProcessTrack,
    /// Async slices of a process. It is the parent of the lanes for overlapping slices.
    ProcessAsync,
    /// Slices of a CPU: interrupts, softirqs.
    Cpu,
    /// Slices without thread, process and CPU.
    Global,
    /// A counter of a thread.
    ThreadCounter,
    /// A counter of a process.
    ProcessCounter,
    /// A counter of a CPU: frequency, idle state.
    CpuCounter,
    /// A counter of the whole machine.
    GlobalCounter,
}

impl TrackKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Thread,
        Self::ThreadTrack,
        Self::Process,
        Self::ProcessTrack,
        Self::ProcessAsync,
        Self::Cpu,
        Self::Global,
        Self::ThreadCounter,
        Self::ProcessCounter,
        Self::CpuCounter,
        Self::GlobalCounter,
    ];

    /// Whether it holds counter values instead of slices.
    pub fn is_counter(self) -> bool {
        self >= Self::ThreadCounter
    }

    /// The kind's name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::ThreadTrack => "thread_track",
            Self::Process => "process",
            Self::ProcessTrack => "process_track",
            Self::ProcessAsync => "process_async",
            Self::Cpu => "cpu",
            Self::Global => "global",
            Self::ThreadCounter => "thread_counter",
            Self::ProcessCounter => "process_counter",
            Self::CpuCounter => "cpu_counter",
            Self::GlobalCounter => "counter",
        }
    }
}
