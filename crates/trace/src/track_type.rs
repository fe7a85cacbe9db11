//! The types of tracks: what each belongs to, what it holds, and what tells its tracks apart.

mod facts;

use self::facts::FACTS;
pub use self::facts::{TrackDimension, TrackDimensionValue, TrackOwner, TrackTitle};

macro_rules! track_types {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The type of a track. [`owner`](Self::owner), [`is_counter`](Self::is_counter) and the other methods
        /// tell its properties.
        ///
        /// A type that has a name in PerfettoSQL has that name. The numbers are stored in reports, so types are
        /// only added at the end.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum TrackType {
            $($(#[$doc])* $name,)*
        }

        impl TrackType {
            /// Every type, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

track_types! {
    /// Nested slices of a thread.
    ThreadExecution,
    /// A named track of a thread, separate from its own slices.
    ThreadSlice,
    /// Slices and marks of a process on a named track.
    ProcessSlice,
    /// A named track of a process (`G`/`H`/`N` markers).
    AtraceAsyncSliceForTrack,
    /// Asynchronous slices of a process, on a track with their name (`S`/`F` markers).
    AtraceAsyncSlice,
    /// Slices of a CPU.
    CpuSlice,
    /// Slices without thread, process and CPU.
    GlobalSlice,
    /// A counter of a thread.
    ThreadCounter,
    /// A counter of a process (`C` markers).
    AtraceCounter,
    /// A counter of a CPU.
    CpuCounter,
    /// A counter of the whole machine.
    GlobalCounter,
    /// Calls of a method trace.
    ArtMethodTracing,
    /// Slices of a thread that cross the ends of others.
    ThreadOverlappingSlice,
    /// The kernel's functions that a thread called.
    ThreadFuncgraph,
    /// Asynchronous slices of a process in Chrome JSON.
    LegacyAsyncProcessSlice,
    /// Asynchronous slices without a process in Chrome JSON.
    LegacyAsyncGlobalSlice,
    /// Marks of a process in Chrome JSON.
    ChromeProcessInstant,
    /// Marks of the whole trace in Chrome JSON.
    LegacyChromeGlobalInstants,
    /// Interrupts.
    CpuIrq,
    /// Softirqs.
    CpuSoftirq,
    /// The kernel's functions that ran on a CPU without a thread.
    CpuFuncgraph,
    /// Packets that the network stack merged.
    CpuNapiGro,
    /// The steps of a suspend or resume.
    SuspendResume,
    /// The frequency of a CPU, kHz.
    CpuFrequency,
    /// The idle state of a CPU.
    CpuIdle,
    /// The upper limit of a CPU's frequency, kHz.
    CpuMaxFrequencyLimit,
    /// The lower limit of a CPU's frequency, kHz.
    CpuMinFrequencyLimit,
    /// The frequency of a GPU, kHz.
    GpuFrequency,
    /// The rate of a clock, Hz.
    ClockFrequency,
    /// Whether a clock or a regulator is on.
    ClockState,
    /// The temperature of a thermal zone, m°C.
    ThermalTemperature,
    /// The state of a cooling device.
    CoolingDeviceCounter,
    /// The memory of the GPU, bytes.
    GpuMemory,
    /// The memory of a process on the GPU, bytes.
    ProcessGpuMemory,
    /// A figure of the memory of a process, bytes.
    ProcessMemory,
    /// How readily the kernel kills a process.
    OomScoreAdj,
    /// Whether the screen is on.
    ScreenState,
    /// The memory of an ION heap, bytes.
    Ion,
    /// The memory of the DMA heaps, bytes.
    AndroidDmaHeap,
    /// A counter of a process in Chrome JSON.
    JsonCounter,
    /// A track of a thread in Perfetto's track events.
    ThreadTrackEvent,
    /// A track of a process in Perfetto's track events.
    ProcessTrackEvent,
    /// A track without thread and process in Perfetto's track events.
    GlobalTrackEvent,
    /// A counter of a thread in Perfetto's track events.
    ThreadCounterTrackEvent,
    /// A counter of a process in Perfetto's track events.
    ProcessCounterTrackEvent,
    /// A counter without thread and process in Perfetto's track events.
    GlobalCounterTrackEvent,
    /// A figure of `/proc/meminfo`, bytes.
    Meminfo,
    /// A figure of `/proc/vmstat`.
    Vmstat,
    /// How long a CPU was in a mode, ns.
    CpuStat,
    /// How often an interrupt occurred.
    NumIrq,
    /// How often a softirq occurred.
    NumSoftirq,
    /// How many processes began.
    NumForks,
    /// How many interrupts occurred.
    NumIrqTotal,
    /// How many softirqs occurred.
    NumSoftirqTotal,
    /// How many free blocks of a size a zone of memory has.
    BuddyInfo,
    /// How much a disk did since the last value.
    DiskStat,
    /// How long tasks waited for a resource, ns.
    Psi,
    /// The temperature of a thermal zone, °C.
    ThermalTemperatureSys,
    /// How long a CPU was in an idle state, µs.
    CpuIdleState,
    /// The memory of one of the kernel's caches, bytes.
    SlabInfo,
    /// A figure of a process from its memory maps, bytes.
    Smaps,
    /// How long a process ran, ns.
    ProcStatRuntime,
    /// A figure of the battery.
    BatteryCounter,
    /// The energy that a power rail delivered, µWs.
    PowerRails,
    /// How long a part of the device was in a state, ms.
    EntityState,
    /// The energy that a consumer used, µWs.
    AndroidEnergyEstimationBreakdown,
    /// The energy that a consumer used for a user, µWs.
    AndroidEnergyEstimationBreakdownPerUid,
    /// A counter of a GPU.
    GpuCounter,
    /// A system property of Android that is a number.
    SyspropCounter,
    /// A figure of the battery statistics of Android.
    BatteryStats,
    /// The states of a foldable device.
    AndroidDeviceState,
    /// When frames of a process were expected.
    AndroidExpectedFrameTimeline,
    /// When frames of a process came.
    AndroidActualFrameTimeline,
    /// What happens to a buffer of graphics.
    GraphicsFrameEvent,
    /// What a queue of a GPU does.
    GpuRenderStage,
    /// The messages of a GPU's driver.
    GpuLog,
    /// Submissions to the queues of Vulkan.
    VulkanEvents,
    /// The memory that a driver allocated for a process in a scope of Vulkan, bytes.
    VulkanDriverMem,
    /// The memory of a type that a process allocated on a device of Vulkan, bytes.
    VulkanDeviceMemAllocation,
    /// The memory of a type that buffers and images of a process are in, bytes.
    VulkanDeviceMemBind,
    /// Packets that a network interface received, or transmitted.
    NetworkPackets,
    /// States of a thread in Perfetto's track events.
    ThreadStateTrackEvent,
    /// States of a process in Perfetto's track events.
    ProcessStateTrackEvent,
    /// States without thread and process in Perfetto's track events.
    GlobalStateTrackEvent,
    /// What F2FS read or wrote since the last value, bytes.
    F2fsIostat,
    /// How long F2FS waited for a device.
    F2fsIostatLatency,
    /// How much of a CPU its tasks use.
    CpuUtilization,
    /// How much a CPU can do.
    CpuCapacity,
    /// How many tasks run or wait on a CPU.
    CpuNrRunning,
    /// How many commands a flash device has.
    UfsCommandCount,
    /// How much an allocation changed an ION heap, bytes.
    IonChange,
    /// The states of a TCP connection.
    NetSocketSetState,
    /// Segments that TCP sent again.
    NetTcpRetransmitSkb,
    /// Commands in a queue of a virtual GPU.
    VirtgpuQueue,
    /// How many entries of a queue of a virtual GPU are free.
    VirtgpuNumFree,
    /// How long a virtual GPU took to answer, ns.
    VirtgpuLatency,
    /// Batches of commands on a Qualcomm GPU.
    AdrenoGpuCmdbatch,
    /// States of other recordings of Perfetto's recorder.
    ConcurrentTracingSessions,
    /// How long the apps of a user ran on a cluster of CPUs, ms.
    AndroidCpuPerUid,
    /// How long all apps or the system ran on a cluster of CPUs, ms.
    AndroidCpuPerUidTotals,
    /// How long a wakelock of the kernel was held, ns.
    AndroidKernelWakelock,
    /// How long a wakelock of a program was held, ns.
    AndroidNativeWakelock,
    /// How long a wakelock of unknown kind was held, ns.
    AndroidUnknownWakelock,
}

impl TrackType {
    /// The type's name in tables and JSON.
    pub fn name(self) -> &'static str {
        FACTS[self as usize].name
    }

    /// What its tracks belong to.
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

    /// What tells its tracks apart.
    pub fn dimensions(self) -> &'static [TrackDimension] {
        FACTS[self as usize].dimensions
    }

    /// The type of a track that a reader of kernel events names `name`: of the same owner and contents, but more
    /// specific if this name has a type of its own.
    pub fn named(self, name: &str) -> Self {
        let mut named = self.with_names().iter().copied();
        let fits = |kind: &Self| FACTS[*kind as usize].names.variable_part(name).is_some();
        named.find(fits).unwrap_or(self)
    }

    /// The types of the same owner and contents that a name tells.
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
mod tests {
    use super::facts::Names;
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (number, kind) in TrackType::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, number);
            let same = TrackType::ALL
                .iter()
                .filter(|one| one.name() == kind.name())
                // A dimension with a fixed value tells types of one name apart.
                .filter(|one| one.dimensions() == kind.dimensions());
            assert_eq!(same.count(), 1, "{}", kind.name());
        }
        assert_eq!(FACTS.len(), TrackType::ALL.len());
    }

    #[test]
    fn dimensions_fit_the_owner() {
        for kind in TrackType::ALL {
            let has = |value| kind.dimensions().iter().any(|one| one.value == value);
            assert_eq!(
                has(TrackDimensionValue::Thread),
                kind.owner() == TrackOwner::Thread
            );
            assert_eq!(
                has(TrackDimensionValue::Process),
                kind.owner() == TrackOwner::Process
            );
            assert_eq!(
                has(TrackDimensionValue::Cpu),
                kind.owner() == TrackOwner::Cpu
            );
        }
    }

    #[test]
    fn every_type_with_names_is_listed() {
        for kind in TrackType::ALL {
            let is_listed = kind.with_names().contains(kind);
            let has_names = !matches!(FACTS[*kind as usize].names, Names::Any);
            assert_eq!(is_listed, has_names, "{}", kind.name());
        }
    }

    #[test]
    fn a_kernel_name_selects_its_type() {
        use TrackType as T;
        for (kind, name, expected, part) in [
            (T::CpuSlice, "irq", T::CpuIrq, ""),
            (T::CpuSlice, "timer", T::CpuSlice, "timer"),
            (T::CpuCounter, "cpufreq", T::CpuFrequency, ""),
            (
                T::CpuCounter,
                "Cpu 3 Max Freq Limit",
                T::CpuMaxFrequencyLimit,
                "3",
            ),
            (T::GlobalCounter, "gpufreq", T::GpuFrequency, ""),
            (T::GlobalCounter, "gpufreq 1", T::GpuFrequency, "1"),
            (T::GlobalCounter, "gpufreqx", T::GlobalCounter, "gpufreqx"),
            (
                T::GlobalCounter,
                "soc Temperature",
                T::ThermalTemperature,
                "soc",
            ),
            (T::GlobalCounter, "mem.ion.system", T::Ion, "system"),
            (
                T::AtraceCounter,
                "mem.rss.anon",
                T::ProcessMemory,
                "rss.anon",
            ),
            (T::AtraceCounter, "mem.cache", T::AtraceCounter, "mem.cache"),
            (T::ThreadSlice, "functions", T::ThreadFuncgraph, ""),
            (T::ThreadExecution, "functions", T::ThreadFuncgraph, ""),
        ] {
            assert_eq!(kind.named(name), expected, "{name}");
            assert_eq!(expected.variable_part(name), part);
        }
    }
}
