//! `TrackDescriptor`, `ProcessDescriptor` and `ThreadDescriptor`.

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
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counter {
    /// 1: the thread's CPU time, ns; 2: its instructions.
    pub builtin: u64,
    pub multiplier: i64,
    pub is_incremental: bool,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            builtin: 0,
            multiplier: 1,
            is_incremental: false,
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
                _ => {}
            }
        }
        counter
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
}

impl Descriptor {
    fn field(&mut self, field: Field<'_>) {
        match field.number {
            5 => self.parent = field.uint(),
            2 | 10 | 13 => self.name = field.bytes().to_vec(),
            3 => self.process = Some(Process::read(field.fields())),
            4 => self.thread = Some(Thread::read(field.fields())),
            9 => self.is_separate = field.bool(),
            8 => self.counter = Some(Counter::read(field.fields())),
            _ => {}
        }
    }
}

/// Where the descriptors of all tracks are. Each is decoded when it is needed, because a file may have many.
#[derive(Debug, Default)]
pub(super) struct TrackDescriptors {
    /// By uuid, and then in the order of the file.
    list: Vec<(u64, Span)>,
    /// Those of processes and threads, in the order of the file.
    people: Vec<u64>,
}

impl TrackDescriptors {
    /// Adds a `TrackDescriptor`. A later one of the same track adds to what is known.
    pub fn add(&mut self, bytes: &[u8], span: Span) {
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
            self.people.push(uuid);
        }
    }

    /// Ends the survey.
    pub fn settle(&mut self) {
        self.list.sort_by_key(|(uuid, _)| *uuid);
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
        descriptor
    }

    /// The tracks of processes and threads.
    pub fn people(&self) -> &[u64] {
        &self.people
    }
}
