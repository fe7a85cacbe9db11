//! `TrackDescriptor`, `ProcessDescriptor` and `ThreadDescriptor`.

use rustc_hash::FxHashMap;
use traceloom_trace::sort;

use super::chrome_names;
use super::namespaces::Namespaces;
use super::packet::Packet;
use super::source::{Source, Span};
use super::wire::{Field, Fields};

/// A thread that a descriptor names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thread {
    pub pid: i32,
    pub tid: i64,
    pub name: Vec<u8>,
    /// The start of the times of events without a time of their own, µs: of the clock and of the thread's CPU clock.
    pub reference_us: i64,
    pub reference_thread_us: i64,
}

impl Thread {
    /// Reads a `ThreadDescriptor`.
    pub fn read(fields: Fields<'_>) -> Self {
        let mut thread = Thread {
            pid: 0,
            tid: 0,
            name: Vec::new(),
            reference_us: 0,
            reference_thread_us: 0,
        };
        let mut kind = 0;
        for field in fields {
            match field.number {
                1 => thread.pid = field.int32(),
                2 => thread.tid = field.int(),
                4 => kind = field.uint(),
                5 => thread.name = field.bytes().to_vec(),
                6 => thread.reference_us = field.int(),
                7 => thread.reference_thread_us = field.int(),
                _ => {}
            }
        }
        if thread.name.is_empty() {
            thread.name = chrome_names::thread(kind).into();
        }
        thread
    }
}

/// A process that a descriptor names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Process {
    pub pid: i32,
    pub name: Vec<u8>,
    pub cmdline: Vec<u8>,
    pub start_ns: Option<i64>,
    pub labels: Vec<Vec<u8>>,
    /// The kind that old versions of Chrome give instead of a name; 0 if none.
    kind: u64,
}

impl Process {
    /// Reads a `ProcessDescriptor`.
    pub fn read(fields: Fields<'_>) -> Self {
        let mut process = Process::default();
        let mut cmdline = Vec::new();
        for field in fields {
            match field.number {
                1 => process.pid = field.int32(),
                2 => cmdline.push(field.bytes()),
                4 => process.kind = field.uint(),
                6 => process.name = field.bytes().to_vec(),
                7 => process.start_ns = Some(field.int()),
                8 => process.labels.push(field.bytes().to_vec()),
                _ => {}
            }
        }
        process.cmdline = cmdline.join(&b' ');
        let kind = process.kind;
        process.name_by(kind);
        process
    }

    /// Names the process by its kind if it has no name, or if the kind matters more.
    fn name_by(&mut self, kind: u64) {
        let name = chrome_names::process(kind);
        let is_needed = self.name.is_empty() || chrome_names::overrides_name(kind);
        if is_needed && !name.is_empty() {
            self.name = name.into();
        }
    }
}

/// What a counter's values mean.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counter {
    /// 1: the thread's CPU time, ns; 2: its instructions.
    pub builtin: u64,
    pub multiplier: i64,
    pub is_incremental: bool,
    /// The categories, with commas between them.
    pub categories: Vec<u8>,
    /// The number of the unit, and its name if it has none.
    unit: u64,
    unit_name: Vec<u8>,
    /// Counters with the same key are shown on the same scale.
    pub share_key: Vec<u8>,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            builtin: 0,
            multiplier: 1,
            is_incremental: false,
            categories: Vec::new(),
            unit: 0,
            unit_name: Vec::new(),
            share_key: Vec::new(),
        }
    }
}

impl Counter {
    fn read(fields: Fields<'_>) -> Self {
        let mut counter = Counter::default();
        for field in fields {
            match field.number {
                1 => counter.builtin = field.uint(),
                4 => counter.multiplier = field.int(),
                5 => counter.is_incremental = field.bool(),
                2 => {
                    if !counter.categories.is_empty() {
                        counter.categories.push(b',');
                    }
                    counter.categories.extend_from_slice(field.bytes());
                }
                3 => counter.unit = field.uint(),
                6 => counter.unit_name = field.bytes().to_vec(),
                7 => counter.share_key = field.bytes().to_vec(),
                _ => {}
            }
        }
        counter
    }

    /// The unit; empty if it has none.
    pub fn unit(&self) -> &[u8] {
        match (self.builtin, self.unit) {
            (1, _) | (0, 1) => b"ns",
            (2, _) | (0, 2) => b"count",
            (_, 3) => b"bytes",
            _ => &self.unit_name,
        }
    }
}

/// A track.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Descriptor {
    /// The track it belongs to; 0 if none.
    pub parent: u64,
    pub name: Vec<u8>,
    pub process: Option<Process>,
    pub thread: Option<Thread>,
    pub counter: Option<Counter>,
    /// Whether it is separate from the track that the thread has in the kernel's trace.
    pub is_separate: bool,
    /// Whether it holds states.
    pub is_state: bool,
    pub description: Vec<u8>,
    /// 1 by name, 2 by time, 3 by rank.
    pub child_ordering: u64,
    /// The place among its siblings.
    pub rank: Option<i32>,
    pub merge: Merge,
    /// Whether processes and threads are shown in the order of their ranks. Only the root says so.
    pub orders_processes: bool,
    pub orders_threads: bool,
    /// Whether the thread's number is that of a sandbox.
    pub is_sandboxed: bool,
    /// The kinds of a process and of a thread of Chrome.
    pub chrome_process: Option<u64>,
    chrome_thread: u64,
    /// The package of the app that a process of Chrome belongs to.
    pub host_app: Vec<u8>,
    pub crash_id: Option<u64>,
    unused_key: Vec<u8>,
}

/// Which siblings share a track as long as their slices do not overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Merge {
    /// Those with the same name.
    #[default]
    ByName,
    /// None.
    No,
    /// Those with the same key.
    ByKey(Vec<u8>),
}

impl Descriptor {
    fn field(&mut self, field: Field<'_>) {
        match field.number {
            5 => self.parent = field.uint(),
            2 | 10 | 13 => self.name = field.bytes().to_vec(),
            3 => self.process(Process::read(field.fields())),
            4 => self.thread(Thread::read(field.fields())),
            9 => self.is_separate = field.bool(),
            8 => self.counter = Some(Counter::read(field.fields())),
            18 => self.is_state = true,
            14 => self.description = field.bytes().to_vec(),
            11 => self.child_ordering = field.uint(),
            12 => self.rank = Some(field.int32()),
            15 => self.merges(field.uint()),
            16 => self.key(field.bytes().to_vec()),
            17 => self.key(format!("sibling_merge_key_int:{}", field.uint()).into_bytes()),
            19 => self.orders_processes = field.uint() == 1,
            20 => self.orders_threads = field.uint() == 1,
            6 => self.chrome_process(field.fields()),
            7 => self.chrome_thread(field.fields()),
            _ => {}
        }
    }

    /// A later descriptor without a name leaves the name as it is.
    fn process(&mut self, mut process: Process) {
        let old = self.process.take().map(|old| old.name);
        if process.name.is_empty() {
            process.name = old.unwrap_or_default();
        }
        self.process = Some(process);
    }

    fn thread(&mut self, mut thread: Thread) {
        let old = self.thread.take().map(|old| old.name);
        if thread.name.is_empty() {
            thread.name = old.unwrap_or_default();
        }
        self.thread = Some(thread);
    }

    /// What Chrome calls the kind of the thread; empty if it has none.
    pub fn thread_kind(&self) -> &'static str {
        chrome_names::thread(self.chrome_thread)
    }

    fn merges(&mut self, behaviour: u64) {
        let old = std::mem::take(&mut self.merge);
        self.merge = match (behaviour, old) {
            (2, _) => Merge::No,
            (3, old @ Merge::ByKey(_)) => old,
            (3, _) => Merge::ByKey(std::mem::take(&mut self.unused_key)),
            _ => Merge::ByName,
        };
    }

    /// The key counts only if the track merges by it, which may be said later.
    fn key(&mut self, key: Vec<u8>) {
        match &mut self.merge {
            Merge::ByKey(known) => *known = key,
            _ => self.unused_key = key,
        }
    }

    fn chrome_process(&mut self, fields: Fields<'_>) {
        let kind = self.chrome_process.get_or_insert(0);
        for field in fields {
            match field.number {
                1 => *kind = field.uint(),
                4 => self.host_app = field.bytes().to_vec(),
                5 => self.crash_id = Some(field.uint()),
                _ => {}
            }
        }
    }

    fn chrome_thread(&mut self, fields: Fields<'_>) {
        for field in fields {
            match field.number {
                1 => self.chrome_thread = field.uint(),
                3 => self.is_sandboxed |= field.bool(),
                _ => {}
            }
        }
    }

    /// Names a process that has no name of its own by its kind.
    fn name_by_kind(&mut self) {
        if let (Some(process), Some(kind)) = (&mut self.process, self.chrome_process) {
            process.name_by(kind);
        }
    }

    /// Gives the process and the thread the numbers that they have outside of their container, if they are in one.
    fn leave_container(&mut self, outer: impl Fn(i64) -> Option<i32>) {
        if let Some(process) = &mut self.process {
            process.pid = outer(process.pid.into()).unwrap_or(process.pid);
        }
        if let Some(thread) = &mut self.thread {
            thread.tid = outer(thread.tid).map_or(thread.tid, i64::from);
            thread.pid = outer(thread.pid.into()).unwrap_or(thread.pid);
        }
    }

    /// Whether it is the own track of a thread or a process.
    pub fn is_person(&self) -> bool {
        self.thread.is_some() || self.process.is_some()
    }
}

/// Where the descriptors of all tracks are. Each is decoded when it is needed, because a file may have many.
#[derive(Debug, Default)]
pub(super) struct TrackDescriptors {
    /// By uuid, and then in the order of the file.
    list: Vec<(u64, Span)>,
    /// Those of processes and threads, with the machine, in the order of the file.
    people: Vec<(u32, u64)>,
    /// The machine and the number of the process that described each process or thread.
    writers: FxHashMap<u64, (u32, i32)>,
    pub namespaces: Namespaces,
}

impl TrackDescriptors {
    /// Adds a `TrackDescriptor`. A later one of the same track adds to what is known.
    pub fn add(&mut self, packet: &Packet<'_>, bytes: &[u8], span: Span) {
        let mut uuid = 0;
        let mut is_person = false;
        for field in Fields::new(bytes) {
            match field.number {
                1 => uuid = field.uint(),
                3 | 4 => is_person = true,
                _ => {}
            }
        }
        self.list.push((uuid, span));
        if is_person {
            self.people.push((packet.machine, uuid));
            if packet.writer > 0 {
                self.writers.insert(uuid, (packet.machine, packet.writer));
            }
        }
    }

    /// Ends the survey.
    pub fn settle(&mut self) {
        sort::by_key(&mut self.list, |(uuid, _)| *uuid);
        self.list.shrink_to_fit();
    }

    /// The descriptor of a track.
    pub fn get(&self, uuid: u64, source: &Source<'_>) -> Option<Descriptor> {
        let first = self.list.partition_point(|(known, _)| *known < uuid);
        let own = self.list[first..]
            .iter()
            .take_while(|(known, _)| *known == uuid);
        let mut descriptor: Option<Descriptor> = None;
        for (_, span) in own {
            let known = descriptor.get_or_insert_default();
            for field in Fields::new(source.get(*span)) {
                known.field(field);
            }
        }
        if let Some(descriptor) = &mut descriptor {
            descriptor.name_by_kind();
            if let Some(writer) = self.writers.get(&uuid) {
                descriptor.leave_container(|inner| self.namespaces.outer(*writer, inner));
            }
        }
        descriptor
    }

    /// The tracks of processes and threads, with their machine's number.
    pub fn people(&self) -> &[(u32, u64)] {
        &self.people
    }
}
