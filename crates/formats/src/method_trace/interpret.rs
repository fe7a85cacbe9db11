//! Converts method events to the tables of a trace.

use traceloom_trace::{
    CallStack, ClockKind, ClockRow, MethodAction, MethodClocks, MethodEvent, MethodEvents,
    MethodId, MethodIndex, MethodLine, MethodRow, MethodTraceStart, NO_DURATION, NO_NUMBER, Place,
    RepairKind, RowId, SliceBegin, SourceId, StringId, ThreadId, ThreadIndex, TraceBuilder,
    TrackId,
};

/// A later start counts from 1970 (Dalvik) instead of from boot (ART): 30 years, ns.
const LONGEST_UPTIME_NS: i64 = 30 * 365 * 86_400 * 1_000_000_000;

/// The name of the sync point at the start of a method trace.
pub(super) const START: &str = crate::omissions::METHOD_TRACE_START;

/// Memory that slices may take, bytes: a fixed part, and a part for each byte of the file. These are what remains of
/// 64 MB and 16 bytes per byte after everything else.
const FREE_BYTES: u64 = 24 << 20;
const BYTES_PER_BYTE: u64 = 12;

/// Slices between two checks of their memory.
const LOOK_EVERY: usize = 1 << 14;

/// Memory of an open call besides its slice, in this struct, the builder and the decoder.
const OPEN_CALL_BYTES: usize = 24;

/// Memory for sorting: a key and a row number for each slice.
const SORTING_BYTES: usize = 12;

/// A thread with its open calls.
struct Thread {
    utid: ThreadId,
    track: TrackId,
    tid: u32,
    calls: CallStack<()>,
}

/// Converts method events to slices. The time of a slice is on the recording clock: the start of
/// the trace plus the wall time of the record. A method trace and a system trace of one device
/// therefore share a time line if both were recorded with `CLOCK_MONOTONIC`.
#[derive(Default)]
pub(crate) struct Interpreter {
    start_ns: i64,
    has_cpu: bool,
    first_method: usize,
    threads: Vec<Thread>,
    unmatched: Counted,
    missing: Counted,
    limit: Limit,
}

/// Memory that slices may take, bytes.
#[derive(Default)]
struct Limit {
    /// The number of slices at the next check.
    next_look: usize,
    open: usize,
    last_ts: i64,
    is_unsorted: bool,
    /// Records omitted because their slices would exceed the memory limit.
    beyond: Counted,
}

/// A repair that is counted here and reported at the end.
#[derive(Default)]
struct Counted {
    count: u64,
    first: Option<(Place, MethodIndex)>,
}

impl Counted {
    #[cold]
    fn add(&mut self, count: u64, event: &MethodEvent, ts: i64) {
        self.count += count;
        let place = Place::at_offset(event.offset).with_ts(ts);
        self.first.get_or_insert((place, event.method()));
    }
}

impl Interpreter {
    /// The consumer that writes into `builder`.
    pub fn on<'a>(&'a mut self, builder: &'a mut TraceBuilder) -> OnBuilder<'a> {
        OnBuilder {
            state: self,
            builder,
        }
    }

    fn method_id(&self, index: MethodIndex) -> MethodId {
        MethodId::from_row(self.first_method + index.0 as usize)
    }
}

/// An [`Interpreter`] and the builder it writes to.
pub(crate) struct OnBuilder<'a> {
    state: &'a mut Interpreter,
    builder: &'a mut TraceBuilder,
}

impl OnBuilder<'_> {
    #[inline]
    fn event(&mut self, event: &MethodEvent) {
        let state = &mut *self.state;
        let Some(thread) = state.threads.get_mut(event.thread.0 as usize) else {
            return;
        };
        let ts = state.start_ns.saturating_add(event.wall_ns);
        let key = event.method().0;
        if event.action() == MethodAction::Enter {
            let thread_ts = if state.has_cpu {
                event.cpu_ns
            } else {
                NO_DURATION
            };
            let method = MethodId::from_row(state.first_method + key as usize);
            thread.calls.push(key, ());
            let call = SliceBegin::call(ts, thread_ts, method);
            state.limit.open += 1;
            state.limit.is_unsorted |= ts < state.limit.last_ts;
            state.limit.last_ts = ts;
            self.builder.begin_slice(thread.track, call);
            return;
        }
        let Some(inner) = thread.calls.inner_calls(key) else {
            self.builder.saw_time(ts);
            state.unmatched.add(1, event, ts);
            return;
        };
        if inner > 0 {
            state.missing.add(inner as u64, event, ts);
        }
        let thread_ts = state.has_cpu.then_some(event.cpu_ns);
        state.limit.open = state.limit.open.saturating_sub(inner + 1);
        for _ in 0..=inner {
            thread.calls.pop();
            self.builder.end_slice(thread.track, ts, thread_ts);
        }
    }

    /// Whether the slices so far have reached the memory limit; if so, further records are only counted. A recorder
    /// writes more than four bytes for a call and its return, so only broken files exceed the limit.
    fn is_full(&mut self, batch: &[MethodEvent]) -> bool {
        let limit = &mut self.state.limit;
        let slices = &self.builder.trace().slices;
        if limit.beyond.count == 0 && slices.len() < limit.next_look {
            return false;
        }
        let Some(last) = batch.last() else {
            return false;
        };
        limit.next_look = slices.len() + LOOK_EVERY;
        let sorting = if limit.is_unsorted {
            slices.len() * SORTING_BYTES
        } else {
            0
        };
        let taken = slices.heap_bytes() + sorting + limit.open * OPEN_CALL_BYTES;
        let paid = FREE_BYTES.saturating_add(BYTES_PER_BYTE.saturating_mul(last.offset));
        let is_full = limit.beyond.count > 0 || taken as u64 > paid;
        if is_full {
            let ts = self.state.start_ns.saturating_add(last.wall_ns);
            limit.beyond.add(batch.len() as u64, last, ts);
        }
        is_full
    }

    fn report(&mut self, kind: RepairKind, counted: Counted) {
        let Some((place, method)) = counted.first else {
            return;
        };
        let name = self
            .builder
            .trace()
            .method_name(self.state.method_id(method));
        self.builder.repair(kind, counted.count, place, || name);
    }

    /// Adds the threads to the process that the key section names. The thread called `main` is its
    /// main thread, because newer versions of ART use thread numbers of their own.
    fn put_in_process(&mut self, keys: &[(String, String)]) {
        let pid = keys.iter().find(|(key, _)| key == "pid");
        let pid = pid.and_then(|(_, pid)| pid.trim().parse().ok());
        let name = keys.iter().find(|(key, _)| key == "cmdline");
        let name = name.map_or(StringId::NULL, |(_, name)| {
            self.builder.intern(name.as_bytes())
        });
        for thread in &self.state.threads {
            let pid = pid.unwrap_or(NO_NUMBER);
            let upid = self.builder.put_in_process(thread.utid, pid);
            self.builder.name_process(upid, name);
            let trace = self.builder.trace();
            let name = trace.threads.name.get(thread.utid.row());
            let is_main = trace.strings.get(name) == "main" || pid == i64::from(thread.tid);
            self.builder.set_main_thread(thread.utid, is_main);
        }
    }

    fn note_clocks(&mut self, clocks: MethodClocks) {
        let (ts, clock) = match self.state.start_ns {
            start if start > LONGEST_UPTIME_NS => (start, ClockKind::Realtime),
            start if clocks.wall => (start, ClockKind::Monotonic),
            start => (start, ClockKind::Trace),
        };
        self.builder.clock(ClockRow {
            source: SourceId::NONE,
            clock,
            ts,
            value_ns: ts,
            precision_ns: 1000,
            name: START.to_owned(),
        });
    }
}

impl MethodEvents for OnBuilder<'_> {
    fn start(&mut self, start: &MethodTraceStart) {
        self.state.start_ns = start.start_ns;
        self.state.has_cpu = start.clocks.cpu;
        self.state.first_method = self.builder.trace().methods.len();
        self.builder
            .metadata("method-trace-encoding", start.encoding);
        self.builder
            .metadata("method-trace-version", &format!("{:#x}", start.version));
        self.builder
            .metadata("method-trace-clocks", start.clocks.name());
        self.note_clocks(start.clocks);
    }

    fn thread(&mut self, index: ThreadIndex, tid: u32, name: &str) {
        if index.0 as usize >= self.state.threads.len() {
            let utid = self.builder.thread(tid.into());
            let track = self.builder.method_track(utid);
            self.state.threads.push(Thread {
                utid,
                track,
                tid,
                calls: CallStack::default(),
            });
        }
        let utid = self.state.threads[index.0 as usize].utid;
        let name = self.builder.intern(name.as_bytes());
        self.builder.name_thread(utid, name);
    }

    fn method(&mut self, index: MethodIndex, line: &MethodLine<'_>) {
        let dotted = line.class.replace('/', ".");
        let row = MethodRow {
            raw_id: line.raw_id,
            class: self.builder.intern_unless_empty(dotted.as_bytes()),
            name: self.builder.intern_unless_empty(line.name.as_bytes()),
            signature: self.builder.intern_unless_empty(line.signature.as_bytes()),
            file: self.builder.intern_unless_empty(line.file.as_bytes()),
            line: line.line,
            source: self.builder.source(),
        };
        let place = self.state.first_method + index.0 as usize;
        if place >= self.builder.trace().methods.len() {
            self.builder.method(row);
        } else {
            let method = MethodId::from_row(place);
            self.builder.rename_method(method, row);
        }
    }

    fn events(&mut self, batch: &[MethodEvent]) {
        if !self.is_full(batch) {
            batch.iter().for_each(|event| self.event(event));
        }
    }

    fn repair(&mut self, kind: RepairKind, count: u64, place: Place, detail: String) {
        self.builder.repair(kind, count, place, || detail);
    }

    fn finish(&mut self, key_section: &[(String, String)]) {
        let unmatched = std::mem::take(&mut self.state.unmatched);
        self.report(RepairKind::UnmatchedExit, unmatched);
        let missing = std::mem::take(&mut self.state.missing);
        self.report(RepairKind::MissingExit, missing);
        let beyond = std::mem::take(&mut self.state.limit.beyond);
        self.report(RepairKind::BeyondLimit, beyond);
        for (key, value) in key_section {
            self.builder.metadata(key, value);
        }
        self.put_in_process(key_section);
    }
}
