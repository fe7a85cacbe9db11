//! CPU profiles that V8 writes into Chrome's traces, in events with the phase `P`.
//!
//! An event `Profile` begins one: `{"startTime": 51507260090}`, µs. Each `ProfileChunk` adds nodes, which are callsites, and
//! samples of them:
//!
//! ```text
//! {"cpuProfile": {"nodes": [{"id": 2, "parent": 1, "callFrame": {"functionName": "draw", "url": "app.js", "lineNumber": 4}}],
//!                 "samples": [2, 2]},
//!  "timeDeltas": [150, 170]}
//! ```
//! Source: `CpuProfile::StreamPendingTraceEvents` of V8; `Profiler.ProfileNode` of the DevTools protocol for `children`.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use traceloom_trace::{ProcessId, StringId, ThreadId, TraceBuilder};

use super::samples::{BYTES, Sample, Samples, Task};
use super::stacks::{NONE, Named, Stacks};

/// An event with the phase `P`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct V8Event<'a> {
    /// Tells the profiles of a process apart.
    pub id: u64,
    pub upid: Option<ProcessId>,
    pub utid: Option<ThreadId>,
    /// Its data, in JSON.
    pub json: &'a [u8],
}

/// The profiles of a trace.
#[derive(Debug, Default)]
pub(crate) struct V8Profiles {
    sessions: FxHashMap<(u64, Option<ProcessId>), Session>,
    /// Events, nodes and samples that could not be read.
    pub invalid: u64,
    /// Samples for which there was no memory.
    pub beyond: u64,
}

/// A profile.
#[derive(Debug)]
struct Session {
    /// The thread that it is of. Another one writes the chunks.
    utid: Option<ThreadId>,
    /// The time of the last sample, ns.
    ts: i64,
    mapping: u32,
    callsites: FxHashMap<u32, u32>,
    /// The parents of nodes, if nodes name their children.
    parents: FxHashMap<u32, u32>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Data<'a> {
    start_time: Option<i64>,
    #[serde(borrow)]
    cpu_profile: CpuProfile<'a>,
    time_deltas: Vec<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CpuProfile<'a> {
    #[serde(borrow)]
    nodes: Vec<Node<'a>>,
    samples: Vec<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Node<'a> {
    id: u32,
    parent: Option<u32>,
    children: Vec<u32>,
    #[serde(borrow)]
    call_frame: CallFrame<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CallFrame<'a> {
    #[serde(borrow)]
    function_name: Cow<'a, str>,
    #[serde(borrow)]
    url: Cow<'a, str>,
    /// From 0; negative if it is unknown.
    line_number: Option<i64>,
}

impl V8Profiles {
    /// Reads an event. `start` converts the time of a profile's start, ns, to the trace's clock. Samples take less than
    /// `room` bytes.
    pub fn event(
        &mut self,
        event: &V8Event<'_>,
        start: impl FnOnce(i64) -> Option<i64>,
        (stacks, samples, room): (&mut Stacks, &mut Samples, usize),
        out: &mut TraceBuilder,
    ) {
        let Ok(data) = serde_json::from_slice::<Data<'_>>(event.json) else {
            self.invalid += 1;
            return;
        };
        let key = (event.id, event.upid);
        if let Some(start_us) = data.start_time {
            match start(start_us.saturating_mul(1_000)) {
                Some(ts) => self.begin(key, (ts, event.utid), stacks, out),
                None => self.invalid += 1,
            }
            return;
        }
        let Some(session) = self.sessions.get_mut(&key) else {
            self.invalid += 1;
            return;
        };
        self.invalid += session.nodes(&data.cpu_profile.nodes, stacks, out);
        let task = samples.task(Task {
            upid: event.upid,
            utid: session.utid.or(event.utid),
            context: NONE,
        });
        let (invalid, beyond) = session.samples(&data, (task, room), samples, out);
        self.invalid += invalid;
        self.beyond += beyond;
    }

    fn begin(
        &mut self,
        key: (u64, Option<ProcessId>),
        (ts, utid): (i64, Option<ThreadId>),
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) {
        let session = self.sessions.entry(key).or_insert_with(|| Session {
            utid,
            ts,
            mapping: stacks.no_file("", out),
            callsites: FxHashMap::default(),
            parents: FxHashMap::default(),
        });
        session.ts = ts;
    }
}

impl Session {
    /// Adds nodes. Returns how many are invalid: each has an id of its own, and comes after its parent.
    fn nodes(&mut self, nodes: &[Node<'_>], stacks: &mut Stacks, out: &mut TraceBuilder) -> u64 {
        for node in nodes {
            let children = node.children.iter();
            self.parents.extend(children.map(|child| (*child, node.id)));
        }
        let mut invalid = 0;
        for node in nodes {
            let parent = node.parent.or(self.parents.get(&node.id).copied());
            let caller = match parent {
                Some(parent) => self.callsites.get(&parent).copied(),
                None => Some(NONE),
            };
            let Some(caller) = caller.filter(|_| !self.callsites.contains_key(&node.id)) else {
                invalid += 1;
                continue;
            };
            let frame = stacks.named_frame(self.mapping, named(&node.call_frame, out));
            let callsite = stacks.callsite(caller, frame);
            self.callsites.insert(node.id, callsite);
        }
        invalid
    }

    /// Adds samples. Returns how many are invalid, and for how many there is no memory.
    fn samples(
        &mut self,
        data: &Data<'_>,
        (task, room): (u32, usize),
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> (u64, u64) {
        let source = out.intern(b"legacy_v8");
        let nodes = &data.cpu_profile.samples;
        let mut invalid = nodes.len().abs_diff(data.time_deltas.len()) as u64;
        let mut pairs = nodes.iter().zip(&data.time_deltas);
        for (node, delta_us) in pairs.by_ref().take(room / BYTES) {
            self.ts = self.ts.saturating_add(delta_us.saturating_mul(1_000));
            match self.callsites.get(node) {
                Some(&callsite) => samples.samples.push(Sample {
                    task,
                    callsite,
                    ..Sample::at(self.ts, source)
                }),
                None => invalid += 1,
            }
        }
        (invalid, pairs.count() as u64)
    }
}

fn named(frame: &CallFrame<'_>, out: &mut TraceBuilder) -> Named {
    let name = match frame.function_name.as_ref() {
        "" => "(anonymous)",
        name => name,
    };
    let line = frame.line_number.and_then(|line| line.checked_add(1));
    Named {
        name: out.intern(name.as_bytes()),
        file: match frame.url.as_ref() {
            "" => StringId::NULL,
            url => out.intern(url.as_bytes()),
        },
        line: line
            .and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line > 0),
    }
}
