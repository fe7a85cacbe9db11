//! Counts the slices of some tracks in one walk over all slices.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;
use traceloom_trace::{CHUNK_ROWS, MethodId, NO_DURATION, RowId, SliceId, Trace, TrackId};

use super::CallNodes;
use super::arena::{Arena, NONE};
use super::clip::{Clip, Moment, TimeRange};
use super::freeze::{ROOT_KEY, Span, StateSums, freeze};
use super::measure::{Sums, add};
use super::plan::Plan;
use super::sched::StateClock;

/// A track while its slices are counted.
pub(super) struct Lane {
    pub track: TrackId,
    /// Its first slice, by which lanes are sorted.
    pub first_slice: u32,
    pub first: Moment,
    pub last: Moment,
    pub has_methods: bool,
    /// The offset from the number of a node in its walk to the number of its counts.
    pub first_path: u32,
    root: u32,
    clip: Clip,
    states: StateClock,
    /// The path from the root to the newest slice: slices and their nodes.
    path: Vec<(u32, u32)>,
    /// Slices that never ended, and their nodes. Their durations are known only at the end.
    pub open: Vec<(u32, u32)>,
    /// Slices that an end of the range cuts. The CPU clock at the cut is known only after all events.
    cut: Vec<(u32, Moment, Moment)>,
}

/// Some lanes and the tree of their slices.
pub(super) struct Counted {
    pub lanes: Vec<Lane>,
    pub nodes: CallNodes,
    /// The roots of the lanes.
    pub roots: Vec<super::NodeId>,
    pub calls: u64,
}

/// A walk over the slices of some tracks.
pub(super) struct Walk<'a> {
    plan: &'a Plan<'a>,
    arena: Arena,
    lanes: Vec<Lane>,
    /// The lane of each track; [`NONE`] for tracks that are not in this walk.
    lane_of_track: Vec<u32>,
    is_mine: Vec<bool>,
    sums: StateSums,
    /// The nodes of slices that do not directly follow their parents.
    stray: FxHashMap<u32, u32>,
    calls: u64,
}

impl<'a> Walk<'a> {
    /// Counts the slices of the tracks for which `is_mine` is `true`. The result for a track does not depend on the
    /// other tracks of the walk.
    pub fn count(plan: &'a Plan<'a>, is_mine: Vec<bool>) -> Counted {
        let mut walk = Self {
            plan,
            arena: Arena::default(),
            lanes: Vec::new(),
            lane_of_track: vec![NONE; is_mine.len()],
            is_mine,
            sums: Vec::new(),
            stray: FxHashMap::default(),
            calls: 0,
        };
        walk.add_slices();
        walk.close();
        walk.finish()
    }

    /// Adds each slice of the tracks to its lane.
    fn add_slices(&mut self) {
        let slices = &self.plan.trace.slices;
        for chunk in 0..slices.len().div_ceil(CHUNK_ROWS) {
            let first = chunk * CHUNK_ROWS;
            let tracks = slices.track_id.chunk(chunk);
            let (ts, dur) = (slices.ts.chunk(chunk), slices.dur.chunk(chunk));
            let (thread_ts, thread_dur) = (
                slices.thread_ts.chunk(chunk),
                slices.thread_dur.chunk(chunk),
            );
            let (names, methods) = (slices.name.chunk(chunk), slices.method_id.chunk(chunk));
            let (parents, instants) = (slices.parent_id.chunk(chunk), slices.instant.chunk(chunk));
            for at in 0..CHUNK_ROWS.min(slices.len() - first) {
                let track = tracks.get(at);
                if !self.is_mine[track.row()] || instants.get(at) {
                    continue;
                }
                let begin = Moment {
                    wall_ns: ts.get(at),
                    cpu_ns: thread_ts.get(at).max(0),
                };
                let dur = dur.get(at);
                let slice = Slice {
                    row: (first + at) as u32,
                    begin,
                    end: (dur != NO_DURATION).then(|| Moment {
                        wall_ns: begin.wall_ns.saturating_add(dur),
                        cpu_ns: begin.cpu_ns.saturating_add(thread_dur.get(at).max(0)),
                    }),
                    parent: parents.get(at),
                    key: self.plan.key(methods.get(at), names.get(at), dur),
                    is_method: methods.get(at) != MethodId::NONE,
                };
                let lane = self.lane(track, &slice);
                self.add(lane, &slice);
            }
        }
    }

    #[inline]
    fn lane(&mut self, track: TrackId, slice: &Slice) -> usize {
        match self.lane_of_track[track.row()] {
            NONE => self.new_lane(track, slice),
            lane => lane as usize,
        }
    }

    #[cold]
    fn new_lane(&mut self, track: TrackId, slice: &Slice) -> usize {
        self.lane_of_track[track.row()] = self.lanes.len() as u32;
        let trace = self.plan.trace;
        let utid = trace.tracks.utid.get(track.row());
        let states = self.plan.states.as_ref();
        self.lanes.push(Lane {
            track,
            first_slice: slice.row,
            first: slice.begin,
            last: slice.begin,
            root: self.arena.root(ROOT_KEY),
            has_methods: false,
            first_path: 0,
            clip: Clip::new(self.plan.range.unwrap_or(TimeRange::ALL)),
            states: states.map_or_else(StateClock::default, |states| states.clock(trace, utid)),
            path: Vec::new(),
            open: Vec::new(),
            cut: Vec::new(),
        });
        self.lanes.len() - 1
    }

    fn add(&mut self, at: usize, slice: &Slice) {
        let lane = &mut self.lanes[at];
        lane.has_methods |= slice.is_method;
        lane.first = lane.first.earliest(slice.begin);
        lane.last = lane
            .last
            .latest(slice.begin)
            .latest(slice.end.unwrap_or(slice.begin));
        if let Some(range) = self.plan.range {
            if self.plan.thread_clocks {
                lane.clip.see(slice.begin);
                slice.end.into_iter().for_each(|end| lane.clip.see(end));
            }
            let overlaps = |end: Moment| range.overlaps(slice.begin.wall_ns, end.wall_ns);
            if !slice.end.is_none_or(overlaps) {
                return;
            }
        }
        let node = self.place(at, slice);
        if let Some(place) = self.plan.nodes_of.get(slice.row as usize) {
            place.store(node, Ordering::Relaxed);
        }
        let lane = &mut self.lanes[at];
        lane.path.push((slice.row, node));
        match slice.end {
            Some(end) if self.plan.cuts(slice.begin, end) => {
                lane.cut.push((node, slice.begin, end))
            }
            Some(end) => self.measure(at, node, slice.begin, end),
            None => {
                lane.open.push((slice.row, node));
                if self.plan.is_unfinished(slice.key) {
                    self.arena.counts_mut().unfinished.mark(node);
                }
            }
        }
    }

    /// The node of a slice: a child of its parent's node. The parent is usually the newest slice or one of its ancestors.
    fn place(&mut self, at: usize, slice: &Slice) -> u32 {
        let lane = &mut self.lanes[at];
        if slice.parent == SliceId::NONE {
            lane.path.clear();
            return self.arena.child(lane.root, slice.key);
        }
        while let Some(&(newest, node)) = lane.path.last() {
            if newest == slice.parent.0 {
                return self.arena.child(node, slice.key);
            }
            lane.path.pop();
        }
        let parent = self.stray(slice.parent.0);
        self.arena.child(parent, slice.key)
    }

    /// The node of a slice that is not on the path to the newest one, because it is outside the range or time stepped
    /// back. Walks up to a slice whose node is cached, and down again.
    #[cold]
    fn stray(&mut self, slice: u32) -> u32 {
        let slices = &self.plan.trace.slices;
        let mut way = Vec::new();
        let mut next = SliceId(slice);
        let mut node = loop {
            if let Some(&node) = self.stray.get(&next.0) {
                break node;
            }
            way.push(next.row());
            let parent = slices.parent_id.get(next.row());
            if parent == SliceId::NONE || way.len() > slices.len() {
                let track = slices.track_id.get(next.row());
                break self.root_of(track);
            }
            next = parent;
        };
        while let Some(row) = way.pop() {
            let (method, name) = (slices.method_id.get(row), slices.name.get(row));
            let key = self.plan.key(method, name, slices.dur.get(row));
            node = self.arena.child(node, key);
            if self.plan.is_unfinished(key) {
                self.arena.counts_mut().unfinished.mark(node);
            }
            self.stray.insert(row as u32, node);
        }
        node
    }

    /// The root of a track. Parents are on the track of their children, so it has a lane.
    fn root_of(&self, track: TrackId) -> u32 {
        let lane = self.lane_of_track[track.row()] as usize;
        self.lanes.get(lane).map_or(0, |lane| lane.root)
    }

    fn measure(&mut self, at: usize, node: u32, begin: Moment, end: Moment) {
        let Some([wall_ns, cpu_ns, states @ ..]) = self.times(at, begin, end) else {
            return;
        };
        if self.plan.states.is_some() {
            if self.sums.len() <= node as usize {
                self.sums.resize(node as usize + 1, [0; 3]);
            }
            add(&mut self.sums[node as usize], &states);
        }
        self.calls += 1;
        self.arena.add_call(node, wall_ns as u64, cpu_ns as u64);
    }

    /// Counts a slice that never ended.
    fn measure_unfinished(&mut self, at: usize, node: u32, begin: Moment, end: Moment) {
        if let Some(span) = self.times(at, begin, end) {
            self.calls += 1;
            self.arena.add_call(node, 0, 0);
            self.arena.counts_mut().unfinished.add(node, &span);
        }
    }

    /// The times of the part of a slice that is in the range. None is negative.
    #[inline]
    fn times(&mut self, at: usize, begin: Moment, end: Moment) -> Option<Sums> {
        let lane = &mut self.lanes[at];
        let (first, last) = lane.clip.call(begin, end)?;
        let (wall_ns, cpu_ns) = last.since(first);
        if self.plan.states.is_none() {
            return Some([wall_ns, cpu_ns, 0, 0, 0]);
        }
        let all = TimeRange::ALL;
        let [cpu_ns, states @ ..] = lane.states.between(first.wall_ns, last.wall_ns, all);
        let [runnable, sleeping, uninterruptible] = states;
        Some([wall_ns, cpu_ns, runnable, sleeping, uninterruptible])
    }

    /// Measures slices that were cut, and those that never ended: methods up to the last event of the lane, other
    /// slices up to the end of their source.
    fn close(&mut self) {
        let trace = self.plan.trace;
        for at in 0..self.lanes.len() {
            let lane = &mut self.lanes[at];
            if !lane.has_methods {
                lane.last.wall_ns = lane.last.wall_ns.max(self.plan.source_end(lane.track));
            }
            let end = lane.last;
            for (node, begin, end) in std::mem::take(&mut lane.cut) {
                self.measure(at, node, begin, end);
            }
            let open = std::mem::take(&mut self.lanes[at].open);
            for &(row, node) in &open {
                let begin = begin_of(trace, row as usize);
                if trace.slices.method_id.get(row as usize) == MethodId::NONE {
                    self.measure_unfinished(at, node, begin, end);
                } else {
                    self.measure(at, node, begin, end);
                }
            }
            self.lanes[at].open = open;
        }
    }

    fn finish(mut self) -> Counted {
        let has_states = self.plan.states.is_some();
        let mut roots = Vec::with_capacity(self.lanes.len());
        for lane in &self.lanes {
            roots.push((lane.root, lane.span(has_states)));
        }
        let sums = self.plan.states.is_some().then(|| {
            self.sums.resize(self.arena.len(), [0; 3]);
            self.sums
        });
        let (nodes, roots) = freeze(self.arena, &roots, sums);
        Counted {
            lanes: self.lanes,
            nodes,
            roots,
            calls: self.calls,
        }
    }
}

/// The start of a slice.
pub(super) fn begin_of(trace: &Trace, row: usize) -> Moment {
    Moment {
        wall_ns: trace.slices.ts.get(row),
        cpu_ns: trace.slices.thread_ts.get(row).max(0),
    }
}

/// The columns of a slice.
struct Slice {
    row: u32,
    begin: Moment,
    end: Option<Moment>,
    parent: SliceId,
    key: u32,
    is_method: bool,
}

impl Lane {
    /// The duration of the lane: from the first to the last event for methods, else the sum of its outermost slices.
    fn span(&self, has_states: bool) -> Span {
        if !self.has_methods {
            Span::SumOfCalls
        } else {
            measured(
                self.clip.call(self.first, self.last),
                has_states.then_some(&self.states),
            )
        }
    }
}

/// The time between two moments. The CPU time is that of the scheduler, if recorded.
pub(super) fn measured(moments: Option<(Moment, Moment)>, states: Option<&StateClock>) -> Span {
    let Some((first, last)) = moments else {
        return Span::Measured(0, 0);
    };
    let (wall_ns, cpu_ns) = last.since(first);
    let end = last.wall_ns.max(first.wall_ns);
    let running = states.map(|states| states.within(first.wall_ns, end, &mut 0)[0]);
    Span::Measured(wall_ns, running.unwrap_or(cpu_ns))
}
