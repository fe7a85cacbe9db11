//! Samples: a list next to that of the events, and sample events (phase `P`).
//!
//! ```text
//! "samples": [{"ts": 4.5, "pid": 7, "tid": 8, "cpu": 0, "name": "cycles", "weight": 12, "sf": 2}]
//! ```
//! Each refers to a stack frame. Hermes writes `"cpu": "-1"` and no name; converters of perf data write no pid.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    Place, ProcessId, RepairKind, RowId, StringId, ThreadId, TraceBuilder, TrackId,
};

use super::event::Event;
use super::event_stacks::frame_of;
use super::frames::Frames;
use super::origin::Origin;
use super::tasks::Tasks;
use crate::json::{Items, Value, int};
use crate::profile::{BYTES, Counter, Execution, NONE, Sample, Samples, Task};

/// The memory of a counter value, bytes.
const OF_VALUE: usize = 100;

/// A sample event.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleEvent {
    pub ts: i64,
    pub upid: ProcessId,
    pub utid: ThreadId,
    pub frame: StringId,
}

/// Converts samples to rows.
pub(super) struct Listed<'a> {
    source: StringId,
    frames: &'a Frames<'a>,
    samples: &'a mut Samples,
    /// The memory left for samples, bytes.
    room: usize,
    /// Added to the times of counters. The times of samples are shifted later.
    shift: i64,
    /// The session of each event name.
    sessions: FxHashMap<StringId, u32>,
    /// The counter of each event on each CPU, and the sum of its weights.
    sums: FxHashMap<(u32, Option<u32>), (TrackId, u64)>,
    unread: u64,
    lost_stacks: u64,
    beyond: u64,
}

impl<'a> Listed<'a> {
    pub fn new(
        frames: &'a Frames<'a>,
        samples: &'a mut Samples,
        (room, shift): (usize, i64),
        out: &mut TraceBuilder,
    ) -> Self {
        Self {
            source: out.intern(b"chrome_json"),
            frames,
            samples,
            room,
            shift,
            sessions: FxHashMap::default(),
            sums: FxHashMap::default(),
            unread: 0,
            lost_stacks: 0,
            beyond: 0,
        }
    }

    /// Reads a list of samples.
    pub fn list(
        &mut self,
        list: &[u8],
        (tasks, origin): (&mut Tasks, &mut Origin),
        out: &mut TraceBuilder,
    ) {
        let mut items = Items::new(list);
        for item in &mut items {
            let Value::Nested(text @ [b'{', ..]) = item else {
                self.unread += 1;
                continue;
            };
            let event = Event::read(text);
            let Some(ts) = origin.time(&event, out) else {
                self.unread += 1;
                continue;
            };
            let utid = thread(&event, tasks, out);
            self.listed(&event, ts, utid, out);
        }
        self.unread += u64::from(items.is_broken());
    }

    fn listed(&mut self, event: &Event<'_>, ts: i64, utid: ThreadId, out: &mut TraceBuilder) {
        let frame = frame_of(event, b"sf");
        let callsite = self.callsite(frame);
        let upid = out.trace().threads.upid.get(utid.row());
        let mut sample = self.sample(ts, (upid, utid), callsite);
        let cpu = number(event, b"cpu").and_then(|cpu| u32::try_from(cpu).ok());
        if cpu.is_some() {
            let mode = StringId::NULL;
            sample.execution = self.samples.execution(Execution { cpu, mode });
        }
        if !event.name.is_empty() {
            let name = out.intern(&event.name);
            sample.session = self.session(name);
            let weight = number(event, b"weight").and_then(|weight| u64::try_from(weight).ok());
            if let Some(weight) = weight {
                sample.counters = self.count(weight, (sample, cpu, name), out);
            }
        }
        self.push(sample);
    }

    /// Adds a sample event.
    pub fn event(&mut self, event: &SampleEvent, out: &TraceBuilder) {
        let frame = out.trace().strings.get(event.frame);
        let callsite = self.callsite(Some(frame.as_bytes()));
        let sample = self.sample(event.ts, (event.upid, event.utid), callsite);
        self.push(sample);
    }

    fn callsite(&mut self, frame: Option<&[u8]>) -> u32 {
        let callsite = frame.and_then(|frame| self.frames.callsite(frame));
        self.lost_stacks += u64::from(callsite.is_none());
        callsite.unwrap_or(NONE)
    }

    fn sample(&mut self, ts: i64, (upid, utid): (ProcessId, ThreadId), callsite: u32) -> Sample {
        let task = Task {
            upid: upid.some(),
            utid: utid.some(),
            context: NONE,
        };
        Sample {
            task: self.samples.task(task),
            callsite,
            ..Sample::at(ts, self.source)
        }
    }

    fn push(&mut self, sample: Sample) {
        match self.room.checked_sub(BYTES + OF_VALUE) {
            Some(room) => {
                self.room = room;
                self.samples.samples.push(sample);
            }
            None => self.beyond += 1,
        }
    }

    fn session(&mut self, name: StringId) -> u32 {
        let (samples, source) = (&mut *self.samples, self.source);
        let session = self.sessions.entry(name);
        *session.or_insert_with(|| {
            let session = samples.session(source);
            samples.set_event(session, name);
            session
        })
    }

    /// Adds the weight of a sample to the counter of its event. Returns the values of the sample.
    fn count(
        &mut self,
        weight: u64,
        (sample, cpu, name): (Sample, Option<u32>, StringId),
        out: &mut TraceBuilder,
    ) -> u32 {
        if self.room < BYTES + OF_VALUE {
            return NONE;
        }
        let session = sample.session;
        let samples = &mut *self.samples;
        let (track, sum) = self.sums.entry((session, cpu)).or_insert_with(|| {
            let counter = Counter {
                track: TrackId::default(),
                session,
                cpu,
                is_timebase: true,
                unit: StringId::NULL,
                description: StringId::NULL,
            };
            (samples.counter(counter, name, out), 0)
        });
        *sum = sum.saturating_add(weight);
        let ts = sample.ts.saturating_add(self.shift);
        samples.value(ts, NONE, (*track, *sum), out)
    }

    /// Counts what could not be read.
    pub fn finish(self, out: &mut TraceBuilder) {
        let place = Place::default();
        out.repair(RepairKind::UnparsedLine, self.unread, place, || {
            "a sample that is not an object with a time".to_owned()
        });
        out.repair(RepairKind::BadField, self.lost_stacks, place, || {
            "a sample whose stack frame is not there".to_owned()
        });
        out.repair(RepairKind::BeyondLimit, self.beyond, place, || {
            "too many samples for the size of the file".to_owned()
        });
    }
}

fn number(event: &Event<'_>, key: &[u8]) -> Option<i64> {
    int(frame_of(event, key)?)
}

/// The thread of a sample. Without a pid, the first thread with its tid. `comm` names a thread without a name.
fn thread(event: &Event<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) -> ThreadId {
    let tid = event.tid.as_ref();
    let utid = match tasks.process(event.pid.as_ref(), out) {
        ProcessId::NONE => tasks.thread_of_any_process(tid, out),
        upid => tasks.thread(tid, upid, out),
    };
    let name = frame_of(event, b"comm").unwrap_or(b"");
    if out.trace().threads.name.get(utid.row()).is_empty() {
        let name = out.intern(name);
        out.name_thread(utid, name);
    }
    utid
}
