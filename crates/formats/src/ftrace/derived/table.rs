//! The table. The fields are those of the drivers' `trace_event` definitions.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use traceloom_trace::TrackType;

use super::entry::Action::{self, Adds, Begin, Counter, CounterAt, End, Moment, Next};
use super::entry::Entry;
use super::entry::On::{self, Cpu, CpuOf, Lanes, Machine, Own, OwnOf};
use super::entry::When::{self, Always, Negative, NotPositive, NotZero, Positive, Zero};

const fn entry(event: &'static str, does: Action, on: On, name: &'static str) -> Entry {
    Entry {
        event,
        when: Always,
        does,
        on,
        category: "",
        name,
        args: &[],
    }
}

impl Entry {
    const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    const fn category(mut self, category: &'static str) -> Self {
        self.category = category;
        self
    }

    const fn args(mut self, args: &'static [(&'static str, &'static str)]) -> Self {
        self.args = args;
        self
    }
}

/// The entries of events called `name`, in order.
pub(crate) fn entries(name: &[u8]) -> &'static [Entry] {
    static BY_NAME: OnceLock<FxHashMap<&'static [u8], std::ops::Range<usize>>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let chunks = TABLE.chunk_by(|a, b| a.event == b.event);
        let mut first = 0;
        let ranges = chunks.map(|chunk| {
            let range = first..first + chunk.len();
            first = range.end;
            (chunk[0].event.as_bytes(), range)
        });
        ranges.collect()
    });
    by_name.get(name).map_or(&[], |range| &TABLE[range.clone()])
}

/// Events that have their own code in the interpreter, and the slices that they add to a thread's own track.
pub(super) const OWN_BY_CODE: &[(&str, &str)] = &[
    ("drm_sched_job", "drm_sched_job_queue"),
    ("drm_sched_job_queue", "drm_sched_job_queue"),
];

/// All entries, grouped by event.
#[rustfmt::skip]
pub(super) static TABLE: &[Entry] = &[
    // Trusty.
    entry("trusty_smc", Begin, Own, "trusty_smc:r0= {r0}").category("tipc"),
    entry("trusty_smc_done", End, Own, "trusty_smc:").category("tipc"),
    entry("trusty_smc_done", Moment, Own, "trusty_smc_done:r0= {ret}").category("tipc"),
    entry("trusty_std_call32", Begin, Own, "trusty_std").category("tipc"),
    entry("trusty_std_call32_done", End, Own, "trusty_std").category("tipc"),
    entry("trusty_std_call32_done", Moment, Own, "trusty_err_std: err= {ret}").category("tipc").when(Negative("ret")),
    entry("trusty_share_memory", Begin, Own, "trusty_share_mem: len= {len} nents= {nents} lend= {lend}").category("tipc"),
    entry("trusty_share_memory_done", End, Own, "trusty_share_mem: len").category("tipc"),
    entry("trusty_share_memory_done", Moment, Own, "trusty_share_mem: handle= {handle} ret= {ret}").category("tipc"),
    entry("trusty_reclaim_memory", Begin, Own, "trusty_reclaim_mem: id={id}").category("tipc"),
    entry("trusty_reclaim_memory_done", End, Own, "trusty_reclaim_mem: id").category("tipc"),
    entry("trusty_reclaim_memory_done", Moment, Own, "trusty_reclaim_mem_err: err= {ret}").category("tipc").when(Negative("ret")),
    entry("trusty_irq", Moment, Own, "trusty_irq: irq= {irq}").category("tipc"),
    entry("trusty_ipc_handle_event", Moment, Own, "trusty_ipc_handle_event: chan={chan} srv_name={srv_name} event={event_id}").category("tipc"),
    entry("trusty_enqueue_nop", Moment, Own, "trusty_enqueue_nop: arg1= {arg1} arg2= {arg2} arg3={arg3}").category("tipc"),
    entry("trusty_ipc_connect", Begin, Own, "tipc_connect: {port}").category("tipc"),
    entry("trusty_ipc_connect_end", End, Own, "tipc_connect:").category("tipc"),
    entry("trusty_ipc_connect_end", Moment, Own, "tipc_err_connect:err= {err}").category("tipc").when(NotZero("err")),
    entry("trusty_ipc_write", Moment, Own, "tipc_write: {srv_name} shm_cnt:[{shm_cnt}]").category("tipc").when(Positive("shm_cnt")),
    entry("trusty_ipc_write", Moment, Own, "tipc_write: {srv_name}").category("tipc").when(NotPositive("shm_cnt")),
    entry("trusty_ipc_write", Moment, Own, "tipc_err_write:len_or_err= {len_or_err}").category("tipc").when(Negative("len_or_err")),
    entry("trusty_ipc_read", Begin, Own, "tipc_read: {srv_name}").category("tipc"),
    entry("trusty_ipc_read_end", End, Own, "tipc_read:").category("tipc"),
    entry("trusty_ipc_read_end", Moment, Own, "tipc_err_read:len_or_err= {len_or_err}").category("tipc").when(NotPositive("len_or_err")),
    entry("trusty_ipc_poll", Moment, Own, "tipc_poll: {srv_name}").category("tipc"),
    entry("trusty_ipc_rx", Moment, Own, "tipc_rx").category("tipc"),
    // Calls of the secure monitor, and fences.
    entry("scm_call_start", Begin, Own, "scm id={x0:x}"),
    entry("scm_call_end", End, Own, "scm id="),
    entry("dma_fence_wait_start", Begin, Own, "dma_fence_wait").args(&[("fence context", "context"), ("fence seqno", "seqno")]),
    entry("dma_fence_wait_end", End, Own, "dma_fence_wait"),
    entry("drm_vblank_event", Moment, Machine(TrackType::DrmVblank, "vblank-{crtc}"), "signal").args(&[("vblank seqno", "seq")]),
    entry("drm_vblank_event_delivered", Moment, Machine(TrackType::DrmVblank, "vblank-{crtc}"), "deliver").args(&[("vblank seqno", "seq")]),
    // Memory.
    entry("cma_alloc_start", Begin, Own, "mm_cma_alloc"),
    entry("mm_alloc_contig_migrate_range_info", Adds, Own, "mm_cma_alloc").args(&[("cma_nr_migrated", "nr_migrated"), ("cma_nr_reclaimed", "nr_reclaimed"), ("cma_nr_mapped", "nr_mapped")]),
    entry("cma_alloc_finish", End, Own, "mm_cma_alloc").args(&[("cma_name", "name"), ("cma_pfn", "pfn"), ("cma_req_pages", "count")]),
    entry("cma_alloc_info", End, Own, "mm_cma_alloc").args(&[("cma_name", "name"), ("cma_pfn", "pfn"), ("cma_req_pages", "count"), ("cma_nr_migrated", "nr_migrated"), ("cma_nr_reclaimed", "nr_reclaimed"), ("cma_nr_mapped", "nr_mapped"), ("cma_nr_isolate_fail", "err_iso"), ("cma_nr_migrate_fail", "err_mig"), ("cma_nr_test_fail", "err_test")]),
    entry("mm_vmscan_direct_reclaim_begin", Begin, Own, "mm_vmscan_direct_reclaim").args(&[("direct_reclaim_order", "order"), ("direct_reclaim_may_writepage", "may_writepage"), ("direct_reclaim_gfp_flags", "gfp_flags")]),
    entry("mm_vmscan_direct_reclaim_end", End, Own, "mm_vmscan_direct_reclaim").args(&[("direct_reclaim_nr_reclaimed", "nr_reclaimed")]),
    entry("mm_vmscan_memcg_reclaim_begin", Begin, Own, "mm_vmscan_memcg_reclaim").args(&[("memcg_reclaim_order", "order"), ("memcg_reclaim_may_writepage", "may_writepage"), ("memcg_reclaim_gfp_flags", "gfp_flags")]),
    entry("mm_vmscan_memcg_reclaim_end", End, Own, "mm_vmscan_memcg_reclaim").args(&[("memcg_reclaim_nr_reclaimed", "nr_reclaimed")]),
    entry("mm_shrink_slab_start", Begin, Own, "mm_vmscan_shrink_slab").args(&[("shrink_name", "shrink"), ("total_scan", "total_scan"), ("priority", "priority")]),
    entry("mm_shrink_slab_end", End, Own, "mm_vmscan_shrink_slab").args(&[("freed", "retval")]),
    entry("pixel_mm_kswapd_wake", Begin, Own, "kswapd_efficiency"),
    entry("pixel_mm_kswapd_done", End, Own, "kswapd_efficiency").args(&[("pages scanned", "delta_nr_scanned"), ("pages reclaimed", "delta_nr_reclaimed"), ("efficiency %", "%delta_nr_reclaimed/delta_nr_scanned"), ("pages allocated", "delta_nr_allocated")]),
    // Signals.
    entry("signal_generate", Moment, OwnOf("pid"), "signal_generate").args(&[("signal.sig", "sig")]),
    entry("signal_deliver", Moment, Own, "signal_deliver").args(&[("signal.sig", "sig")]),
    // Displays and video.
    entry("vb2_v4l2_buf_queue", Moment, Own, "vb2_v4l2_buf_queue minor={minor} seq={sequence} type=0 index=0").category("Video 4 Linux 2").args(&[("minor", "minor"), ("timestamp", "timestamp"), ("sequence", "sequence")]),
    entry("vb2_v4l2_buf_done", Moment, Own, "vb2_v4l2_buf_done minor={minor} seq={sequence} type=0 index=0").category("Video 4 Linux 2").args(&[("minor", "minor"), ("timestamp", "timestamp"), ("sequence", "sequence")]),
    entry("vb2_v4l2_qbuf", Moment, Own, "vb2_v4l2_qbuf minor={minor} seq={sequence} type=0 index=0").category("Video 4 Linux 2").args(&[("minor", "minor"), ("timestamp", "timestamp"), ("sequence", "sequence")]),
    entry("vb2_v4l2_dqbuf", Moment, Own, "vb2_v4l2_dqbuf minor={minor} seq={sequence} type=0 index=0").category("Video 4 Linux 2").args(&[("minor", "minor"), ("timestamp", "timestamp"), ("sequence", "sequence")]),
    entry("dpu_disp_frame_start_timeout", Moment, Machine(TrackType::DispFrameStartTimeout, "frame_start_timeout[{output_id}]"), "frame_start_timeout").args(&[("display_id", "display_id"), ("output_id", "output_id"), ("frames_pending", "frames_pending"), ("te_count", "te_count")]),
    entry("dpu_disp_frame_done_timeout", Moment, Machine(TrackType::DispFrameDoneTimeout, "frame_done_timeout[{output_id}]"), "frame_done_timeout").args(&[("display_id", "display_id"), ("output_id", "output_id"), ("frames_pending", "frames_pending"), ("te_count", "te_count"), ("during_disable", "during_disable")]),
    entry("dpu_disp_frame_start_missing", Moment, Machine(TrackType::DispFrameStartMissing, "frame_start_missing[{output_id}]"), "frame_start_missing").args(&[("display_id", "display_id"), ("output_id", "output_id"), ("frames_pending", "frames_pending"), ("te_count", "te_count")]),
    entry("dpu_disp_frame_done_missing", Moment, Machine(TrackType::DispFrameDoneMissing, "frame_done_missing[{output_id}]"), "frame_done_missing").args(&[("display_id", "display_id"), ("output_id", "output_id"), ("frames_pending", "frames_pending"), ("te_count", "te_count")]),
    entry("dpu_disp_dpu_underrun", Moment, Machine(TrackType::DispDpuUnderrun, "underrun[{id}]"), "disp_dpu_underrun").args(&[("vsync_count", "vsync_count"), ("pending_frame", "frames_pending")]),
    entry("dpu_disp_dpu_line_underrun", Moment, Machine(TrackType::DispDpuLineUnderrun, "line_underrun[{id}]"), "disp_line_dpu_underrun").args(&[("vsync_count", "vsync_count"), ("frames_pending", "frames_pending")]),
    entry("dpu_disp_vblank_irq_enable", Begin, Machine(TrackType::DispVblankIrqEnable, "vblank_irq_en[{output_id}]"), "disp_vblank_irq_enable").args(&[("display_id", "id"), ("output_id", "output_id")]).when(NotZero("enable")),
    entry("dpu_disp_vblank_irq_enable", End, Machine(TrackType::DispVblankIrqEnable, "vblank_irq_en[{output_id}]"), "").when(Zero("enable")),
    entry("gram_collision", Moment, Machine(TrackType::DdicUnderrun, "ddic_underrun[{panel_index}]"), "ddic_underrun").args(&[("collision_cnt", "collision_cnt")]),
    entry("panel_settings_full", Moment, Machine(TrackType::PanelSettingsFull, "panel_settings_full[{panel_index}]"), "panel_settings_full").args(&[("hbm", "hbm"), ("irc", "irc"), ("h_pwm", "h_pwm"), ("fi_auto", "fi_auto"), ("fi_manual", "fi_manual"), ("early_exit", "early_exit"), ("min_rr", "min_rr"), ("max_rr", "max_rr"), ("te_freq", "te_freq")]),
    entry("panel_settings_lite", Moment, Machine(TrackType::PanelSettingsLite, "panel_settings_lite[{panel_index}]"), "panel_settings_lite").args(&[("vrr", "vrr"), ("min_rr", "min_rr"), ("max_rr", "max_rr"), ("te_freq", "te_freq")]),
    // Power, frequencies, buses.
    entry("google_icc_event", Moment, Machine(TrackType::InterconnectEvents, "Interconnect Events"), "{event}").category("google_icc_event"),
    entry("google_irm_event", Moment, Machine(TrackType::InterconnectEvents, "Interconnect Events"), "{event}").category("google_irm_event"),
    entry("suspend_resume_minimal", Begin, Machine(TrackType::SuspendResumeMinimal, "Suspend/Resume Minimal"), "Suspended").when(NotZero("start")),
    entry("suspend_resume_minimal", End, Machine(TrackType::SuspendResumeMinimal, "Suspend/Resume Minimal"), "").when(Zero("start")),
    entry("cpuhp_enter", Begin, CpuOf(TrackType::CpuHotplug, "cpu hotplug", "cpu"), "cpuhp({idx})").category("cpu").args(&[("action_cpu", "@cpu"), ("cpuhp_idx", "idx")]),
    entry("cpuhp_multi_enter", Begin, CpuOf(TrackType::CpuHotplug, "cpu hotplug", "cpu"), "cpuhp({idx})").category("cpu").args(&[("action_cpu", "@cpu"), ("cpuhp_idx", "idx")]),
    entry("cpuhp_exit", End, CpuOf(TrackType::CpuHotplug, "cpu hotplug", "cpu"), ""),
    entry("dcvsh_freq", Counter("freq"), CpuOf(TrackType::CpuFrequencyThrottle, "cpufreq_throttle", "cpu"), ""),
    entry("param_set_value_cpm", CounterAt("value", "timestamp"), Machine(TrackType::PixelCpmCounters, "{body}"), ""),
    entry("fwtp_perfetto_counter", CounterAt("value", "timestamp"), Machine(TrackType::PixelFwtpCounters, "{name}"), ""),
    entry("fwtp_perfetto_slice", Next, Machine(TrackType::PixelFwtpSlices, "{name}"), "{name}").category("{category}").when(NotZero("begin")),
    entry("fwtp_perfetto_slice", End, Machine(TrackType::PixelFwtpSlices, "{name}"), "").when(Zero("begin")),
    entry("mali_gpu_power_state", Counter("to_state"), Machine(TrackType::MaliGpuPowerState, "mali_gpu_power_state"), ""),
    // Block devices and files.
    entry("block_io_start", Begin, Lanes(TrackType::BlockIo, "block_io {dev:dev}", "sector"), "block_io").args(&[("sector", "sector")]),
    entry("block_io_done", End, Lanes(TrackType::BlockIo, "block_io {dev:dev}", "sector"), "block_io").args(&[("sector", "sector")]),
    entry("android_fs_dataread_start", Begin, Lanes(TrackType::AndroidFs, "android_fs", "ino,offset"), "android_fs_data_read").args(&[("file_path", "pathbuf"), ("offset_start", "offset"), ("bytes_read_start", "bytes")]),
    entry("android_fs_dataread_end", End, Lanes(TrackType::AndroidFs, "android_fs", "ino,offset"), "").args(&[("offset_end", "offset"), ("bytes_read_end", "bytes")]),
    // Mali GPUs.
    entry("mali_mali_CSF_INTERRUPT_START", Begin, Cpu(TrackType::CpuMaliIrq, "mali irq"), "mali_CSF_INTERRUPT").args(&[("info_val", "info_val")]),
    entry("mali_mali_CSF_INTERRUPT_END", End, Cpu(TrackType::CpuMaliIrq, "mali irq"), "").args(&[("info_val", "info_val")]),
    entry("mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_CORES_DOWN_SCALE_NOTIFY_PEND"),
    entry("mali_mali_PM_MCU_HCTL_CORES_NOTIFY_PEND", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_CORES_NOTIFY_PEND"),
    entry("mali_mali_PM_MCU_HCTL_CORE_INACTIVE_PEND", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_CORE_INACTIVE_PEND"),
    entry("mali_mali_PM_MCU_HCTL_MCU_ON_RECHECK", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_MCU_ON_RECHECK"),
    entry("mali_mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_SHADERS_CORE_OFF_PEND"),
    entry("mali_mali_PM_MCU_HCTL_SHADERS_PEND_OFF", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_SHADERS_PEND_OFF"),
    entry("mali_mali_PM_MCU_HCTL_SHADERS_PEND_ON", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_SHADERS_PEND_ON"),
    entry("mali_mali_PM_MCU_HCTL_SHADERS_READY_OFF", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "HCTL_SHADERS_READY_OFF"),
    entry("mali_mali_PM_MCU_IN_SLEEP", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "IN_SLEEP"),
    entry("mali_mali_PM_MCU_OFF", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "OFF"),
    entry("mali_mali_PM_MCU_ON", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON"),
    entry("mali_mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_CORE_ATTR_UPDATE_PEND"),
    entry("mali_mali_PM_MCU_ON_GLB_REINIT_PEND", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_GLB_REINIT_PEND"),
    entry("mali_mali_PM_MCU_ON_HALT", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_HALT"),
    entry("mali_mali_PM_MCU_ON_HWCNT_DISABLE", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_HWCNT_DISABLE"),
    entry("mali_mali_PM_MCU_ON_HWCNT_ENABLE", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_HWCNT_ENABLE"),
    entry("mali_mali_PM_MCU_ON_PEND_HALT", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_PEND_HALT"),
    entry("mali_mali_PM_MCU_ON_PEND_SLEEP", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_PEND_SLEEP"),
    entry("mali_mali_PM_MCU_ON_SLEEP_INITIATE", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "ON_SLEEP_INITIATE"),
    entry("mali_mali_PM_MCU_PEND_OFF", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "PEND_OFF"),
    entry("mali_mali_PM_MCU_PEND_ON_RELOAD", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "PEND_ON_RELOAD"),
    entry("mali_mali_PM_MCU_POWER_DOWN", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "POWER_DOWN"),
    entry("mali_mali_PM_MCU_RESET_WAIT", Next, Machine(TrackType::MaliMcuState, "mali mcu state"), "RESET_WAIT"),
    // The hypervisor pKVM.
    entry("hyp_enter", Begin, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").category("pkvm_hyp"),
    entry("hyp_exit", End, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), ""),
    entry("hypervisor_hyp_enter", Begin, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").category("pkvm_hyp"),
    entry("hypervisor_hyp_exit", End, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), ""),
    entry("host_hcall", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_hcall"), ("id", "id"), ("invalid", "invalid")]),
    entry("hypervisor_host_hcall", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_hcall"), ("id", "id"), ("invalid", "invalid")]),
    entry("host_smc", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_smc"), ("id", "id"), ("forwarded", "forwarded")]),
    entry("hypervisor_host_smc", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_smc"), ("id", "id"), ("forwarded", "forwarded")]),
    entry("host_mem_abort", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_mem_abort"), ("esr", "esr"), ("addr", "addr")]),
    entry("hypervisor_host_mem_abort", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_mem_abort"), ("esr", "esr"), ("addr", "addr")]),
    entry("host_ffa_call", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=host_ffa_call"), ("func_id", "func_id"), ("handled", "handled"), ("err", "err")]),
    entry("iommu_idmap", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=iommu_idmap"), ("from", "from"), ("to", "to"), ("prot", "prot")]),
    entry("hypervisor_iommu_idmap", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=iommu_idmap"), ("from", "from"), ("to", "to"), ("prot", "prot")]),
    entry("psci_mem_protect", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=psci_mem_protect"), ("count", "count"), ("was", "was")]),
    entry("hypervisor_psci_mem_protect", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=psci_mem_protect"), ("count", "count"), ("was", "was")]),
    entry("hypervisor_iommu_idmap_complete", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=iommu_idmap_complete"), ("map", "map")]),
    entry("hypervisor_vcpu_illegal_trap", Adds, Cpu(TrackType::PkvmHypervisor, "pkvm hypervisor"), "hyp").args(&[("hyp_enter_reason", "=vcpu_illegal_trap"), ("esr", "esr")]),
];
