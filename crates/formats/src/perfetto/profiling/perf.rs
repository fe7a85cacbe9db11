//! `PerfSample`: stacks and counters from the kernel's perf.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder, TrackId};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::wire::{Field, Fields};
use super::shared::Shared;
use super::{names, tasks};
use crate::profile::{Counter, Execution, MOST_FOLLOWERS, NONE, Sample, Task, cpu_mode};

/// The field number of `PerfSampleDefaults` in the defaults of a sequence.
const DEFAULTS: u32 = 12;

/// The sessions of sequences, and the counter tracks of each session and CPU.
#[derive(Debug, Default)]
pub(super) struct Perf {
    sessions: FxHashMap<(u32, u32), u32>,
    streams: FxHashMap<(u32, u32), Stream>,
    /// The number of samples that the kernel lost.
    pub lost: u64,
    /// The number of samples with an incomplete stack, because the profiler was too slow.
    pub skipped: u64,
}

/// The counters of a session on a CPU.
#[derive(Clone, Debug, Default)]
struct Stream {
    timebase: Option<TrackId>,
    followers: Vec<TrackId>,
}

/// The fields of a sample.
#[derive(Debug, Default)]
struct Fixed {
    cpu: Option<u32>,
    pid: u64,
    tid: u64,
    callstack: Option<u64>,
    mode: u64,
    timebase: Option<u64>,
    followers: Vec<u64>,
    unwind_error: Option<u64>,
    lost: u64,
    skipped: u64,
    is_event: bool,
}

impl Fixed {
    fn read(fields: Fields<'_>) -> Self {
        let mut fixed = Self::default();
        for field in fields {
            match field.number {
                1 => fixed.cpu = Some(field.uint() as u32),
                2 => fixed.pid = field.uint(),
                3 => fixed.tid = field.uint(),
                4 => fixed.callstack = Some(field.uint()),
                5 => fixed.mode = field.uint(),
                6 => fixed.timebase = Some(field.uint()),
                7 => fixed.followers.extend(field.numbers()),
                16 => fixed.unwind_error = Some(field.uint()),
                17 => fixed.lost = field.uint(),
                18 => fixed.skipped = field.uint(),
                19 => fixed.is_event = true,
                _ => {}
            }
        }
        fixed
    }
}

impl Perf {
    /// Reads a sample or a loss of samples.
    pub fn sample(
        &mut self,
        ts: i64,
        fields: Fields<'_>,
        state: State,
        shared: &mut Shared<'_>,
        out: &mut TraceBuilder,
    ) {
        /// `PROFILER_SKIP_NOT_IN_SCOPE`: only counters were requested for this process.
        const NOT_IN_SCOPE: u64 = 4;
        let fixed = Fixed::read(fields);
        let (session, stream) = self.stream(fixed.cpu.unwrap_or(0), state, shared, out);
        self.lost = self.lost.saturating_add(fixed.lost);
        if fixed.lost > 0 || fixed.is_event {
            return;
        }
        self.skipped += u64::from((1..NOT_IN_SCOPE).contains(&fixed.skipped));
        let source = out.intern(b"linux.perf");
        let mut sample = Sample {
            session,
            counters: values(ts, &fixed, &stream, shared, out),
            ..Sample::at(ts, source)
        };
        let utid = tasks::thread(fixed.tid, fixed.pid, out);
        let upid = tasks::process(fixed.pid, out);
        sample.task = shared.samples.task(Task {
            upid: Some(upid),
            utid: Some(utid),
            context: NONE,
        });
        if let Some(iid) = fixed.callstack {
            sample.callsite = shared.callstack(&state, iid, out);
        }
        let mode = out.intern_unless_empty(cpu_mode(fixed.mode).as_bytes());
        if fixed.cpu.is_some() || mode != StringId::NULL {
            let cpu = fixed.cpu;
            sample.execution = shared.samples.execution(Execution { cpu, mode });
        }
        if let Some(error) = fixed.unwind_error {
            sample.unwind_error = out.intern(names::unwind_error(error).as_bytes());
        }
        shared.samples.samples.push(sample);
    }

    /// The session of a sequence, and its counters on a CPU.
    fn stream(
        &mut self,
        cpu: u32,
        state: State,
        shared: &mut Shared<'_>,
        out: &mut TraceBuilder,
    ) -> (u32, Stream) {
        let of_perf = out.intern(b"linux.perf");
        let samples = &mut shared.samples;
        let session = self.sessions.entry((state.machine, state.sequence));
        let session = *session.or_insert_with(|| samples.session(of_perf));
        if let Some(known) = self.streams.get(&(session, cpu)) {
            return (session, known.clone());
        }
        let stream = new_stream(session, cpu, defaults(shared.survey, &state), shared, out);
        self.streams.insert((session, cpu), stream.clone());
        (session, stream)
    }
}

/// `PerfSampleDefaults`.
fn defaults<'s>(survey: &'s Survey<'s>, state: &State) -> Option<Fields<'s>> {
    let mut packet = Fields::new(survey.source.get(state.defaults));
    Some(packet.find(|field| field.number == DEFAULTS)?.fields())
}

fn new_stream(
    session: u32,
    cpu: u32,
    defaults: Option<Fields<'_>>,
    shared: &mut Shared<'_>,
    out: &mut TraceBuilder,
) -> Stream {
    let mut stream = Stream::default();
    // Before Android 12, there were no defaults, and the timer was the only timebase.
    let mut timebase = (String::from("cpu-clock"), "ns");
    let mut followers = Vec::new();
    if let Some(defaults) = defaults {
        timebase = (String::from("unknown"), "");
        for field in defaults {
            match field.number {
                1 => timebase = event(field, [4, 3, 5, 12, 10]),
                4 => followers.push(event(field, [1, 2, 3, 5, 4]).0),
                _ => {}
            }
        }
    }
    let unit = out.intern_unless_empty(timebase.1.as_bytes());
    shared.samples.set_unit(session, unit);
    let mut track = |name: String, is_timebase| {
        let counter = Counter {
            track: TrackId::default(),
            session,
            cpu: Some(cpu),
            is_timebase,
            unit: StringId::NULL,
            description: StringId::NULL,
        };
        let name = out.intern(name.as_bytes());
        shared.samples.counter(counter, name, out)
    };
    stream.timebase = Some(track(timebase.0, true));
    stream.followers = followers
        .into_iter()
        .take(MOST_FOLLOWERS)
        .map(|name| track(name, false))
        .collect();
    stream
}

/// The name and the unit of an event. The array has the field numbers of the counter, the tracepoint, the raw event,
/// the modifiers and the name.
fn event(
    event: Field<'_>,
    [counter, point, raw, modifiers, name]: [u32; 5],
) -> (String, &'static str) {
    let text = |field: Field<'_>| String::from_utf8_lossy(field.bytes()).into_owned();
    let (mut given, mut kind, mut unit, mut suffix) = (None, None, "", String::new());
    for field in event.fields() {
        match field.number {
            number if number == name && !field.bytes().is_empty() => given = Some(text(field)),
            number if number == counter => {
                kind = Some(names::perf_counter(field.uint()).to_owned());
                unit = names::perf_unit(field.uint());
            }
            number if number == point => {
                kind = field.fields().find(|field| field.number == 1).map(text);
                unit = "count";
            }
            number if number == raw => kind = Some(raw_event(field.fields())),
            number if number == modifiers => suffix.extend(field.numbers().filter_map(modifier)),
            _ => {}
        }
    }
    let mut shown = given.or(kind).unwrap_or_else(|| "unknown".to_owned());
    if !suffix.is_empty() {
        shown.push(':');
        shown.push_str(&suffix);
    }
    (shown, unit)
}

/// The letter that perf uses for a `PerfEvents.EventModifier`.
fn modifier(modifier: u64) -> Option<char> {
    match modifier {
        1 => Some('u'),
        2 => Some('k'),
        3 => Some('h'),
        _ => None,
    }
}

fn raw_event(fields: Fields<'_>) -> String {
    let mut numbers = [0; 4];
    for field in fields {
        let place = (field.number as usize).wrapping_sub(1);
        if let Some(number) = numbers.get_mut(place) {
            *number = field.uint();
        }
    }
    let [kind, config, config1, config2] = numbers;
    format!("raw.{kind:#x}.{config:#x}.{config1:#x}.{config2:#x}")
}

/// Adds the counter values of a sample. Returns the set of values.
fn values(
    ts: i64,
    fixed: &Fixed,
    stream: &Stream,
    shared: &mut Shared<'_>,
    out: &mut TraceBuilder,
) -> u32 {
    let timebase = stream.timebase.zip(fixed.timebase);
    let followers = stream
        .followers
        .iter()
        .copied()
        .zip(fixed.followers.iter().copied());
    timebase
        .into_iter()
        .chain(followers)
        .fold(NONE, |set, value| shared.samples.value(ts, set, value, out))
}
