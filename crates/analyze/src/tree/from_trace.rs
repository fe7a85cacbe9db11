//! The tree from a trace's slices: calls of methods and named slices alike.

use traceloom_trace::{
    MethodId, NO_DURATION, NO_NUMBER, RepairKind, RowId, Trace, TrackId, TrackKind,
};

use super::arena::{Arena, NONE};
use super::clip::{Clip, Moment, TimeRange};
use super::freeze::{ROOT_KEY, Span, StateSums, freeze};
use super::function::Function;
use super::measure::{CpuSource, TreeClocks};
use super::sched::{StateClock, StatesByThread};
use super::{CallTree, NodeId, TreeThread};

/// What of a trace goes into its tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeOptions {
    /// Cut slices at the ends of this range.
    pub range: Option<TimeRange>,
    /// Take slices that stand on tracks of no thread too: async slices, interrupts. Each such
    /// track becomes a root.
    pub all_tracks: bool,
}

impl CallTree {
    /// The tree of a trace's slices.
    ///
    /// CPU times are those of the threads' clocks where the trace has them, else the time each
    /// thread ran according to the scheduler. A method that never ended is closed at its thread's
    /// last event; any other slice at the end of the trace.
    pub fn from_trace(trace: &Trace, options: &TreeOptions) -> Self {
        let mut work = Work::new(trace, *options);
        work.place_slices();
        work.find_ends();
        work.measure_slices();
        work.finish()
    }
}

/// A track with slices.
struct Row {
    track: TrackId,
    root: u32,
    first: Moment,
    last: Moment,
    has_methods: bool,
    clip: Clip,
}

struct Work<'a> {
    trace: &'a Trace,
    options: TreeOptions,
    arena: Arena,
    functions: Vec<Function>,
    method_keys: Vec<u32>,
    name_keys: Vec<u32>,
    rows: Vec<Row>,
    /// The row of each track, [`NONE`] for those without slices and those left out.
    row_of_track: Vec<u32>,
    node_of_slice: Vec<u32>,
    states: Option<StateSums>,
    thread_clocks: bool,
    calls: u64,
    other_slices: u64,
}

impl<'a> Work<'a> {
    fn new(trace: &'a Trace, options: TreeOptions) -> Self {
        Self {
            trace,
            options,
            arena: Arena::default(),
            functions: Vec::new(),
            method_keys: vec![NONE; trace.methods.len()],
            name_keys: vec![NONE; trace.strings.len()],
            rows: Vec::new(),
            row_of_track: vec![NONE; trace.tracks.len()],
            node_of_slice: vec![NONE; trace.slices.len()],
            states: None,
            thread_clocks: false,
            calls: 0,
            other_slices: 0,
        }
    }

    /// Gives every slice its node. A parent may stand behind its child where time stepped back, so
    /// the way up is walked until a slice with a node, and then down again.
    fn place_slices(&mut self) {
        let mut pending = Vec::new();
        for row in 0..self.trace.slices.len() {
            if !self.wants(self.trace.slices.track_id.get(row)) {
                continue;
            }
            let mut at = row;
            while self.node_of_slice[at] == NONE {
                pending.push(at);
                match self.trace.slices.parent_id.get(at).some() {
                    Some(parent) if pending.len() <= self.trace.slices.len() => at = parent.row(),
                    _ => break,
                }
            }
            while let Some(row) = pending.pop() {
                self.node_of_slice[row] = self.place(row);
            }
        }
    }

    /// The node of a slice whose parent has one already.
    fn place(&mut self, row: usize) -> u32 {
        let track = self.trace.slices.track_id.get(row);
        let track_row = self.row_of(track, row);
        let above = self.trace.slices.parent_id.get(row).some();
        let above = above.map_or(NONE, |parent| self.node_of_slice[parent.row()]);
        let parent = if above == NONE {
            self.rows[track_row].root
        } else {
            above
        };
        let key = self.key_of(row);
        self.arena.child(parent, key)
    }

    fn wants(&self, track: TrackId) -> bool {
        let kind = self.trace.tracks.kind.get(track.row());
        self.options.all_tracks || matches!(kind, TrackKind::Thread | TrackKind::ThreadTrack)
    }

    /// The row of a track; made at its first slice.
    fn row_of(&mut self, track: TrackId, slice: usize) -> usize {
        let found = self.row_of_track[track.row()];
        if found != NONE {
            return found as usize;
        }
        self.row_of_track[track.row()] = self.rows.len() as u32;
        let first = self.begin_of(slice);
        self.rows.push(Row {
            track,
            root: self.arena.root(ROOT_KEY),
            first,
            last: first,
            has_methods: false,
            clip: Clip::new(self.options.range.unwrap_or(TimeRange::ALL)),
        });
        self.rows.len() - 1
    }

    fn key_of(&mut self, row: usize) -> u32 {
        let slices = &self.trace.slices;
        let method = slices.method_id.get(row).some();
        let key = match method {
            Some(method) => &mut self.method_keys[method.row()],
            None => &mut self.name_keys[slices.name.get(row).0 as usize],
        };
        if *key == NONE {
            *key = self.functions.len() as u32;
            self.functions.push(match method {
                Some(method) => method_function(self.trace, method),
                None => Function::named(self.trace.strings.get(slices.name.get(row))),
            });
        }
        *key
    }

    fn begin_of(&self, row: usize) -> Moment {
        Moment {
            wall_ns: self.trace.slices.ts.get(row),
            cpu_ns: self.trace.slices.thread_ts.get(row).max(0),
        }
    }

    /// The end of a slice, if it has one.
    fn end_of(&self, row: usize) -> Option<Moment> {
        let slices = &self.trace.slices;
        let (begin, dur) = (self.begin_of(row), slices.dur.get(row));
        (dur != NO_DURATION).then(|| Moment {
            wall_ns: begin.wall_ns.saturating_add(dur),
            cpu_ns: begin
                .cpu_ns
                .saturating_add(slices.thread_dur.get(row).max(0)),
        })
    }

    fn row_of_slice(&self, row: usize) -> Option<usize> {
        let track = self.trace.slices.track_id.get(row);
        (self.node_of_slice[row] != NONE).then(|| self.row_of_track[track.row()] as usize)
    }

    /// Finds the first and last event of each track, and its CPU clock at the ends of the range.
    fn find_ends(&mut self) {
        let clipped = self.options.range.is_some();
        for slice in 0..self.trace.slices.len() {
            let Some(at) = self.row_of_slice(slice) else {
                self.other_slices += 1;
                continue;
            };
            let (begin, end) = (self.begin_of(slice), self.end_of(slice));
            self.thread_clocks |= self.trace.slices.thread_ts.get(slice) != NO_DURATION;
            let is_method = self.trace.slices.method_id.get(slice) != MethodId::NONE;
            let row = &mut self.rows[at];
            row.has_methods |= is_method;
            row.first.wall_ns = row.first.wall_ns.min(begin.wall_ns);
            row.first.cpu_ns = row.first.cpu_ns.min(begin.cpu_ns);
            for moment in [Some(begin), end].into_iter().flatten() {
                row.last.wall_ns = row.last.wall_ns.max(moment.wall_ns);
                row.last.cpu_ns = row.last.cpu_ns.max(moment.cpu_ns);
                if clipped {
                    row.clip.see(moment);
                }
            }
        }
        let trace_end = self.trace.bounds.1;
        for row in self.rows.iter_mut().filter(|row| !row.has_methods) {
            row.last.wall_ns = row.last.wall_ns.max(trace_end);
        }
    }

    fn measure_slices(&mut self) {
        let by_thread = match self.thread_clocks {
            true => None,
            false => StatesByThread::new(self.trace),
        };
        let mut clocks: Vec<StateClock> = Vec::new();
        if let Some(states) = &by_thread {
            self.states = Some(vec![[0; 3]; self.arena.len()]);
            clocks.extend(self.rows.iter().map(|row| {
                let utid = self.trace.tracks.utid.get(row.track.row());
                states.clock(self.trace, utid)
            }));
        }
        for slice in 0..self.trace.slices.len() {
            if let Some(at) = self.row_of_slice(slice) {
                self.measure(slice, at, clocks.get_mut(at));
            }
        }
    }

    fn measure(&mut self, slice: usize, at: usize, states: Option<&mut StateClock>) {
        let row = &self.rows[at];
        let begin = self.begin_of(slice);
        let end = self.end_of(slice).unwrap_or(row.last);
        let Some((first, last)) = row.clip.call(begin, end) else {
            return;
        };
        let (wall_ns, mut cpu_ns) = last.since(first);
        let node = self.node_of_slice[slice];
        if let (Some(clock), Some(sums)) = (states, &mut self.states) {
            let [running, rest @ ..] = clock.between(first.wall_ns, last.wall_ns, TimeRange::ALL);
            cpu_ns = running;
            for (sum, time) in sums[node as usize].iter_mut().zip(rest) {
                *sum = sum.saturating_add(time);
            }
        }
        self.calls += 1;
        self.arena.add_call(node, wall_ns, cpu_ns);
    }

    fn finish(self) -> CallTree {
        let cpu = match (self.thread_clocks, &self.states) {
            (true, _) => CpuSource::ThreadClock,
            (false, Some(_)) => CpuSource::Scheduler,
            (false, None) => CpuSource::None,
        };
        let rebuilt = self.trace.repairs.count(RepairKind::RebuiltTime) > 0;
        let clocks = TreeClocks {
            wall: !(rebuilt && self.thread_clocks),
            cpu,
            states: self.states.is_some(),
        };
        let roots: Vec<_> = self.rows.iter().map(|row| (row.root, span(row))).collect();
        let (nodes, root_ids) = freeze(self.arena, &roots, self.states);
        let rows = self.rows.iter().zip(root_ids);
        CallTree {
            functions: self.functions,
            threads: rows
                .map(|(row, root)| describe(self.trace, row, root))
                .collect(),
            nodes,
            clocks,
            repairs: self.trace.repairs.clone(),
            calls: self.calls,
            other_slices: self.other_slices,
            clock_overhead_ns: overhead_of(self.trace),
        }
    }
}

fn span(row: &Row) -> Span {
    if !row.has_methods {
        return Span::SumOfCalls;
    }
    match row.clip.call(row.first, row.last) {
        Some((first, last)) => {
            let (wall_ns, cpu_ns) = last.since(first);
            Span::Measured(wall_ns, cpu_ns)
        }
        None => Span::Measured(0, 0),
    }
}

fn method_function(trace: &Trace, method: MethodId) -> Function {
    let row = trace.methods.row(method.row());
    Function::method(
        row.raw_id,
        trace.strings.get(row.class),
        trace.strings.get(row.name),
        trace.strings.get(row.signature),
    )
}

/// The key section's line; only where a single source has it, as it holds for that source alone.
fn overhead_of(trace: &Trace) -> Option<i64> {
    match trace.sources.len() {
        0 | 1 => trace
            .metadata("clock-call-overhead-nsec")?
            .trim()
            .parse()
            .ok(),
        _ => None,
    }
}

fn describe(trace: &Trace, row: &Row, root: NodeId) -> TreeThread {
    let track = trace.tracks.row(row.track.row());
    let own_name = trace.strings.get(track.name);
    let thread = track.utid.some();
    let upid = thread.map_or(track.upid, |utid| trace.threads.upid.get(utid.row()));
    let (process, pid) = match upid.some() {
        Some(upid) => {
            let process = trace.processes.row(upid.row());
            (trace.strings.get(process.name).to_owned(), process.pid)
        }
        None => (String::new(), NO_NUMBER),
    };
    let name = match (thread, own_name) {
        (Some(utid), "") => trace.thread_name(utid),
        (Some(utid), own) => format!("{} {own}", trace.thread_name(utid)),
        (None, "") if track.cpu != NO_NUMBER => format!("cpu {}", track.cpu),
        (None, own) if track.cpu != NO_NUMBER => format!("cpu {} {own}", track.cpu),
        (None, "") => track.kind.name().to_owned(),
        (None, own) => own.to_owned(),
    };
    TreeThread {
        name,
        tid: thread.map_or(NO_NUMBER, |utid| trace.threads.tid.get(utid.row())),
        process,
        pid,
        kind: track.kind,
        root,
        first_ns: row.first.wall_ns,
        last_ns: row.last.wall_ns,
    }
}
