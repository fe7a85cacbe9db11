//! The static table of track types.

use super::parts::{TrackDimension, TrackDimensionValue, TrackOwner, TrackTitle};

/// The names that tracks of a type have in the kernel's events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Names {
    /// Any name: names do not determine the type.
    Any,
    /// This name.
    Is(&'static str),
    /// The variable part between these two.
    Around(&'static str, &'static str),
    /// One of these after this beginning. The variable part is without the beginning.
    OneOf(&'static str, &'static [&'static str]),
    /// What follows this beginning, a number and this separator.
    After(&'static str, &'static str),
    /// This one, or followed by this separator and the variable part.
    Then(&'static str, &'static str),
}

impl Names {
    /// The variable part of `name`; `None` if the name does not have this form.
    pub fn variable_part(self, name: &str) -> Option<&str> {
        match self {
            Self::Any => None,
            Self::Is(own) => (name == own).then_some(""),
            Self::Around(before, after) => {
                let part = name.strip_prefix(before)?.strip_suffix(after)?;
                (!part.is_empty()).then_some(part)
            }
            Self::OneOf(before, all) => {
                let part = name.strip_prefix(before)?;
                all.contains(&part).then_some(part)
            }
            Self::After(before, separator) => {
                let number = name.strip_prefix(before)?;
                let rest = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
                rest.strip_prefix(separator)
            }
            Self::Then(own, _) if name == own => Some(""),
            Self::Then(own, separator) => name.strip_prefix(own)?.strip_prefix(separator),
        }
    }
}

/// The properties of a type.
pub(super) struct Facts {
    pub name: &'static str,
    pub owner: TrackOwner,
    pub is_counter: bool,
    pub has_lanes: bool,
    pub names: Names,
    /// The form of names that do not determine the type, because other types may have such names, too.
    pub form: Names,
    pub title: TrackTitle,
    pub dimensions: &'static [TrackDimension],
    pub unit: &'static str,
}

const fn dimension(key: &'static str, value: TrackDimensionValue) -> TrackDimension {
    TrackDimension { key, value }
}

const UTID: TrackDimension = dimension("utid", TrackDimensionValue::Thread);
const UPID: TrackDimension = dimension("upid", TrackDimensionValue::Process);
const CPU: TrackDimension = dimension("cpu", TrackDimensionValue::Cpu);
const NAME: TrackDimension = dimension("name", TrackDimensionValue::Text);
const SCOPE: TrackDimension = dimension("scope", TrackDimensionValue::Absent);
const GPU: TrackDimension = dimension("gpu", TrackDimensionValue::Number);
const ZERO_GPU: TrackDimension = dimension("ugpu", TrackDimensionValue::Number);
const DEVICE: TrackDimension = dimension("linux_device", TrackDimensionValue::Text);
const ZONE: TrackDimension = dimension("thermal_zone", TrackDimensionValue::Text);
const HEAP: TrackDimension = dimension("heap_name", TrackDimensionValue::Text);
const IRQ: TrackDimension = dimension("irq", TrackDimensionValue::Number);
const PANEL: TrackDimension = dimension("panel_index", TrackDimensionValue::Number);
const MEMORY_KEY: TrackDimension = dimension("process_memory_key", TrackDimensionValue::Text);

const TRACEPOINT: TrackDimension = dimension("tracepoint", TrackDimensionValue::Argument);

/// The variable part of the name.
const fn text(key: &'static str) -> TrackDimension {
    dimension(key, TrackDimensionValue::Text)
}

/// The variable part of the name as a number.
const fn number(key: &'static str) -> TrackDimension {
    dimension(key, TrackDimensionValue::Number)
}

/// An argument of the track.
const fn argument(key: &'static str) -> TrackDimension {
    dimension(key, TrackDimensionValue::Argument)
}

/// The same text for all tracks of the type.
const fn fixed(key: &'static str, value: &'static str) -> TrackDimension {
    dimension(key, TrackDimensionValue::Fixed(value))
}

/// Slices whose names, if any, are in the trace.
const fn slices(
    name: &'static str,
    owner: TrackOwner,
    dimensions: &'static [TrackDimension],
) -> Facts {
    Facts {
        name,
        owner,
        is_counter: false,
        has_lanes: false,
        names: Names::Any,
        form: Names::Any,
        title: TrackTitle::Own,
        dimensions,
        unit: "",
    }
}

const fn counter(
    name: &'static str,
    owner: TrackOwner,
    dimensions: &'static [TrackDimension],
) -> Facts {
    Facts {
        is_counter: true,
        ..slices(name, owner, dimensions)
    }
}

impl Facts {
    const fn lanes(mut self) -> Self {
        self.has_lanes = true;
        self
    }

    const fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    const fn form(mut self, form: Names) -> Self {
        self.form = form;
        self
    }

    const fn title(mut self, title: TrackTitle) -> Self {
        self.title = title;
        self
    }

    const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }
}

use Names::{After, Around, Is, OneOf, Then};
use TrackOwner::{Cpu, Machine, Process, Thread};

/// The figures of `rss_stat` and `dmabuf_rss_stat`.
const RESIDENT: &[&str] = &["rss.file", "rss.anon", "rss.shmem", "swap", "dmabuf_rss"];

/// Every type, in the order of their numbers.
#[rustfmt::skip]
pub(super) static FACTS: &[Facts] = &[
    slices("thread_execution", Thread, &[UTID]).title(TrackTitle::None),
    slices("thread_slice", Thread, &[UTID, NAME]),
    slices("process_slice", Process, &[UPID, NAME]),
    slices("atrace_async_slice_for_track", Process, &[UPID, NAME]).lanes(),
    slices("atrace_async_slice", Process, &[UPID, NAME]).lanes(),
    slices("cpu_slice", Cpu, &[CPU, NAME]),
    slices("global_slice", Machine, &[NAME]),
    counter("thread_counter", Thread, &[UTID, NAME]),
    counter("atrace_counter", Process, &[UPID, NAME]),
    counter("cpu_counter", Cpu, &[CPU, NAME]),
    counter("global_counter", Machine, &[NAME]),
    slices("art_method_tracing", Thread, &[UTID]).title(TrackTitle::None),
    slices("thread_overlapping_slice", Thread, &[UTID]).lanes().title(TrackTitle::None),
    slices("thread_funcgraph", Thread, &[UTID]).names(Is("functions")).title(TrackTitle::Fixed("Funcgraph")),
    slices("legacy_async_process_slice", Process, &[UPID, SCOPE, NAME]).lanes(),
    slices("legacy_async_global_slice", Machine, &[SCOPE, NAME]).lanes(),
    slices("chrome_process_instant", Process, &[UPID]).title(TrackTitle::None),
    slices("legacy_chrome_global_instants", Machine, &[]).title(TrackTitle::None),
    slices("cpu_irq", Cpu, &[CPU]).names(Is("irq")).title(TrackTitle::OfCpu("Irq Cpu ", "")),
    slices("cpu_softirq", Cpu, &[CPU]).names(Is("softirq")).title(TrackTitle::OfCpu("SoftIrq Cpu ", "")),
    slices("cpu_funcgraph", Cpu, &[CPU]).names(Is("functions")).title(TrackTitle::OfCpu("swapper", " -funcgraph")),
    slices("cpu_napi_gro", Cpu, &[CPU]).names(Is("napi_gro_receive")).title(TrackTitle::OfCpu("Napi Gro Cpu ", "")),
    slices("suspend_resume", Machine, &[]).lanes().names(Is("suspend")).title(TrackTitle::Fixed("Suspend/Resume Latency")),
    counter("cpu_frequency", Cpu, &[CPU]).names(Is("cpufreq")),
    counter("cpu_idle", Cpu, &[CPU]).names(Is("cpuidle")),
    counter("cpu_max_frequency_limit", Cpu, &[CPU]).names(Around("Cpu ", " Max Freq Limit")),
    counter("cpu_min_frequency_limit", Cpu, &[CPU]).names(Around("Cpu ", " Min Freq Limit")),
    counter("gpu_frequency", Machine, &[ZERO_GPU, GPU]).names(Then("gpufreq", " ")).title(TrackTitle::Fixed("gpufreq")).unit("kHz"),
    counter("clock_frequency", Machine, &[DEVICE]).names(Around("", " Frequency")),
    counter("clock_state", Machine, &[DEVICE]).names(Around("", " State")),
    counter("thermal_temperature", Machine, &[ZONE]).names(Around("", " Temperature")),
    counter("cooling_device_counter", Machine, &[DEVICE]).names(Around("", " Cooling Device")),
    counter("gpu_memory", Machine, &[ZERO_GPU, GPU]).names(Then("GPU Memory", " ")).title(TrackTitle::Fixed("GPU Memory")).unit("bytes"),
    counter("process_gpu_memory", Process, &[ZERO_GPU, GPU, UPID]).names(Then("GPU Memory", " ")).title(TrackTitle::Fixed("GPU Memory")).unit("bytes"),
    counter("process_memory", Process, &[UPID, MEMORY_KEY]).names(OneOf("mem.", RESIDENT)).form(Around("mem.", "")),
    counter("oom_score_adj", Process, &[UPID]).names(Is("oom_score_adj")),
    counter("screen_state", Machine, &[]).names(Is("ScreenState")),
    counter("ion", Machine, &[HEAP]).names(Then("mem.ion", ".")),
    counter("android_dma_heap", Machine, &[]).names(Is("mem.dma_heap")),
    counter("json_counter", Process, &[UPID, NAME]),
    slices("thread_track_event", Thread, &[UTID, NAME]).lanes(),
    slices("process_track_event", Process, &[UPID, NAME]).lanes(),
    slices("global_track_event", Machine, &[NAME]).lanes(),
    counter("thread_counter_track_event", Thread, &[UTID, NAME]),
    counter("process_counter_track_event", Process, &[UPID, NAME]),
    counter("global_counter_track_event", Machine, &[NAME]),
    counter("meminfo", Machine, &[text("meminfo_key")]).unit("bytes"),
    counter("vmstat", Machine, &[text("vmstat_key")]),
    counter("cpustat", Cpu, &[CPU, text("cpustat_key")]).form(Around("cpu.times.", "")),
    counter("num_irq", Machine, &[IRQ]).form(Around("num_irq (id: ", ")")),
    counter("num_softirq", Machine, &[IRQ]).form(Around("num_softirq (id: ", ")")),
    counter("num_forks", Machine, &[]),
    counter("num_irq_total", Machine, &[]),
    counter("num_softirq_total", Machine, &[]),
    counter("buddyinfo", Machine, &[argument("buddyinfo_node"), argument("buddyinfo_zone"), argument("buddyinfo_chunk_size_kb")]),
    counter("diskstat", Machine, &[argument("device_name"), argument("counter_name")]),
    counter("psi", Machine, &[text("psi_resource")]).form(Around("psi.", "")),
    counter("thermal_temperature_sys", Machine, &[ZONE]).unit("C"),
    counter("cpu_idle_state", Cpu, &[CPU, text("state")]).form(After("cpuidle", ".")).unit("us"),
    counter("slabinfo", Machine, &[text("slab_name")]).form(Around("mem.slab.", "")).unit("bytes"),
    counter("smaps", Process, &[UPID, text("smaps_key")]).form(Around("mem.smaps.", "")),
    counter("proc_stat_runtime", Process, &[UPID, text("proc_stat_runtime_key")]).form(Around("runtime.", "")),
    counter("battery_counter", Machine, &[argument("battery_name"), argument("counter_name")]),
    counter("power_rails", Machine, &[NAME, argument("session_uuid")]),
    counter("entity_state", Machine, &[argument("entity_name"), argument("state_name")]),
    counter("android_energy_estimation_breakdown", Machine, &[argument("energy_consumer_id")]),
    counter("android_energy_estimation_breakdown_per_uid", Machine, &[argument("energy_consumer_id"), argument("uid")]),
    counter("gpu_counter", Machine, &[NAME]),
    counter("sysprop_counter", Machine, &[argument("sysprop_name")]),
    counter("battery_stats", Machine, &[text("counter_key")]),
    slices("android_device_state", Machine, &[]),
    slices("android_expected_frame_timeline", Process, &[UPID]).lanes(),
    slices("android_actual_frame_timeline", Process, &[UPID]).lanes(),
    slices("graphics_frame_event", Machine, &[NAME]),
    slices("gpu_render_stage", Machine, &[dimension("hwqueue_name", TrackDimensionValue::Text)]).lanes(),
    slices("gpu_log", Machine, &[]),
    slices("vulkan_events", Machine, &[]).lanes(),
    counter("vulkan_driver_mem", Process, &[UPID, text("vulkan_allocation_scope")]).form(Around("vulkan.mem.driver.scope.", "")),
    counter("vulkan_device_mem_allocation", Process, &[UPID, dimension("vulkan_memory_type", TrackDimensionValue::Number)]).form(Around("vulkan.mem.device.memory.type.", ".allocation")),
    counter("vulkan_device_mem_bind", Process, &[UPID, dimension("vulkan_memory_type", TrackDimensionValue::Number)]).form(Around("vulkan.mem.device.memory.type.", ".bind")),
    slices("network_packets", Machine, &[argument("net_interface"), argument("net_direction")]).lanes(),
    slices("thread_state_track_event", Thread, &[UTID, NAME]),
    slices("process_state_track_event", Process, &[UPID, NAME]),
    slices("global_state_track_event", Machine, &[NAME]),
    counter("f2fs_iostat", Machine, &[text("counter_key")]).names(Around("f2fs_iostat.", "")),
    counter("f2fs_iostat_latency", Machine, &[text("counter_key")]).names(Around("f2fs_iostat_latency.", "")),
    counter("cpu_utilization", Cpu, &[CPU]).names(Around("Cpu ", " Util")),
    counter("cpu_capacity", Cpu, &[CPU]).names(Around("Cpu ", " Cap")),
    counter("cpu_nr_running", Cpu, &[CPU]).names(Around("Cpu ", " Nr Running")),
    counter("ufs_command_count", Machine, &[]).names(Is("io.ufs.command.count")),
    counter("ion_change", Thread, &[UTID, HEAP]).names(Then("mem.ion_change", ".")),
    slices("net_socket_set_state", Machine, &[dimension("tcp_stream_idx", TrackDimensionValue::Number)]).names(Around("TCP stream#", "")),
    slices("net_tcp_retransmit_skb", Machine, &[]).names(Is("TCP Retransmit Skb")),
    slices("virtgpu_queue", Machine, &[text("virtgpu_name")]).lanes().names(Around("Virtgpu ", " Queue")),
    counter("virtgpu_num_free", Machine, &[text("virtgpu_name")]).names(Around("Virtgpu ", " Free")),
    counter("virtgpu_latency", Machine, &[text("virtgpu_name")]).names(Around("Virtgpu ", " Latency")),
    slices("adreno_gpu_cmdbatch", Machine, &[NAME]).lanes(),
    slices("concurrent_tracing_sessions", Machine, &[NAME]),
    counter("android_cpu_per_uid", Machine, &[argument("uid"), argument("cluster")]).unit("ms"),
    counter("android_cpu_per_uid_totals", Machine, &[argument("type"), argument("cluster")]).unit("ms"),
    counter("android_kernel_wakelock", Machine, &[text("wakelock_name"), fixed("wakelock_type", "kernel")]).unit("ms"),
    counter("android_kernel_wakelock", Machine, &[text("wakelock_name"), fixed("wakelock_type", "native")]).unit("ms"),
    counter("android_kernel_wakelock", Machine, &[text("wakelock_name"), fixed("wakelock_type", "unknown")]).unit("ms"),
    slices("drm_vblank", Machine, &[number("drm_crtc")]).form(Around("vblank-", "")),
    slices("drm_sched_ring", Machine, &[NAME]).form(Around("sched-", "")),
    slices("drm_fence", Machine, &[argument("name"), argument("context")]).form(Around("fence-", "")),
    slices("virtio_video_queue_event", Machine, &[argument("virtio_stream_id"), argument("virtio_queue_type")]).lanes(),
    slices("virtio_video_command", Machine, &[argument("virtio_stream_id"), argument("is_response")]).lanes(),
    slices("disp_dpu_underrun", Machine, &[number("display_id")]).form(Around("underrun[", "]")),
    slices("disp_dpu_line_underrun", Machine, &[number("display_id")]).form(Around("line_underrun[", "]")),
    slices("disp_frame_start_timeout", Machine, &[PANEL]).form(Around("frame_start_timeout[", "]")),
    slices("disp_frame_done_timeout", Machine, &[PANEL]).form(Around("frame_done_timeout[", "]")),
    slices("disp_frame_start_missing", Machine, &[PANEL]).form(Around("frame_start_missing[", "]")),
    slices("disp_frame_done_missing", Machine, &[PANEL]).form(Around("frame_done_missing[", "]")),
    slices("disp_vblank_irq_enable", Machine, &[number("display_id")]).form(Around("vblank_irq_en[", "]")),
    slices("ddic_underrun", Machine, &[PANEL]).form(Around("ddic_underrun[", "]")),
    slices("panel_settings_full", Machine, &[PANEL]).form(Around("panel_settings_full[", "]")),
    slices("panel_settings_lite", Machine, &[PANEL]).form(Around("panel_settings_lite[", "]")),
    slices("interconnect_events", Machine, &[]),
    slices("android_ion_allocations", Machine, &[]).lanes(),
    slices("android_dma_allocations", Machine, &[]).lanes(),
    counter("android_dma_heap_change", Thread, &[UTID]),
    counter("bcl_irq", Machine, &[text("bcl_key")]),
    counter("mm_event", Process, &[UPID, argument("mm_event_type"), argument("mm_event_metric")]),
    counter("fastrpc", Machine, &[number("cid")]),
    counter("fastrpc_change", Thread, &[UTID, number("cid")]),
    counter("net_receive", Machine, &[text("network_interface")]).form(Around("", " Received KB")),
    counter("net_transmit", Machine, &[text("network_interface")]).form(Around("", " Transmitted KB")),
    counter("net_kfree_skb", Machine, &[]),
    counter("cros_ec_sensorhub_data", Machine, &[number("ec_sensor_num")]).form(Around("cros_ec.cros_ec_sensorhub_data.", "")),
    counter("ufs_clkgating", Machine, &[]),
    slices("ufs_command_tag", Machine, &[number("ufs_tag")]).form(Around("io.ufs.command.tag[", "]")),
    slices("wakesource_wakelock", Machine, &[text("wakelock_event")]).form(Around("Wakelock(", ")")),
    slices("suspend_resume_minimal", Machine, &[]),
    counter("linux_device_frequency", Machine, &[DEVICE]),
    counter("pixel_cpm_counters", Machine, &[NAME]),
    counter("pixel_fwtp_counters", Machine, &[NAME]),
    slices("pixel_fwtp_slices", Machine, &[]),
    slices("block_io", Machine, &[number("block_device")]).lanes().form(Around("block_io ", "")).title(TrackTitle::None),
    slices("cpu_hotplug", Cpu, &[CPU]).title(TrackTitle::OfCpu("CPU Hotplug ", "")),
    slices("cpu_hrtimer", Cpu, &[CPU]).names(Is("hrtimer")).title(TrackTitle::OfCpu("Hrtimer Cpu ", "")),
    slices("cpu_mali_irq", Cpu, &[CPU]).title(TrackTitle::OfCpu("Mali Irq Cpu ", "")),
    slices("mali_mcu_state", Machine, &[]).title(TrackTitle::None),
    counter("mali_gpu_power_state", Machine, &[]),
    slices("powervr_gpu_power_state", Machine, &[]),
    slices("pkvm_hypervisor", Cpu, &[CPU]).title(TrackTitle::OfCpu("pkVM Hypervisor CPU ", "")),
    counter("cpu_frequency_throttle", Cpu, &[CPU]),
    slices("linux_rpm", Machine, &[DEVICE]).title(TrackTitle::None),
    slices("f2fs_write_checkpoint", Process, &[UPID]),
    slices("android_gpu_work_period", Machine, &[argument("ugpu"), argument("gpu"), argument("uid")]).title(TrackTitle::None),
    counter("acpm_thermal_temperature", Machine, &[ZONE]).form(Around("", " Temperature")),
    counter("acpm_cooling_device_counter", Machine, &[ZONE]).form(Around("Tj-", " Cooling Device")),
    slices("android_fs", Machine, &[]).lanes(),
    slices("triggers", Machine, &[]),
    slices("kernel_trackevent_thread_slice", Thread, &[UTID, TRACEPOINT, NAME]),
    counter("kernel_trackevent_thread_counter", Thread, &[UTID, TRACEPOINT, NAME]),
    slices("kernel_trackevent_process_slice", Process, &[UPID, TRACEPOINT, NAME]),
    counter("kernel_trackevent_process_counter", Process, &[UPID, TRACEPOINT, NAME]),
    slices("kernel_trackevent_cpu_slice", Cpu, &[CPU, TRACEPOINT, NAME]),
    counter("kernel_trackevent_cpu_counter", Cpu, &[CPU, TRACEPOINT, NAME]),
    slices("kernel_trackevent_custom_slice", Machine, &[argument("scope"), TRACEPOINT, NAME]),
    counter("kernel_trackevent_custom_counter", Machine, &[argument("scope"), TRACEPOINT, NAME]),
    counter("chrome_process_stats", Process, &[UPID, text("key")]).form(Around("chrome.", "")),
    slices("app_wakelock_events", Machine, &[]).lanes(),
    slices("bluetooth_trace_event", Machine, &[]),
    slices("android_lmk", Process, &[UPID]),
    counter("metatrace_counter", Thread, &[UTID, text("counter_name")]),
    slices("statsd_atoms", Machine, &[]),
];
