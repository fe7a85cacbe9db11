//! Handles lines about the input itself.

use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

use super::interpreter::Interpreter;
use super::position::Position;
use crate::ftrace::event::Header;

/// Stores the clock that the text names as its own.
fn own_clock(clock: &[u8], out: &mut TraceBuilder) {
    out.metadata("clock_type", &String::from_utf8_lossy(clock));
    if clock == b"LINUX_CLOCK_MONOTONIC" {
        out.clock(ClockRow {
            source: SourceId::NONE,
            clock: ClockKind::Monotonic,
            ts: 0,
            value_ns: 0,
            precision_ns: 0,
            name: String::new(),
        });
    }
}

impl Interpreter {
    #[cold]
    pub(super) fn header(
        &mut self,
        header: Header<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) {
        let place = position.place();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        match header {
            Header::Nothing => {}
            Header::Clock(clock) => own_clock(clock, out),
            Header::Tracer(name) => {
                self.columns.inferred_are_events = false;
                out.metadata("tracer", &text(name));
            }
            Header::InferredAreEvents => self.columns.inferred_are_events = true,
            Header::Version(version) => out.metadata("trace-cmd-version", &text(version)),
            Header::Cpus(cpus) => out.metadata("cpus", &cpus.to_string()),
            Header::CpuEmpty(cpu) => out.metadata("empty-cpu", &cpu.to_string()),
            Header::Fact { key, value } => out.metadata(&text(key), &text(value)),
            Header::Entries {
                in_buffer,
                written,
                cpus,
            } => {
                self.entries(in_buffer, written, place, out);
                if let Some(cpus) = cpus {
                    out.metadata("cpus", &cpus.to_string());
                }
            }
            Header::BufferStarted(cpu) => {
                self.lost_on(cpu);
                self.history.buffer_started(cpu, position, self.events);
            }
            Header::Lost { cpu, events } => {
                self.lost_on(cpu);
                out.repair(RepairKind::LostEvents, events.max(1), place, || {
                    format!("CPU {cpu}")
                });
            }
        }
    }

    fn entries(&mut self, in_buffer: u64, written: u64, place: Place, out: &mut TraceBuilder) {
        out.metadata("entries-in-buffer", &in_buffer.to_string());
        out.metadata("entries-written", &written.to_string());
        // The header counts the events that follow it. A stream may have some before its header.
        let before = self.history.entries_in_buffer.unwrap_or(self.events);
        self.history.entries_in_buffer = Some(before.saturating_add(in_buffer));
        out.repair(
            RepairKind::BufferOverflow,
            written.saturating_sub(in_buffer),
            place,
            || format!("{written} events were written, {in_buffer} are in the buffer"),
        );
    }

    pub(super) fn finish_history(&mut self, out: &mut TraceBuilder) {
        let history = &self.history;
        if let Some(front) = history.overwritten {
            out.repair(
                RepairKind::CircularPrefix,
                front.events,
                Place::at_line(1),
                || {
                    format!(
                        "CPU {} begins last, at {}; {} ends before that have no begin",
                        front.cpu,
                        front.position.place(),
                        front.ends
                    )
                },
            );
        }
        out.repair(
            RepairKind::UnmatchedEnd,
            history.unmatched,
            history.first_unmatched,
            String::new,
        );
        let events = self.events;
        // Binary inputs have no lines.
        let key = if self.lines > 0 {
            "event-lines"
        } else {
            "events"
        };
        out.metadata(key, &events.to_string());
        if let Some(entries) = history.entries_in_buffer {
            out.repair(
                RepairKind::CountMismatch,
                entries.abs_diff(events),
                Place::at_line(1),
                || format!("the header says {entries} entries, there are {events}"),
            );
        }
    }
}
