//! `to_ftrace(id)`: a kernel event as a line of ftrace text, in Perfetto's form. The kernel's flags are unknown, so
//! they are written as `....`.

use std::fmt::{self, Write};
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use traceloom_trace::{ArgSetId, ArgValue, RowId};

use super::arguments::refused;
use super::flags::PURE;
use crate::schema::Data;

/// Registers the function with a connection.
pub(super) fn register(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    let data = data.clone();
    connection.create_scalar_function("to_ftrace", 1, PURE, move |context| {
        let row = row(&data, context)?;
        let mut line = String::new();
        let written = Event::new(&data, row).write(&mut line);
        written.map_err(|_| refused("the line is too long"))?;
        Ok(line)
    })
}

fn row(data: &Data, context: &Context<'_>) -> rusqlite::Result<usize> {
    let ValueRef::Integer(id) = context.get_raw(0) else {
        return Err(refused("to_ftrace takes the id of an ftrace_event"));
    };
    let row = usize::try_from(id).ok();
    let row = row.filter(|row| *row < data.trace.ftrace_events.len());
    row.ok_or_else(|| refused(format!("there is no ftrace_event {id}")))
}

/// How the kernel writes a value that is neither a plain number nor text.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Hex,
    /// `handled` if the value is not 0.
    Handled,
    /// The name of a soft interrupt, and the bracket after it.
    Action,
    /// The major and the minor number of a device.
    Device,
    /// A number of pages of 4096 bytes, written in bytes.
    Pages,
}

/// The text before the value of a field, the field, and the form of its value.
type Part = (&'static str, &'static str, Form);

use Form::{Action, Device, Handled, Hex, Pages, Plain};

/// Events whose text is not just their fields in order. The shapes follow the kernel's `TP_printk`
/// (`include/trace/events/`). A part whose field is missing is left out, with the text before it.
const SHAPES: &[(&str, &[Part])] = &[
    (
        "sched_blocked_reason",
        &[
            (" pid=", "pid", Plain),
            (" iowait=", "io_wait", Plain),
            (" iowait=", "iowait", Plain),
            (" caller=", "caller", Hex),
        ],
    ),
    (
        "cgroup_attach_task",
        &[
            (" dst_root=", "dst_root", Plain),
            (" dst_id=", "dst_id", Plain),
            (" cgroup=", "cname", Plain),
            (" cgroup=", "cgroup", Plain),
            (" dst_level=", "dst_level", Plain),
            (" dst_path=", "dst_path", Plain),
            (" pid=", "pid", Plain),
            (" comm=", "comm", Plain),
        ],
    ),
    ("clock_set_rate", CLOCK),
    ("clock_enable", CLOCK),
    ("clock_disable", CLOCK),
    (
        "clk_set_rate",
        &[(" ", "name", Plain), (" ", "rate", Plain)],
    ),
    (
        "irq_handler_exit",
        &[(" irq=", "irq", Plain), (" ret=", "ret", Handled)],
    ),
    ("softirq_entry", SOFTIRQ),
    ("softirq_exit", SOFTIRQ),
    ("softirq_raise", SOFTIRQ),
    ("workqueue_activate_work", &[(" work struct ", "work", Hex)]),
    (
        "workqueue_execute_start",
        &[
            (" work struct ", "work", Hex),
            (": function ", "function", Hex),
        ],
    ),
    ("workqueue_execute_end", &[(" work struct ", "work", Hex)]),
    ("hrtimer_expire_entry", &[(" function=", "function", Hex)]),
    (
        "mm_filemap_add_to_page_cache",
        &[
            (" dev ", "s_dev", Device),
            (" ino ", "i_ino", Hex),
            (" page=0000000000000000 pfn=", "pfn", Plain),
            (" ofs=", "index", Pages),
        ],
    ),
];

const CLOCK: &[Part] = &[
    (" ", "name", Plain),
    (" state=", "state", Plain),
    (" cpu_id=", "cpu_id", Plain),
];

const SOFTIRQ: &[Part] = &[(" vec=", "vec", Plain), (" [action=", "vec", Action)];

/// The soft interrupts by number (`include/linux/interrupt.h`).
const ACTIONS: [&str; 10] = [
    "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
];

/// An event of the trace.
struct Event<'d> {
    data: &'d Data,
    row: usize,
    args: ArgSetId,
}

impl<'d> Event<'d> {
    fn new(data: &'d Data, row: usize) -> Self {
        let args = data.trace.ftrace_events.arg_set_id.get(row);
        Self { data, row, args }
    }

    /// `task-tid (tgid) [cpu] .... seconds.micros: name: fields`.
    fn write(&self, line: &mut String) -> fmt::Result {
        let events = &self.data.trace.ftrace_events;
        self.write_task(line)?;
        let ts = events.ts.get(self.row);
        let (seconds, micros) = (
            ts.div_euclid(1_000_000_000),
            ts.rem_euclid(1_000_000_000) / 1000,
        );
        let name = self.data.get(events.name.get(self.row));
        let shown = if name == "print" {
            "tracing_mark_write"
        } else {
            name
        };
        let cpu = events.cpu.get(self.row);
        write!(line, " [{cpu:03}] .... {seconds}.{micros:06}: {shown}:")?;
        match SHAPES.iter().find(|(known, _)| *known == name) {
            Some((_, parts)) => self.write_parts(parts, line),
            None => self.write_fields(name, line),
        }
    }

    fn write_task(&self, line: &mut String) -> fmt::Result {
        let trace = &self.data.trace;
        let utid = trace.ftrace_events.utid.get(self.row).row();
        let tid = trace.threads.tid.get(utid);
        let name = match self.data.get(trace.threads.name.get(utid)) {
            _ if tid == 0 => "<idle>",
            "" => "<unknown>",
            name => name,
        };
        // Readers of such lines take the last hyphen as the end of the name.
        write!(line, "{:>16}-{tid:<5} ", name.replace('-', "_"))?;
        let process = trace.threads.upid.get(utid).some();
        match process.map(|upid| trace.processes.pid.get(upid.row())) {
            Some(pid) if pid != 0 => write!(line, "({pid:5})"),
            _ => line.write_str("(-----)"),
        }
    }

    /// ` key=value` for each field. The text of a mark has no key.
    fn write_fields(&self, name: &str, line: &mut String) -> fmt::Result {
        for (key, value) in self.data.trace.args.set(self.args) {
            match self.data.get(key) {
                "buf" if name == "print" => line.push(' '),
                "gfp_flags" if is_zero(value) => {
                    line.push_str(" gfp_flags=GFP_NOWAIT");
                    continue;
                }
                key => write!(line, " {key}=")?,
            }
            self.write_plain(value, line)?;
        }
        Ok(())
    }

    fn write_parts(&self, parts: &[Part], line: &mut String) -> fmt::Result {
        for (before, key, form) in parts {
            let mut fields = self.data.trace.args.set(self.args);
            let field = fields.find(|(known, _)| self.data.get(*known) == *key);
            let Some((_, value)) = field else { continue };
            line.push_str(before);
            match number(value) {
                Some(number) if !matches!(form, Plain) => write_number(number, *form, line)?,
                _ => self.write_plain(value, line)?,
            }
        }
        Ok(())
    }

    fn write_plain(&self, value: ArgValue, line: &mut String) -> fmt::Result {
        match value {
            ArgValue::Int(value) => write!(line, "{value}"),
            ArgValue::Hex(value) | ArgValue::Unsigned(value) => write!(line, "{value}"),
            ArgValue::Bool(value) => write!(line, "{}", u8::from(value)),
            ArgValue::Float(value) => write!(line, "{value}"),
            ArgValue::Row(_, row) => write!(line, "{row}"),
            ArgValue::Null => line.write_str("[NULL]"),
            ArgValue::Text(id) | ArgValue::Json(id) => {
                line.write_str(self.data.get(id).trim_end_matches('\n'))
            }
        }
    }
}

fn is_zero(value: ArgValue) -> bool {
    number(value) == Some(0)
}

fn number(value: ArgValue) -> Option<u64> {
    match value {
        ArgValue::Int(value) => Some(value as u64),
        ArgValue::Hex(value) | ArgValue::Unsigned(value) => Some(value),
        _ => None,
    }
}

fn write_number(number: u64, form: Form, line: &mut String) -> fmt::Result {
    match form {
        Plain => write!(line, "{number}"),
        Hex => write!(line, "{number:x}"),
        Handled => line.write_str(if number == 0 { "unhandled" } else { "handled" }),
        Action => match ACTIONS.get(number as usize) {
            Some(name) => write!(line, "{name}]"),
            None => write!(line, "{number}]"),
        },
        Device => write!(line, "{}:{}", number >> 20, number & ((1 << 20) - 1)),
        Pages => write!(line, "{}", number.wrapping_shl(12)),
    }
}
