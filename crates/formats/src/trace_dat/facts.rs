//! Facts that the recorder stored about the recording.

use std::collections::BTreeMap;

use traceloom_trace::{ClockKind, ClockRow, Place, RepairKind, RowId, SourceId, TraceBuilder};

use crate::ring_buffer::{RawReader, TimeCorrection, TimeScale};

/// The content of options. Times are ns.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The offset from the trace's clock to the time of day.
    pub date_ns: Option<i64>,
    /// An offset that is added to all times.
    pub offset_ns: i64,
    /// Each CPU's `stats` file after the recording.
    pub cpu_stats: Vec<String>,
    /// The clock of the main buffer.
    pub clock: Option<String>,
    /// Whether the clock's name follows the list of CPUs.
    pub clock_follows: bool,
    pub uname: String,
    /// The version of trace-cmd.
    pub recorder: String,
    pub cpus: Option<u32>,
    pub trace_id: Option<u64>,
    pub guests: Vec<String>,
    /// Multiplier and shift that convert ticks of the processor to ns.
    pub tsc: Option<(u32, u32)>,
    /// Offsets between the clocks of a guest and its host, for each CPU.
    pub corrections: Vec<Vec<TimeCorrection>>,
    pub interpolate: bool,
    /// Lines with a thread id and its process id.
    pub tgids: Vec<u8>,
}

impl Facts {
    /// Converts the times in a CPU's pages to ns.
    pub fn time_scale(&self, cpu: u32) -> TimeScale {
        let (multiplier, shift) = self.tsc.unwrap_or((1, 0));
        let corrections = self.corrections.get(cpu as usize).cloned();
        TimeScale {
            multiplier,
            shift,
            offset_ns: self.offset_ns.saturating_add(self.date_ns.unwrap_or(0)),
            corrections: corrections.unwrap_or_default(),
            interpolate: self.interpolate,
        }
    }

    /// Adds the facts to the trace's metadata.
    pub fn report(&self, version: u8, out: &mut TraceBuilder) {
        let mut report = |key: &str, value: &str| {
            if !value.is_empty() {
                out.metadata(key, value);
            }
        };
        report("trace-dat-version", &version.to_string());
        report("trace-cmd", &self.recorder);
        report("uname", &self.uname);
        report(
            "cpus",
            &self.cpus.map_or(String::new(), |cpus| cpus.to_string()),
        );
        report("clock", self.clock.as_deref().unwrap_or(""));
        if let Some(id) = self.trace_id {
            report("trace-id", &format!("{id:#x}"));
        }
        for guest in &self.guests {
            report("guest", guest);
        }
        if let Some(date_ns) = self.date_ns {
            report("date-offset-ns", &date_ns.to_string());
        }
    }

    /// Adds a sync point at `ts` if other traces may use the same clock.
    pub fn report_clock(&self, ts: i64, out: &mut TraceBuilder) {
        let clock = match (self.date_ns, self.clock.as_deref()) {
            (Some(_), _) => ClockKind::Realtime,
            (None, Some("mono")) => ClockKind::Monotonic,
            (None, Some("boot")) => ClockKind::Boot,
            _ => return,
        };
        out.clock(ClockRow {
            source: SourceId::NONE,
            clock,
            ts,
            value_ns: ts,
            precision_ns: 1,
            name: String::new(),
        });
    }

    /// Counts events that the kernel overwrote or dropped, in addition to those that pages report. The counts of all
    /// buffers of a CPU are added up, because pages do not show which buffer lost the events.
    pub fn report_losses(&self, reader: &RawReader, out: &mut TraceBuilder) {
        let mut cpus: BTreeMap<u32, (u64, Vec<String>)> = BTreeMap::new();
        for stats in &self.cpu_stats {
            let losses = Losses::parse(stats);
            if let Some(buffer) = losses.buffer.filter(|_| losses.total() > 0) {
                out.metadata("lost", &format!("buffer {buffer}, {}", losses.shown()));
            }
            let cpu = cpus.entry(losses.cpu).or_default();
            cpu.0 = cpu.0.saturating_add(losses.total());
            cpu.1.push(losses.shown());
        }
        for (cpu, (lost, shown)) in cpus {
            let unreported = lost.saturating_sub(reader.lost_events(cpu));
            out.repair(
                RepairKind::BufferOverflow,
                unreported,
                Place::default(),
                || shown.join("; "),
            );
        }
    }
}

/// The losses of a CPU in a buffer.
struct Losses<'a> {
    cpu: u32,
    /// The name of the buffer, if it is not the main one.
    buffer: Option<&'a str>,
    /// Overwritten, not committed, and dropped events.
    counts: [u64; 3],
}

impl<'a> Losses<'a> {
    fn parse(stats: &'a str) -> Self {
        let text = |key: &str| {
            let mut lines = stats.lines();
            lines.find_map(|line| Some(line.strip_prefix(key)?.trim()))
        };
        let value = |key: &str| text(key).and_then(|text| text.parse().ok());
        Self {
            cpu: value("CPU:").unwrap_or(0) as u32,
            buffer: text("buffer:"),
            counts: ["overrun:", "commit overrun:", "dropped events:"]
                .map(|key| value(key).unwrap_or(0)),
        }
    }

    fn total(&self) -> u64 {
        let add = |sum: u64, lost: &u64| sum.saturating_add(*lost);
        self.counts.iter().fold(0, add)
    }

    fn shown(&self) -> String {
        let [overrun, commit, dropped] = self.counts;
        format!(
            "CPU {}: overrun {overrun}, commit overrun {commit}, dropped {dropped}",
            self.cpu
        )
    }
}
