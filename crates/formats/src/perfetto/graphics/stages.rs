//! Render and compute stages on a GPU (`GpuRenderStageEvent`).
//!
//! ```text
//! queue 0    |-- vertex --|  |-- vertex --|
//! queue 1           |------ fragment ------|
//! ```

mod compute;
mod context;
mod correlation;
mod event;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    Place, RepairKind, SliceBegin, SliceId, StringId, TraceBuilder, TrackId, TrackType,
};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::tasks;
use super::super::wire::{Field, Fields};
use super::args::ArgList;
use super::gpus::Gpus;
use super::scoped::Scoped;
use super::vulkan::{DebugNames, object};
use correlation::Correlation;
use event::Event;

/// Fields of `InternedData`.
mod interned {
    pub const EVENT_NAMES: u32 = 2;
    pub const CONTEXTS: u32 = 23;
    pub const SPECIFICATIONS: u32 = 24;
}

/// A name and a description.
type Described<'s> = (&'s [u8], &'s [u8]);

/// Converts render stages to slices on queue tracks, and adds flows between them.
pub(super) struct Stages<'s> {
    survey: &'s Survey<'s>,
    /// The name and description of queues and stages that are described without interned data, by index.
    queues: Vec<(StringId, StringId)>,
    stages: Vec<(StringId, StringId)>,
    tracks: FxHashMap<Queue, TrackId>,
    lanes: Scoped,
    /// The contexts that already have a row.
    contexts: FxHashMap<u64, ()>,
    correlation: Correlation,
    undescribed: u64,
}

/// A queue of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Queue {
    gpu: u32,
    is_interned: bool,
    id: u64,
    name: StringId,
}

impl<'s> Stages<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            survey,
            queues: Vec::new(),
            stages: Vec::new(),
            tracks: FxHashMap::default(),
            lanes: Scoped::default(),
            contexts: FxHashMap::default(),
            correlation: Correlation::default(),
            undescribed: 0,
        }
    }

    /// Reads a `GpuRenderStageEvent`. Without a timestamp, only its descriptions are read.
    pub fn event(
        &mut self,
        ts: i64,
        fields: Fields<'_>,
        state: State,
        (gpus, names): (&mut Gpus, &DebugNames),
        out: &mut TraceBuilder,
    ) {
        let event = Event::read(fields.clone());
        let mut pid = None;
        for specifications in fields.clone().filter(|field| field.number == 7) {
            pid = self.specifications(specifications.fields(), out).or(pid);
        }
        if let Some(context) = event.context {
            pid = self.context(context, state, out).or(pid);
        }
        let Some(id) = event.id.filter(|_| ts != i64::MIN) else {
            return;
        };
        let Some(track) = self.track(&event, state, gpus, out) else {
            self.undescribed += 1;
            return;
        };
        let name = self.name(&event, fields.clone(), state, out);
        let mut args = ArgList::new(out);
        self.describe_stage(&event, state, &mut args);
        self.compute(&event, fields.clone(), state, &mut args);
        store(&event, &fields, (names, pid), &mut args);
        let begin = SliceBegin {
            arg_set_id: args.store(),
            ..SliceBegin::named(ts, name)
        };
        let slice = self.lanes.slice(track, begin, event.dur as i64, out);
        let waits = fields.filter(|field| field.number == 18);
        let waits = waits.flat_map(Field::numbers);
        self.correlation.stage(id, slice, waits, out);
    }

    /// Reads `Specifications`: the names of queues and stages, and the pid of the context, which is returned.
    fn specifications(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) -> Option<i64> {
        let mut pid = None;
        let mut queue = 0;
        for field in fields {
            match field.number {
                1 => pid = field.fields().find(|field| field.number == 2),
                2 => {
                    let described = described(field.fields(), 1, out);
                    let known = self.queues.get_mut(queue);
                    match known {
                        Some(known) if !described.0.is_empty() => *known = described,
                        Some(_) => {}
                        None => self.queues.push(described),
                    }
                    queue += 1;
                }
                3 => {
                    let described = described(field.fields(), 1, out);
                    if !described.0.is_empty() {
                        self.stages.push(described);
                    }
                }
                _ => {}
            }
        }
        pid.map(|pid| i64::from(pid.int32()))
    }

    fn interned(&self, field: u32, iid: u64, state: State) -> Option<Fields<'s>> {
        let span = self.survey.sequences.interned(&state, field, iid)?;
        Some(Fields::new(self.survey.source.get(span)))
    }

    /// An `InternedGraphicsContext`. Returns the pid of its process.
    fn context(&mut self, id: u64, state: State, out: &mut TraceBuilder) -> Option<i64> {
        let fields = self.interned(interned::CONTEXTS, id, state)?;
        let find = |number| fields.clone().filter(move |it| it.number == number).last();
        let pid = find(2).map(|pid| i64::from(pid.int32()));
        if self.contexts.insert(id, ()).is_none() {
            context::context_row(id, pid, find(3).map(Field::uint), out);
        }
        pid
    }

    /// The track of an event's queue. `None` if the interned data is missing.
    fn track(
        &mut self,
        event: &Event,
        state: State,
        gpus: &mut Gpus,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        let (title, key, description) = match event.queue_iid {
            Some(iid) => {
                let fields = self.interned(interned::SPECIFICATIONS, iid, state)?;
                let (name, description) = described(fields, 2, out);
                (name, name, description)
            }
            None => self.queue_without_iid(event.queue, out),
        };
        let queue = Queue {
            gpu: event.gpu,
            is_interned: event.queue_iid.is_some(),
            id: event.queue_iid.unwrap_or(event.queue),
            name: key,
        };
        Some(*self.tracks.entry(queue).or_insert_with(|| {
            let track = gpus.track(TrackType::GpuRenderStage, title, out);
            let description = out.trace().strings.get(description).to_owned();
            gpus.describe(track, event.gpu, ("", description.as_bytes()), out);
            track
        }))
    }

    /// The title, the name and the description of a queue. A queue without a description has no name.
    fn queue_without_iid(
        &self,
        queue: u64,
        out: &mut TraceBuilder,
    ) -> (StringId, StringId, StringId) {
        let place = usize::try_from(queue).ok();
        let known = place.and_then(|place| self.queues.get(place));
        match known.filter(|(name, _)| !name.is_empty()) {
            Some((name, description)) => (*name, *name, *description),
            None => {
                let title = format!("Unknown GPU Queue {queue}");
                let title = out.intern(title.as_bytes());
                (title, StringId::NULL, StringId::NULL)
            }
        }
    }

    fn name(
        &self,
        event: &Event,
        mut fields: Fields<'_>,
        state: State,
        out: &mut TraceBuilder,
    ) -> StringId {
        let interned = |field, iid| self.interned(field, iid, state);
        let from = match (event.name_iid, fields.find(|field| field.number == 17)) {
            (Some(iid), _) => interned(interned::EVENT_NAMES, iid),
            (None, Some(name)) => return out.intern(name.bytes()),
            (None, None) => match event.stage_iid {
                Some(iid) => interned(interned::SPECIFICATIONS, iid),
                None => return self.stage_name(event.stage.unwrap_or(0), out),
            },
        };
        from.map_or(StringId::NULL, |fields| described(fields, 2, out).0)
    }

    fn stage_name(&self, stage: u64, out: &mut TraceBuilder) -> StringId {
        match self.stage(stage) {
            Some((name, _)) => name,
            None => out.intern(format!("render stage({stage})").as_bytes()),
        }
    }

    fn stage(&self, stage: u64) -> Option<(StringId, StringId)> {
        self.stages.get(usize::try_from(stage).ok()?).copied()
    }

    fn describe_stage(&self, event: &Event, state: State, args: &mut ArgList<'_>) {
        if let Some(iid) = event.stage_iid {
            let Some(fields) = self.interned(interned::SPECIFICATIONS, iid, state) else {
                return;
            };
            let category = fields.clone().filter(|field| field.number == 4).last();
            args.int("render_stage_category", category.map_or(0, Field::int));
            args.some_text("description", pair(fields, 2).1);
        } else if let Some((_, description)) = event.stage.and_then(|stage| self.stage(stage)) {
            let description = args.out.trace().strings.get(description).to_owned();
            args.some_text("description", description.as_bytes());
        }
    }

    /// An event of a thread that submits stages or waits for them.
    pub fn thread_event(
        &mut self,
        slice: SliceId,
        correlation: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        self.correlation.thread(slice, correlation, out);
    }

    /// Reports problems.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.correlation.finish(out);
        let place = Place::default();
        out.repair(RepairKind::SkippedEntry, self.undescribed, place, || {
            "stages of rendering on a queue that nothing describes".to_owned()
        });
    }
}

/// The name and the description in a message. The name is the field `first`, and the description is the next field.
fn pair(fields: Fields<'_>, first: u32) -> Described<'_> {
    let (mut name, mut description): Described<'_> = (&[], &[]);
    for field in fields {
        match field.number.checked_sub(first) {
            Some(0) => name = field.bytes(),
            Some(1) => description = field.bytes(),
            _ => {}
        }
    }
    (name, description)
}

fn described(fields: Fields<'_>, first: u32, out: &mut TraceBuilder) -> (StringId, StringId) {
    let (name, description) = pair(fields, first);
    (
        out.intern_unless_empty(name),
        out.intern_unless_empty(description),
    )
}

/// Adds the arguments that every event has.
fn store(
    event: &Event,
    fields: &Fields<'_>,
    (names, pid): (&DebugNames, Option<i64>),
    args: &mut ArgList<'_>,
) {
    if event.pass_instance != 0 {
        let id = format!("rp:#{}", event.pass_instance);
        args.text(b"correlation_id", id.as_bytes());
    }
    for extra in fields.clone().filter(|field| field.number == 6) {
        let (name, value) = pair(extra.fields(), 1);
        args.text(name, value);
    }
    args.uint("context_id", event.context.unwrap_or(0));
    let mut handle = |key: &str, kind, handle| {
        args.uint(key, handle);
        if let Some(name) = names.get(&(kind, handle)) {
            let key = format!("{key}_name");
            args.text(key.as_bytes(), name.as_bytes());
        }
    };
    handle("render_target", object::FRAMEBUFFER, event.target);
    handle("render_pass", object::RENDER_PASS, event.pass);
    handle("command_buffer", object::COMMAND_BUFFER, event.commands);
    args.some_text("render_subpasses", subpasses(fields).as_bytes());
    args.uint("submission_id", event.submission);
    args.uint("hw_queue_id", event.queue_iid.unwrap_or(event.queue));
    if let Some(pid) = pid {
        let upid = tasks::process_and_leader(pid, args.out);
        args.push(b"upid", upid.into());
    }
}

/// The subpasses: the numbers of the bits that are set in the masks, separated by commas.
fn subpasses(fields: &Fields<'_>) -> String {
    let masks = fields.clone().filter(|field| field.number == 15);
    let mut numbers = Vec::new();
    for (word, mask) in masks.flat_map(Field::numbers).enumerate() {
        let bits = (0..64).filter(|bit| mask >> bit & 1 != 0);
        numbers.extend(bits.map(|bit| (word * 64 + bit).to_string()));
    }
    numbers.join(",")
}
