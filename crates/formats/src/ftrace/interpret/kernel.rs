//! Kernel events by name: each is handled by a rule or becomes a row with its fields.

use traceloom_trace::{ArgValue, FtraceEventRow, RepairKind, StringId, TraceBuilder};

use super::args::Fields;
use super::interpreter::{Handler, Interpreter, Rule};
use super::position::At;
use crate::ftrace::{derived, pairs};

/// The handler of events with this name: a rule, the pairs it belongs to, or both.
fn handler(name: &[u8]) -> Option<Handler> {
    let (rule, pairs, derived) = (rule(name), pairs::uses(name), derived::entries(name));
    let is_needed = rule.is_some() || !pairs.is_empty() || !derived.is_empty();
    is_needed.then_some(Handler {
        rule,
        pairs,
        derived,
    })
}

/// The rule of an event, by its name.
fn rule(name: &[u8]) -> Option<Rule> {
    use Interpreter as I;
    Some(match name {
        b"sched_switch" | b"sched_waking" | b"sched_wakeup" | b"sched_wakeup_new" | b"cpu_idle"
        | b"cpu_frequency" => I::unreadable,
        b"sched_blocked_reason" => I::blocked_reason,
        b"sched_stat_runtime" => I::stat_runtime,
        b"inferred_switch" => I::inferred_switch,
        b"sched_process_fork" => I::fork,
        b"sched_process_exec" => I::exec,
        b"sched_process_exit" => I::exit,
        b"sched_process_free" => I::free,
        b"task_newtask" => I::new_task,
        b"task_rename" => I::rename,
        b"cpu_frequency_limits" => I::frequency_limits,
        b"clock_set_rate" | b"clk_set_rate" => I::clock_rate,
        b"clock_enable" | b"clk_enable" => I::clock_on,
        b"clock_disable" | b"clk_disable" => I::clock_off,
        b"gpu_frequency" => I::gpu_frequency,
        b"thermal_temperature" => I::temperature,
        b"cdev_update" => I::cooling,
        b"regulator_enable_complete" => I::regulator_on,
        b"regulator_disable_complete" => I::regulator_off,
        b"regulator_set_voltage_complete" => I::regulator_voltage,
        b"suspend_resume" => I::suspend,
        b"block_rq_issue" => I::request_begin,
        b"block_rq_complete" => I::request_end,
        b"block_rq_requeue" => I::request_requeued,
        b"binder_transaction" => I::transaction,
        b"binder_transaction_received" => I::received,
        b"binder_command" => I::binder_command,
        b"binder_return" => I::binder_return,
        b"oom_score_adj_update" => I::oom_score,
        b"rss_stat" | b"rss_stat_throttled" => I::rss_stat,
        b"ion_heap_grow" | b"ion_heap_shrink" => I::ion_heap,
        b"ion_stat" => I::ion_stat,
        b"dma_heap_stat" => I::dma_heap_stat,
        b"gpu_mem_total" => I::gpu_memory,
        b"mark_victim" => I::oom_kill,
        b"f2fs_iostat" => I::f2fs_iostat,
        b"f2fs_iostat_latency" => I::f2fs_iostat_latency,
        b"sched_cpu_util_cfs" => I::cpu_utilization,
        b"ufshcd_command" => I::ufs_command,
        b"ufshcd_clk_gating" => I::ufs_clock,
        b"f2fs_write_checkpoint" => I::checkpoint,
        b"wakeup_source_activate" => I::wakelock_taken,
        b"wakeup_source_deactivate" => I::wakelock_released,
        b"rpm_status" => I::device_status,
        b"device_pm_callback_start" => I::device_step,
        b"device_pm_callback_end" => I::device_step_end,
        b"bcl_irq_trigger" => I::battery_limits,
        b"devfreq_frequency" => I::device_frequency,
        b"thermal_exynos_acpm_bulk" => I::acpm_bulk,
        b"thermal_exynos_acpm_high_overhead" => I::acpm,
        b"mm_event_record" => I::mm_event,
        b"fastrpc_dma_stat" => I::fastrpc,
        b"dmabuf_rss_stat" => I::dma_buffers,
        b"kgsl_gpu_frequency" => I::kgsl_frequency,
        b"gpu_power_state" => I::gpu_power,
        b"gpu_work_period" => I::gpu_work,
        b"netif_receive_skb" => I::network_received,
        b"net_dev_xmit" => I::network_sent,
        b"kfree_skb" => I::network_dropped,
        b"cros_ec_sensorhub_data" => I::sensor_sample,
        b"inet_sock_set_state" => I::socket_state,
        b"tcp_retransmit_skb" => I::retransmit,
        b"drm_sched_job" | b"drm_sched_job_queue" => I::drm_queue,
        b"drm_run_job" | b"drm_sched_job_run" => I::drm_run,
        b"drm_sched_process_job" | b"drm_sched_job_done" => I::drm_done,
        b"dma_fence_init" => I::fence_init,
        b"dma_fence_emit" => I::fence_emit,
        b"dma_fence_signaled" => I::fence_signaled,
        b"virtio_video_resource_queue" => I::video_resource_queued,
        b"virtio_video_resource_queue_done" => I::video_resource_done,
        b"virtio_video_cmd" => I::video_request,
        b"virtio_video_cmd_done" => I::video_response,
        b"v4l2_qbuf" => I::video_queue,
        b"v4l2_dqbuf" => I::video_dequeue,
        b"virtio_gpu_cmd_queue" => I::virtio_gpu_begin,
        b"virtio_gpu_cmd_response" => I::virtio_gpu_end,
        b"kgsl_adreno_cmdbatch_queued" => I::adreno_queued,
        b"kgsl_adreno_cmdbatch_sync" => I::adreno_sync,
        b"kgsl_adreno_cmdbatch_retired" => I::adreno_retired,
        b"kprobe_event" => I::kprobe,
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
        if handler.is_none() {
            self.self_described(at, name, fields, out);
        }
        let probed = self.probe(at, name, fields, out);
        let handled = probed.or_else(|| {
            let handler = handler?;
            let ruled = handler.rule.and_then(|rule| rule(self, at, fields, out));
            self.derive(at, handler.derived, fields, out);
            self.pairs(at, handler.pairs, name, fields, out).or(ruled)
        });
        if handled.is_none() {
            self.keep_event(at, id, fields, out);
        }
    }

    /// An event whose rule could not parse it, such as a truncated one.
    fn unreadable(&mut self, at: At, _: Fields<'_>, out: &mut TraceBuilder) -> Option<()> {
        out.repair(RepairKind::BadField, 1, at.place(), || {
            "a field of a scheduler or power event is missing; kept as it stands".to_owned()
        });
        None
    }

    /// An event that is only kept.
    pub(super) fn stored(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        out.saw_time(at.ts);
        let (id, ..) = self.kernel.select(name, fields.keys(), handler, out);
        self.keep_event(at, id, fields, out);
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
