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
use traceloom_trace::{ProcessId, RowId, StringId, ThreadId, TraceBuilder, TrackId, TrackType};

use super::super::source::Source;
use super::super::track_descriptor::{Descriptor, Process, Thread, TrackDescriptors};

/// The most tracks between a track and its root.
const MOST_PARENTS: usize = 100;

/// The track without a descriptor.
const DEFAULT: u64 = 0;

/// `CounterDescriptor.BuiltinCounterType`: the CPU time of a thread, ns, and the number of its instructions.
pub(super) const THREAD_TIME: u64 = 1;
const INSTRUCTIONS: u64 = 2;

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
    /// The uuid of each thread and process that a descriptor names. Another uuid with the same number is a later thread or
    /// process, which got the number again.
    threads: FxHashMap<ThreadId, u64>,
    processes: FxHashMap<ProcessId, u64>,
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
            threads: FxHashMap::default(),
            processes: FxHashMap::default(),
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
            if let Some(owner) = self.own(next, &descriptor, out) {
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

    /// The thread or process that a descriptor names itself.
    fn own(&mut self, uuid: u64, descriptor: &Descriptor, out: &mut TraceBuilder) -> Option<Owner> {
        let process = descriptor.process.as_ref();
        let process = process.map(|process| self.process(uuid, process, out));
        if let Some(thread) = &descriptor.thread {
            return Some(Owner::Thread(self.thread(uuid, thread, out)));
        }
        process.map(Owner::Process)
    }

    fn process(&mut self, uuid: u64, process: &Process, out: &mut TraceBuilder) -> ProcessId {
        let pid = process.pid.into();
        let mut upid = out.process(pid);
        if self
            .processes
            .get(&upid)
            .is_some_and(|known| *known != uuid)
        {
            upid = out.new_process(pid);
            out.new_thread(pid);
        }
        self.processes.insert(upid, uuid);
        let leader = out.thread(pid);
        out.put_in_process(leader, pid);
        name_process(process, upid, out);
        upid
    }

    fn thread(&mut self, uuid: u64, thread: &Thread, out: &mut TraceBuilder) -> ThreadId {
        let utid = out.thread(thread.tid);
        if self.threads.get(&utid).is_some_and(|known| *known != uuid) {
            out.new_thread(thread.tid);
        }
        let utid = add_thread(thread, out);
        self.threads.insert(utid, uuid);
        utid
    }

    /// The track with a uuid. It holds values instead of slices if `is_counter`.
    pub fn track(&mut self, uuid: u64, is_counter: bool, out: &mut TraceBuilder) -> TrackId {
        if let Some(track) = self.tracks.get(&uuid) {
            return *track;
        }
        let owner = self.owner(uuid, out);
        let descriptor = self.descriptor(uuid);
        let track = match owner {
            Owner::Thread(utid) if !is_counter && descriptor.as_ref().is_some_and(shares_track) => {
                out.thread_track(utid)
            }
            _ => {
                let name = match &descriptor {
                    Some(descriptor) => out.intern_unless_empty(name_of(descriptor)),
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

/// Whether the slices are on the thread's own track.
fn shares_track(descriptor: &Descriptor) -> bool {
    descriptor.thread.is_some() && !descriptor.is_separate
}

/// The name of a track. Counters that Perfetto defines need none.
fn name_of(descriptor: &Descriptor) -> &[u8] {
    let builtin = descriptor
        .counter
        .as_ref()
        .map_or(0, |counter| counter.builtin);
    match builtin {
        THREAD_TIME if descriptor.name.is_empty() => b"thread_time",
        INSTRUCTIONS if descriptor.name.is_empty() => b"thread_instruction_count",
        _ => &descriptor.name,
    }
}

/// The thread of a descriptor, in its process and with its name.
pub(super) fn add_thread(thread: &Thread, out: &mut TraceBuilder) -> ThreadId {
    let utid = out.thread(thread.tid);
    if out.trace().threads.upid.get(utid.row()) == ProcessId::NONE {
        out.put_in_process(utid, thread.pid.into());
    }
    if !thread.name.is_empty() {
        let name = out.intern(&thread.name);
        out.name_thread(utid, name);
    }
    utid
}

fn name_process(process: &Process, upid: ProcessId, out: &mut TraceBuilder) {
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
