//! Tracks of kernel events that describe their own tracks.

use traceloom_trace::{
    ArgValue, ProcessId, StringId, ThreadId, TraceBuilder, TrackId, TrackOwnerId, TrackType,
};

/// Identifies a track of such events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct DescribedTrack {
    pub event: StringId,
    pub name: StringId,
    pub scope: Scope,
    pub is_counter: bool,
}

/// The owner of a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Scope {
    Thread(ThreadId),
    Process(ProcessId),
    Cpu(u32),
    Custom(i64),
}

impl Scope {
    /// Adds a track that belongs to this scope.
    fn add_track(self, is_counter: bool, name: StringId, out: &mut TraceBuilder) -> TrackId {
        use TrackType as T;
        let of = |slices, counter| if is_counter { counter } else { slices };
        let (kind, owner) = match self {
            Self::Thread(utid) => (
                of(
                    T::KernelTrackeventThreadSlice,
                    T::KernelTrackeventThreadCounter,
                ),
                TrackOwnerId::Thread(utid),
            ),
            Self::Process(upid) => (
                of(
                    T::KernelTrackeventProcessSlice,
                    T::KernelTrackeventProcessCounter,
                ),
                TrackOwnerId::Process(upid),
            ),
            Self::Cpu(cpu) => {
                let kind = of(T::KernelTrackeventCpuSlice, T::KernelTrackeventCpuCounter);
                return out.separate_cpu_track(kind, cpu, name);
            }
            Self::Custom(_) => (
                of(
                    T::KernelTrackeventCustomSlice,
                    T::KernelTrackeventCustomCounter,
                ),
                TrackOwnerId::Machine,
            ),
        };
        out.separate_track(kind, owner, name)
    }
}

impl DescribedTrack {
    pub fn add(self, out: &mut TraceBuilder) -> TrackId {
        let track = self.scope.add_track(self.is_counter, self.name, out);
        let tracepoint = ("tracepoint", ArgValue::Text(self.event));
        match self.scope {
            Scope::Custom(scope) => {
                let scope = ("scope", ArgValue::Int(scope));
                out.add_track_args(track, &[scope, tracepoint]);
            }
            _ => out.add_track_args(track, &[tracepoint]),
        }
        track
    }
}
