//! Turns slices and counters back into the kernel events they were read from.

use rustc_hash::FxHashSet;
use traceloom_trace::{CounterRow, NO_NUMBER, RowId, StringId, Trace, TrackKind, TrackRow};

use crate::ftrace::pairs::{self, Again, Name, On, PAIRS};

/// The two kernel events of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub begin: &'static str,
    pub end: &'static str,
}

/// Fields that only the second event has.
pub(super) const END_ONLY: &[&str] = &["ret", "copied", "nr_reclaimed", "error"];

/// Fields that only the first event has.
pub(super) const BEGIN_ONLY: &[&str] = &[
    "",
    "name",
    "function",
    "parent",
    "flags",
    "bytes",
    "comm",
    "order",
    "gfp_flags",
];

/// The events of a slice called `name` on `track`; `None` if the slice came from a program.
pub(super) fn pair(track: TrackRow, track_name: &str, name: &str) -> Option<Pair> {
    let (begin, end) = match (track.kind, track_name, name) {
        (TrackKind::Cpu, "irq", _) => ("irq_handler_entry", "irq_handler_exit"),
        (TrackKind::Cpu, "softirq", _) => ("softirq_entry", "softirq_exit"),
        (TrackKind::Cpu, "ipi", _) => ("ipi_entry", "ipi_exit"),
        (TrackKind::ThreadTrack, "workqueue", _) => {
            ("workqueue_execute_start", "workqueue_execute_end")
        }
        (TrackKind::ThreadTrack, "disk", name) => match name {
            "ext4_write" => ("ext4_da_write_begin", "ext4_da_write_end"),
            "ext4_sync_file" => ("ext4_sync_file_enter", "ext4_sync_file_exit"),
            "f2fs_write" => ("f2fs_write_begin", "f2fs_write_end"),
            "f2fs_sync_file" => ("f2fs_sync_file_enter", "f2fs_sync_file_exit"),
            _ => return None,
        },
        (TrackKind::ThreadTrack, "memory", "direct reclaim") => (
            "mm_vmscan_direct_reclaim_begin",
            "mm_vmscan_direct_reclaim_end",
        ),
        (TrackKind::ThreadTrack, "memory", "kswapd") => {
            ("mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep")
        }
        (TrackKind::Global, name, _) if name.starts_with("block ") => {
            ("block_rq_issue", "block_rq_complete")
        }
        (TrackKind::Global, name, _) if name.starts_with("bio ") => {
            ("block_bio_queue", "block_bio_complete")
        }
        _ => return listed(track.kind, track_name, name),
    };
    Some(Pair { begin, end })
}

/// Whether slices of this track are steps of `suspend_resume`.
pub(super) fn is_suspend(track: TrackRow, name: &str) -> bool {
    track.kind == TrackKind::Global && name == "suspend"
}

/// The events of the only entry in the table of pairs that makes such a slice. `None` if one event
/// ends a slice and begins another, or if a field decides which it does.
fn listed(kind: TrackKind, track: &str, name: &str) -> Option<Pair> {
    let on = match kind {
        TrackKind::ThreadTrack => On::Thread,
        TrackKind::Cpu => On::Cpu,
        TrackKind::Global => On::Machine,
        _ => return None,
    };
    let on_track = PAIRS
        .iter()
        .filter(|pair| pair.on == on && pair.track == track);
    let on_track = on_track.filter(|pair| pair.again != Again::Waits);
    let on_track = on_track.filter(|_| !matches!(track, "mmap lock" | "functions"));
    let exact = |pair: &&pairs::Pair| match pair.name {
        Name::Is(own) => own == name,
        Name::Event => pair.begins.contains(&name),
        Name::Of(_) | Name::Syscall => false,
    };
    let by_field = |pair: &&pairs::Pair| matches!(pair.name, Name::Of(_));
    let exact = only(on_track.clone().filter(exact));
    let pair = exact.or_else(|| only(on_track.filter(by_field)))?;
    let begin = pair.begins.iter().find(|event| **event == name);
    let (begin, end) = (begin.unwrap_or(&pair.begins[0]), pair.ends[0]);
    let is_plain = !begin.contains(' ') && !end.contains(' ');
    is_plain.then_some(Pair { begin, end })
}

/// The item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// The event with a counter's value, and its fields; `None` if the counter is a program's.
pub(super) fn counter(track: TrackRow, name: &str, whole: i64) -> Option<String> {
    if track.kind == TrackKind::CpuCounter {
        let event = match name {
            "cpuidle" => "cpu_idle",
            "cpufreq" => "cpu_frequency",
            _ => return None,
        };
        return Some(format!("{event}: state={whole} cpu_id={}", track.cpu));
    }
    if track.kind != TrackKind::GlobalCounter {
        return None;
    }
    let of = |ending: &str| name.strip_suffix(ending);
    if let Some(clock) = of(" Frequency") {
        return Some(format!("clock_set_rate: {clock} state={whole} cpu_id=0"));
    }
    if let Some(clock) = of(" State") {
        let event = if whole == 0 {
            "clock_disable"
        } else {
            "clock_enable"
        };
        return Some(format!("{event}: {clock} state={whole} cpu_id=0"));
    }
    if let Some(zone) = of(" Temperature") {
        return Some(format!(
            "thermal_temperature: thermal_zone={zone} id=0 temp_prev={whole} temp={whole}"
        ));
    }
    if let Some(device) = of(" Cooling Device") {
        return Some(format!("cdev_update: type={device} target={whole}"));
    }
    if let Some(regulator) = of(" Voltage") {
        return Some(format!(
            "regulator_set_voltage_complete: name={regulator}, val={whole}"
        ));
    }
    if name == "GPU Memory" {
        return Some(format!("gpu_mem_total: gpu_id=0 pid=0 size={whole}"));
    }
    let gpu = name.strip_prefix("gpufreq")?.trim_ascii();
    let gpu = if gpu.is_empty() { "0" } else { gpu };
    Some(format!("gpu_frequency: gpu_id={gpu} state={whole}"))
}

/// Events that are stored in addition to the counter that they make.
const KEPT: &[&str] = &[
    "thermal_temperature",
    "ion_heap_grow",
    "ion_heap_shrink",
    "ion_stat",
    "dma_heap_stat",
];

/// Counter values that need no line of their own, because another line has them.
pub(super) struct SaidElsewhere<'t> {
    trace: &'t Trace,
    /// The times of the events of [`KEPT`].
    kept: FxHashSet<i64>,
}

impl<'t> SaidElsewhere<'t> {
    pub fn new(trace: &'t Trace) -> Self {
        let names: FxHashSet<StringId> = KEPT
            .iter()
            .filter_map(|name| trace.strings.lookup(name))
            .collect();
        let events = trace.ftrace_events.rows();
        let kept = events.filter(|event| names.contains(&event.name));
        Self {
            kept: kept.map(|event| event.ts).collect(),
            trace,
        }
    }

    /// Whether the value of a counter's row is also in a stored kernel event, or in the line of the
    /// other limit of its pair.
    pub fn has(&self, row: usize) -> bool {
        let counter = self.trace.counters.row(row);
        let track = self.trace.tracks.row(counter.track_id.row());
        let name = self.trace.strings.get(track.name);
        match track.kind {
            TrackKind::GlobalCounter => {
                let made = name.starts_with("mem.") || name.ends_with(" Temperature");
                made && self.kept.contains(&counter.ts)
            }
            TrackKind::CpuCounter => row
                .checked_sub(1)
                .and_then(|before| limits(self.trace, before))
                .is_some_and(|(_, max)| max == counter),
            _ => false,
        }
    }
}

/// The lower limit of a CPU's frequency in `row`, and the upper one directly after it.
fn limits(trace: &Trace, row: usize) -> Option<(CounterRow, CounterRow)> {
    let next = (row + 1 < trace.counters.len()).then(|| trace.counters.row(row + 1))?;
    let min = trace.counters.row(row);
    let (low, high) = (
        trace.tracks.row(min.track_id.row()),
        trace.tracks.row(next.track_id.row()),
    );
    let is = |track: TrackRow, which: &str| {
        let name = trace.strings.get(track.name);
        track.kind == TrackKind::CpuCounter && name.ends_with(which)
    };
    let both = is(low, " Min Freq Limit") && is(high, " Max Freq Limit");
    (both && low.cpu == high.cpu && low.cpu != NO_NUMBER && min.ts == next.ts)
        .then_some((min, next))
}

/// `cpu_frequency_limits`, if `row` is the first of its two values.
pub(super) fn frequency_limits(trace: &Trace, row: usize) -> Option<String> {
    let (min, max) = limits(trace, row)?;
    let cpu = trace.tracks.cpu.get(min.track_id.row());
    Some(format!(
        "cpu_frequency_limits: min={} max={} cpu_id={cpu}",
        min.value as i64, max.value as i64
    ))
}
