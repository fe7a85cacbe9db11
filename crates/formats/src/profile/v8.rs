//! CPU profiles that V8 writes into Chrome's traces, in events with the phase `P`.
//!
//! An event `Profile` begins a profile: `{"startTime": 51507260090}`, µs. Each `ProfileChunk` adds nodes, which are
//! callsites, and samples of them:
//!
//! ```text
//! {"cpuProfile": {"nodes": [{"id": 2, "parent": 1, "callFrame": {"functionName": "draw", "url": "app.js", "lineNumber": 4}}],
//!                 "samples": [2, 2]},
//!  "timeDeltas": [150, 170]}
//! ```
//! Source: `CpuProfile::StreamPendingTraceEvents` of V8; `Profiler.ProfileNode` of the DevTools protocol for
//! `children`.

use rustc_hash::FxHashMap;
use traceloom_trace::{ProcessId, StringId, ThreadId, TraceBuilder};

use super::samples::{BYTES, Sample, Samples, Task};
use super::stacks::{NONE, Named, Stacks};
use crate::json::{Fields, Items, Value, int};

/// An event with the phase `P`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct V8Event<'a> {
    /// Distinguishes the profiles of a process.
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
    /// Samples that were omitted because no memory was left.
    pub beyond: u64,
}

/// A profile.
#[derive(Debug)]
struct Session {
    /// The sampled thread. Another thread writes the chunks.
    utid: Option<ThreadId>,
    /// The time of the last sample, ns.
    ts: i64,
    mapping: u32,
    callsites: FxHashMap<u32, u32>,
    /// The parents of nodes, if nodes name their children.
    parents: FxHashMap<u32, u32>,
}

/// The data of an event, whose lists are read in place.
#[derive(Default)]
struct Data<'a> {
    start_us: Option<i64>,
    nodes: &'a [u8],
    samples: &'a [u8],
    deltas_us: &'a [u8],
    is_broken: bool,
}

impl<'a> Data<'a> {
    fn read(json: &'a [u8]) -> Self {
        let mut data = Self::default();
        let mut fields = Fields::new(json);
        for (key, value) in &mut fields {
            match &*key {
                b"startTime" => data.start_us = whole(&value),
                b"cpuProfile" => data.profile(&value),
                b"timeDeltas" => data.deltas_us = nested(&value),
                _ => {}
            }
        }
        data.is_broken |= fields.is_broken();
        data
    }

    fn profile(&mut self, profile: &Value<'a>) {
        let mut fields = profile.fields();
        for (key, value) in &mut fields {
            match &*key {
                b"nodes" => self.nodes = nested(&value),
                b"samples" => self.samples = nested(&value),
                _ => {}
            }
        }
        self.is_broken |= fields.is_broken();
    }
}

/// A node.
struct Node<'a> {
    id: u32,
    parent: Option<u32>,
    children: &'a [u8],
    frame: Value<'a>,
}

impl<'a> Node<'a> {
    fn read(node: &Value<'a>) -> Option<Self> {
        let (mut id, mut parent, mut children) = (None, None, &b""[..]);
        let mut frame = Value::Word(b"");
        for (key, value) in node.fields() {
            match &*key {
                b"id" => id = number(&value),
                b"parent" => parent = number(&value),
                b"children" => children = nested(&value),
                b"callFrame" => frame = value,
                _ => {}
            }
        }
        Some(Self {
            id: id?,
            parent,
            children,
            frame,
        })
    }
}

fn whole(value: &Value<'_>) -> Option<i64> {
    int(value.text()?)
}

fn number(value: &Value<'_>) -> Option<u32> {
    u32::try_from(whole(value)?).ok()
}

fn nested<'a>(value: &Value<'a>) -> &'a [u8] {
    match value {
        Value::Nested(text) => text,
        _ => b"",
    }
}

/// Splits a whole profile into the two events that V8 would write for it: its start, and a chunk with all the rest.
pub(crate) fn events_of_profile(profile: &[u8]) -> [Vec<u8>; 2] {
    let mut begin = b"{\"startTime\":0".to_vec();
    let mut rest = [b"{\"cpuProfile\":", profile].concat();
    for (key, value) in Fields::new(profile) {
        match (&*key, value) {
            (b"startTime", Value::Word(word)) => begin = [b"{\"startTime\":", word].concat(),
            (b"timeDeltas", Value::Nested(list)) => {
                rest.extend_from_slice(b",\"timeDeltas\":");
                rest.extend_from_slice(list);
            }
            _ => {}
        }
    }
    begin.push(b'}');
    rest.push(b'}');
    [begin, rest]
}

impl V8Profiles {
    /// Whether an event belongs to a profile that has not begun.
    pub fn lacks_begin(&self, event: &V8Event<'_>) -> bool {
        let begins = || Fields::new(event.json).any(|(key, _)| *key == *b"startTime");
        !self.sessions.contains_key(&(event.id, event.upid)) && !begins()
    }

    /// Reads an event. `start` converts the time of a profile's start, ns, to the trace's clock. Samples take less than
    /// `room` bytes.
    pub fn event(
        &mut self,
        event: &V8Event<'_>,
        start: impl FnOnce(i64) -> Option<i64>,
        (stacks, samples, room): (&mut Stacks, &mut Samples, usize),
        out: &mut TraceBuilder,
    ) {
        let data = Data::read(event.json);
        self.invalid += u64::from(data.is_broken);
        let key = (event.id, event.upid);
        if let Some(start_us) = data.start_us {
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
        self.invalid += session.nodes(data.nodes, stacks, out);
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
    /// Adds nodes. Returns the number of invalid ones: each node must have a new id and come after its parent.
    fn nodes(&mut self, nodes: &[u8], stacks: &mut Stacks, out: &mut TraceBuilder) -> u64 {
        for node in Items::new(nodes).filter_map(|node| Node::read(&node)) {
            let children = Items::new(node.children).filter_map(|child| number(&child));
            self.parents.extend(children.map(|child| (child, node.id)));
        }
        let mut invalid = 0;
        for node in Items::new(nodes).map(|node| Node::read(&node)) {
            let added = node.and_then(|node| self.node(&node, stacks, out));
            invalid += u64::from(added.is_none());
        }
        invalid
    }

    fn node(&mut self, node: &Node<'_>, stacks: &mut Stacks, out: &mut TraceBuilder) -> Option<()> {
        let parent = node.parent.or(self.parents.get(&node.id).copied());
        let caller = match parent {
            Some(parent) => *self.callsites.get(&parent)?,
            None => NONE,
        };
        if self.callsites.contains_key(&node.id) {
            return None;
        }
        let frame = stacks.named_frame(self.mapping, named(&node.frame, out));
        let callsite = stacks.callsite(caller, frame);
        self.callsites.insert(node.id, callsite);
        Some(())
    }

    /// Adds samples. Returns the number of invalid ones, and the number of those for which no memory was left.
    fn samples(
        &mut self,
        data: &Data<'_>,
        (task, room): (u32, usize),
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> (u64, u64) {
        let source = out.intern(b"legacy_v8");
        let (mut nodes, mut deltas) = (Items::new(data.samples), Items::new(data.deltas_us));
        let (mut invalid, mut beyond, mut left) = (0, 0, room / BYTES);
        loop {
            let (node, delta) = match (nodes.next(), deltas.next()) {
                (Some(node), Some(delta)) => (node, delta),
                (None, None) => break,
                // One of the lists is longer.
                _ => {
                    invalid += 1;
                    continue;
                }
            };
            let delta_us = whole(&delta).unwrap_or(0);
            self.ts = self.ts.saturating_add(delta_us.saturating_mul(1_000));
            match number(&node).and_then(|node| self.callsites.get(&node)) {
                Some(_) if left == 0 => beyond += 1,
                Some(&callsite) => {
                    left -= 1;
                    samples.samples.push(Sample {
                        task,
                        callsite,
                        ..Sample::at(self.ts, source)
                    });
                }
                None => invalid += 1,
            }
        }
        (invalid, beyond)
    }
}

/// The function of a `callFrame`, with the line where it begins.
fn named(frame: &Value<'_>, out: &mut TraceBuilder) -> Named {
    let mut named = Named {
        name: StringId::NULL,
        file: StringId::NULL,
        line: None,
    };
    for (key, value) in frame.fields() {
        match &*key {
            b"functionName" => named.name = out.intern(value.text().unwrap_or_default()),
            b"url" => named.file = out.intern(value.text().unwrap_or_default()),
            // Counted from 0; negative if it is unknown.
            b"lineNumber" => named.line = number(&value).and_then(|line| line.checked_add(1)),
            _ => {}
        }
    }
    if named.name.is_empty() {
        named.name = out.intern(b"(anonymous)");
    }
    if named.file.is_empty() {
        named.file = StringId::NULL;
    }
    named
}
