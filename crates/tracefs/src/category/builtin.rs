//! Android's categories, as of Android 14: tags from libcutils, events from atrace. A system without
//! an event, such as `irq`, means all its events. `!` marks required events.

use super::definition::{CORE_SERVICES, Category, Event, Origin, PDX};

/// Name, title, tag bit, events separated by spaces.
type Row = (&'static str, &'static str, Option<u8>, &'static str);

const ROWS: &[Row] = &[
    ("gfx", "Graphics", Some(1), "gpu_mem/gpu_mem_total"),
    ("input", "Input", Some(2), ""),
    ("view", "View System", Some(3), ""),
    ("webview", "WebView", Some(4), ""),
    ("wm", "Window Manager", Some(5), ""),
    ("am", "Activity Manager", Some(6), ""),
    ("sm", "Sync Manager", Some(7), ""),
    ("audio", "Audio", Some(8), ""),
    ("video", "Video", Some(9), ""),
    ("camera", "Camera", Some(10), ""),
    ("hal", "Hardware Modules", Some(11), ""),
    ("res", "Resource Loading", Some(13), ""),
    ("dalvik", "Dalvik VM", Some(14), ""),
    ("rs", "RenderScript", Some(15), ""),
    ("bionic", "Bionic C Library", Some(16), ""),
    ("power", "Power Management", Some(17), ""),
    ("pm", "Package Manager", Some(18), ""),
    ("ss", "System Server", Some(19), ""),
    ("database", "Database", Some(20), ""),
    ("network", "Network", Some(21), ""),
    ("adb", "ADB", Some(22), ""),
    ("vibrator", "Vibrator", Some(23), ""),
    ("aidl", "AIDL calls", Some(24), ""),
    ("nnapi", "NNAPI", Some(25), ""),
    ("rro", "Runtime Resource Overlay", Some(26), ""),
    (CORE_SERVICES, "Core services", None, ""),
    (PDX, "PDX services", None, ""),
    (
        "sched",
        "CPU Scheduling",
        None,
        "!sched/sched_switch !sched/sched_wakeup sched/sched_waking sched/sched_blocked_reason \
         sched/sched_cpu_hotplug sched/sched_pi_setprio sched/sched_process_exit cgroup \
         oom/oom_score_adj_update task/task_rename task/task_newtask",
    ),
    ("irq", "IRQ Events", None, "!irq ipi"),
    (
        "irqoff",
        "IRQ-disabled code section tracing",
        None,
        "!preemptirq/irq_enable !preemptirq/irq_disable",
    ),
    (
        "preemptoff",
        "Preempt-disabled code section tracing",
        None,
        "!preemptirq/preempt_enable !preemptirq/preempt_disable",
    ),
    (
        "i2c",
        "I2C Events",
        None,
        "!i2c !i2c/i2c_read !i2c/i2c_write !i2c/i2c_result !i2c/i2c_reply i2c/smbus_read \
         i2c/smbus_write i2c/smbus_result i2c/smbus_reply",
    ),
    (
        "freq",
        "CPU Frequency",
        None,
        "!power/cpu_frequency power/clock_set_rate power/clock_disable power/clock_enable \
         clk/clk_set_rate clk/clk_disable clk/clk_enable power/cpu_frequency_limits \
         power/suspend_resume cpuhp/cpuhp_enter cpuhp/cpuhp_exit cpuhp/cpuhp_pause",
    ),
    ("membus", "Memory Bus Utilization", None, "!memory_bus"),
    ("idle", "CPU Idle", None, "!power/cpu_idle"),
    (
        "disk",
        "Disk I/O",
        None,
        "f2fs/f2fs_sync_file_enter f2fs/f2fs_sync_file_exit f2fs/f2fs_write_begin \
         f2fs/f2fs_write_end f2fs/f2fs_iostat f2fs/f2fs_iostat_latency \
         ext4/ext4_da_write_begin ext4/ext4_da_write_end ext4/ext4_sync_file_enter \
         ext4/ext4_sync_file_exit block/block_bio_queue block/block_bio_complete \
         block/block_rq_issue block/block_rq_complete ufs/ufshcd_command",
    ),
    ("mmc", "eMMC commands", None, "!mmc"),
    ("load", "CPU Load", None, "!cpufreq_interactive"),
    // Names in kernels before 4.9, in 4.9, and after it.
    ("sync", "Synchronization", None, "sync fence dma_fence"),
    ("workq", "Kernel Workqueues", None, "!workqueue"),
    (
        "memreclaim",
        "Kernel Memory Reclaim",
        None,
        "!vmscan/mm_vmscan_direct_reclaim_begin !vmscan/mm_vmscan_direct_reclaim_end \
         !vmscan/mm_vmscan_kswapd_wake !vmscan/mm_vmscan_kswapd_sleep lowmemorykiller",
    ),
    (
        "regulators",
        "Voltage and Current Regulators",
        None,
        "!regulator",
    ),
    (
        "binder_driver",
        "Binder Kernel driver",
        None,
        "!binder/binder_transaction !binder/binder_transaction_received \
         !binder/binder_transaction_alloc_buf binder/binder_set_priority",
    ),
    (
        "binder_lock",
        "Binder global lock trace",
        None,
        "binder/binder_lock binder/binder_locked binder/binder_unlock",
    ),
    ("pagecache", "Page cache", None, "!filemap"),
    (
        "memory",
        "Memory",
        None,
        "mm_event/mm_event_record synthetic/rss_stat_throttled \
         kmem/ion_heap_grow kmem/ion_heap_shrink ion/ion_stat gpu_mem/gpu_mem_total \
         fastrpc/fastrpc_dma_stat",
    ),
    (
        "thermal",
        "Thermal event",
        Some(27),
        "!thermal/thermal_temperature thermal/cdev_update",
    ),
];

/// Tags without a category, with their bits.
const OTHER_TAGS: &[(&str, u8)] = &[("always", 0), ("app", 12)];

/// All built-in categories, in the order of `--list_categories`.
pub fn categories() -> Vec<Category> {
    ROWS.iter().map(category).collect()
}

fn category(&(name, title, tag, events): &Row) -> Category {
    Category {
        name: name.to_owned(),
        title: title.to_owned(),
        tags: tag.map_or(0, |bit| 1 << bit),
        events: events.split_whitespace().map(event).collect(),
        origin: Origin::BuiltIn,
    }
}

fn event(word: &str) -> Event {
    Event {
        path: word.trim_start_matches('!').to_owned(),
        required: word.starts_with('!'),
    }
}

/// The bit of a tag, which has the name of its category.
pub fn tag(name: &str) -> Option<u8> {
    let categories = ROWS.iter().map(|row| (row.0, row.2));
    let others = OTHER_TAGS.iter().map(|&(name, bit)| (name, Some(bit)));
    categories.chain(others).find(|(tag, _)| *tag == name)?.1
}
