//! `TrackDescriptor`, `ProcessDescriptor` and `ThreadDescriptor`.

use rustc_hash::FxHashMap;

use super::super::wire::{Field, Fields};

/// A thread that a descriptor names.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Thread {
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
        for field in fields {
            match field.number {
                1 => thread.pid = field.int32(),
                2 => thread.tid = field.int(),
                5 => thread.name = field.bytes().to_vec(),
                6 => thread.reference_us = field.int(),
                7 => thread.reference_thread_us = field.int(),
                _ => {}
            }
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
}

impl Process {
    fn read(fields: Fields<'_>) -> Self {
        let mut process = Process::default();
        let mut cmdline = Vec::new();
        for field in fields {
            match field.number {
                1 => process.pid = field.int32(),
                2 => cmdline.push(field.bytes()),
                6 => process.name = field.bytes().to_vec(),
                7 => process.start_ns = Some(field.int()),
                _ => {}
            }
        }
        process.cmdline = cmdline.join(&b' ');
        process
    }
}

/// What a counter's values mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counter {
    /// 1: the thread's CPU time, ns; 2: its instructions.
    pub builtin: u64,
    pub multiplier: i64,
    pub is_incremental: bool,
}

impl Counter {
    fn read(fields: Fields<'_>) -> Self {
        let mut counter = Counter {
            multiplier: 1,
            ..Counter::default()
        };
        for field in fields {
            match field.number {
                1 => counter.builtin = field.uint(),
                4 => counter.multiplier = field.int(),
                5 => counter.is_incremental = field.bool(),
                _ => {}
            }
        }
        counter
    }
}

/// A track.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Descriptor {
    pub uuid: u64,
    /// The track it belongs to; 0 if none.
    pub parent: u64,
    pub name: Vec<u8>,
    pub process: Option<Process>,
    pub thread: Option<Thread>,
    pub counter: Option<Counter>,
}

impl Descriptor {
    fn read(bytes: &[u8]) -> Self {
        let mut descriptor = Descriptor::default();
        for field in Fields::new(bytes) {
            descriptor.field(field);
        }
        descriptor
    }

    fn field(&mut self, field: Field<'_>) {
        match field.number {
            1 => self.uuid = field.uint(),
            5 => self.parent = field.uint(),
            2 | 10 | 13 => self.name = field.bytes().to_vec(),
            3 => self.process = Some(Process::read(field.fields())),
            4 => self.thread = Some(Thread::read(field.fields())),
            8 => self.counter = Some(Counter::read(field.fields())),
            _ => {}
        }
    }
}

/// The descriptors of all tracks, in the order of the file.
#[derive(Debug, Default)]
pub(in super::super) struct Descriptors {
    by_uuid: FxHashMap<u64, Descriptor>,
    /// In the order in which they first came.
    order: Vec<u64>,
}

impl Descriptors {
    /// Adds a `TrackDescriptor`. A later one of the same track adds to what is known.
    pub fn add(&mut self, bytes: &[u8]) {
        let new = Descriptor::read(bytes);
        let uuid = new.uuid;
        let known = self.by_uuid.entry(uuid).or_insert_with(|| {
            self.order.push(uuid);
            Descriptor {
                uuid,
                ..Descriptor::default()
            }
        });
        if !new.name.is_empty() {
            known.name = new.name;
        }
        if new.parent != 0 {
            known.parent = new.parent;
        }
        if new.process.is_some() {
            known.process = new.process;
        }
        if new.thread.is_some() {
            known.thread = new.thread;
        }
        if new.counter.is_some() {
            known.counter = new.counter;
        }
    }

    pub(super) fn get(&self, uuid: u64) -> Option<&Descriptor> {
        self.by_uuid.get(&uuid)
    }

    /// The tracks in the order in which they were described.
    pub(super) fn uuids(&self) -> &[u64] {
        &self.order
    }
}
