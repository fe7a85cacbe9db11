//! `StackSample`: stacks of profilers other than the kernel's perf.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder, TrackId};

use super::super::sequence::State;
use super::super::wire::{Field, Fields};
use super::interned::field as interned;
use super::shared::Shared;
use super::{names, tasks};
use crate::profile::{AsyncContext, Counter, Execution, MOST_FOLLOWERS, Sample, Task};
use crate::profile::{NONE, push};

/// The field number of the sample defaults in the defaults of a sequence.
const DEFAULTS: u32 = 100;

/// The sessions of sequences, and their async contexts.
#[derive(Debug, Default)]
pub(super) struct StackSamples {
    sessions: FxHashMap<(u32, u32), u32>,
    contexts: FxHashMap<(u32, u64), u32>,
}

/// A message that is either inline or interned.
#[derive(Clone, Debug, Default)]
struct Given<'a> {
    message: Option<Fields<'a>>,
    iid: Option<u64>,
}

/// The fields of a sample.
#[derive(Debug, Default)]
struct Parts<'a> {
    task: Given<'a>,
    execution: Given<'a>,
    callstack: Given<'a>,
    primary: Given<'a>,
    weight: Option<u64>,
    followers: Vec<Given<'a>>,
    weights: Vec<u64>,
}

impl<'a> Parts<'a> {
    fn read(fields: Fields<'a>) -> Self {
        let mut parts = Self::default();
        for field in fields {
            match field.number {
                1 => parts.task.message = Some(field.fields()),
                2 => parts.task.iid = Some(field.uint()),
                3 => parts.execution.message = Some(field.fields()),
                4 => parts.execution.iid = Some(field.uint()),
                5 => parts.callstack.message = Some(field.fields()),
                6 => parts.callstack.iid = Some(field.uint()),
                9 => parts.primary.message = Some(field.fields()),
                10 => parts.primary.iid = Some(field.uint()),
                11 => parts.weight = Some(field.uint()),
                12 => parts.followers.push(Given::message(field)),
                13 => parts.followers.extend(field.numbers().map(Given::iid)),
                14 => parts.weights.extend(field.numbers()),
                _ => {}
            }
        }
        parts
    }
}

impl<'a> Given<'a> {
    fn message(field: Field<'a>) -> Self {
        Self {
            message: Some(field.fields()),
            iid: None,
        }
    }

    fn iid(iid: u64) -> Self {
        Self {
            message: None,
            iid: Some(iid),
        }
    }

    /// The message. An interned one is looked up in the field `of` of the interned data.
    fn resolve<'s: 'a>(
        &self,
        of: u32,
        state: &State,
        shared: &mut Shared<'s>,
    ) -> Option<Fields<'a>> {
        match (&self.message, self.iid) {
            (Some(message), _) => Some(message.clone()),
            (None, Some(iid)) => shared.interned.message(state, of, iid),
            (None, None) => None,
        }
    }
}

impl StackSamples {
    /// Reads a sample.
    pub fn sample<'s>(
        &mut self,
        ts: i64,
        fields: Fields<'s>,
        state: State,
        shared: &mut Shared<'s>,
        out: &mut TraceBuilder,
    ) {
        let mut parts = Parts::read(fields);
        let mut packet = Fields::new(shared.survey.source.get(state.defaults));
        let defaults = packet.find(|field| field.number == DEFAULTS);
        let mut source = StringId::NULL;
        let mut followers = Vec::new();
        for field in defaults.map(Field::fields).into_iter().flatten() {
            match field.number {
                1 => source = out.intern_unless_empty(field.bytes()),
                2 if parts.primary.message.is_none() && parts.primary.iid.is_none() => {
                    parts.primary.message = Some(field.fields());
                }
                3 => followers.push(Given::message(field)),
                _ => {}
            }
        }
        if parts.followers.is_empty() {
            parts.followers = followers;
        }
        let samples = &mut shared.samples;
        let session = self.sessions.entry((state.machine, state.sequence));
        let session = *session.or_insert_with(|| samples.session(source));
        let mut sample = Sample::at(ts, source);
        sample.session = session;
        sample.task = self.task(&parts, &state, shared, out);
        let (execution, cpu) = execution(&parts, &state, shared, out);
        sample.execution = execution;
        sample.counters = values(ts, &parts, (session, cpu), &state, shared, out);
        sample.callsite = match (parts.callstack.iid, parts.callstack.message) {
            (Some(iid), _) => shared.callstack(&state, iid, out),
            (None, Some(callstack)) => shared.inline("stack_sample_inline", callstack, out),
            (None, None) => NONE,
        };
        shared.samples.samples.push(sample);
    }

    fn task<'s>(
        &mut self,
        parts: &Parts<'s>,
        state: &State,
        shared: &mut Shared<'s>,
        out: &mut TraceBuilder,
    ) -> u32 {
        let Some(fields) = parts.task.resolve(interned::TASK_CONTEXTS, state, shared) else {
            return NONE;
        };
        let (mut pid, mut tid, mut context) = (None, None, None);
        for field in fields {
            match field.number {
                2 => pid = Some(field.uint()),
                3 => tid = Some(field.uint()),
                4 => context = Some(field.uint()),
                _ => {}
            }
        }
        let task = Task {
            utid: tid.map(|tid| tasks::thread(tid, pid.unwrap_or(0), out)),
            upid: pid.map(|pid| tasks::process(pid, out)),
            context: context.map_or(NONE, |iid| self.context(iid, state, shared, out)),
        };
        shared.samples.task(task)
    }

    /// The row of an async context. The rows of its parents come before it.
    fn context(
        &mut self,
        mut iid: u64,
        state: &State,
        shared: &mut Shared<'_>,
        out: &mut TraceBuilder,
    ) -> u32 {
        let mut found = Vec::new();
        let mut parent = NONE;
        while iid != 0 {
            if let Some(known) = self.contexts.get(&(state.generation, iid)) {
                parent = *known;
                break;
            }
            let Some(fields) = shared
                .interned
                .message(state, interned::ASYNC_CONTEXTS, iid)
            else {
                break;
            };
            // Prevents an endless loop if the parents form a cycle.
            self.contexts.insert((state.generation, iid), NONE);
            let (context, next) = read_context(fields, out);
            found.push((iid, context));
            iid = next;
        }
        for (iid, context) in found.into_iter().rev() {
            parent = push(
                &mut shared.samples.contexts,
                AsyncContext { parent, ..context },
            );
            self.contexts.insert((state.generation, iid), parent);
        }
        parent
    }
}

/// Reads an `AsyncContextDescriptor`. Also returns the iid of its parent.
fn read_context(fields: Fields<'_>, out: &mut TraceBuilder) -> (AsyncContext, u64) {
    let mut context = AsyncContext {
        name: StringId::NULL,
        kind: StringId::NULL,
        parent: NONE,
    };
    let mut parent = 0;
    for field in fields {
        match field.number {
            2 => context.name = out.intern_unless_empty(field.bytes()),
            3 => context.kind = out.intern_unless_empty(field.bytes()),
            4 => parent = field.uint(),
            _ => {}
        }
    }
    (context, parent)
}

/// The row for the CPU and mode of a sample, and the CPU.
fn execution<'s>(
    parts: &Parts<'s>,
    state: &State,
    shared: &mut Shared<'s>,
    out: &mut TraceBuilder,
) -> (u32, Option<u32>) {
    let found = parts
        .execution
        .resolve(interned::EXECUTION_CONTEXTS, state, shared);
    let Some(fields) = found else {
        return (NONE, None);
    };
    let mut execution = Execution::default();
    for field in fields {
        match field.number {
            2 => execution.cpu = Some(field.uint() as u32),
            3 => {
                let mode = names::stack_mode(field.uint());
                execution.mode = out.intern_unless_empty(mode.as_bytes());
            }
            _ => {}
        }
    }
    (shared.samples.execution(execution), execution.cpu)
}

/// Adds the counter values of a sample. Returns the set of values.
fn values<'s>(
    ts: i64,
    parts: &Parts<'s>,
    of: (u32, Option<u32>),
    state: &State,
    shared: &mut Shared<'s>,
    out: &mut TraceBuilder,
) -> u32 {
    let first = (&parts.primary, parts.weight, true);
    let rest = parts.followers.iter().take(MOST_FOLLOWERS).enumerate();
    let rest = rest.map(|(at, given)| (given, parts.weights.get(at).copied(), false));
    let mut set = NONE;
    for (given, weight, is_timebase) in std::iter::once(first).chain(rest) {
        let found = given.resolve(interned::COUNTER_DESCRIPTORS, state, shared);
        let track = found.and_then(|fields| counter(fields, of, is_timebase, shared, out));
        if let Some(value) = track.zip(weight) {
            set = shared.samples.value(ts, set, value, out);
        }
    }
    set
}

/// The track of a `CounterDescriptor`. `None` if it is a per-CPU counter and the CPU of the sample is unknown.
fn counter(
    fields: Fields<'_>,
    (session, cpu): (u32, Option<u32>),
    is_timebase: bool,
    shared: &mut Shared<'_>,
    out: &mut TraceBuilder,
) -> Option<TrackId> {
    const OF_CPU: u64 = 2;
    let mut counter = Counter {
        track: TrackId::default(),
        session,
        cpu: None,
        is_timebase,
        unit: StringId::NULL,
        description: StringId::NULL,
    };
    let (mut name, mut scope): (&[u8], _) = (b"", 0);
    for field in fields {
        match field.number {
            2 => name = field.bytes(),
            3 => {
                let unit = names::stack_unit(field.uint());
                counter.unit = out.intern_unless_empty(unit.as_bytes());
            }
            4 => counter.unit = out.intern_unless_empty(field.bytes()),
            6 => counter.description = out.intern_unless_empty(field.bytes()),
            7 => scope = field.uint(),
            _ => {}
        }
    }
    if scope == OF_CPU {
        counter.cpu = Some(cpu?);
    }
    if is_timebase {
        shared.samples.set_unit(session, counter.unit);
    }
    let name = out.intern(name);
    Some(shared.samples.counter(counter, name, out))
}
