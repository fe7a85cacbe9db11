//! The types of tracks: the owner and the contents of their tracks, and what distinguishes these tracks.

mod facts;
mod parts;
mod types;

use self::facts::FACTS;
pub use self::parts::{TrackDimension, TrackDimensionValue, TrackOwner, TrackTitle};
pub use self::types::TrackType;

impl TrackType {
    /// The type's name in tables and JSON.
    pub fn name(self) -> &'static str {
        FACTS[self as usize].name
    }

    /// The owner of its tracks.
    pub fn owner(self) -> TrackOwner {
        FACTS[self as usize].owner
    }

    /// Whether it holds counter values instead of slices.
    pub fn is_counter(self) -> bool {
        FACTS[self as usize].is_counter
    }

    /// Whether it holds states, which are records, instead of slices.
    pub fn is_state(self) -> bool {
        matches!(
            self,
            Self::ThreadStateTrackEvent
                | Self::ProcessStateTrackEvent
                | Self::GlobalStateTrackEvent
                | Self::ConcurrentTracingSessions
        )
    }

    /// Whether it holds the nested slices of a thread: its calls and its own marks.
    pub fn is_stack(self) -> bool {
        matches!(self, Self::ThreadExecution | Self::ArtMethodTracing)
    }

    /// Whether it holds slices of a thread, on the thread's own track or a named one.
    pub fn is_of_thread(self) -> bool {
        self.owner() == TrackOwner::Thread && !self.is_counter()
    }

    /// Whether its slices count in profiles: those of threads, and calls of the kernel on a CPU. The kernel's
    /// function_graph tracer prints no threads by default.
    pub fn is_profiled(self) -> bool {
        self.is_of_thread() || self == Self::CpuFuncgraph
    }

    /// Whether it holds slices of a thread that are not its nested ones.
    pub fn is_beside_thread(self) -> bool {
        self.is_of_thread() && !self.is_stack()
    }

    /// Whether it holds asynchronous slices of a process that have the name of their track.
    pub fn is_process_async(self) -> bool {
        matches!(self, Self::AtraceAsyncSlice | Self::LegacyAsyncProcessSlice)
    }

    /// Whether it holds slices of this owner, and slices may not have the track's name.
    pub fn holds_slices_of(self, owner: TrackOwner) -> bool {
        self.owner() == owner && !self.is_counter() && !self.is_process_async()
    }

    /// Whether it holds counter values of this owner.
    pub fn is_counter_of(self, owner: TrackOwner) -> bool {
        self.owner() == owner && self.is_counter()
    }

    /// Whether slices may overlap, so that its tracks are lanes of a group.
    pub fn has_lanes(self) -> bool {
        FACTS[self as usize].has_lanes
    }

    /// The unit of its values, such as `bytes`. Empty if the values have no unit, or it is unknown.
    pub fn unit(self) -> &'static str {
        FACTS[self as usize].unit
    }

    /// How PerfettoSQL names its tracks.
    pub fn title(self) -> TrackTitle {
        FACTS[self as usize].title
    }

    /// The values that distinguish its tracks.
    pub fn dimensions(self) -> &'static [TrackDimension] {
        FACTS[self as usize].dimensions
    }

    /// The type of a track that a reader of kernel events calls `name`. It has the same owner and contents, but is
    /// more specific if this name has its own type.
    pub fn named(self, name: &str) -> Self {
        let mut named = self.with_names().iter().copied();
        let fits = |kind: &Self| FACTS[*kind as usize].names.variable_part(name).is_some();
        named.find(fits).unwrap_or(self)
    }

    /// The types of the same owner and contents that are recognised by a name.
    fn with_names(self) -> &'static [Self] {
        match (self.owner(), self.is_counter()) {
            (TrackOwner::Thread, false) => &[Self::ThreadFuncgraph],
            (TrackOwner::Thread, true) => &[Self::IonChange],
            (TrackOwner::Process, false) => &[],
            (TrackOwner::Process, true) => &[
                Self::ProcessGpuMemory,
                Self::ProcessMemory,
                Self::OomScoreAdj,
            ],
            (TrackOwner::Cpu, false) => &[
                Self::CpuIrq,
                Self::CpuSoftirq,
                Self::CpuFuncgraph,
                Self::CpuNapiGro,
                Self::CpuHrtimer,
            ],
            (TrackOwner::Cpu, true) => &[
                Self::CpuFrequency,
                Self::CpuIdle,
                Self::CpuMaxFrequencyLimit,
                Self::CpuMinFrequencyLimit,
                Self::CpuUtilization,
                Self::CpuCapacity,
                Self::CpuNrRunning,
            ],
            (TrackOwner::Machine, false) => &[
                Self::SuspendResume,
                Self::NetSocketSetState,
                Self::NetTcpRetransmitSkb,
                Self::VirtgpuQueue,
            ],
            (TrackOwner::Machine, true) => &[
                Self::GpuFrequency,
                Self::ClockFrequency,
                Self::ClockState,
                Self::ThermalTemperature,
                Self::CoolingDeviceCounter,
                Self::GpuMemory,
                Self::ScreenState,
                Self::Ion,
                Self::AndroidDmaHeap,
                Self::F2fsIostat,
                Self::F2fsIostatLatency,
                Self::UfsCommandCount,
                Self::VirtgpuNumFree,
                Self::VirtgpuLatency,
            ],
        }
    }

    /// The part of a track's name that differs between tracks of this type.
    pub fn variable_part(self, name: &str) -> &str {
        let facts = &FACTS[self as usize];
        let part = facts.names.variable_part(name);
        let part = part.or_else(|| facts.form.variable_part(name));
        part.unwrap_or(name)
    }
}

#[cfg(test)]
mod tests;
