//! Walks a profile: its processes, and their threads.

use std::rc::Rc;

use traceloom_trace::{Place, ProcessId, RepairKind, RowId, StringId, ThreadId, TraceBuilder};

use super::counters::add_counter;
use super::facts::add_facts;
use super::markers::{MarkerNames, add_markers};
use super::stacks::{Shared, Tables, libs};
use super::table::{Object, at, nested};
use super::tasks::Tasks;
use super::times::{ns, time_of, times};
use super::weights::{Column, Weights};
use crate::json::Value;
use crate::profile::{
    BYTES, Mapping, NONE, Sample, Samples, Stacks, Task, add_samples, add_stacks, name_frames,
};
use crate::symbolizer::{CodePlaces, Symbolizer};

/// Memory limits: a base for any file, bytes, and the bytes allowed for each byte of the file.
const OF_STACKS: (usize, usize) = (16 << 20, 4);
const OF_SAMPLES: (usize, usize) = (24 << 20, 10);

/// The number of threads in any file, and the bytes of a file for each further one.
const THREADS: (usize, usize) = (1024, 128);

/// Tables of a thread that are not read.
const UNREAD: [&str; 3] = ["jsAllocations", "nativeAllocations", "jsTracer"];

/// The maximum depth of processes in processes.
const MOST_LEVELS: usize = 8;

/// Reads a profile.
pub(super) struct Profile {
    tasks: Tasks,
    /// Whether the markers have another start than the samples, which the file does not tell.
    has_own_markers: bool,
    stacks: Stacks,
    samples: Samples,
    weights: Weights,
    source: StringId,
    /// The number of samples for which there is still memory.
    room: usize,
    /// The number of threads that may still be added.
    threads_left: usize,
    /// Samples and threads that were left out to save memory.
    beyond: u64,
    /// Rows of tables that refer to a row that is missing.
    lost: u64,
    /// Samples without a time.
    unplaced: u64,
    unplaced_markers: u64,
    /// Objects with invalid text.
    broken: u64,
    /// Tables that are not read.
    skipped: u64,
}

/// A process: its threads have the times and the libraries of the same object.
struct Process<'a> {
    object: Object<'a>,
    /// The start of the profile in this process, ms after that of the whole profile.
    start_ms: f64,
    libs: Rc<[u32]>,
    categories: Vec<StringId>,
}

impl<'a> Process<'a> {
    /// `start` is that of the whole profile, ms.
    fn new(
        object: Object<'a>,
        start: Option<f64>,
        libs: Rc<[u32]>,
        out: &mut TraceBuilder,
    ) -> Self {
        let meta = object.object("meta");
        let own_start = time_of(meta.number("startTime")).zip(start);
        let categories = meta.list("categories").map(|category| {
            let category = nested(&category).unwrap_or_default();
            out.intern_unless_empty(category.text("name").unwrap_or(b""))
        });
        Self {
            start_ms: time_of(own_start.map(|(own, first)| own - first)).unwrap_or(0.0),
            libs,
            categories: categories.collect(),
            object,
        }
    }

    /// Converts milliseconds to nanoseconds of the trace.
    fn time(&self, ms: f64) -> i64 {
        ns(ms + self.start_ms)
    }
}

impl Profile {
    /// Creates an empty profile of a file with this many bytes. If it is wrapped in another object, its markers are left
    /// out.
    pub fn new(bytes: usize, is_wrapped: bool, out: &mut TraceBuilder) -> Self {
        Self {
            tasks: Tasks::default(),
            has_own_markers: is_wrapped,
            stacks: Stacks::with_room(OF_STACKS.0 + OF_STACKS.1 * bytes),
            samples: Samples::default(),
            weights: Weights::default(),
            // Perfetto's name for this source.
            source: out.intern(b"gecko"),
            room: (OF_SAMPLES.0 + OF_SAMPLES.1 * bytes) / (BYTES + Weights::BYTES),
            threads_left: THREADS.0 + bytes / THREADS.1,
            beyond: 0,
            lost: 0,
            unplaced: 0,
            unplaced_markers: 0,
            broken: 0,
            skipped: 0,
        }
    }

    /// Reads the whole profile.
    pub fn read(&mut self, root: Object<'_>, out: &mut TraceBuilder) {
        let meta = root.object("meta");
        let start = time_of(meta.number("startTime"));
        add_facts(&meta, out);
        let has_places = meta.object("sampleUnits").text("time") == Some(b"bytes");
        out.repair(
            RepairKind::RebuiltTime,
            has_places.into(),
            Place::default(),
            || "the times are places in a file; a byte is shown as a millisecond".to_owned(),
        );
        self.tasks.is_firefox = meta.text("product") == Some(b"Firefox");
        let mut next = vec![(root, 0)];
        while let Some((object, level)) = next.pop() {
            let processes = object.list("processes");
            let inner = processes.filter_map(|process| nested(&process));
            if level < MOST_LEVELS {
                next.extend(inner.map(|process| (process, level + 1)));
            }
            // Before version 5, the profiles of other processes were strings in the list of threads.
            for text in self.process(object, start, out) {
                let inner = self.process(Object::new(&text), start, out);
                self.lost += inner.len() as u64;
            }
        }
    }

    /// Reads a process. Returns the texts among its threads.
    fn process(
        &mut self,
        object: Object<'_>,
        start: Option<f64>,
        out: &mut TraceBuilder,
    ) -> Vec<Vec<u8>> {
        self.broken += u64::from(object.is_broken);
        let libs = libs(&object, &mut self.stacks, out);
        let process = Process::new(object, start, libs, out);
        let shared = process.object.get("shared").and_then(nested);
        let shared = shared.map(|shared| self.shared(&process, shared, out));
        let mut texts = Vec::new();
        for thread in process.object.list("threads") {
            match (nested(&thread), thread) {
                (Some(thread), _) => self.thread(&process, thread, shared.as_ref(), out),
                (None, Value::Text(text)) if text.starts_with(b"{") => {
                    texts.push(text.into_owned());
                }
                _ => self.lost += 1,
            }
        }
        for counter in process.object.list("counters") {
            self.counter(&process, &counter, out);
        }
        texts
    }

    fn counter(&mut self, process: &Process<'_>, counter: &Value<'_>, out: &mut TraceBuilder) {
        let Some(counter) = nested(counter) else {
            self.lost += 1;
            return;
        };
        let upid = match counter.text("pid") {
            Some(pid) => self.tasks.process(pid, out),
            None => ProcessId::NONE,
        };
        add_counter(&counter, upid, |ms| process.time(ms), out);
    }

    /// The tables that all threads share, and their callsites.
    fn shared<'a>(
        &mut self,
        process: &Process<'_>,
        object: Object<'a>,
        out: &mut TraceBuilder,
    ) -> Shared<'a> {
        let tables = Tables::new(object, &process.libs, &mut self.stacks, out);
        let (callsites, lost) = tables.callsites(&mut self.stacks, out);
        self.lost += lost;
        Shared { tables, callsites }
    }

    fn thread(
        &mut self,
        process: &Process<'_>,
        thread: Object<'_>,
        shared: Option<&Shared<'_>>,
        out: &mut TraceBuilder,
    ) {
        self.broken += u64::from(thread.is_broken);
        let Some(threads_left) = self.threads_left.checked_sub(1) else {
            self.beyond += 1;
            return;
        };
        self.threads_left = threads_left;
        let has = |table: &&&str| thread.get(table).is_some();
        self.skipped += UNREAD.iter().filter(has).count() as u64;
        let task = self.tasks.of(&thread, out);
        let (samples, markers) = (thread.object("samples"), thread.object("markers"));
        let mut own = Tables::new(thread, &process.libs, &mut self.stacks, out);
        if let Some(shared) = shared {
            own.complete(&shared.tables);
        }
        match shared.filter(|_| !own.has_stacks()) {
            Some(shared) => self.add_samples(process, &samples, &shared.callsites, task, out),
            None => {
                let (callsites, lost) = own.callsites(&mut self.stacks, out);
                self.lost += lost;
                self.add_samples(process, &samples, &callsites, task, out);
            }
        }
        let names = MarkerNames {
            strings: &own.strings,
            categories: &process.categories,
        };
        if self.has_own_markers {
            self.unplaced_markers += markers.indexes("name").len() as u64;
        } else {
            add_markers(&markers, &names, task.1, |ms| process.time(ms), out);
        }
    }

    /// Adds the samples of a thread. Those without a stack say that it had none, for example because it did not run.
    fn add_samples(
        &mut self,
        process: &Process<'_>,
        table: &Object<'_>,
        callsites: &[u32],
        (upid, utid): (ProcessId, ThreadId),
        out: &mut TraceBuilder,
    ) {
        let task = self.samples.task(Task {
            upid: upid.some(),
            utid: utid.some(),
            context: NONE,
        });
        let (times, weights) = (times(table), self.weights.of(table));
        for (row, stack) in (0u32..).zip(table.indexes("stack")) {
            let callsite = at(callsites, stack, NONE);
            if callsite == NONE {
                self.lost += u64::from(stack != NONE);
                continue;
            }
            let Some(ms) = at(&times, row, None) else {
                self.unplaced += 1;
                continue;
            };
            let sample = Sample {
                task,
                callsite,
                ..Sample::at(process.time(ms), self.source)
            };
            let weight = weights.as_ref().map(|column| (column, row));
            self.add_sample(sample, weight, out);
        }
    }

    /// Adds a sample, if there is memory for it. Its weight is in a row of a column.
    fn add_sample(
        &mut self,
        mut sample: Sample,
        weight: Option<(&Column, u32)>,
        out: &mut TraceBuilder,
    ) {
        let Some(room) = self.room.checked_sub(1) else {
            self.beyond += 1;
            return;
        };
        self.room = room;
        if let Some((column, row)) = weight {
            let samples = &mut self.samples;
            self.weights.add(column, row, &mut sample, samples, out);
        }
        self.samples.samples.push(sample);
    }

    /// Looks up the functions of frames that have only an address in a file of code.
    pub fn name_frames(&mut self, symbolizer: &dyn Symbolizer, out: &mut TraceBuilder) {
        let code = |mapping: &Mapping, path: &str| {
            let is_file = path.starts_with('/');
            is_file.then_some((mapping.build_id, CodePlaces::FromImageStart))
        };
        name_frames(&mut self.stacks, symbolizer, code, out);
    }

    /// Adds the rows, and counts what is damaged.
    pub fn finish(self, out: &mut TraceBuilder) {
        let place = Place::default();
        out.repair(RepairKind::BrokenBlock, self.broken, place, || {
            "text that is not JSON".to_owned()
        });
        out.repair(RepairKind::BadField, self.lost, place, || {
            "a row refers to a row that is not there".to_owned()
        });
        out.repair(RepairKind::Unplaced, self.unplaced, place, || {
            "a sample without a time".to_owned()
        });
        out.repair(RepairKind::Unplaced, self.unplaced_markers, place, || {
            "markers, which start at another time than the samples".to_owned()
        });
        out.repair(RepairKind::SkippedEntry, self.skipped, place, || {
            "a table of allocations or of calls of JavaScript".to_owned()
        });
        let beyond = self.beyond + self.stacks.beyond;
        out.repair(RepairKind::BeyondLimit, beyond, place, || {
            "samples or threads with too many rows for their size".to_owned()
        });
        self.weights.finish(out);
        if let Some(callsites) = add_stacks(&self.stacks, out) {
            add_samples(self.samples, callsites, out);
        }
    }
}
