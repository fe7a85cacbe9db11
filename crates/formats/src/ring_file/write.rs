//! Writes ring files: the events of a trace as a recorder in the app would have stored them.

use std::io::Write;

use rustc_hash::FxHashMap;
use traceloom_ring::layout::THREAD_NAME_BYTES;
use traceloom_ring::{
    FileHeader, Image, Name, NoteKind, Owner, OwnerIndex, SyncPoint, What, fixed,
};
use traceloom_trace::{
    ClockKind, MethodId, NO_DURATION, NO_NUMBER, ProcessId, RowId, SliceId, ThreadId, Trace,
    TrackId, TrackOwner, TrackType,
};

use crate::error::WriteError;
use crate::format::{WriteOptions, Writer};
use crate::format_id;
use crate::omissions::{Omission, Written};

/// Writes ring files.
pub(crate) struct RingWriter;

/// The size of a chunk, bytes. It is small, so that few events make a small file.
const CHUNK_BYTES: u32 = 4 << 10;

impl Writer for RingWriter {
    fn extensions(&self) -> &'static [&'static str] {
        &["ring"]
    }

    fn write(
        &self,
        trace: &Trace,
        _: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let lines = Lines::new(trace);
        if lines.rows.is_empty() {
            return Err(WriteError::NothingToWrite {
                format: format_id::RING,
                holds: "slices, counters and instants of programs",
            });
        }
        out.write_all(&image(trace, &lines).into_bytes())?;
        Ok(omissions(trace))
    }
}

/// An event of the file; `u32` is a row of its table.
#[derive(Clone, Copy)]
enum Line {
    Begin(u32),
    End(u32),
    Counter(u32),
    Instant(u32),
}

/// All events in order of time. Events with the same time are in nesting order.
struct Lines {
    rows: Vec<(i64, Line)>,
}

impl Lines {
    fn new(trace: &Trace) -> Self {
        let mut lines = Self { rows: Vec::new() };
        lines.slices(trace);
        let counters = trace.counters.ts.iter().enumerate();
        let counters = counters
            .filter(|(row, _)| is_of_process(kind(trace, trace.counters.track_id.get(*row))));
        lines
            .rows
            .extend(counters.map(|(row, ts)| (ts, Line::Counter(row as u32))));
        let slices = &trace.slices;
        let instants = slices.instants();
        let instants = instants.filter(|row| holds(kind(trace, slices.track_id.get(*row))));
        lines
            .rows
            .extend(instants.map(|row| (slices.ts.get(row), Line::Instant(row as u32))));
        lines.rows.sort_by_key(|(ts, _)| *ts);
        lines
    }

    fn slices(&mut self, trace: &Trace) {
        let spans = trace.slices.spans();
        let mut rows: Vec<(u32, u32)> = spans
            .map(|row| (trace.slices.track_id.get(row), row))
            .filter(|(track, _)| holds(kind(trace, *track)))
            .map(|(track, row)| (track.0, row as u32))
            .collect();
        rows.sort_unstable();
        for track in rows.chunk_by(|a, b| a.0 == b.0) {
            self.track(trace, track);
        }
    }

    /// Ends each slice before the next one that is not inside it. An unfinished slice stays open.
    fn track(&mut self, trace: &Trace, rows: &[(u32, u32)]) {
        let (mut open, mut last_ts) = (Vec::<u32>::new(), i64::MIN);
        for &(_, row) in rows {
            let parent = trace.slices.parent_id.get(row as usize);
            while let Some(top) = open.pop_if(|top| SliceId(*top) != parent) {
                self.end(trace, top, &mut last_ts);
            }
            last_ts = last_ts.max(trace.slices.ts.get(row as usize));
            self.rows.push((last_ts, Line::Begin(row)));
            open.push(row);
        }
        while let Some(top) = open.pop() {
            self.end(trace, top, &mut last_ts);
        }
    }

    fn end(&mut self, trace: &Trace, row: u32, last_ts: &mut i64) {
        let dur = trace.slices.dur.get(row as usize);
        if dur != NO_DURATION {
            let end = trace.slices.ts.get(row as usize).saturating_add(dur);
            *last_ts = end.max(*last_ts);
            self.rows.push((*last_ts, Line::End(row)));
        }
    }
}

fn kind(trace: &Trace, track: TrackId) -> TrackType {
    trace.tracks.kind.get(track.row())
}

/// Whether marks of programs can create such a track.
fn holds(kind: TrackType) -> bool {
    kind.is_stack() || kind.owner() == TrackOwner::Process && !kind.is_counter()
}

fn is_of_process(kind: TrackType) -> bool {
    kind.owner() == TrackOwner::Process
}

fn image(trace: &Trace, lines: &Lines) -> Image {
    let mut print = Printer {
        trace,
        image: Image::new(header(trace)),
        owners: FxHashMap::default(),
        speakers: FxHashMap::default(),
        method_ids: method_ids(trace),
        // Clocks have no negative values.
        shift: lines
            .rows
            .first()
            .map_or(0, |(ts, _)| (*ts).min(0).saturating_neg()),
    };
    for (row, method) in trace.methods.rows().enumerate() {
        let text = |id| trace.strings.get(id);
        let name = match (
            text(method.class),
            text(method.name),
            text(method.signature),
        ) {
            ("", "", _) => continue,
            (class, name, signature) => format!("{class} {name} {signature}"),
        };
        let id = print.method_ids[row];
        let name = name.trim_end().as_bytes();
        print.image.note(NoteKind::Name, id, name);
        let source = match (text(method.file), method.line) {
            (file, 0..) => format!("{file}:{}", method.line),
            (file, _) => file.to_owned(),
        };
        if !source.is_empty() {
            print.image.note(NoteKind::Source, id, source.as_bytes());
        }
    }
    for (utid, thread) in trace.threads.rows().enumerate() {
        if let Some(upid) = thread.upid.some() {
            let utid = ThreadId::from_row(utid);
            let speaker = print.speakers.entry(upid).or_insert(utid);
            if thread.is_main_thread {
                *speaker = utid;
            }
        }
    }
    for &(ts, line) in &lines.rows {
        print.line(ts, line);
    }
    print.image
}

/// The ids of the methods if they fit, otherwise their rows.
fn method_ids(trace: &Trace) -> Vec<u32> {
    let raw = trace.methods.raw_id.iter();
    let raw: Option<Vec<u32>> = raw.map(|id| u32::try_from(id).ok()).collect();
    let mut seen = rustc_hash::FxHashSet::default();
    raw.filter(|ids| ids.iter().all(|id| seen.insert(*id)))
        .unwrap_or_else(|| (0..trace.methods.len() as u32).collect())
}

fn header(trace: &Trace) -> FileHeader {
    let mut header = FileHeader {
        chunk_bytes: CHUNK_BYTES,
        ..FileHeader::default()
    };
    let processes = trace.processes.rows();
    let mut processes = processes.filter(|process| process.pid > 0);
    if let (Some(process), None) = (processes.next(), processes.next()) {
        header.pid = process.pid as u32;
        header.process_name = fixed(trace.strings.get(process.name).as_bytes());
    }
    let best = |clock: ClockKind| {
        let rows = trace.clocks.iter().filter(|row| row.clock == clock);
        rows.min_by_key(|row| row.precision_ns)
    };
    if let Some(boot) = best(ClockKind::Boot).or(best(ClockKind::Monotonic)) {
        // The value of each clock at the first reading.
        let at = |clock: ClockKind| {
            let row = best(clock)?;
            let value = i128::from(row.value_ns) + i128::from(boot.ts) - i128::from(row.ts);
            u64::try_from(value).ok()
        };
        header.start = SyncPoint {
            ticks: boot.ts.max(0) as u64,
            boot_ns: boot.ts.max(0) as u64,
            mono_ns: at(ClockKind::Monotonic).unwrap_or(0),
            real_ns: at(ClockKind::Realtime).unwrap_or(0),
        };
    }
    header
}

struct Printer<'t> {
    trace: &'t Trace,
    image: Image,
    owners: FxHashMap<ThreadId, OwnerIndex>,
    /// The thread that writes the events of its process.
    speakers: FxHashMap<ProcessId, ThreadId>,
    /// The id of each row of methods.
    method_ids: Vec<u32>,
    shift: i64,
}

impl Printer<'_> {
    fn line(&mut self, ts: i64, line: Line) {
        let trace = self.trace;
        let ticks = ts.saturating_add(self.shift).max(0) as u64;
        let (track, name) = match line {
            Line::Begin(row) | Line::End(row) | Line::Instant(row) => {
                let track = trace.slices.track_id.get(row as usize);
                (track, trace.slice_name(SliceId(row)))
            }
            Line::Counter(row) => {
                let track = trace.counters.track_id.get(row as usize);
                let name = trace.tracks.name.get(track.row());
                (track, trace.strings.get(name).to_owned())
            }
        };
        let row = trace.tracks.row(track.row());
        let utid = row.utid.some().filter(|_| row.kind.is_stack());
        let upid = row.upid;
        let utid = utid.or_else(|| self.speakers.get(&upid).copied());
        let owner = self.owner(utid.unwrap_or(ThreadId::NONE), upid);
        let pid = upid
            .some()
            .map_or(0, |upid| trace.processes.pid.get(upid.row()).max(0));
        let lane = trace.strings.get(row.name);
        let text = Name::Text(name.as_bytes());
        let on_thread = row.kind.is_stack();
        let cookie = |row: u32| i64::from(row);
        let what = match line {
            Line::Begin(row) if on_thread => self.begin(row, text),
            Line::End(row) if on_thread => self.end(row),
            Line::Begin(slice) if row.kind.is_process_async() => {
                What::AsyncBegin(text, cookie(slice))
            }
            Line::End(slice) if row.kind.is_process_async() => What::AsyncEnd(text, cookie(slice)),
            Line::Begin(slice) => mark(format!("G|{pid}|{lane}|{name}|{slice}")),
            Line::End(slice) => mark(format!("H|{pid}|{lane}|{name}|{slice}")),
            Line::Counter(row) => self.counter(row, pid, &name),
            Line::Instant(_) if on_thread => What::Instant(text),
            Line::Instant(_) => mark(format!("N|{pid}|{lane}|{name}")),
        };
        self.image.push(owner, ticks, &what);
    }

    fn counter<'n>(&self, row: u32, pid: i64, name: &'n str) -> What<'n> {
        let row = self.trace.counters.row(row as usize);
        let category = self.trace.tracks.category.get(row.track_id.row());
        match self.trace.strings.get(category) {
            "" if row.value as i64 as f64 == row.value => {
                What::Counter(Name::Text(name.as_bytes()), row.value as i64)
            }
            "" => mark(format!("C|{pid}|{name}|{}", row.value)),
            category => mark(format!("C|{pid}|{name}|{}|{category}", row.value)),
        }
    }

    fn begin<'n>(&self, row: u32, name: Name<'n>) -> What<'n> {
        let slice = self.trace.slices.row(row as usize);
        match slice.method_id.some() {
            Some(method) => What::Enter {
                id: self.method_ids[method.row()],
                cpu_ns: u64::try_from(slice.thread_ts).ok(),
            },
            None => What::Begin(name),
        }
    }

    fn end(&self, row: u32) -> What<'static> {
        let slice = self.trace.slices.row(row as usize);
        let cpu_ns = slice.thread_ts.saturating_add(slice.thread_dur);
        match slice.method_id.some() {
            Some(method) => What::Exit {
                id: self.method_ids[method.row()],
                cpu_ns: u64::try_from(cpu_ns).ok().filter(|_| slice.thread_ts >= 0),
            },
            None => What::End,
        }
    }

    /// The thread in the file. A process without threads gets a generated main thread.
    fn owner(&mut self, utid: ThreadId, upid: ProcessId) -> OwnerIndex {
        // Generated threads are numbered downwards from the maximum.
        let key = utid
            .some()
            .unwrap_or(ThreadId(u32::MAX - 1 - upid.0.min(1 << 30)));
        if let Some(&owner) = self.owners.get(&key) {
            return owner;
        }
        let trace = self.trace;
        let number = |number: i64| u32::try_from(number).unwrap_or(0);
        let pid_of = |upid: ProcessId| match upid.some() {
            Some(upid) => number(trace.processes.pid.get(upid.row()).max(NO_NUMBER)),
            None => 0,
        };
        let (tid, pid, name) = match utid.some() {
            Some(utid) => {
                let thread = trace.threads.row(utid.row());
                (
                    number(thread.tid),
                    pid_of(thread.upid),
                    trace.strings.get(thread.name),
                )
            }
            None => (pid_of(upid), pid_of(upid), ""),
        };
        // Stored as in the kernel, with a NUL at its end.
        let short = &name.as_bytes()[..name.len().min(THREAD_NAME_BYTES - 1)];
        let owner = self.image.owner(Owner {
            pid,
            tid,
            name: fixed(short),
        });
        if short.len() < name.len() {
            self.image.name_owner(owner, name.as_bytes());
        }
        self.owners.insert(key, owner);
        owner
    }
}

fn mark(text: String) -> What<'static> {
    What::Mark(text.replace(['\n', '\r', '\0'], " ").into_bytes().into())
}

fn omissions(trace: &Trace) -> Written {
    let mut written = Written::keeping(
        trace,
        &[
            Omission::ThreadSlices,
            Omission::AsyncSlices,
            Omission::ProcessSlices,
            Omission::Counters,
            Omission::CounterCategories,
            Omission::Instants,
            Omission::StartTimes,
            Omission::WallTimes,
            Omission::CpuTimes,
            Omission::Fractions,
            Omission::Processes,
            Omission::ThreadNumbers,
            Omission::ClockSyncs,
            Omission::MethodDetails,
        ],
    );
    let counters = trace.counters.track_id.iter();
    let unwritten = counters.filter(|track| !is_of_process(kind(trace, *track)));
    written.add(Omission::Counters, unwritten.count() as u64);
    let instants = trace.slices.instants();
    let unwritten = instants.filter(|row| !holds(kind(trace, trace.slices.track_id.get(*row))));
    written.add(Omission::Instants, unwritten.count() as u64);
    let methods = trace.slices.method_id.iter();
    let cpu_only = methods.zip(trace.slices.thread_ts.iter());
    let cpu_only = cpu_only.filter(|(method, ts)| *method == MethodId::NONE && *ts != NO_DURATION);
    written.add(Omission::CpuTimes, cpu_only.count() as u64);
    written
}
