//! Adds slices to the paths of a whole tree, or subtracts them.

use std::ops::Range;

use traceloom_trace::{CHUNK_ROWS, MethodId, NO_DURATION, RowId, Trace};

use super::arena::{Link, NONE};
use super::clip::{Clip, Moment, TimeRange};
use super::counts::Counts;
use super::edges::{add_cut, end_of, see};
use super::freeze::{Span, set_root};
use super::function::FunctionId;
use super::lane::{begin_of, measured};
use super::measure::Sums as Times;
use super::nodes::CallNodes;
use super::sched::StateClock;
use super::whole::WholeTree;
use super::{NodeId, TreeClocks, TreeThread};
use crate::timeline::Timeline;

/// The data that all parts of the work share.
pub(super) struct Narrowing<'a> {
    pub whole: &'a WholeTree,
    pub trace: &'a Trace,
    pub timeline: &'a Timeline,
    pub range: TimeRange,
    /// The lanes that are wanted.
    pub is_in: Vec<bool>,
    pub clocks: TreeClocks,
    pub thread_clocks: bool,
    pub states: Option<&'a [StateClock]>,
    /// The slices that start within the range.
    pub window: Range<usize>,
    /// Whether slices outside the range are subtracted, instead of adding those inside.
    pub takes: bool,
}

/// The trees of some lanes.
pub(super) struct Counted {
    pub nodes: CallNodes,
    pub threads: Vec<TreeThread>,
}

/// The sums of some lanes, whose rows are adjacent in the whole tree.
pub(super) struct Sums<'n, 'a> {
    of: &'n Narrowing<'a>,
    rows: Range<u32>,
    counts: Counts,
    states: Vec<[i64; 3]>,
    /// For each lane, the last position in its state clock.
    hints: Vec<usize>,
}

impl<'n, 'a> Sums<'n, 'a> {
    pub fn new(of: &'n Narrowing<'a>, lanes: &Range<usize>) -> Self {
        let tree = &of.whole.tree;
        let rows = match &tree.threads[lanes.clone()] {
            [] => 0..0,
            [first, ..] => first.root.0..tree.nodes.end(tree.threads[lanes.end - 1].root).0,
        };
        let own = rows.start as usize..rows.end as usize;
        let mut sums = Self {
            of,
            counts: Counts::zeroed(own.len()),
            states: vec![[0; 3]; if of.states.is_some() { own.len() } else { 0 }],
            hints: vec![0; of.whole.lanes.len()],
            rows,
        };
        if of.takes {
            sums.counts = tree.nodes.counts.stretch(own.clone());
            sums.states.copy_from_slice(if of.states.is_some() {
                &tree.nodes.states[own]
            } else {
                &[]
            });
        }
        sums.start_unfinished();
        sums
    }

    /// Sets the nodes of slices that never ended to zero, because such slices are never subtracted.
    fn start_unfinished(&mut self) {
        let counts = &mut self.counts;
        counts.unfinished = self
            .of
            .whole
            .tree
            .nodes
            .counts
            .unfinished
            .stretch(&(self.rows.start as usize..self.rows.end as usize));
        for at in counts.unfinished.paths() {
            counts.set(at, [0; 2], 0);
            counts.unfinished.set(at, Some(Default::default()));
            if let Some(states) = self.states.get_mut(at as usize) {
                *states = [0; 3];
            }
        }
    }

    /// Adds or subtracts these slices, except those that never ended, which follow later.
    pub fn each(&mut self, rows: Range<usize>) {
        let of = self.of;
        let slices = &of.trace.slices;
        for chunk in rows.start / CHUNK_ROWS..rows.end.div_ceil(CHUNK_ROWS) {
            let first = chunk * CHUNK_ROWS;
            let (ts, dur) = (slices.ts.chunk(chunk), slices.dur.chunk(chunk));
            let thread_dur = slices.thread_dur.chunk(chunk);
            let thread_ts = slices.thread_ts.chunk(chunk);
            let own = rows.start.max(first)..rows.end.min(first + CHUNK_ROWS);
            for (row, &node) in own.clone().zip(&of.whole.node_of[own]) {
                let (at, dur) = (row - first, dur.get(row - first));
                let begin = Moment {
                    wall_ns: ts.get(at),
                    cpu_ns: thread_ts.get(at).max(0),
                };
                let is_own = node.wrapping_sub(self.rows.start) < self.rows.len() as u32;
                // No range includes the largest time, so nothing there was added.
                if !is_own || dur == NO_DURATION || begin.wall_ns == i64::MAX {
                    continue;
                }
                let end = Moment {
                    wall_ns: begin.wall_ns.saturating_add(dur),
                    cpu_ns: begin.cpu_ns.saturating_add(thread_dur.get(at).max(0)),
                };
                let lane = match of.states {
                    Some(_) => of.whole.lane_of_track[slices.track_id.get(row).row()] as usize,
                    None => 0,
                };
                self.measure(lane, node, (begin, end), of.takes);
            }
        }
    }

    /// Adds or subtracts the times of a slice.
    #[inline]
    fn measure(&mut self, lane: usize, node: u32, part: (Moment, Moment), takes: bool) {
        let [wall_ns, cpu_ns, states @ ..] = self.times(lane, part);
        let at = node - self.rows.start;
        if self.of.states.is_some() {
            for (sum, time) in self.states[at as usize].iter_mut().zip(states) {
                *sum = sum.saturating_add(if takes { -time } else { time });
            }
        }
        let [wall_ns, cpu_ns] = [wall_ns, cpu_ns].map(|time| time.max(0) as u64);
        if takes {
            self.counts.take_call(at, wall_ns, cpu_ns);
        } else {
            self.counts.add_call(at, wall_ns, cpu_ns);
        }
    }

    /// Adds a slice that never ended.
    fn add_unfinished(&mut self, lane: usize, node: u32, part: (Moment, Moment)) {
        let span = self.times(lane, part);
        let at = node - self.rows.start;
        self.counts.add_call(at, 0, 0);
        self.counts.unfinished.add(at, &span);
    }

    #[inline]
    fn times(&mut self, lane: usize, (first, last): (Moment, Moment)) -> Times {
        let (wall_ns, cpu_ns) = last.since(first);
        let Some(states) = self.of.states else {
            return [wall_ns, cpu_ns, 0, 0, 0];
        };
        let hint = &mut self.hints[lane];
        let end = last.wall_ns.max(first.wall_ns);
        let [cpu_ns, states @ ..] = states[lane].within(first.wall_ns, end, hint);
        let [runnable, sleeping, uninterruptible] = states;
        [wall_ns, cpu_ns, runnable, sleeping, uninterruptible]
    }

    /// Handles the slices of a lane that the range cuts, and those that never ended. Returns the duration of the lane.
    pub fn at_edges(&mut self, lane: usize) -> Span {
        let of = self.of;
        let (own, lanes) = (&of.whole.lanes[lane], &of.timeline.lanes);
        let mut clip = Clip::new(of.range);
        let mut cut = Vec::new();
        for level in 0..lanes.levels(own.track) {
            let level = of.timeline.lane(of.trace, own.track, level);
            let ends = [of.range.from_ns, of.range.to_ns];
            let before = ends.map(|ns| level.count_before(ns, 0));
            if of.thread_clocks {
                (0..2).for_each(|nth| see(of.trace, &level, (ends[nth], before[nth]), &mut clip));
            }
            add_cut((of.trace, of.range), &level, before, &mut cut);
        }
        for row in cut {
            let (node, begin) = (of.whole.node_of[row], begin_of(of.trace, row));
            if let Some(end) = end_of(of.trace, row).filter(|_| node != NONE) {
                if of.window.contains(&row) {
                    self.measure(lane, node, (begin, end), true);
                }
                if let Some(part) = clip.call(begin, end) {
                    self.measure(lane, node, part, false);
                }
            }
        }
        for &(row, node) in &own.open {
            let begin = begin_of(of.trace, row as usize);
            let is_call = of.trace.slices.method_id.get(row as usize) != MethodId::NONE;
            if is_call && of.takes && TimeRange::ALL.overlaps(begin.wall_ns, own.last.wall_ns) {
                self.measure(lane, node, (begin, own.last), true);
            }
            match clip.call(begin, own.last) {
                Some(part) if is_call => self.measure(lane, node, part, false),
                Some(part) => self.add_unfinished(lane, node, part),
                None => {}
            }
        }
        if !own.has_methods {
            Span::SumOfCalls
        } else {
            measured(
                clip.call(own.first, own.last),
                of.states.map(|states| &states[lane]),
            )
        }
    }

    /// The rows that have calls in their subtree.
    pub fn finish(self, lanes: Range<usize>, spans: &[Span]) -> Counted {
        let tree = &*self.of.whole.tree;
        let wanted = lanes.zip(spans).filter(|(lane, _)| self.of.is_in[*lane]);
        let wanted: Vec<_> = wanted
            .map(|(lane, span)| (&tree.threads[lane], *span))
            .collect();
        let kept = Kept {
            places: self.places(&wanted),
            first: self.rows.start,
        };
        let mut nodes = CallNodes {
            links: self.kept_links(&kept),
            states: kept.rows_of(&self.states),
            counts: self.kept_counts(&kept),
        };
        let unfinished = nodes.counts.unfinished.paths().into_iter().map(NodeId);
        let is_call = |node: &NodeId| nodes.function(*node) != FunctionId::TOPLEVEL;
        nodes.settle(unfinished.filter(is_call).collect());
        let thread = |(thread, span): (&TreeThread, Span)| {
            let root = NodeId(kept.place_of(thread.root.0));
            set_root(&mut nodes, root, span);
            TreeThread {
                root,
                ..thread.clone()
            }
        };
        let threads = wanted.into_iter().map(thread).collect();
        Counted { nodes, threads }
    }

    fn kept_links(&self, kept: &Kept) -> Vec<Link> {
        let old = &self.of.whole.tree.nodes.links[self.rows.start as usize..][..self.rows.len()];
        let mut links = Vec::with_capacity(kept.len());
        for (at, link) in old.iter().enumerate().filter(|(at, _)| kept.has(*at)) {
            let [function, end, parent, _] = link.0;
            let parent = match parent {
                NONE => NONE,
                parent => kept.place_of(parent),
            };
            links.push(Link([
                function,
                kept.place_of(end),
                parent,
                kept.places[at],
            ]));
        }
        links
    }

    fn kept_counts(self, kept: &Kept) -> Counts {
        let rows = self.rows.len();
        if kept.len() == rows {
            return self.counts;
        }
        let own = (0..rows).filter(|at| kept.has(*at)).map(|at| at as u32);
        self.counts.picked(kept.len(), own)
    }

    /// For each row of the whole tree, and for the end, the number of rows before it that are kept.
    fn places(&self, wanted: &[(&TreeThread, Span)]) -> Vec<u32> {
        let tree = &*self.of.whole.tree;
        let mut places = vec![0; self.rows.len() + 1];
        let first = self.rows.start as usize;
        for (thread, _) in wanted {
            let rows = tree.rows_of(thread);
            places[rows.start - first + 1] = 1;
            // Parents come before their children.
            for at in (rows.start + 1 - first..rows.end - first).rev() {
                if places[at + 1] != 0 || self.counts.calls(at as u32) > 0 {
                    let parent = tree.nodes.links[first + at].0[2] as usize;
                    (places[at + 1], places[parent - first + 1]) = (1, 1);
                }
            }
        }
        let mut kept = 0;
        for place in &mut places {
            kept += *place;
            *place = kept;
        }
        places
    }
}

/// Which rows of a part of the whole tree are kept.
struct Kept {
    /// For each row, and for the end, the number of rows before it that are kept.
    places: Vec<u32>,
    /// The first row.
    first: u32,
}

impl Kept {
    fn len(&self) -> usize {
        self.places.last().map_or(0, |count| *count as usize)
    }

    /// Whether the row with this index in the part is kept.
    fn has(&self, at: usize) -> bool {
        self.places[at] != self.places[at + 1]
    }

    /// The new place of a row of the whole tree.
    fn place_of(&self, row: u32) -> u32 {
        self.places[(row - self.first) as usize]
    }

    /// The values of the kept rows. Nothing is kept of a column without values.
    fn rows_of<T: Copy>(&self, column: &[T]) -> Vec<T> {
        let rows = column.iter().enumerate();
        let kept = rows.filter(|(at, _)| self.has(*at));
        kept.map(|(_, value)| *value).collect()
    }
}
