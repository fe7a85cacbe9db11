//! All `TrackDescriptor`s of a file.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::sort;

use super::namespaces::Namespaces;
use super::packet::Packet;
use super::source::{Source, Span};
use super::track_descriptor::Descriptor;
use super::wire::Fields;

/// A descriptor of a process or thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub machine: u32,
    pub uuid: u64,
    pub span: Span,
}

/// The descriptors that contradict the first one of their uuid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contradictions {
    pub count: u64,
    /// The offset of one of them in the file.
    pub offset: u64,
}

/// The locations of all track descriptors. Each one is decoded on demand, because a file may have many.
#[derive(Debug, Default)]
pub(super) struct TrackDescriptors {
    /// Sorted by uuid, then by file order.
    list: Vec<(u64, Span)>,
    /// The descriptors of processes and threads, in file order.
    tasks: Vec<Task>,
    /// The uuids with descriptors that contradict the first one.
    contradicted: FxHashSet<u64>,
    pub contradictions: Contradictions,
    /// By uuid of a process or thread: the machine and the pid of the process that wrote the descriptor.
    writers: FxHashMap<u64, (u32, i32)>,
    pub namespaces: Namespaces,
}

impl TrackDescriptors {
    /// Adds a `TrackDescriptor`. Later descriptors of the same track are merged into it. Without a uuid, it describes
    /// nothing.
    pub fn add(&mut self, packet: &Packet<'_>, bytes: &[u8], span: Span) {
        let mut uuid = None;
        let mut is_task = false;
        for field in Fields::new(bytes) {
            match field.number {
                1 => uuid = Some(field.uint()),
                3 | 4 => is_task = true,
                _ => {}
            }
        }
        let Some(uuid) = uuid else {
            return;
        };
        self.list.push((uuid, span));
        if is_task {
            self.tasks.push(Task {
                machine: packet.machine,
                uuid,
                span,
            });
            if packet.writer > 0 {
                self.writers.insert(uuid, (packet.machine, packet.writer));
            }
        }
    }

    /// Sorts the descriptors at the end of the survey.
    pub fn settle(&mut self) {
        sort::by_key(&mut self.list, |(uuid, _)| *uuid);
        self.list.shrink_to_fit();
    }

    /// Sets apart the descriptors that contradict the first one of their uuid. This happens if traces are joined whose
    /// writer numbers its tracks from 1. Such descriptors describe a process or thread, but no track.
    pub fn set_apart(&mut self, source: &Source<'_>) {
        let mut rejected = Vec::new();
        let mut start = 0;
        for same in self.list.chunk_by(|(one, _), (other, _)| one == other) {
            let places = contradicting(same, source);
            rejected.extend(places.into_iter().map(|place| start + place));
            start += same.len();
        }
        let mut rejected = rejected.into_iter().peekable();
        let mut place = 0;
        self.list.retain(|(uuid, span)| {
            let is_rejected = rejected.next_if_eq(&place).is_some();
            place += 1;
            if is_rejected {
                self.contradicted.insert(*uuid);
                self.contradictions.add(source.offset(*span));
            }
            !is_rejected
        });
    }

    /// Decodes a descriptor that contradicts the first one of its uuid. Returns `None` if there is no contradiction.
    pub fn contradiction(&self, uuid: u64, bytes: &[u8]) -> Option<Descriptor> {
        if !self.contradicted.contains(&uuid) {
            return None;
        }
        let mut descriptor = Descriptor::read(Fields::new(bytes));
        self.complete(uuid, &mut descriptor);
        Some(descriptor)
    }

    /// Decodes the descriptor of a track.
    pub fn get(&self, uuid: u64, source: &Source<'_>) -> Option<Descriptor> {
        let first = self.list.partition_point(|(known, _)| *known < uuid);
        let own = self.list[first..]
            .iter()
            .take_while(|(known, _)| *known == uuid);
        let mut descriptor: Option<Descriptor> = None;
        for (_, span) in own {
            let known = descriptor.get_or_insert_default();
            known.merge(Fields::new(source.get(*span)));
        }
        if let Some(descriptor) = &mut descriptor {
            self.complete(uuid, descriptor);
        }
        descriptor
    }

    /// Applies the consequences of the process's kind and of its writer's container.
    fn complete(&self, uuid: u64, descriptor: &mut Descriptor) {
        descriptor.name_by_kind();
        if let Some(writer) = self.writers.get(&uuid) {
            descriptor.leave_container(|inner| self.namespaces.outer(*writer, inner));
        }
    }

    /// The descriptors of processes and threads.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }
}

impl Contradictions {
    fn add(&mut self, offset: u64) {
        if self.count == 0 {
            self.offset = offset;
        }
        self.count += 1;
    }
}

/// The positions of the descriptors that contradict the first one.
fn contradicting(same: &[(u64, Span)], source: &Source<'_>) -> Vec<usize> {
    let [(_, first), later @ ..] = same else {
        return Vec::new();
    };
    let bytes = source.get(*first);
    // Most descriptors are repeated without a change.
    let changed = (1..).zip(later.iter().map(|(_, span)| source.get(*span)));
    let mut changed = changed.filter(|(_, other)| *other != bytes).peekable();
    if changed.peek().is_none() {
        return Vec::new();
    }
    let first = Descriptor::read(Fields::new(bytes));
    let is_other = |bytes: &[u8]| !first.is_same_track(&Descriptor::read(Fields::new(bytes)));
    let others = changed.filter(|(_, bytes)| is_other(bytes));
    others.map(|(place, _)| place).collect()
}
