//! What the input says about itself, and what that explains.

use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

use super::{At, Interpreter, Position};
use crate::ftrace::event::Header;

/// The story of the recording, as headers and odd events tell it.
#[derive(Debug, Default)]
pub(super) struct Story {
    entries_kept: Option<u64>,
    /// Ends without a begin since the last "buffer started".
    unmatched: u64,
    first_unmatched: Place,
    prefix: Option<Prefix>,
}

/// The front of a ring buffer.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    events: u64,
    ends: u64,
    cpu: u32,
    position: Position,
}

impl Story {
    /// An end came whose begin is not there.
    pub fn unmatched(&mut self, at: At) {
        self.unmatched_at(at.place());
    }

    /// As [`unmatched`](Self::unmatched).
    pub fn unmatched_at(&mut self, place: Place) {
        if self.unmatched == 0 {
            self.first_unmatched = place;
        }
        self.unmatched += 1;
    }

    /// A CPU's events begin here: earlier ones are overwritten. Ends so far may belong to begins
    /// that were.
    fn buffer_started(&mut self, cpu: u32, position: Position, events: u64) {
        let ends = self.prefix.map_or(0, |prefix| prefix.ends) + self.unmatched;
        self.unmatched = 0;
        self.prefix = Some(Prefix {
            events,
            ends,
            cpu,
            position,
        });
    }
}

/// The times of the text are of the clock that it names.
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
            Header::Tracer(name) => out.metadata("tracer", &text(name)),
            Header::Version(version) => out.metadata("trace-cmd-version", &text(version)),
            Header::Cpus(cpus) => out.metadata("cpus", &cpus.to_string()),
            Header::CpuEmpty(cpu) => out.metadata("empty-cpu", &cpu.to_string()),
            Header::Fact { key, value } => out.metadata(&text(key), &text(value)),
            Header::Entries {
                kept,
                written,
                cpus,
            } => {
                self.entries(kept, written, place, out);
                if let Some(cpus) = cpus {
                    out.metadata("cpus", &cpus.to_string());
                }
            }
            Header::BufferStarted(cpu) => self.story.buffer_started(cpu, position, self.events),
            Header::Lost { cpu, events } => {
                out.repair(RepairKind::LostEvents, events.max(1), place, || {
                    format!("CPU {cpu}")
                });
            }
        }
    }

    fn entries(&mut self, kept: u64, written: u64, place: Place, out: &mut TraceBuilder) {
        out.metadata("entries-in-buffer", &kept.to_string());
        out.metadata("entries-written", &written.to_string());
        let before = self.story.entries_kept.unwrap_or(0);
        self.story.entries_kept = Some(before.saturating_add(kept));
        out.repair(
            RepairKind::BufferOverflow,
            written.saturating_sub(kept),
            place,
            || format!("{written} events were written, {kept} are in the buffer"),
        );
    }

    pub(super) fn finish_story(&mut self, out: &mut TraceBuilder) {
        let story = &self.story;
        if let Some(prefix) = story.prefix {
            out.repair(
                RepairKind::CircularPrefix,
                prefix.events,
                Place::at_line(1),
                || {
                    format!(
                        "CPU {} begins last, at {}; {} ends before that have no begin",
                        prefix.cpu,
                        prefix.position.place(),
                        prefix.ends
                    )
                },
            );
        }
        out.repair(
            RepairKind::UnmatchedEnd,
            story.unmatched,
            story.first_unmatched,
            String::new,
        );
        let events = self.events;
        // A binary input has no lines.
        let key = if self.lines > 0 {
            "event-lines"
        } else {
            "events"
        };
        out.metadata(key, &events.to_string());
        if let Some(kept) = story.entries_kept {
            out.repair(
                RepairKind::CountMismatch,
                kept.abs_diff(events),
                Place::at_line(1),
                || format!("the header says {kept} entries, there are {events}"),
            );
        }
    }
}
