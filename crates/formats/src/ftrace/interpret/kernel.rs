//! Kernel events by name: each is handled by a rule or becomes a row with its fields.

use traceloom_trace::{ArgValue, FtraceEventRow, RepairKind, StringId, TraceBuilder};

use super::args::Fields;
use super::disk::{self, EXT4_SYNC, EXT4_WRITE, F2FS_SYNC, F2FS_WRITE};
use super::interpreter::{Handler, Interpreter};
use super::position::At;

/// The handler of an event, by its name.
fn handler(name: &[u8]) -> Option<Handler> {
    use Interpreter as I;
    Some(match name {
        b"sched_switch" | b"sched_waking" | b"sched_wakeup" | b"sched_wakeup_new" | b"cpu_idle"
        | b"cpu_frequency" => I::unreadable,
        b"sched_blocked_reason" => I::blocked_reason,
        b"sched_process_fork" => I::fork,
        b"sched_process_exec" => I::exec,
        b"sched_process_exit" => I::exit,
        b"task_newtask" => I::new_task,
        b"task_rename" => I::rename,
        b"irq_handler_entry" => I::irq_entry,
        b"irq_handler_exit" => I::irq_exit,
        b"softirq_entry" => I::softirq_entry,
        b"softirq_exit" => I::softirq_exit,
        b"ipi_entry" => I::ipi_entry,
        b"ipi_exit" => I::ipi_exit,
        b"workqueue_execute_start" => I::work_start,
        b"workqueue_execute_end" => I::work_end,
        b"cpu_frequency_limits" => I::frequency_limits,
        b"clock_set_rate" | b"clk_set_rate" => I::clock_rate,
        b"clock_enable" | b"clk_enable" => I::clock_on,
        b"clock_disable" | b"clk_disable" => I::clock_off,
        b"gpu_frequency" => I::gpu_frequency,
        b"thermal_temperature" => I::temperature,
        b"cdev_update" => I::cooling,
        b"regulator_enable" | b"regulator_disable" | b"regulator_set_voltage" => I::regulator_begin,
        b"regulator_enable_complete" => I::regulator_enabled,
        b"regulator_disable_complete" => I::regulator_disabled,
        b"regulator_set_voltage_complete" => I::regulator_voltage,
        b"suspend_resume" => I::suspend,
        b"block_rq_issue" => I::request_begin,
        b"block_rq_complete" => I::request_end,
        b"block_rq_requeue" => I::request_requeued,
        b"ext4_sync_file_enter" => |i, at, f, out| i.thread_begin(at, disk::ROW, EXT4_SYNC, f, out),
        b"ext4_sync_file_exit" => |i, at, f, out| i.thread_end(at, disk::ROW, EXT4_SYNC, f, out),
        b"ext4_da_write_begin" | b"ext4_write_begin" => {
            |i, at, f, out| i.thread_begin(at, disk::ROW, EXT4_WRITE, f, out)
        }
        b"ext4_da_write_end" | b"ext4_write_end" => {
            |i, at, f, out| i.thread_end(at, disk::ROW, EXT4_WRITE, f, out)
        }
        b"f2fs_sync_file_enter" => |i, at, f, out| i.thread_begin(at, disk::ROW, F2FS_SYNC, f, out),
        b"f2fs_sync_file_exit" => |i, at, f, out| i.thread_end(at, disk::ROW, F2FS_SYNC, f, out),
        b"f2fs_write_begin" => |i, at, f, out| i.thread_begin(at, disk::ROW, F2FS_WRITE, f, out),
        b"f2fs_write_end" => |i, at, f, out| i.thread_end(at, disk::ROW, F2FS_WRITE, f, out),
        b"binder_transaction" => I::transaction,
        b"binder_transaction_received" => I::received,
        b"binder_lock" => I::lock,
        b"binder_locked" => I::locked,
        b"binder_unlock" => I::unlock,
        b"mm_vmscan_direct_reclaim_begin" => I::reclaim,
        b"mm_vmscan_direct_reclaim_end" => I::reclaim_end,
        b"mm_vmscan_kswapd_wake" => I::kswapd_wake,
        b"mm_vmscan_kswapd_sleep" => I::kswapd_sleep,
        b"oom_score_adj_update" => I::oom_score,
        b"rss_stat" | b"rss_stat_throttled" => I::rss_stat,
        b"ion_heap_grow" | b"ion_heap_shrink" => I::ion_heap,
        b"ion_stat" => I::ion_stat,
        b"dma_heap_stat" => I::dma_heap_stat,
        b"gpu_mem_total" => I::gpu_memory,
        _ => return None,
    })
}

impl Interpreter {
    pub(super) fn kernel_event(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        out.saw_time(at.ts);
        let (id, handler, has_rules) = self.kernel.select(name, fields.keys(), handler, out);
        if has_rules {
            self.apply_rules(at, name, fields, out);
            return self.keep_event(at, id, fields, out);
        }
        let handled = handler.and_then(|handler| handler(self, at, fields, out));
        if handled.is_none() {
            self.keep_event(at, id, fields, out);
        }
    }

    /// An event with a rule of its own that could not read it, such as one cut at the end.
    fn unreadable(&mut self, at: At, _: Fields<'_>, out: &mut TraceBuilder) -> Option<()> {
        out.repair(RepairKind::BadField, 1, at.place(), || {
            "a field of a scheduler or power event is missing; kept as it stands".to_owned()
        });
        None
    }

    fn keep_event(&mut self, at: At, name: StringId, fields: Fields<'_>, out: &mut TraceBuilder) {
        let arg_set_id = self.kernel.keep(fields, out);
        out.ftrace_event(FtraceEventRow {
            ts: at.ts,
            name,
            utid: at.utid,
            cpu: at.cpu,
            arg_set_id,
        });
    }

    pub(super) fn function(&mut self, at: At, name: &[u8], parent: &[u8], out: &mut TraceBuilder) {
        let keys = [("ip", name), ("parent_ip", parent)];
        let args = keys.map(|(key, value)| {
            (
                out.intern(key.as_bytes()),
                ArgValue::Text(out.intern(value)),
            )
        });
        let arg_set_id = out.args(args);
        let name = out.intern(b"function");
        out.ftrace_event(FtraceEventRow {
            ts: at.ts,
            name,
            utid: at.utid,
            cpu: at.cpu,
            arg_set_id,
        });
    }
}
