//! Finds the tracks of uuids.
//!
//! ```text
//! process 7 ◄── thread 8        the thread's own track, which marks of the kernel's trace use too
//!     ▲
//!     ├─ "requests"             a track of the process
//!     └─ counter "fps"          a counter of the process
//! ```
//! A track belongs to the thread or process that is nearest among its parents, or to the whole machine. Tracks of one
//! owner with the same name are lanes of a group, since their slices may overlap.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ProcessId, StringId, ThreadId, TraceBuilder, TrackId, TrackType};

use super::super::source::Source;
use super::super::track_descriptor::{Descriptor, Process, Thread, TrackDescriptors};

/// The most tracks between a track and its root.
const MOST_PARENTS: usize = 100;

/// The track without a descriptor.
const DEFAULT: u64 = 0;

/// What a track belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    Thread(ThreadId),
    Process(ProcessId),
    Machine,
}

/// All tracks of track events.
pub(super) struct Tracks<'s> {
    descriptors: &'s TrackDescriptors,
    source: &'s Source<'s>,
    owners: FxHashMap<u64, Owner>,
    tracks: FxHashMap<u64, TrackId>,
    /// Tracks that have a uuid already, so that the next uuid of their name gets a lane.
    taken: FxHashSet<TrackId>,
}

impl<'s> Tracks<'s> {
    pub fn new(descriptors: &'s TrackDescriptors, source: &'s Source<'s>) -> Self {
        Self {
            descriptors,
            source,
            owners: FxHashMap::default(),
            tracks: FxHashMap::default(),
            taken: FxHashSet::default(),
        }
    }

    pub fn descriptor(&self, uuid: u64) -> Option<Descriptor> {
        self.descriptors.get(uuid, self.source)
    }

    /// Adds the processes and threads of all descriptors, whether they have events or not.
    pub fn people(&mut self, out: &mut TraceBuilder) {
        for &uuid in self.descriptors.people() {
            self.owner(uuid, out);
        }
    }

    /// What a track belongs to.
    pub fn owner(&mut self, uuid: u64, out: &mut TraceBuilder) -> Owner {
        let mut path = Vec::new();
        let mut next = uuid;
        let owner = loop {
            if let Some(owner) = self.owners.get(&next) {
                break *owner;
            }
            path.push(next);
            let Some(descriptor) = self.descriptor(next) else {
                break Owner::Machine;
            };
            if let Some(owner) = own(&descriptor, out) {
                break owner;
            }
            next = descriptor.parent;
            if next == DEFAULT || path.len() > MOST_PARENTS {
                break Owner::Machine;
            }
        };
        self.owners
            .extend(path.into_iter().map(|uuid| (uuid, owner)));
        owner
    }

    /// The track with a uuid. It holds values instead of slices if `is_counter`.
    pub fn track(&mut self, uuid: u64, is_counter: bool, out: &mut TraceBuilder) -> TrackId {
        if let Some(track) = self.tracks.get(&uuid) {
            return *track;
        }
        let owner = self.owner(uuid, out);
        let descriptor = self.descriptor(uuid);
        let track = match owner {
            Owner::Thread(utid)
                if !is_counter && descriptor.as_ref().is_some_and(|it| it.thread.is_some()) =>
            {
                out.thread_track(utid)
            }
            _ => {
                let name = match &descriptor {
                    Some(descriptor) => out.intern_unless_empty(&descriptor.name),
                    None if uuid == DEFAULT => out.intern(b"Default Track"),
                    None => StringId::NULL,
                };
                self.named(owner, name, is_counter, out)
            }
        };
        self.tracks.insert(uuid, track);
        track
    }

    fn named(
        &mut self,
        owner: Owner,
        name: StringId,
        is_counter: bool,
        out: &mut TraceBuilder,
    ) -> TrackId {
        use TrackType as T;
        let pick = |slices, counter| if is_counter { counter } else { slices };
        let track = match owner {
            Owner::Thread(utid) => {
                let kind = pick(T::ThreadTrackEvent, T::ThreadCounterTrackEvent);
                out.thread_named_track(kind, utid, name)
            }
            Owner::Process(upid) => {
                let kind = pick(T::ProcessTrackEvent, T::ProcessCounterTrackEvent);
                out.process_track(kind, upid, name)
            }
            Owner::Machine => {
                out.global_track(pick(T::GlobalTrackEvent, T::GlobalCounterTrackEvent), name)
            }
        };
        if self.taken.insert(track) {
            track
        } else {
            out.lane_of(track)
        }
    }
}

/// The thread or process that a descriptor names itself.
fn own(descriptor: &Descriptor, out: &mut TraceBuilder) -> Option<Owner> {
    if let Some(process) = &descriptor.process {
        name_process(process, out);
    }
    if let Some(thread) = &descriptor.thread {
        return Some(Owner::Thread(add_thread(thread, out)));
    }
    let process = descriptor.process.as_ref()?;
    Some(Owner::Process(out.process(process.pid.into())))
}

/// The thread of a descriptor, in its process and with its name.
pub(super) fn add_thread(thread: &Thread, out: &mut TraceBuilder) -> ThreadId {
    let utid = out.thread(thread.tid);
    out.put_in_process(utid, thread.pid.into());
    if !thread.name.is_empty() {
        let name = out.intern(&thread.name);
        out.name_thread(utid, name);
    }
    utid
}

fn name_process(process: &Process, out: &mut TraceBuilder) {
    let leader = out.thread(process.pid.into());
    let upid = out.put_in_process(leader, process.pid.into());
    if !process.name.is_empty() {
        let name = out.intern(&process.name);
        out.name_process(upid, name);
    }
    if !process.cmdline.is_empty() {
        let cmdline = out.intern(&process.cmdline);
        out.set_process_cmdline(upid, cmdline);
    }
    if let Some(start_ns) = process.start_ns.filter(|start| *start > 0) {
        out.set_process_start(upid, start_ns);
    }
}
