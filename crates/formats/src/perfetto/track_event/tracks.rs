//! Finds the track of each uuid.
//!
//! ```text
//! process 7 ◄── thread 8        the thread's own track, also used by marks in the kernel's trace
//!     ▲
//!     ├─ "requests"             a track of the process
//!     └─ counter "fps"          a counter of the process
//! ```
//! A track belongs to the nearest thread or process among its parents. Without one, it belongs to the whole machine.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ProcessId, StringId, ThreadId, TraceBuilder, TrackId, TrackOwnerId, TrackType,
};

use super::super::source::Source;
use super::super::track_descriptor::{Descriptor, Merge, Thread, TrackDescriptors};
use super::described::{self, Orders};
use super::siblings::{Key, Siblings};
use super::thread_names::ThreadNames;
use super::tids::Tids;

/// The owner of a track.
pub(super) type Owner = TrackOwnerId;

/// The pid and tid of a descriptor.
type Numbers = (Option<i32>, Option<i64>);

/// The maximum number of tracks between a track and its root.
const MOST_PARENTS: usize = 100;

/// The uuid of the default track.
const DEFAULT: u64 = 0;

/// The kind of content of a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Holds {
    Slices,
    Values,
    States,
}

/// The effect of an event on its track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Begin,
    End,
    Instant,
    Value,
    State,
}

impl Use {
    fn holds(self) -> Holds {
        match self {
            Self::Value => Holds::Values,
            Self::State => Holds::States,
            _ => Holds::Slices,
        }
    }
}

/// The event for which a track is looked up. `name` is the track's name if its descriptor has none.
#[derive(Clone, Copy)]
pub(super) struct Asker {
    pub name: StringId,
    /// Whether the first packet of the event's sequence is in the input.
    pub from_first: bool,
}

/// The track or lanes for the events of a uuid.
#[derive(Clone, Copy, Debug)]
enum Place {
    Track(TrackId),
    /// One of the lanes that siblings share. `name` and `parent` are for new lanes.
    Lanes {
        set: usize,
        name: StringId,
        parent: Option<TrackId>,
    },
}

/// All tracks of track events.
pub(super) struct Tracks<'s> {
    pub(super) descriptors: &'s TrackDescriptors,
    source: &'s Source<'s>,
    known: FxHashMap<u64, Option<Rc<Descriptor>>>,
    owners: FxHashMap<u64, Owner>,
    places: FxHashMap<(u64, Holds), Place>,
    siblings: Siblings,
    pub(super) orders: Orders,
    /// The uuid of each described thread and process. If another uuid has the same tid or pid, the system reused it for
    /// a later thread or process.
    pub(super) threads: FxHashMap<ThreadId, u64>,
    pub(super) processes: FxHashMap<ProcessId, u64>,
    /// The processes and threads of descriptors that contradict the first one of their uuid, by their pid and tid.
    pub(super) others: FxHashMap<(u64, Numbers), Owner>,
    pub tids: Tids,
    pub names: ThreadNames,
}

impl<'s> Tracks<'s> {
    pub fn new(descriptors: &'s TrackDescriptors, source: &'s Source<'s>) -> Self {
        let root = descriptors.get(DEFAULT, source);
        Self {
            descriptors,
            source,
            known: FxHashMap::default(),
            owners: FxHashMap::default(),
            places: FxHashMap::default(),
            siblings: Siblings::default(),
            orders: root.map(|root| Orders::of(&root)).unwrap_or_default(),
            threads: FxHashMap::default(),
            processes: FxHashMap::default(),
            others: FxHashMap::default(),
            tids: Tids::default(),
            names: ThreadNames::default(),
        }
    }

    pub fn descriptor(&mut self, uuid: u64) -> Option<Rc<Descriptor>> {
        let (descriptors, source) = (self.descriptors, self.source);
        let known = self.known.entry(uuid);
        known
            .or_insert_with(|| descriptors.get(uuid, source).map(Rc::new))
            .clone()
    }

    /// The thread that a thread descriptor names, if it also has a track descriptor. Sandboxed threads may have
    /// substitute tids.
    pub fn described(&self, thread: &Thread, out: &TraceBuilder) -> Option<ThreadId> {
        let upid = out.find_process(thread.pid.into());
        let find = |tid| match upid.filter(|_| thread.has_pid) {
            Some(upid) => self.tids.find(tid, upid, out),
            None => out.find_thread(tid),
        };
        let tids = [described::sandboxed_tid(thread), thread.tid];
        let mut known = tids.into_iter().filter_map(find);
        known.find(|utid| self.threads.contains_key(utid))
    }

    /// The owner of a track.
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

    /// The track of an event with a uuid.
    pub fn track(
        &mut self,
        uuid: u64,
        usage: Use,
        asker: Asker,
        out: &mut TraceBuilder,
    ) -> TrackId {
        let place = match self.places.get(&(uuid, usage.holds())) {
            Some(place) => *place,
            None => self.add(uuid, usage.holds(), asker, out),
        };
        let change = match usage {
            Use::Begin => 1,
            Use::End => -1,
            _ => 0,
        };
        self.at(uuid, place, change, asker, out)
    }

    /// The track at a place.
    fn at(
        &mut self,
        uuid: u64,
        place: Place,
        change: i32,
        asker: Asker,
        out: &mut TraceBuilder,
    ) -> TrackId {
        let (set, name, parent) = match place {
            Place::Track(track) => return track,
            Place::Lanes { set, name, parent } => (set, name, parent),
        };
        let lane = self.siblings.lane(set, uuid, change);
        if let Some(track) = *self.siblings.track(set, lane) {
            return track;
        }
        let first = *self.siblings.track(set, 0);
        let owner = self.owner(uuid, out);
        let track = match first {
            Some(first) => out.lane_of(first),
            None => out.separate_track(kind(owner, Holds::Slices), owner, name),
        };
        *self.siblings.track(set, lane) = Some(track);
        self.describe(track, uuid, parent, asker, out);
        track
    }

    /// Adds the place of a uuid. The missing places of its parents are added first.
    fn add(&mut self, uuid: u64, holds: Holds, asker: Asker, out: &mut TraceBuilder) -> Place {
        let nameless = Asker {
            name: StringId::NULL,
            ..asker
        };
        for parent in self.missing_parents(uuid).into_iter().rev() {
            let holds = self.holds(parent);
            self.create(parent, holds, nameless, out);
        }
        self.create(uuid, holds, asker, out)
    }

    /// The kind of a track's content according to its descriptor.
    fn holds(&mut self, uuid: u64) -> Holds {
        match self.descriptor(uuid) {
            Some(it) if it.counter.is_some() => Holds::Values,
            Some(it) if it.is_state => Holds::States,
            _ => Holds::Slices,
        }
    }

    /// The parents of a track that have no place yet, innermost first. Empty if there are too many or they form a
    /// cycle.
    fn missing_parents(&mut self, uuid: u64) -> Vec<u64> {
        let mut path = Vec::new();
        let mut next = self.descriptor(uuid).map_or(DEFAULT, |it| it.parent);
        while let Some(descriptor) = self.descriptor(next).filter(|_| next != DEFAULT) {
            let holds = self.holds(next);
            if self.places.contains_key(&(next, holds)) {
                break;
            }
            if path.len() > MOST_PARENTS {
                return Vec::new();
            }
            path.push(next);
            next = descriptor.parent;
        }
        path
    }

    fn create(&mut self, uuid: u64, holds: Holds, asker: Asker, out: &mut TraceBuilder) -> Place {
        let descriptor = self.descriptor(uuid).unwrap_or_default();
        let owner = self.owner(uuid, out);
        let name = match described::name_of(&descriptor) {
            b"" if uuid == DEFAULT => out.intern(b"Default Track"),
            b"" if descriptor.is_task() => StringId::NULL,
            b"" => asker.name,
            name => out.intern(name),
        };
        let parent = self.parent(&descriptor, asker, out);
        let merges = holds == Holds::Slices && !descriptor.is_task() && uuid != DEFAULT;
        let place = match (owner, &descriptor.merge) {
            (Owner::Thread(utid), _)
                if holds == Holds::Slices && described::shares_track(&descriptor) =>
            {
                Place::Track(out.thread_track(utid))
            }
            (_, Merge::ByName | Merge::ByKey(_)) if merges => {
                let (is_key, value) = match &descriptor.merge {
                    Merge::ByKey(key) => (true, out.intern(key)),
                    _ => (false, name),
                };
                let key = Key {
                    owner,
                    parent: descriptor.parent,
                    is_key,
                    value,
                };
                let set = self.siblings.set(key);
                Place::Lanes { set, name, parent }
            }
            _ => {
                let track = out.separate_track(kind(owner, holds), owner, name);
                self.describe(track, uuid, parent, asker, out);
                Place::Track(track)
            }
        };
        self.places.insert((uuid, holds), place);
        place
    }

    /// The parent track. The main tracks of threads and processes are not used as parents, because all tracks of the
    /// thread or process belong to it anyway.
    fn parent(
        &mut self,
        descriptor: &Descriptor,
        asker: Asker,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        let parent = descriptor.parent;
        if parent == DEFAULT || descriptor.is_task() {
            return None;
        }
        let holds = self.holds(parent);
        let place = *self.places.get(&(parent, holds))?;
        let track = self.at(parent, place, 0, asker, out);
        let is_task = self.descriptor(parent).is_some_and(|it| it.is_task());
        (!is_task).then_some(track)
    }

    fn describe(
        &mut self,
        track: TrackId,
        uuid: u64,
        parent: Option<TrackId>,
        asker: Asker,
        out: &mut TraceBuilder,
    ) {
        if let Some(parent) = parent {
            out.set_track_parent(track, parent);
        }
        let descriptor = self.descriptor(uuid).unwrap_or_default();
        let from_first = asker.from_first && uuid != DEFAULT;
        described::track_args(track, uuid, &descriptor, from_first, out);
    }
}

/// The type of a track.
fn kind(owner: Owner, holds: Holds) -> TrackType {
    use TrackType as T;
    match (owner, holds) {
        (Owner::Thread(_), Holds::Slices) => T::ThreadTrackEvent,
        (Owner::Thread(_), Holds::Values) => T::ThreadCounterTrackEvent,
        (Owner::Thread(_), Holds::States) => T::ThreadStateTrackEvent,
        (Owner::Process(_), Holds::Slices) => T::ProcessTrackEvent,
        (Owner::Process(_), Holds::Values) => T::ProcessCounterTrackEvent,
        (Owner::Process(_), Holds::States) => T::ProcessStateTrackEvent,
        (Owner::Machine, Holds::Slices) => T::GlobalTrackEvent,
        (Owner::Machine, Holds::Values) => T::GlobalCounterTrackEvent,
        (Owner::Machine, Holds::States) => T::GlobalStateTrackEvent,
    }
}
