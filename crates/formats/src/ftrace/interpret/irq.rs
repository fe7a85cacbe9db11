//! Interrupts, softirqs, messages between CPUs, and work queues.

use traceloom_trace::TraceBuilder;

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

impl Interpreter {
    /// `irq_handler_entry: irq=23 name=arch_timer`.
    pub(super) fn irq_entry(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = fields.printed("name").or_else(|| fields.printed("irq"))?;
        self.cpu_begin(at, "irq", &name, fields, out);
        Some(())
    }

    /// `irq_handler_exit: irq=23 ret=handled`.
    pub(super) fn irq_exit(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.cpu_end(at, "irq", fields, out)
    }

    /// `softirq_entry: vec=9 [action=RCU]`.
    pub(super) fn softirq_entry(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = fields.printed("action").or_else(|| fields.printed("vec"))?;
        self.cpu_begin(at, "softirq", &name, fields, out);
        Some(())
    }

    pub(super) fn softirq_exit(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.cpu_end(at, "softirq", fields, out)
    }

    /// `ipi_entry: (Rescheduling interrupts)`.
    pub(super) fn ipi_entry(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.cpu_begin(at, "ipi", fields.text("reason")?, fields, out);
        Some(())
    }

    pub(super) fn ipi_exit(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.cpu_end(at, "ipi", fields, out)
    }

    /// `workqueue_execute_start: work struct 00000000b1a1e8a5: function vmstat_update`. A worker
    /// does one piece of work at a time.
    pub(super) fn work_start(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let function = fields.text("function")?;
        self.thread_begin(at, "workqueue", function, fields, out)
    }

    /// `workqueue_execute_end: work struct 00000000b1a1e8a5`; newer ones name the function again.
    pub(super) fn work_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.thread_end_any(at, "workqueue", fields, out)
    }
}
