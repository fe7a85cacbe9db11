//! Kernel events by name: each has a rule, or becomes a row with its fields.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, FtraceEventRow, StringId, TraceBuilder};

use super::args::Fields;
use super::{At, Interpreter};
use crate::rules::EventRules;

/// A rule for an event. `None` says that the event shall be kept with its fields as well: because
/// the rule could not read it, or because the tables hold only a part of it.
type Handler = fn(&mut Interpreter, At, Fields<'_>, &mut TraceBuilder) -> Option<()>;

/// What is known of events, by the interned name.
#[derive(Debug, Default)]
pub(super) struct Kernel {
    pub rules: Arc<EventRules>,
    handlers: FxHashMap<StringId, Option<Handler>>,
}

impl Kernel {
    pub fn new(rules: Arc<EventRules>) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }
}

fn handler(name: &[u8]) -> Option<Handler> {
    Some(match name {
        b"sched_blocked_reason" => Interpreter::blocked_reason,
        b"sched_process_fork" => Interpreter::fork,
        b"sched_process_exec" => Interpreter::exec,
        b"sched_process_exit" => Interpreter::exit,
        b"task_newtask" => Interpreter::new_task,
        b"task_rename" => Interpreter::rename,
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
        let id = out.intern(name);
        let handler = *self
            .kernel
            .handlers
            .entry(id)
            .or_insert_with(|| handler(name));
        let handled = handler.and_then(|handler| handler(self, at, fields, out));
        if handled.is_none() {
            self.keep_event(at, id, fields, out);
        }
    }

    fn keep_event(&mut self, at: At, name: StringId, fields: Fields<'_>, out: &mut TraceBuilder) {
        let arg_set_id = fields.keep(out);
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
