//! Kernel events by name: each has a rule, or becomes a row with its fields.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, FtraceEventRow, RepairKind, StringId, TraceBuilder};

use super::args::{Fields, KeysId, LastFields};
use super::disk::{self, EXT4_SYNC, EXT4_WRITE, F2FS_SYNC, F2FS_WRITE};
use super::{At, Interpreter};
use crate::rules::EventRules;

/// A rule for an event. `None` says that the event shall be kept with its fields as well: because
/// the rule could not read it, or because the tables hold only a part of it.
type Handler = fn(&mut Interpreter, At, Fields<'_>, &mut TraceBuilder) -> Option<()>;

/// What is known of events.
#[derive(Debug, Default)]
pub(super) struct Kernel {
    pub rules: Arc<EventRules>,
    known: Vec<Known>,
    /// Numbers in `known`, by the interned name.
    numbers: FxHashMap<StringId, usize>,
    /// And by the shape that the event has in the piece.
    of_shape: Vec<(KeysId, usize)>,
    /// The number of the event at hand; none of an event that is not remembered.
    event: Option<usize>,
    /// The last fields of events that are not remembered.
    others: LastFields,
}

#[derive(Clone, Debug)]
struct Known {
    name: StringId,
    handler: Option<Handler>,
    has_rules: bool,
    /// Its fields when it came last: keys are nearly always the same.
    last: LastFields,
}

impl Kernel {
    pub fn new(rules: Arc<EventRules>) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// What the fields of the event at hand were when it came last.
    pub fn last_fields(&mut self) -> &mut LastFields {
        match self.event.and_then(|number| self.known.get_mut(number)) {
            Some(known) => &mut known.last,
            None => &mut self.others,
        }
    }

    /// The id of the name of the track that the event at hand is on: the one it was on last, mostly.
    pub fn track_name(&mut self, name: &[u8], out: &mut TraceBuilder) -> StringId {
        let last = &mut self.last_fields().track_name;
        out.intern_cached(last, name);
        *last
    }

    /// The id of the name of the slice that the event at hand begins or ends.
    pub fn slice_name(&mut self, name: &[u8], out: &mut TraceBuilder) -> StringId {
        let last = &mut self.last_fields().slice_name;
        out.intern_cached(last, name);
        *last
    }

    /// Keeps all fields of the event at hand as arguments.
    pub fn keep(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) -> ArgSetId {
        fields.keep_cached(self.last_fields(), out)
    }
}

/// How many events are remembered. No kernel has as many; a broken file may, and shall not fill the
/// memory.
const MOST_KNOWN: usize = 4096;

impl Kernel {
    /// The event's name, its rule, and whether the user has rules for it. It is at hand from now on.
    fn take(
        &mut self,
        name: &[u8],
        keys: KeysId,
        out: &mut TraceBuilder,
    ) -> (StringId, Option<Handler>, bool) {
        let shape = keys.shape();
        let seen = shape.and_then(|shape| self.of_shape.get(shape));
        let seen = seen.filter(|(seen, _)| *seen == keys);
        if let Some(known) = seen.and_then(|(_, number)| self.known.get(*number)) {
            self.event = seen.map(|(_, number)| *number);
            return (known.name, known.handler, known.has_rules);
        }
        let id = out.intern(name);
        let (handler, has_rules) = self.known(id, name);
        if let (Some(shape), Some(number)) = (shape, self.event) {
            let len = self.of_shape.len().max(shape + 1);
            self.of_shape.resize(len, (KeysId::default(), number));
            self.of_shape[shape] = (keys, number);
        }
        (id, handler, has_rules)
    }

    /// The event's rule, and whether the user has rules for it.
    fn known(&mut self, name_id: StringId, name: &[u8]) -> (Option<Handler>, bool) {
        self.event = self.numbers.get(&name_id).copied();
        if let Some(number) = self.event {
            let known = &self.known[number];
            return (known.handler, known.has_rules);
        }
        let mut rules = self.rules.events.iter();
        let has_rules = rules.any(|rule| rule.name.as_bytes() == name);
        let handler = handler(name);
        let number = self.known.len();
        if number < MOST_KNOWN {
            self.known.push(Known {
                name: name_id,
                handler,
                has_rules,
                last: LastFields::default(),
            });
            self.numbers.insert(name_id, number);
            self.event = Some(number);
        }
        (handler, has_rules)
    }
}

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
        let (id, handler, has_rules) = self.kernel.take(name, fields.keys(), out);
        if has_rules {
            self.apply_rules(at, name, fields, out);
            return self.keep_event(at, id, fields, out);
        }
        let handled = handler.and_then(|handler| handler(self, at, fields, out));
        if handled.is_none() {
            self.keep_event(at, id, fields, out);
        }
    }

    /// An event that has a form of its own and came without it, such as one cut at the end.
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
