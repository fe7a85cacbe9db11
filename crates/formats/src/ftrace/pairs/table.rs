//! The table of pairs. The fields are those of the kernel's `include/trace/events/*.h`.
//!
//! Not included, because the kernel does not always record a second event: page faults, migrations
//! of threads, armed timers, `f2fs_lookup_extent_tree_start`, `iomap_dio_rw_begin`,
//! `block_bio_queue` (a bio that was split completes twice).

use super::pair::Again::{Ends, Joins, Nests, Waits};
use super::pair::Name::{Event, In, Is, Of, Syscall};
use super::pair::On::{Cpu, Machine, Own, Thread};
use super::pair::{Again, Name, On, Pair};

type Words = &'static [&'static str];

const fn pair(
    (on, track): (On, &'static str),
    begins: Words,
    ends: Words,
    name: Name,
    keys: Words,
    again: Again,
) -> Pair {
    Pair {
        begins,
        ends,
        on,
        track,
        name,
        category: "",
        keys,
        again,
    }
}

impl Pair {
    const fn category(mut self, category: &'static str) -> Self {
        self.category = category;
        self
    }
}

const IRQ: (On, &str) = (Cpu, "irq");
const VECTOR: (On, &str) = (Cpu, "vector");
const TIMER: (On, &str) = (Cpu, "timer");
const DISK: (On, &str) = (Thread, "disk");
const MEMORY: (On, &str) = (Thread, "memory");
const WRITEBACK: (On, &str) = (Thread, "writeback");
const JOURNAL: (On, &str) = (Thread, "jbd2");
const REGULATOR: (On, &str) = (Thread, "regulator");
const BINDER: (On, &str) = (Thread, "binder");
const LOCK: (On, &str) = (Own, "");
const MMAP_LOCK: (On, &str) = (Thread, "mmap lock");
const ASOC: (On, &str) = (Thread, "asoc");
const MMC: (On, &str) = (Machine, "mmc");

const FUNCTION: Words = &["function", "func"];
const INODE: Words = &["dev", "ino"];
const DEVICE: Words = &["dev"];
const NAME: Words = &["name"];
const NONE: Words = &[];
const PAGE: Words = &["proc", "page_index"];

/// All pairs, by subsystem.
#[rustfmt::skip]
pub(crate) static PAIRS: &[Pair] = &[
    // System calls and functions.
    pair((Thread, "syscalls"), &["sys_enter"], &["sys_exit"], Syscall, NONE, Ends),
    pair((Thread, "functions"), &["funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_retaddr_entry"], &["funcgraph_exit"], Of(&["func"]), &["func"], Nests),
    // Interrupts.
    pair(IRQ, &["irq_handler_entry"], &["irq_handler_exit"], In("IRQ (", &["name", "irq"], ")"), &["irq"], Nests).category("irq"),
    pair((Cpu, "softirq"), &["softirq_entry"], &["softirq_exit"], Of(&["action", "vec"]), NONE, Ends).category("irq"),
    pair((Cpu, "tasklet"), &["tasklet_entry", "tasklet_hi_entry"], &["tasklet_exit", "tasklet_hi_exit"], Of(&["function", "func", "tasklet"]), NONE, Ends),
    pair((Cpu, "ipi"), &["ipi_entry"], &["ipi_exit"], Of(&["reason"]), &["reason"], Nests),
    pair((Cpu, "csd"), &["csd_function_entry"], &["csd_function_exit"], Of(&["func"]), &["csd"], Nests),
    pair(IRQ, &["local_timer_entry"], &["local_timer_exit"], Is("IRQ (LocalTimer)"), NONE, Nests).category("irq"),
    pair(VECTOR, &["reschedule_entry"], &["reschedule_exit"], Is("reschedule"), NONE, Nests),
    pair(VECTOR, &["call_function_entry"], &["call_function_exit"], Is("call_function"), NONE, Nests),
    pair(VECTOR, &["call_function_single_entry"], &["call_function_single_exit"], Is("call_function_single"), NONE, Nests),
    pair(VECTOR, &["irq_work_entry"], &["irq_work_exit"], Is("irq_work"), NONE, Nests),
    pair(VECTOR, &["x86_platform_ipi_entry"], &["x86_platform_ipi_exit"], Is("x86_platform_ipi"), NONE, Nests),
    pair(VECTOR, &["error_apic_entry"], &["error_apic_exit"], Is("error_apic"), NONE, Nests),
    pair(VECTOR, &["spurious_apic_entry"], &["spurious_apic_exit"], Is("spurious_apic"), NONE, Nests),
    pair(VECTOR, &["thermal_apic_entry"], &["thermal_apic_exit"], Is("thermal_apic"), NONE, Nests),
    pair(VECTOR, &["threshold_apic_entry"], &["threshold_apic_exit"], Is("threshold_apic"), NONE, Nests),
    pair(VECTOR, &["deferred_error_apic_entry"], &["deferred_error_apic_exit"], Is("deferred_error_apic"), NONE, Nests),
    pair((Cpu, "irqs off"), &["irq_disable"], &["irq_enable"], Is("irqs off"), NONE, Ends),
    pair((Cpu, "preemption off"), &["preempt_disable"], &["preempt_enable"], Is("preemption off"), NONE, Ends),
    // Timers.
    pair(TIMER, &["timer_expire_entry"], &["timer_expire_exit"], Of(&["function", "timer"]), &["timer"], Nests),
    pair((Cpu, "hrtimer"), &["hrtimer_expire_entry"], &["hrtimer_expire_exit"], Of(&["function", "hrtimer"]), &["hrtimer"], Nests).category("hrtimer"),
    // Deferred work.
    pair((Own, ""), &["workqueue_execute_start"], &["workqueue_execute_end"], Of(&["function", "work"]), NONE, Ends).category("workqueue"),
    pair((Thread, "kthread work"), &["sched_kthread_work_execute_start"], &["sched_kthread_work_execute_end"], Of(&["function", "work"]), NONE, Ends),
    pair((Thread, "kthread stop"), &["sched_kthread_stop"], &["sched_kthread_stop_ret"], Is("kthread_stop"), NONE, Nests),
    pair((Thread, "initcall"), &["initcall_start"], &["initcall_finish"], Of(FUNCTION), &["func"], Nests),
    // Block devices.
    pair(MMC, &["mmc_request_start"], &["mmc_request_done"], Is("mmc_request"), &["name", "mrq"], Ends),
    pair(MMC, &["mmc_blk_rw_start"], &["mmc_blk_rw_end"], Is("mmc_blk_rw"), &["cmd", "addr"], Ends),
    pair(MMC, &["mmc_blk_erase_start"], &["mmc_blk_erase_end"], Is("mmc_blk_erase"), &["cmd", "addr"], Ends),
    pair((Machine, "scsi"), &["scsi_dispatch_cmd_start"], &["scsi_dispatch_cmd_done", "scsi_dispatch_cmd_error", "scsi_dispatch_cmd_timeout"], Is("scsi_command"), &["host_no", "channel", "id", "lun", "driver_tag", "cmnd"], Ends),
    // File systems.
    pair(DISK, &["ext4_sync_file_enter"], &["ext4_sync_file_exit"], Is("ext4_sync_file"), INODE, Nests),
    pair(DISK, &["ext4_da_write_begin", "ext4_write_begin"], &["ext4_da_write_end", "ext4_write_end", "ext4_journalled_write_end"], Is("ext4_write"), INODE, Ends),
    pair(DISK, &["ext4_writepages", "ext4_da_writepages"], &["ext4_writepages_result", "ext4_da_writepages_result"], Is("ext4_writepages"), INODE, Nests),
    pair(DISK, &["ext4_da_write_folios_start"], &["ext4_da_write_folios_end"], Is("ext4_da_write_folios"), INODE, Nests),
    pair(DISK, &["ext4_unlink_enter"], &["ext4_unlink_exit"], Is("ext4_unlink"), INODE, Nests),
    pair(DISK, &["ext4_truncate_enter"], &["ext4_truncate_exit"], Is("ext4_truncate"), INODE, Nests),
    pair(DISK, &["ext4_fallocate_enter"], &["ext4_fallocate_exit"], Is("ext4_fallocate"), INODE, Nests),
    pair(DISK, &["ext4_direct_IO_enter"], &["ext4_direct_IO_exit"], Is("ext4_direct_IO"), INODE, Nests),
    pair(DISK, &["ext4_ext_map_blocks_enter"], &["ext4_ext_map_blocks_exit"], Is("ext4_ext_map_blocks"), INODE, Nests),
    pair(DISK, &["ext4_ind_map_blocks_enter"], &["ext4_ind_map_blocks_exit"], Is("ext4_ind_map_blocks"), INODE, Nests),
    pair(DISK, &["ext4_ext_remove_space"], &["ext4_ext_remove_space_done"], Is("ext4_ext_remove_space"), INODE, Nests),
    pair(DISK, &["ext4_es_lookup_extent_enter"], &["ext4_es_lookup_extent_exit"], Is("ext4_es_lookup_extent"), INODE, Nests),
    pair(DISK, &["ext4_es_find_extent_range_enter"], &["ext4_es_find_extent_range_exit"], Is("ext4_es_find_extent_range"), INODE, Nests),
    pair(DISK, &["ext4_es_find_delayed_extent_range_enter"], &["ext4_es_find_delayed_extent_range_exit"], Is("ext4_es_find_delayed_extent_range"), INODE, Nests),
    pair(DISK, &["ext4_es_shrink_scan_enter"], &["ext4_es_shrink_scan_exit"], Is("ext4_es_shrink_scan"), DEVICE, Nests),
    pair(DISK, &["ext4_fc_commit_start"], &["ext4_fc_commit_stop"], Is("ext4_fc_commit"), NONE, Nests),
    pair(DISK, &["f2fs_sync_file_enter"], &["f2fs_sync_file_exit"], Is("f2fs_sync_file"), NONE, Nests),
    pair(DISK, &["f2fs_write_begin"], &["f2fs_write_end"], Is("f2fs_write"), INODE, Ends),
    pair(DISK, &["f2fs_unlink_enter"], &["f2fs_unlink_exit"], Is("f2fs_unlink"), NONE, Nests),
    pair(DISK, &["f2fs_truncate_blocks_enter"], &["f2fs_truncate_blocks_exit"], Is("f2fs_truncate_blocks"), INODE, Nests),
    pair(DISK, &["f2fs_truncate_inode_blocks_enter"], &["f2fs_truncate_inode_blocks_exit"], Is("f2fs_truncate_inode_blocks"), INODE, Nests),
    pair(DISK, &["f2fs_truncate_nodes_enter"], &["f2fs_truncate_nodes_exit"], Is("f2fs_truncate_nodes"), INODE, Nests),
    pair(DISK, &["f2fs_direct_IO_enter"], &["f2fs_direct_IO_exit"], Is("f2fs_direct_IO"), NONE, Nests),
    pair(DISK, &["f2fs_sync_dirty_inodes_enter"], &["f2fs_sync_dirty_inodes_exit"], Is("f2fs_sync_dirty_inodes"), NONE, Nests),
    pair(DISK, &["f2fs_gc_begin"], &["f2fs_gc_end"], Is("f2fs_gc"), NONE, Nests),
    pair(DISK, &["f2fs_lookup_start"], &["f2fs_lookup_end"], Is("f2fs_lookup"), NONE, Nests),
    pair(DISK, &["f2fs_rename_start"], &["f2fs_rename_end"], Is("f2fs_rename"), NONE, Nests),
    pair(DISK, &["f2fs_compress_pages_start"], &["f2fs_compress_pages_end"], Is("f2fs_compress_pages"), NONE, Nests),
    pair(DISK, &["f2fs_decompress_pages_start"], &["f2fs_decompress_pages_end"], Is("f2fs_decompress_pages"), NONE, Nests),
    pair(DISK, &["erofs_map_blocks_enter", "z_erofs_map_blocks_iter_enter"], &["erofs_map_blocks_exit", "z_erofs_map_blocks_iter_exit"], Is("erofs_map_blocks"), NONE, Nests),
    pair((Machine, "file read"), &["f2fs_dataread_start", "ext4_dataread_start"], &["f2fs_dataread_end", "ext4_dataread_end"], Of(&["pathbuf", "ino"]), &["ino", "offset"], Ends),
    pair((Machine, "file write"), &["android_fs_datawrite_start", "f2fs_datawrite_start", "ext4_datawrite_start"], &["android_fs_datawrite_end", "f2fs_datawrite_end", "ext4_datawrite_end"], Of(&["pathbuf", "ino"]), &["ino", "offset"], Ends),
    pair((Machine, "fuse"), &["fuse_request_send"], &["fuse_request_end"], Is("fuse_request"), &["connection", "unique|req"], Ends),
    pair((Machine, "jbd2"), &["jbd2_start_commit"], &["jbd2_end_commit"], Is("jbd2_commit"), &["dev", "transaction"], Ends),
    pair(JOURNAL, &["jbd2_handle_start"], &["jbd2_handle_stats"], Is("jbd2_handle"), DEVICE, Nests),
    pair(JOURNAL, &["jbd2_shrink_scan_enter"], &["jbd2_shrink_scan_exit"], Is("jbd2_shrink_scan"), DEVICE, Nests),
    pair(WRITEBACK, &["writeback_start"], &["writeback_written"], Is("writeback"), NONE, Ends),
    pair(WRITEBACK, &["writeback_single_inode_start"], &["writeback_single_inode"], Is("writeback_single_inode"), &["ino"], Ends),
    pair(WRITEBACK, &["writeback_write_inode_start"], &["writeback_write_inode"], Is("writeback_write_inode"), &["ino"], Ends),
    pair((Thread, "file lease"), &["break_lease_block"], &["break_lease_unblock"], Is("break_lease"), NONE, Ends),
    // Memory.
    pair(MEMORY, &["mm_vmscan_kswapd_wake"], &["mm_vmscan_kswapd_sleep"], Is("kswapd"), NONE, Joins),
    pair(MEMORY, &["mm_vmscan_memcg_softlimit_reclaim_begin"], &["mm_vmscan_memcg_softlimit_reclaim_end"], Is("memcg soft limit reclaim"), NONE, Nests),
    pair(MEMORY, &["mm_vmscan_node_reclaim_begin"], &["mm_vmscan_node_reclaim_end"], Is("node reclaim"), NONE, Nests),
    pair(MEMORY, &["mm_compaction_begin"], &["mm_compaction_end"], Is("compaction"), NONE, Nests),
    pair(MEMORY, &["mm_compaction_kcompactd_wake"], &["mm_compaction_kcompactd_sleep"], Is("kcompactd"), NONE, Joins),
    pair(MEMORY, &["mm_migrate_pages_start"], &["mm_migrate_pages"], Is("migrate pages"), NONE, Nests),
    pair(MEMORY, &["ksm_start_scan"], &["ksm_stop_scan"], Is("ksm scan"), NONE, Ends),
    pair(MEMORY, &["start_task_reaping"], &["finish_task_reaping"], Is("reap task"), &["pid"], Ends),
    // Locks.
    pair((Thread, "lock contention"), &["contention_begin"], &["contention_end"], Is("lock contention"), &["lock_addr"], Nests),
    pair(MMAP_LOCK, &["mmap_lock_start_locking"], &["mmap_lock_acquire_returned"], Is("mmap_lock waiting"), &["mm"], Ends),
    pair(MMAP_LOCK, &["mmap_lock_acquire_returned success=true"], &["mmap_lock_released"], Is("mmap_lock held"), &["mm"], Joins),
    pair(LOCK, &["binder_lock"], &["binder_locked"], Is("binder lock waiting"), NONE, Nests),
    pair(LOCK, &["binder_locked"], &["binder_unlock"], Is("binder lock held"), NONE, Nests),
    // Binder.
    pair(BINDER, &["binder_ioctl"], &["binder_ioctl_done"], Is("binder_ioctl"), NONE, Ends),
    pair(BINDER, &["binder_alloc_lru_start"], &["binder_alloc_lru_end"], Is("binder_alloc_lru"), PAGE, Ends),
    pair(BINDER, &["binder_alloc_page_start"], &["binder_alloc_page_end"], Is("binder_alloc_page"), PAGE, Ends),
    pair(BINDER, &["binder_free_lru_start"], &["binder_free_lru_end"], Is("binder_free_lru"), PAGE, Ends),
    pair(BINDER, &["binder_unmap_user_start"], &["binder_unmap_user_end"], Is("binder_unmap_user"), PAGE, Ends),
    pair(BINDER, &["binder_unmap_kernel_start"], &["binder_unmap_kernel_end"], Is("binder_unmap_kernel"), PAGE, Ends),
    // Fences.
    pair((Thread, "fence"), &["fence_wait_start"], &["fence_wait_end"], Is("fence wait"), &["context", "seqno"], Nests),
    pair((Thread, "sync"), &["sync_wait begin=begin"], &["sync_wait begin=end"], Of(NAME), NAME, Nests),
    // Power.
    pair(REGULATOR, &["regulator_enable"], &["regulator_enable_complete"], Of(NAME), NAME, Nests),
    pair(REGULATOR, &["regulator_disable"], &["regulator_disable_complete"], Of(NAME), NAME, Nests),
    pair(REGULATOR, &["regulator_set_voltage"], &["regulator_set_voltage_complete"], Of(NAME), NAME, Nests),
    pair(REGULATOR, &["regulator_bypass_enable"], &["regulator_bypass_enable_complete"], Of(NAME), NAME, Nests),
    pair(REGULATOR, &["regulator_bypass_disable"], &["regulator_bypass_disable_complete"], Of(NAME), NAME, Nests),
    pair((Thread, "clk enable"), &["clk_enable"], &["clk_enable_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk disable"), &["clk_disable"], &["clk_disable_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk prepare"), &["clk_prepare"], &["clk_prepare_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk unprepare"), &["clk_unprepare"], &["clk_unprepare_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk set rate"), &["clk_set_rate"], &["clk_set_rate_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk set parent"), &["clk_set_parent"], &["clk_set_parent_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk set phase"), &["clk_set_phase"], &["clk_set_phase_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk set duty cycle"), &["clk_set_duty_cycle"], &["clk_set_duty_cycle_complete"], Of(NAME), NAME, Waits),
    pair((Thread, "clk rate request"), &["clk_rate_request_start"], &["clk_rate_request_done"], Of(NAME), NAME, Waits),
    pair((Thread, "runtime pm"), &["rpm_suspend", "rpm_resume", "rpm_idle"], &["rpm_return_int"], Event, NAME, Nests),
    pair((Cpu, "psci"), &["psci_domain_idle_enter"], &["psci_domain_idle_exit"], Is("psci idle"), NONE, Ends),
    pair((Machine, "cpu frequency switch"), &["cpu_frequency_switch_start"], &["cpu_frequency_switch_end"], Is("frequency switch"), &["cpu_id"], Ends),
    // Buses.
    pair((Own, ""), &["i2c_write", "i2c_read"], &["i2c_result"], In("i2c-", &["adapter_nr"], ""), &["adapter_nr"], Joins),
    pair((Thread, "smbus"), &["smbus_write", "smbus_read"], &["smbus_result"], Event, &["adapter_nr", "a"], Ends),
    pair((Machine, "spi"), &["spi_message_start"], &["spi_message_done"], Is("spi_message"), &["bus_num", "chip_select", "msg"], Ends),
    pair((Thread, "spi"), &["spi_transfer_start"], &["spi_transfer_stop"], Is("spi_transfer"), &["bus_num", "chip_select", "xfer"], Ends),
    pair((Machine, "spi busy"), &["spi_controller_busy", "spi_master_busy"], &["spi_controller_idle", "spi_master_idle"], Is("spi busy"), &["bus_num"], Ends),
    pair(ASOC, &["snd_soc_dapm_start"], &["snd_soc_dapm_done"], Is("dapm"), &["card"], Nests),
    pair(ASOC, &["snd_soc_bias_level_start"], &["snd_soc_bias_level_done"], Is("bias level"), &["card"], Nests),
    pair(ASOC, &["snd_soc_dapm_widget_event_start"], &["snd_soc_dapm_widget_event_done"], Of(&["widget"]), &["widget"], Nests),
    // Network.
    pair((Cpu, "netif_receive_skb"), &["netif_receive_skb_entry"], &["netif_receive_skb_exit"], Is("netif_receive_skb"), NONE, Waits),
    pair((Cpu, "netif_receive_skb_list"), &["netif_receive_skb_list_entry"], &["netif_receive_skb_list_exit"], Is("netif_receive_skb_list"), NONE, Waits),
    pair((Cpu, "netif_rx"), &["netif_rx_entry", "netif_rx_ni_entry"], &["netif_rx_exit", "netif_rx_ni_exit"], Is("netif_rx"), NONE, Waits),
    pair((Cpu, "napi_gro_receive"), &["napi_gro_receive_entry"], &["napi_gro_receive_exit"], Of(&["name", "dev"]), NONE, Waits).category("napi_gro"),
    pair((Cpu, "napi_gro_frags"), &["napi_gro_frags_entry"], &["napi_gro_frags_exit"], Is("napi_gro_frags"), NONE, Waits),
    pair((Cpu, "net_dev_xmit"), &["net_dev_start_xmit"], &["net_dev_xmit"], Of(DEVICE), &["skbaddr"], Waits),
    // Guests.
    pair((Thread, "kvm"), &["kvm_entry"], &["kvm_exit"], Is("guest"), NONE, Ends),
];
