//! Turns slices and counters back into the kernel events they were read from.

use rustc_hash::FxHashSet;
use traceloom_trace::{
    ArgSetId, CounterRow, NO_NUMBER, RowId, SliceId, StringId, Trace, TrackOwner, TrackRow,
    TrackType,
};

use crate::ftrace::derived::Derived;
use crate::ftrace::pairs::{self, Events, On, condition, events_of};

/// The two kernel events of a slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub begin: &'static str,
    pub end: &'static str,
    /// The entry in the table of pairs; `None` for requests of block devices.
    pub entry: Option<&'static pairs::Pair>,
}

impl Pair {
    /// Whether the event that ends a slice on a thread's own track also begins one there.
    pub fn end_begins_another(&self) -> bool {
        let is_own = |pair: &pairs::Pair| pair.on == On::Own;
        let mut uses = pairs::uses(self.end.as_bytes()).iter();
        self.entry.is_some_and(is_own)
            && uses.any(|one| one.role == pairs::Role::Begin && is_own(one.pair))
    }
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

/// The events of a slice; `None` if it came from a program.
pub(super) fn pair(trace: &Trace, slice: SliceId) -> Option<Pair> {
    let args = trace.slices.arg_set_id.get(slice.row());
    let track = trace
        .tracks
        .row(trace.slices.track_id.get(slice.row()).row());
    let on = match track.kind.owner() {
        _ if track.kind.is_counter() => return None,
        // The kernel's slices among those of a program have fields, unlike the others.
        TrackOwner::Thread if track.kind.is_stack() && args == ArgSetId::NONE => return None,
        TrackOwner::Thread if track.kind.is_stack() => On::Own,
        TrackOwner::Thread => On::Thread,
        TrackOwner::Cpu => On::Cpu,
        TrackOwner::Machine => On::Machine,
        TrackOwner::Process => return None,
    };
    let track = trace.strings.get(track.name);
    let arg = |key: &str| argument(trace, args, key);
    if let Some(events) = events_of(on, track, &trace.slice_name(slice), &arg) {
        let Events { pair, begin, end } = events;
        let entry = Some(pair);
        return Some(Pair { begin, end, entry });
    }
    let (begin, end) = match track.split_once(' ').filter(|_| on == On::Machine)?.0 {
        "block" => ("block_rq_issue", "block_rq_complete"),
        "bio" => ("block_bio_queue", "block_bio_complete"),
        _ => return None,
    };
    let entry = None;
    Some(Pair { begin, end, entry })
}

/// Whether the fields of a slice show that its second event came, if a field distinguishes the events. Otherwise a
/// later begin ended the slice, or the end of an enclosing slice.
pub(super) fn shows_end(trace: &Trace, slice: SliceId, pair: Pair) -> bool {
    let Some((key, values)) = pair.entry.and_then(|entry| condition(entry, pair.end)) else {
        return true;
    };
    let args = trace.slices.arg_set_id.get(slice.row());
    trace.args.set(args).any(|(found, value)| {
        let value = value.display(&trace.strings);
        trace.strings.get(found) == key && values.split('|').any(|allowed| allowed == value)
    })
}

/// The first value of an argument, as text.
pub(super) fn argument(trace: &Trace, args: ArgSetId, key: &str) -> Option<String> {
    let key = trace.strings.lookup(key)?;
    let mut args = trace.args.set(args);
    let found = args.find(|(known, _)| *known == key);
    found.map(|(_, value)| value.display(&trace.strings))
}

/// Whether slices of this track are steps of `suspend_resume`.
pub(super) fn is_suspend(track: TrackRow, name: &str) -> bool {
    track.kind.holds_slices_of(TrackOwner::Machine) && name == "suspend"
}

/// A step of `suspend_resume` as the kernel prints it.
pub(super) fn suspend_step(name: &str) -> String {
    name.replace('(', "[").replace(')', "]")
}

/// The event with a counter's value, and its fields; `None` if the counter is a program's.
pub(super) fn counter(track: TrackRow, name: &str, whole: i64) -> Option<String> {
    if track.kind.is_counter_of(TrackOwner::Cpu) {
        let event = match name {
            "cpuidle" => "cpu_idle",
            "cpufreq" => "cpu_frequency",
            _ => return None,
        };
        return Some(format!("{event}: state={whole} cpu_id={}", track.cpu));
    }
    if !track.kind.is_counter_of(TrackOwner::Machine) {
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

/// Events that are stored in addition to the counter that they set.
const KEPT: &[&str] = &[
    "thermal_temperature",
    "ion_heap_grow",
    "ion_heap_shrink",
    "ion_stat",
    "dma_heap_stat",
];

/// Whether every value of such a counter is also in a stored event, or in the events of a slice.
fn is_derived(kind: TrackType) -> bool {
    matches!(
        kind,
        TrackType::F2fsIostat
            | TrackType::F2fsIostatLatency
            | TrackType::CpuUtilization
            | TrackType::CpuCapacity
            | TrackType::CpuNrRunning
            | TrackType::UfsCommandCount
            | TrackType::IonChange
    )
}

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
        match track.kind.owner() {
            _ if !track.kind.is_counter() => false,
            _ if is_derived(track.kind) || Derived::has_track(track.kind) => true,
            TrackOwner::Machine => {
                let made = name.starts_with("mem.") || name.ends_with(" Temperature");
                made && self.kept.contains(&counter.ts)
            }
            TrackOwner::Cpu => row
                .checked_sub(1)
                .and_then(|before| limits(self.trace, before))
                .is_some_and(|(_, min)| min == counter),
            _ => false,
        }
    }
}

/// The limits of a CPU's frequency: the upper one in `row`, and the lower one in the next row.
fn limits(trace: &Trace, row: usize) -> Option<(CounterRow, CounterRow)> {
    let next = (row + 1 < trace.counters.len()).then(|| trace.counters.row(row + 1))?;
    let max = trace.counters.row(row);
    let (high, low) = (
        trace.tracks.row(max.track_id.row()),
        trace.tracks.row(next.track_id.row()),
    );
    let is = |track: TrackRow, which: &str| {
        let name = trace.strings.get(track.name);
        track.kind.is_counter_of(TrackOwner::Cpu) && name.ends_with(which)
    };
    let both = is(low, " Min Freq Limit") && is(high, " Max Freq Limit");
    (both && low.cpu == high.cpu && low.cpu != NO_NUMBER && max.ts == next.ts)
        .then_some((max, next))
}

/// `cpu_frequency_limits`, if `row` is the first of its two values.
pub(super) fn frequency_limits(trace: &Trace, row: usize) -> Option<String> {
    let (max, min) = limits(trace, row)?;
    let cpu = trace.tracks.cpu.get(min.track_id.row());
    Some(format!(
        "cpu_frequency_limits: min={} max={} cpu_id={cpu}",
        min.value as i64, max.value as i64
    ))
}
