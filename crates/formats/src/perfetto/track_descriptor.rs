//! `TrackDescriptor`, `ProcessDescriptor` and `ThreadDescriptor`.

use super::chrome_names;
pub(super) use super::track_descriptors::TrackDescriptors;
use super::wire::{Field, Fields};

/// The thread of a descriptor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thread {
    /// Whether the descriptor names a process.
    pub has_pid: bool,
    pub pid: i32,
    pub tid: i64,
    pub name: Vec<u8>,
    /// The start of relative timestamps, µs: on the clock, and on the thread's CPU clock.
    pub reference_us: i64,
    pub reference_thread_us: i64,
    /// The start of relative instruction counts.
    pub reference_instructions: i64,
}

impl Thread {
    /// Reads a `ThreadDescriptor`.
    pub fn read(fields: Fields<'_>) -> Self {
        let mut thread = Thread {
            has_pid: false,
            pid: 0,
            tid: 0,
            name: Vec::new(),
            reference_us: 0,
            reference_thread_us: 0,
            reference_instructions: 0,
        };
        let mut kind = 0;
        for field in fields {
            match field.number {
                1 => (thread.has_pid, thread.pid) = (true, field.int32()),
                2 => thread.tid = field.int(),
                4 => kind = field.uint(),
                5 => thread.name = field.bytes().to_vec(),
                6 => thread.reference_us = field.int(),
                7 => thread.reference_thread_us = field.int(),
                8 => thread.reference_instructions = field.int(),
                _ => {}
            }
        }
        if thread.name.is_empty() {
            thread.name = chrome_names::thread(kind).into();
        }
        thread
    }
}

/// The process of a descriptor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Process {
    pub pid: i32,
    pub name: Vec<u8>,
    pub cmdline: Vec<u8>,
    pub start_ns: Option<i64>,
    pub labels: Vec<Vec<u8>>,
    /// The process type, which old versions of Chrome write instead of a name; 0 if none.
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

    /// Names the process after its kind if it has no name, or if the name of the kind takes precedence.
    fn name_by(&mut self, kind: u64) {
        let name = chrome_names::process(kind);
        let is_needed = self.name.is_empty() || chrome_names::overrides_name(kind);
        if is_needed && !name.is_empty() {
            self.name = name.into();
        }
    }
}

/// The properties of a counter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counter {
    /// 1: the thread's CPU time, ns; 2: the thread's instruction count.
    pub builtin: u64,
    pub multiplier: i64,
    pub is_incremental: bool,
    /// The categories, separated by commas.
    pub categories: Vec<u8>,
    /// The unit as an enum value, and the unit's name for other units.
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

    /// The name of the unit; empty if there is none.
    pub fn unit(&self) -> &[u8] {
        match (self.builtin, self.unit) {
            (1, _) | (0, 1) => b"ns",
            (2, _) | (0, 2) => b"count",
            (_, 3) => b"bytes",
            _ => &self.unit_name,
        }
    }
}

/// Whether the values of two counters mean the same. The unit is only a label.
fn is_same_counter(one: Option<&Counter>, other: Option<&Counter>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return one.is_none() && other.is_none();
    };
    let numbers = |it: &Counter| (it.builtin, it.multiplier, it.is_incremental);
    numbers(one) == numbers(other)
        && one.categories == other.categories
        && one.share_key == other.share_key
}

/// A `TrackDescriptor`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Descriptor {
    /// The uuid of the parent track; 0 if none.
    pub parent: u64,
    pub name: Vec<u8>,
    pub process: Option<Process>,
    pub thread: Option<Thread>,
    pub counter: Option<Counter>,
    /// Whether the track is separate from the thread's track for ftrace marks.
    pub is_separate: bool,
    /// Whether the track has states instead of slices.
    pub is_state: bool,
    pub description: Vec<u8>,
    /// The order of the child tracks: 1 by name, 2 by time, 3 by rank.
    pub child_ordering: u64,
    /// The rank among its siblings.
    pub rank: Option<i32>,
    pub merge: Merge,
    /// Whether processes and threads are shown in the order of their ranks. Only used in the root's descriptor.
    pub orders_processes: bool,
    pub orders_threads: bool,
    /// Whether the tid is valid only inside a sandbox.
    pub is_sandboxed: bool,
    /// Chrome's process type and thread type.
    pub chrome_process: Option<u64>,
    chrome_thread: u64,
    /// The package name of the app to which a Chrome process belongs.
    pub host_app: Vec<u8>,
    pub crash_id: Option<u64>,
    unused_key: Vec<u8>,
}

/// Which sibling tracks share a track while their slices do not overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Merge {
    /// Siblings with the same name.
    #[default]
    ByName,
    /// None.
    No,
    /// Siblings with the same key.
    ByKey(Vec<u8>),
}

impl Descriptor {
    /// Reads one descriptor.
    pub fn read(fields: Fields<'_>) -> Self {
        let mut descriptor = Self::default();
        descriptor.merge(fields);
        descriptor
    }

    /// Whether a later descriptor with the same uuid is for the same track. A track may change its name and its display
    /// options, but not its parent or its thread, process or counter.
    pub fn is_same_track(&self, later: &Self) -> bool {
        self.parent == later.parent
            && self.numbers() == later.numbers()
            && is_same_counter(self.own_counter(), later.own_counter())
            && self.has_states() == later.has_states()
            && self.merge == later.merge
    }

    /// The pid and tid. Those of the thread take precedence over that of the process.
    pub fn numbers(&self) -> (Option<i32>, Option<i64>) {
        match (&self.thread, &self.process) {
            (Some(thread), _) => (Some(thread.pid), Some(thread.tid)),
            (None, process) => (process.as_ref().map(|process| process.pid), None),
        }
    }

    /// The counter, unless the track belongs to a thread or process itself.
    fn own_counter(&self) -> Option<&Counter> {
        self.counter.as_ref().filter(|_| !self.is_task())
    }

    fn has_states(&self) -> bool {
        self.is_state && !self.is_task() && self.counter.is_none()
    }

    /// Adds a later descriptor of the same track. The track keeps its first name if siblings share it, because they are
    /// found by that name. Otherwise, it is renamed.
    pub fn merge(&mut self, fields: Fields<'_>) {
        let old = std::mem::take(&mut self.name);
        for field in fields {
            self.field(field);
        }
        let is_renamed = old.is_empty() || self.merge == Merge::No;
        if !is_renamed || self.name.is_empty() {
            self.name = old;
        }
    }

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

    /// Keeps the known name if the new descriptor has none.
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

    /// Chrome's name for the thread type; empty if there is none.
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

    /// The key is only used if the track merges by key. That field may follow later, so the key is kept until then.
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

    /// Names the process after its Chrome process type.
    pub fn name_by_kind(&mut self) {
        if let (Some(process), Some(kind)) = (&mut self.process, self.chrome_process) {
            process.name_by(kind);
        }
    }

    /// Replaces the pids and the tid by those outside the PID namespace, if they are inside one.
    pub fn leave_container(&mut self, outer: impl Fn(i64) -> Option<i32>) {
        if let Some(process) = &mut self.process {
            process.pid = outer(process.pid.into()).unwrap_or(process.pid);
        }
        if let Some(thread) = &mut self.thread {
            thread.tid = outer(thread.tid).map_or(thread.tid, i64::from);
            thread.pid = outer(thread.pid.into()).unwrap_or(thread.pid);
        }
    }

    /// Whether this is the main track of a thread or a process.
    pub fn is_task(&self) -> bool {
        self.thread.is_some() || self.process.is_some()
    }
}
