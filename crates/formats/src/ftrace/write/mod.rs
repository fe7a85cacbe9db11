//! Writes ftrace text that systrace, catapult and Perfetto open.
//!
//! Text that was written from tables reads back as the same tables (`tests/fixed_point`). The text cannot express
//! everything: times are truncated to microseconds, flags are unknown and become dots (catapult supports few letters
//! anyway), and CPU times of method traces are omitted. In the columns, a thread has its last name; events show the
//! name that it had at their time. Counters and asynchronous slices do not have the thread that wrote them, so they are
//! written by the process's main thread. Sources with the same clock become one text.

mod again;
mod binder;
mod counted;
mod dump;
mod exact;
mod facts;
mod fields;
mod kernel;
mod line;
mod names;
mod omissions;
mod plan;
mod print_points;
mod print_sched;
mod print_slices;
mod sched;
mod slices;
mod states;
#[cfg(test)]
mod tests;
mod waiting;

use std::io::{self, BufWriter, Write};

use traceloom_trace::{RepairKind, Trace};

use crate::error::WriteError;
use crate::format::{WriteOptions, Writer};
use crate::format_id;
use crate::omissions::Written;
pub(crate) use dump::Dump;
use line::Printer;
use plan::Plan;

/// Writes ftrace text.
pub(crate) struct TextWriter;

impl Writer for TextWriter {
    fn extensions(&self) -> &'static [&'static str] {
        &["systrace", "ftrace", "txt"]
    }

    fn write(
        &self,
        trace: &Trace,
        _: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let dump = Dump::new(trace);
        let written = write_text(trace, &dump, out)?;
        dump.write(out)?;
        Ok(written)
    }
}

/// Writes the trace as text, except for the processes and threads that `dump` writes.
pub(crate) fn write_text(
    trace: &Trace,
    dump: &Dump<'_>,
    out: &mut dyn Write,
) -> Result<Written, WriteError> {
    let plan = plan(trace);
    if plan.is_empty() {
        return Err(WriteError::NothingToWrite {
            format: format_id::FTRACE,
            holds: "slices, counters, scheduling and kernel events",
        });
    }
    let mut out = BufWriter::with_capacity(1 << 16, out);
    header(trace, plan.len() as u64, &mut out)?;
    let mut printer = Printer::new(&plan);
    for line in &plan.lines {
        printer.print(*line, &mut out)?;
    }
    out.flush()?;
    Ok(plan.omissions(dump))
}

fn plan(trace: &Trace) -> Plan<'_> {
    let mut plan = Plan::new(trace);
    slices::add(&mut plan);
    plan.add_rows();
    sched::add(&mut plan);
    plan.sort();
    plan
}

/// The header as the kernel prints it with the tgid column: tools look for `# tracer: nop`, for
/// the column of the TGID, and for the number of CPUs.
fn header(trace: &Trace, entries: u64, out: &mut impl Write) -> io::Result<()> {
    let lost = [RepairKind::BufferOverflow, RepairKind::LostEvents];
    let lost = lost.map(|kind| trace.repairs.count(kind));
    let lost = lost[0].saturating_add(lost[1]);
    let known = trace.metadata("cpus").and_then(|cpus| cpus.parse().ok());
    let seen = trace.sched_slices.cpu.iter().max().map_or(1, |cpu| cpu + 1);
    let cpus = known.unwrap_or(seen);
    let written = entries.saturating_add(lost);
    write!(
        out,
        "# tracer: nop\n\
         #\n\
         # entries-in-buffer/entries-written: {entries}/{written}   #P:{cpus}\n\
         #\n\
         #                                          _-----=> irqs-off\n\
         #                                         / _----=> need-resched\n\
         #                                        | / _---=> hardirq/softirq\n\
         #                                        || / _--=> preempt-depth\n\
         #                                        ||| /     delay\n\
         #           TASK-PID       TGID    CPU#  ||||   TIMESTAMP  FUNCTION\n\
         #              | |           |       |   ||||      |         |\n"
    )?;
    for row in 0..trace.metadata.len() {
        if let Some(line) = facts::line(trace, row) {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
    }
    if trace.sched_slices.is_empty() {
        return Ok(());
    }
    out.write_all(b"# inferred switches: as events\n")
}
