//! Profiles: stack samples, native and Java heaps, memory maps.
//!
//! ```text
//! packets ──► stacks, samples, heap profiles, heap graphs ──► symbols, old names ──► records
//!             (in order of time)                              (when the trace ends)
//! ```

mod art;
#[cfg(test)]
mod chrome_tests;
mod deobfuscate;
mod emit;
mod heap_graph;
mod heap_profile;
mod heap_troubles;
mod interned;
mod names;
mod paths;
mod perf;
mod shared;
mod smaps;
mod stack_sample;
mod streaming;
mod symbols;
mod tasks;
#[cfg(test)]
mod tests;
mod v8;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgValue, NO_TIME, Place, ProcessId, RepairKind, RowId, StringId, TraceBuilder,
};

use super::packet::payload;
use super::sequence::State;
use super::survey::Survey;
use super::track_event::SliceStack;
use super::wire::{Fields, Value};
use crate::profile::{self, NONE, Stacks, V8Event};
use crate::symbolizer::Symbolizer;
use heap_profile::HeapProfiles;
use shared::Shared;

/// The profiles of a trace.
pub(super) struct Profiles<'s> {
    shared: Shared<'s>,
    perf: perf::Perf,
    stack_samples: stack_sample::StackSamples,
    heap_profiles: heap_profile::HeapProfiles<'s>,
    graphs: heap_graph::HeapGraphs,
    errors: Vec<art::OutOfMemory>,
    dump_stacks: Vec<art::DumpStack>,
    slice_stacks: Vec<profile::StackOfSlice>,
    v8: v8::V8<'s>,
    /// The packages: uid and name.
    packages: Vec<(i64, StringId)>,
    /// The number of rows for memory mappings.
    smaps: usize,
    symbols: Vec<&'s [u8]>,
    renamings: Vec<&'s [u8]>,
    /// The maximum memory of the rows, bytes, because a packet of few bytes can produce many rows.
    most: usize,
    beyond: u64,
}

impl<'s> Profiles<'s> {
    /// The memory that the profiles of any file may take, bytes, and the additional memory per byte of the file: for
    /// stacks, and for everything else.
    const OF_STACKS: (usize, usize) = (16 << 20, 4);
    const OF_OTHERS: (usize, usize) = (24 << 20, 10);

    pub fn new(survey: &'s Survey<'s>) -> Self {
        let room = |(free, each)| free + each * survey.source.bytes();
        let shared = Shared {
            survey,
            stacks: Stacks::with_room(room(Self::OF_STACKS)),
            samples: profile::Samples::default(),
            interned: interned::Interned::new(survey),
        };
        Self {
            heap_profiles: heap_profile::HeapProfiles::new(&shared),
            shared,
            perf: perf::Perf::default(),
            stack_samples: stack_sample::StackSamples::default(),
            graphs: heap_graph::HeapGraphs::default(),
            errors: Vec::new(),
            dump_stacks: Vec::new(),
            slice_stacks: Vec::new(),
            v8: v8::V8::new(survey),
            packages: Vec::new(),
            smaps: 0,
            symbols: Vec::new(),
            renamings: Vec::new(),
            most: room(Self::OF_OTHERS),
            beyond: 0,
        }
    }

    /// Reads a packet whose content is in the field `number`. Returns whether it is a profile packet.
    pub fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &'s [u8]),
        state: State,
        out: &mut TraceBuilder,
    ) -> bool {
        let fields = Fields::new(content);
        match number {
            payload::PACKAGES_LIST => {
                self.packages(fields, out);
                return false;
            }
            payload::MODULE_SYMBOLS => self.symbols.push(content),
            payload::DEOBFUSCATION => self.renamings.push(content),
            number if !payload::is_profile(number) => return false,
            _ if self.bytes() > self.most => self.beyond += 1,
            _ => self.sample(ts.max(0), (number, content), state, out),
        }
        true
    }

    fn sample(
        &mut self,
        ts: i64,
        (number, content): (u32, &'s [u8]),
        state: State,
        out: &mut TraceBuilder,
    ) {
        let room = self.most.saturating_sub(self.bytes());
        let (fields, shared) = (Fields::new(content), &mut self.shared);
        match number {
            payload::PROFILE => {
                self.heap_profiles
                    .packet(content, (state, room), shared, out);
            }
            payload::STREAMING_PROFILE => {
                streaming::packet(ts, content, (state, room), shared, out);
            }
            payload::PERF_SAMPLE => self.perf.sample(ts, fields, state, shared, out),
            payload::STACK_SAMPLE => self.stack_samples.sample(ts, fields, state, shared, out),
            payload::HEAP_GRAPH => self.graphs.packet(ts, fields, state, room, out),
            payload::ART_METADATA => self.art(ts, fields, out),
            payload::SMAPS => {
                let rows = smaps::packet(ts, fields, room, out);
                self.smaps += rows;
                self.beyond += u64::from((rows + 1) * smaps::BYTES > room);
            }
            _ => {}
        }
    }

    /// Adds the stack of a track event.
    pub fn slice_stack(&mut self, stack: SliceStack<'_>, state: State, out: &mut TraceBuilder) {
        if self.bytes() > self.most {
            self.beyond += 1;
            return;
        }
        let callsite = match stack.callstack.value {
            Value::Number(iid) => self.shared.callstack(&state, iid, out),
            Value::Bytes(inline) => {
                let mapping = "track_event_inline_callstack";
                self.shared.inline(mapping, Fields::new(inline), out)
            }
        };
        if callsite != NONE {
            self.slice_stacks.push(profile::StackOfSlice {
                slice: stack.slice,
                callsite,
                weight: stack.weight,
                is_end: stack.is_end,
            });
        }
    }

    /// Adds a part of a V8 CPU profile.
    pub fn v8_event(&mut self, event: &V8Event<'_>, state: State, out: &mut TraceBuilder) {
        let room = self.most.saturating_sub(self.bytes());
        self.v8.event(event, (state, room), &mut self.shared, out);
    }

    /// The memory of the rows so far, without stacks, bytes.
    fn bytes(&self) -> usize {
        let heaps = self.heap_profiles.bytes() + self.slice_stacks.len() * 100;
        self.shared.samples.bytes() + self.graphs.bytes() + heaps + self.smaps * smaps::BYTES
    }

    /// Reads a `PackagesList`, for the package names of processes.
    fn packages(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        for package in fields.filter(|field| field.number == 1) {
            let (mut name, mut uid) = (StringId::NULL, 0);
            for field in package.fields() {
                match field.number {
                    1 => name = out.intern(field.bytes()),
                    2 => uid = field.int(),
                    _ => {}
                }
            }
            self.packages.push((uid, name));
        }
    }

    fn art(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let dump = art::Dump::read(fields, out);
        if let Some((package, uid)) = dump.package {
            let name = out.intern(package);
            if !self.packages.contains(&(uid, name)) {
                self.packages.push((uid, name));
                let cells = [
                    ("package_name", ArgValue::Text(name)),
                    ("uid", ArgValue::Int(uid)),
                    ("debuggable", ArgValue::Int(0)),
                    ("profileable_from_shell", ArgValue::Int(0)),
                    ("version_code", ArgValue::Int(0)),
                ];
                out.record(NO_TIME, "package_list", &cells);
            }
        }
        let graph = self.graphs.head(heap_graph::Head {
            ts,
            upid: dump.upid,
            is_oome: dump.error.is_some(),
            heap_size: None,
            is_truncated: false,
        });
        let Some(error) = dump.error else {
            return;
        };
        self.errors.push(art::OutOfMemory { graph, ..error });
        if let Some(stack) = dump.stack {
            let callsite = art::callsite(stack, &mut self.shared, out);
            self.dump_stacks.push(art::DumpStack {
                graph,
                utid: dump.utid,
                callsite,
            });
        }
    }

    /// Applies symbols and original names, then writes all rows.
    pub fn finish(mut self, symbolizer: Option<&dyn Symbolizer>, out: &mut TraceBuilder) {
        self.graphs.finish(out);
        self.symbolize(out);
        symbols::ask(symbolizer, &mut self.shared.stacks, out);
        let renamed = self.rename(out);
        self.report(out);
        self.report_stats(out);
        let app = |profiles: &Self, upid: ProcessId, out: &TraceBuilder| {
            profiles.package_of(upid, out).unwrap_or_default()
        };
        let Some(callsites) = profile::add_stacks(&self.shared.stacks, out) else {
            return;
        };
        let heads = std::mem::take(&mut self.graphs.heads);
        for graph in std::mem::take(&mut self.graphs.graphs) {
            if let Some(head) = graph.head(&heads) {
                let package = app(&self, head.upid, out);
                heap_graph::emit(&graph, head, &renamed, package, out);
            }
        }
        let HeapProfiles {
            dumps, allocations, ..
        } = &self.heap_profiles;
        emit::heap_profiles(dumps, allocations, callsites, out);
        emit::graph_heads(&heads, &self.errors, &self.dump_stacks, callsites, out);
        profile::slice_stacks(&self.slice_stacks, callsites, out);
        profile::add_samples(self.shared.samples, callsites, out);
    }

    /// Adds symbols to frames. Counts addresses without a frame in `stats`, under Perfetto's name.
    fn symbolize(&mut self, out: &mut TraceBuilder) {
        if self.symbols.is_empty() {
            return;
        }
        let places = symbols::Places::new(&self.shared.stacks);
        let mut unknown = 0;
        for symbols in std::mem::take(&mut self.symbols) {
            unknown += places.symbolize(Fields::new(symbols), &mut self.shared.stacks, out);
        }
        if unknown > 0 {
            out.stat("stackprofile_invalid_frame_id", None, 0, unknown as i64);
        }
    }

    /// Deobfuscates frames. Returns the original names of classes and fields.
    fn rename(&mut self, out: &mut TraceBuilder) -> heap_graph::Renamed {
        let mut renamed = heap_graph::Renamed::default();
        if self.renamings.is_empty() {
            return renamed;
        }
        let guess = self.guess_packages(out);
        let frames = deobfuscate::java_frames(&self.shared.stacks, &guess, out);
        for packet in std::mem::take(&mut self.renamings) {
            let renaming = deobfuscate::Renaming::read(Fields::new(packet), out);
            renaming.rename_frames(&frames, &mut self.shared.stacks, out);
            renamed.fields.extend(renaming.fields);
            for (new, old) in renaming.classes {
                renamed.classes.insert((StringId::NULL, new), old.clone());
                renamed.classes.insert((renaming.package, new), old);
            }
        }
        renamed
    }

    /// Guesses the package of each frame from the process in which it occurred. This is used for frames whose mapping
    /// has no package.
    fn guess_packages(&self, out: &TraceBuilder) -> FxHashMap<u32, StringId> {
        let samples = &self.shared.samples;
        let of_samples = samples.samples.iter().filter_map(|sample| {
            let task = samples.tasks.get(sample.task as usize)?;
            Some((task.upid?, sample.callsite))
        });
        let allocations = self.heap_profiles.allocations.iter();
        let dumps = self.dump_stacks.iter().filter_map(|stack| {
            let head = self.graphs.heads.get(stack.graph as usize)?;
            Some((head.upid, stack.callsite))
        });
        let mut seen = rustc_hash::FxHashSet::default();
        let mut guess = FxHashMap::default();
        let all = allocations.map(|row| (row.upid, row.callsite));
        for (upid, mut callsite) in all.chain(of_samples).chain(dumps) {
            let Some(package) = self.package_of(upid, out) else {
                continue;
            };
            while let Some(found) = self.shared.stacks.callsites.get(callsite as usize) {
                if !seen.insert(callsite) {
                    break;
                }
                guess.entry(found.frame).or_insert(package);
                callsite = found.parent;
            }
        }
        guess
    }

    /// The package of a process, found by its uid.
    fn package_of(&self, upid: ProcessId, out: &TraceBuilder) -> Option<StringId> {
        /// Each user of a device has a range of uids of this size.
        const USERS: i64 = 100_000;
        let processes = &out.trace().processes;
        let uid = (upid.row() < processes.len()).then(|| processes.uid.get(upid.row()))?;
        if uid < 0 {
            return None;
        }
        let known = self
            .packages
            .iter()
            .find(|(known, _)| *known == uid % USERS);
        known.map(|(_, name)| *name)
    }

    /// Adds the number of mapped test files without a build id to `stats`, under Perfetto's name. No symbolizer can
    /// find them.
    fn report_stats(&self, out: &mut TraceBuilder) {
        let strings = &out.trace().strings;
        let mappings = self.shared.stacks.mappings.iter();
        let count = mappings.filter(|mapping| {
            let path = strings.get(mapping.name);
            path.starts_with("/data/local/tmp/") && mapping.build_id == StringId::NULL
        });
        let count = count.count() as i64;
        if count > 0 {
            out.stat("symbolization_tmp_build_id_not_found", None, 0, count);
        }
    }

    /// Reports data that could not be read.
    fn report(&self, out: &mut TraceBuilder) {
        self.heap_profiles.troubles.report(out);
        let place = Place::default();
        let mut report = |kind, count, detail: &str| {
            out.repair(kind, count, place, || detail.to_owned());
        };
        let missing = self.graphs.missing + self.heap_profiles.missing;
        report(
            RepairKind::LostEvents,
            missing,
            "packets of a heap profile or heap graph are missing",
        );
        let lost = self.perf.lost.saturating_add(self.perf.skipped);
        report(
            RepairKind::LostEvents,
            lost,
            "perf or the profiler was too slow for samples",
        );
        let broken = self.graphs.broken + self.heap_profiles.broken + self.v8.profiles.invalid;
        let broken = broken + self.shared.interned.missing;
        report(
            RepairKind::BadField,
            broken,
            "a part of a profile refers to what the trace does not have",
        );
        let beyond = self.beyond + self.v8.profiles.beyond + self.shared.stacks.beyond;
        report(
            RepairKind::BeyondLimit,
            beyond,
            "profiles with too many rows for their size",
        );
    }
}
