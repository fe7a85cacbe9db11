//! The list of all types.

macro_rules! track_types {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The type of a track. [`owner`](Self::owner), [`is_counter`](Self::is_counter) and the other methods
        /// return its properties.
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
    /// The expected time line of the frames of a process.
    AndroidExpectedFrameTimeline,
    /// The actual time line of the frames of a process.
    AndroidActualFrameTimeline,
    /// The events of a graphics buffer.
    GraphicsFrameEvent,
    /// The stages that a queue of a GPU executes.
    GpuRenderStage,
    /// The messages of a GPU's driver.
    GpuLog,
    /// Submissions to the queues of Vulkan.
    VulkanEvents,
    /// The memory that a driver allocated for a process in a scope of Vulkan, bytes.
    VulkanDriverMem,
    /// The memory of a type that a process allocated on a device of Vulkan, bytes.
    VulkanDeviceMemAllocation,
    /// The memory of one type that is bound to the buffers and images of a process, bytes.
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
    /// The utilization of a CPU by its tasks.
    CpuUtilization,
    /// The capacity of a CPU.
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
    /// Vertical blanks of a display.
    DrmVblank,
    /// Jobs in a queue of a GPU.
    DrmSchedRing,
    /// Fences of a time line of the DMA buffers.
    DrmFence,
    /// Resources in a queue of a virtual video device.
    VirtioVideoQueueEvent,
    /// Commands of a virtual video device.
    VirtioVideoCommand,
    /// Underruns of a display.
    DispDpuUnderrun,
    /// Underruns of a line of a display.
    DispDpuLineUnderrun,
    /// Frames of a display that began too late.
    DispFrameStartTimeout,
    /// Frames of a display that ended too late.
    DispFrameDoneTimeout,
    /// Frames of a display that did not begin.
    DispFrameStartMissing,
    /// Frames of a display that did not end.
    DispFrameDoneMissing,
    /// When a display reports its blanks.
    DispVblankIrqEnable,
    /// Collisions in the memory of a panel.
    DdicUnderrun,
    /// Changes of all settings of a panel.
    PanelSettingsFull,
    /// Changes of a few settings of a panel.
    PanelSettingsLite,
    /// Requests for bandwidth between parts of the chip.
    InterconnectEvents,
    /// Buffers in the ION heaps.
    AndroidIonAllocations,
    /// Buffers in the DMA heaps.
    AndroidDmaAllocations,
    /// How much a thread changed the DMA heaps, bytes.
    AndroidDmaHeapChange,
    /// Limits that protect the battery.
    BclIrq,
    /// How often and how long a process waited for memory.
    MmEvent,
    /// Memory that a signal processor maps, bytes.
    Fastrpc,
    /// How much a thread changed the memory that a signal processor maps, bytes.
    FastrpcChange,
    /// What a network interface received, KiB.
    NetReceive,
    /// What a network interface transmitted, KiB.
    NetTransmit,
    /// How many packets of IP the kernel dropped.
    NetKfreeSkb,
    /// How late samples of a sensor came, ns.
    CrosEcSensorhubData,
    /// The clock of a flash device.
    UfsClkgating,
    /// Commands of a flash device with a tag.
    UfsCommandTag,
    /// When a wakelock of the kernel was held.
    WakesourceWakelock,
    /// When the machine was suspended.
    SuspendResumeMinimal,
    /// The frequency of a device.
    LinuxDeviceFrequency,
    /// A counter of the power manager of Pixel devices.
    PixelCpmCounters,
    /// A counter of the firmware of Pixel devices.
    PixelFwtpCounters,
    /// Slices of the firmware of Pixel devices.
    PixelFwtpSlices,
    /// Requests to a block device.
    BlockIo,
    /// Steps by which a CPU is switched on or off.
    CpuHotplug,
    /// Expired high-resolution timers.
    CpuHrtimer,
    /// Interrupts of a Mali GPU.
    CpuMaliIrq,
    /// The states of the controller of a Mali GPU.
    MaliMcuState,
    /// Whether a Mali GPU has power.
    MaliGpuPowerState,
    /// Whether a PowerVR GPU has power.
    PowervrGpuPowerState,
    /// When a CPU was in the hypervisor.
    PkvmHypervisor,
    /// The highest frequency that a throttled CPU may have, kHz.
    CpuFrequencyThrottle,
    /// Whether a device has power.
    LinuxRpm,
    /// When F2FS wrote a checkpoint.
    F2fsWriteCheckpoint,
    /// How busy an app kept the GPU.
    AndroidGpuWorkPeriod,
    /// The temperature of a thermal zone of Exynos chips.
    AcpmThermalTemperature,
    /// The state of a cooling device of Exynos chips.
    AcpmCoolingDeviceCounter,
    /// What threads read from files.
    AndroidFs,
    /// When triggers of the recorder fired.
    Triggers,
    /// Slices of a thread, from kernel events that describe their own tracks.
    KernelTrackeventThreadSlice,
    /// A counter of a thread, from such events.
    KernelTrackeventThreadCounter,
    /// Slices of a process, from such events.
    KernelTrackeventProcessSlice,
    /// A counter of a process, from such events.
    KernelTrackeventProcessCounter,
    /// Slices of a CPU, from such events.
    KernelTrackeventCpuSlice,
    /// A counter of a CPU, from such events.
    KernelTrackeventCpuCounter,
    /// Slices that such events group by a number of their own.
    KernelTrackeventCustomSlice,
    /// A counter that such events group by a number of their own.
    KernelTrackeventCustomCounter,
    /// Memory of processes of Chrome, as Chrome measures it, bytes.
    ChromeProcessStats,
    /// When apps held wakelocks.
    AppWakelockEvents,
    /// Packets between Android and its Bluetooth chip.
    BluetoothTraceEvent,
    /// When Android's low-memory killer ended a process.
    AndroidLmk,
    /// A counter that Perfetto's own programs write about their work.
    MetatraceCounter,
    /// What Android's statistics service noted.
    StatsdAtoms,
}
