//! The fields of a kernel event, as the kernel's own formats print them where they are special.

use std::io::{self, Write};

use traceloom_trace::{ArgSetId, ArgValue, StringPool, Trace};

/// Writes the payload of event `name`.
pub(super) fn write_fields(
    trace: &Trace,
    name: &str,
    args: ArgSetId,
    out: &mut impl Write,
) -> io::Result<()> {
    let shape = Shape::of(name);
    for (n, (key, value)) in trace.args.set(args).enumerate() {
        let key = trace.strings.get(key);
        if n > 0 {
            out.write_all(b" ")?;
        }
        shape.field(key, value, &trace.strings, out)?;
    }
    Ok(())
}

/// How an event prints its fields. The formats are those of `include/trace/events/*.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `key=value`.
    Keyed,
    /// `dev 8,0 …` by position: `8,0 WS 4096 () 12345 + 8 [comm]`.
    Block,
    /// `work struct 00000000b1a1e8a5: function vmstat_update`.
    Workqueue,
    /// `vec=9 [action=RCU]`.
    Softirq,
    /// `(Rescheduling interrupts)`.
    Ipi,
    /// `gcc_clk state=1 cpu_id=3`.
    Clock,
}

impl Shape {
    fn of(event: &str) -> Self {
        match event {
            "softirq_entry" | "softirq_exit" | "softirq_raise" => Self::Softirq,
            "ipi_entry" | "ipi_exit" => Self::Ipi,
            "clock_set_rate" | "clock_enable" | "clock_disable" => Self::Clock,
            _ if event.starts_with("block_") => Self::Block,
            _ if event.starts_with("workqueue_") => Self::Workqueue,
            _ => Self::Keyed,
        }
    }

    fn field(
        self,
        key: &str,
        value: ArgValue,
        strings: &StringPool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let text = value.display(strings).replace(['\n', '\r'], " ");
        match (self, key) {
            (_, "") => write!(out, "{text}"),
            (Self::Block, "dev" | "rwbs" | "bytes") => write!(out, "{text}"),
            (Self::Block, "sector") => write!(out, "() {text}"),
            (Self::Block, "nr_sector") => write!(out, "+ {text}"),
            (Self::Block, "comm" | "error") => write!(out, "[{text}]"),
            (Self::Workqueue, "work") => match value {
                ArgValue::Hex(work) => write!(out, "work struct {work:016x}:"),
                _ => write!(out, "work struct {text}:"),
            },
            (Self::Workqueue, "function") => write!(out, "function {text}"),
            (Self::Softirq, "action") => write!(out, "[action={text}]"),
            (Self::Ipi, "reason") => write!(out, "({text})"),
            (Self::Clock, "name") => write!(out, "{text}"),
            _ => write!(out, "{key}={text}"),
        }
    }
}
