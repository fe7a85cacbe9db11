//! Converts records to threads, stacks and samples.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, StringId, ThreadId, TraceBuilder};

use super::records::{Records, VERSION, kind};
use crate::perfetto::Fields;
use crate::profile::{
    BYTES, Counter, Mapping, NONE, Named, Sample, Samples, Stacks, Task, add_samples, add_stacks,
    name_frames,
};
use crate::symbolizer::{CodePlaces, Symbolizer};

/// Memory limits of the samples: a base for any file, bytes, and the bytes allowed for each byte of the file. One pair
/// is for stacks, the other for samples with their values.
const OF_STACKS: (usize, usize) = (16 << 20, 4);
const OF_SAMPLES: (usize, usize) = (24 << 20, 8);

/// The reason why the stack of a sample is incomplete: `UnwindingResult.ErrorCode` without its first value, which means
/// no error.
const UNWIND_ERRORS: [&str; 8] = [
    "UNKNOWN",
    "NOT_ENOUGH_STACK",
    "MEMORY_INVALID",
    "UNWIND_INFO",
    "INVALID_MAP",
    "MAX_FRAME_EXCEEDED",
    "REPEATED_FRAME",
    "INVALID_ELF",
];

/// Reads a file.
pub(super) fn read(bytes: &[u8], symbolizer: Option<&dyn Symbolizer>, out: &mut TraceBuilder) {
    let (mut records, version) = Records::new(bytes);
    if version != VERSION {
        let place = Place::at_offset(0);
        out.repair(RepairKind::BadField, 1, place, || {
            format!("version {version}, not 1")
        });
    }
    let all = records.clone();
    let mut reader = Interpreter::new(bytes.len(), out);
    // Samples refer to files and threads whose records come later.
    records
        .by_ref()
        .for_each(|record| reader.describe(record, out));
    all.for_each(|record| reader.sample(record, out));
    if !records.is_whole() {
        let place = Place::at_offset((bytes.len() - records.rest()) as u64);
        out.repair(RepairKind::TornRecord, 1, place, || {
            "the list of records has no end".to_owned()
        });
    } else if records.rest() > 0 {
        let place = Place::at_offset((bytes.len() - records.rest()) as u64);
        let count = records.rest() as u64;
        out.repair(RepairKind::TrailingBytes, count, place, String::new);
    }
    if let Some(symbolizer) = symbolizer {
        reader.name_frames(symbolizer, out);
    }
    reader.finish(out);
}

/// A mapped file, with the names of its functions.
struct File<'a> {
    mapping: u32,
    symbols: Vec<&'a [u8]>,
}

struct Interpreter<'a> {
    files: FxHashMap<u64, File<'a>>,
    event_types: Vec<StringId>,
    stacks: Stacks,
    samples: Samples,
    source: StringId,
    session: u32,
    /// The memory left for samples and their values, bytes.
    room: usize,
    /// The number of samples beyond this limit.
    beyond: u64,
    /// The number of samples that refer to files or functions missing from the report.
    unknown: u64,
    switches: u64,
    other: u64,
}

impl<'a> Interpreter<'a> {
    fn new(bytes: usize, out: &mut TraceBuilder) -> Self {
        let source = out.intern(b"simpleperf");
        let mut samples = Samples::default();
        Self {
            files: FxHashMap::default(),
            event_types: Vec::new(),
            stacks: Stacks::with_room(OF_STACKS.0 + OF_STACKS.1 * bytes),
            session: samples.session(source),
            samples,
            source,
            room: OF_SAMPLES.0 + OF_SAMPLES.1 * bytes,
            beyond: 0,
            unknown: 0,
            switches: 0,
            other: 0,
        }
    }

    /// Reads a record that describes samples.
    fn describe(&mut self, (kind, fields): (u32, Fields<'a>), out: &mut TraceBuilder) {
        match kind {
            kind::SAMPLE => {}
            kind::LOST => lost(fields, out),
            kind::FILE => self.file(fields, out),
            kind::THREAD => thread(fields, out),
            kind::META_INFO => self.meta_info(fields, out),
            kind::CONTEXT_SWITCH => self.switches += 1,
            _ => self.other += 1,
        }
    }

    fn file(&mut self, fields: Fields<'a>, out: &mut TraceBuilder) {
        let (mut id, mut path, mut symbols) = (0, &b""[..], Vec::new());
        for field in fields {
            match field.number {
                1 => id = field.uint(),
                2 => path = field.bytes(),
                3 => symbols.push(field.bytes()),
                _ => {}
            }
        }
        let mapping = self.stacks.mapping(Mapping {
            name: out.intern(path),
            end: u64::MAX,
            ..Mapping::default()
        });
        self.files.insert(id, File { mapping, symbols });
    }

    fn meta_info(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        for field in fields {
            let text = field.bytes();
            let key = match field.number {
                1 => {
                    self.event_types.push(out.intern(text));
                    continue;
                }
                2 => "app_package_name",
                3 => "app_type",
                4 => "android_sdk_version",
                5 => "android_build_type",
                6 if field.bool() => {
                    out.metadata("trace_offcpu", "true");
                    continue;
                }
                _ => continue,
            };
            out.metadata(key, &String::from_utf8_lossy(text));
        }
    }

    /// Reads a sample. Its stack begins with the innermost function.
    fn sample(&mut self, (kind, fields): (u32, Fields<'a>), out: &mut TraceBuilder) {
        if kind != kind::SAMPLE {
            return;
        }
        // The memory of a sample with its event count.
        const WITH_VALUE: usize = BYTES + 200;
        if self.room < WITH_VALUE {
            self.beyond += 1;
            return;
        }
        self.room -= WITH_VALUE;
        let (mut ts, mut tid, mut chain) = (0, 0, Vec::new());
        let (mut count, mut event_type, mut error) = (0, 0, 0);
        for field in fields {
            match field.number {
                1 => ts = field.int(),
                2 => tid = field.int32(),
                3 => chain.push(field.fields()),
                4 => count = field.uint(),
                5 => event_type = field.uint() as usize,
                6 => error = unwind_error(field.fields()),
                _ => {}
            }
        }
        let mut is_known = true;
        let mut callsite = NONE;
        for entry in chain.into_iter().rev() {
            let (frame, is_complete) = self.frame(entry, out);
            callsite = self.stacks.callsite(callsite, frame);
            is_known &= is_complete;
        }
        self.unknown += u64::from(!is_known);
        let task = Task {
            upid: None,
            utid: Some(thread_of(tid.into(), out)),
            context: NONE,
        };
        let error = UNWIND_ERRORS.get(error.wrapping_sub(1));
        let sample = Sample {
            task: self.samples.task(task),
            callsite,
            unwind_error: error.map_or(StringId::NULL, |error| out.intern(error.as_bytes())),
            session: self.session,
            counters: self.count(ts, (event_type, count), out),
            ..Sample::at(ts, self.source)
        };
        self.samples.samples.push(sample);
    }

    /// The frame of a stack entry, and whether the report contains the entry's file and function.
    fn frame(&mut self, entry: Fields<'_>, out: &mut TraceBuilder) -> (u32, bool) {
        let (mut address, mut file, mut symbol) = (0, 0, -1);
        for field in entry {
            match field.number {
                1 => address = field.uint(),
                2 => file = field.uint(),
                3 => symbol = field.int32(),
                _ => {}
            }
        }
        let file = self.files.get(&file);
        let symbols = file.map_or(&[][..], |file| &file.symbols);
        let name = usize::try_from(symbol).ok().map(|at| symbols.get(at));
        let named = Named {
            name: match name {
                Some(Some(name)) => out.intern(name),
                _ => StringId::NULL,
            },
            file: StringId::NULL,
            line: None,
        };
        let mapping = match file {
            Some(file) => file.mapping,
            None => self.stacks.no_file("", out),
        };
        let is_complete = file.is_some() && name != Some(None);
        (self.stacks.frame(mapping, address, named), is_complete)
    }

    /// Adds the number of events that a sample represents. Returns its set of values.
    fn count(&mut self, ts: i64, (kind, count): (usize, u64), out: &mut TraceBuilder) -> u32 {
        let Some(name) = self.event_types.get(kind).copied() else {
            return NONE;
        };
        let counter = Counter {
            track: traceloom_trace::TrackId::default(),
            session: self.session,
            cpu: None,
            is_timebase: kind == 0,
            unit: name,
            description: StringId::NULL,
        };
        let track = self.samples.counter(counter, name, out);
        self.samples.value(ts, NONE, (track, count), out)
    }

    /// Looks up functions that simpleperf could not name. Its reports have no build ids.
    fn name_frames(&mut self, symbolizer: &dyn Symbolizer, out: &mut TraceBuilder) {
        let code = |mapping: &Mapping, path: &str| {
            let is_file = path.starts_with('/');
            is_file.then_some((mapping.build_id, CodePlaces::Addresses))
        };
        name_frames(&mut self.stacks, symbolizer, code, out);
    }

    fn finish(self, out: &mut TraceBuilder) {
        let place = Place::default();
        out.repair(RepairKind::BadField, self.unknown, place, || {
            "a sample names a file or a function that the report does not have".to_owned()
        });
        out.repair(RepairKind::SkippedEntry, self.switches, place, || {
            "switches of threads, which have no CPU".to_owned()
        });
        out.repair(RepairKind::SkippedEntry, self.other, place, || {
            "records of a kind that is not known".to_owned()
        });
        let beyond = self.beyond + self.stacks.beyond;
        out.repair(RepairKind::BeyondLimit, beyond, place, || {
            "samples with too many rows for their size".to_owned()
        });
        if let Some(callsites) = add_stacks(&self.stacks, out) {
            add_samples(self.samples, callsites, out);
        }
    }
}

/// The thread with this number. 0 is the idle threads of all CPUs.
fn thread_of(tid: i64, out: &mut TraceBuilder) -> ThreadId {
    match tid {
        0 => out.idle_thread(),
        tid => out.thread(tid),
    }
}

/// Adds a thread. It is the main thread if its number equals that of its process.
fn thread(fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut tid, mut pid, mut name) = (0, 0, None);
    for field in fields {
        match field.number {
            1 => tid = field.int32().into(),
            2 => pid = field.int32().into(),
            3 => name = Some(field.bytes()),
            _ => {}
        }
    }
    // Only the idle threads have the number 0, and they have no process.
    if (tid == 0) != (pid == 0) {
        return;
    }
    let utid = thread_of(tid, out);
    if pid != 0 {
        out.put_in_process(utid, pid);
    }
    if let Some(name) = name {
        let name = out.intern(name);
        out.name_thread(utid, name);
    }
}

fn lost(fields: Fields<'_>, out: &mut TraceBuilder) {
    let lost = fields.filter(|field| field.number == 2);
    let count = lost.map(|field| field.uint()).sum();
    out.repair(RepairKind::LostEvents, count, Place::default(), || {
        "samples that simpleperf lost".to_owned()
    });
}

fn unwind_error(fields: Fields<'_>) -> usize {
    let code = fields.filter(|field| field.number == 3).last();
    code.map_or(0, |field| field.uint() as usize)
}
