//! The tree of a part of a trace, from the tree of all of it.
//!
//! Slices stand in order of time, so those that begin within a range are a stretch of the table.
//! Either these are added up, or all others are taken from the whole: whichever are fewer. What
//! the range's ends cut is found by the time line's lanes, level by level:
//!
//! ```text
//! range            |from            to|
//! level 0   [ cut               ]  [ cut   ]
//! level 1      [x]   [added] [added]  [x]
//! ```
//!
//! Rows stand in the order that they have in the whole tree.

use std::ops::Range;

use traceloom_trace::{CHUNK_ROWS, NO_DURATION, RowId, Trace};

use super::arena::{Link, NONE};
use super::clip::{Clip, Moment, TimeRange};
use super::counts::Counts;
use super::freeze::{Span, set_root};
use super::from_trace::{Counts as Tracks, TreeOptions};
use super::lane::begin_of;
use super::nodes::CallNodes;
use super::sched::StateClock;
use super::whole::{WholeLane, WholeTree};
use super::{CallTree, NodeId, TreeClocks, TreeThread};
use crate::timeline::{Lane, Spans, Timeline, partition, parts, run};

impl WholeTree {
    /// The tree of what stands in a range, on some tracks: those that `wanted` has `true` for, by
    /// their rows; all if there is none. `timeline` is the trace's.
    ///
    /// The same as [`CallTree::of_tracks`] counts, but for the order of calls within each call,
    /// and that [`functions`](CallTree::functions) has those of the whole trace.
    pub fn narrowed(
        &self,
        trace: &Trace,
        timeline: &Timeline,
        range: Option<TimeRange>,
        wanted: Option<&[bool]>,
    ) -> CallTree {
        let options = TreeOptions::default();
        let tracks = Tracks::of(trace, self.slices_of_track.clone(), &options, wanted);
        let narrowing = Narrowing::new(self, trace, timeline, range, &tracks.is_in);
        let rows: usize = narrowing.rows().map(|rows| rows.len()).iter().sum();
        let threads = parts(rows + self.tree.nodes.len(), usize::MAX).len();
        let counted = run(threads, &|part| {
            narrowing.count(narrowing.share(part, threads))
        });
        narrowing.tree(counted, tracks.left_out)
    }
}

/// What all parts of the work share.
struct Narrowing<'a> {
    whole: &'a WholeTree,
    trace: &'a Trace,
    timeline: &'a Timeline,
    range: TimeRange,
    /// The lanes that are wanted.
    is_in: Vec<bool>,
    clocks: TreeClocks,
    thread_clocks: bool,
    states: Option<&'a [StateClock]>,
    /// The slices that begin within the range.
    window: Range<usize>,
    /// Whether slices outside of it are taken away, instead of those within it added.
    takes: bool,
}

/// The trees of some lanes.
struct Counted {
    nodes: CallNodes,
    threads: Vec<TreeThread>,
}

impl<'a> Narrowing<'a> {
    fn new(
        whole: &'a WholeTree,
        trace: &'a Trace,
        timeline: &'a Timeline,
        range: Option<TimeRange>,
        wanted: &[bool],
    ) -> Self {
        let range = range.unwrap_or(TimeRange::ALL);
        let ts = &trace.slices.ts;
        let before = |ns: i64| partition(ts.len(), |&row| ts.get(row) < ns);
        let from = before(range.from_ns);
        let window = from..before(range.to_ns).max(from);
        let is_in = |lane: &WholeLane| wanted[lane.track.row()];
        let is_in: Vec<bool> = whole.lanes.iter().map(is_in).collect();
        let clock = |(lane, is_in): (&WholeLane, &bool)| *is_in && lane.has_thread_clock;
        let thread_clocks = whole.lanes.iter().zip(&is_in).any(clock);
        let clocks = whole.clocks(trace, thread_clocks);
        Self {
            takes: clocks == whole.tree.clocks && window.len() > ts.len() / 2 && whole.is_exact(),
            states: whole.states(trace).filter(|_| clocks.states),
            whole,
            trace,
            timeline,
            range,
            is_in,
            clocks,
            thread_clocks,
            window,
        }
    }

    /// The slices that are added or taken away one by one.
    fn rows(&self) -> [Range<usize>; 2] {
        match self.takes {
            true => [
                0..self.window.start,
                self.window.end..self.trace.slices.len(),
            ],
            false => [self.window.clone(), 0..0],
        }
    }

    /// The lanes of a part of the work: about as many slices as the others have.
    fn share(&self, part: usize, parts: usize) -> Range<usize> {
        let slices = |lane: &WholeLane| u64::from(self.whole.slices_of_track[lane.track.row()]);
        let all: u64 = self.whole.lanes.iter().map(slices).sum();
        let cut = |part: usize| {
            let most = (all * part as u64).div_ceil(parts as u64);
            let mut sum = 0;
            let lanes = self.whole.lanes.iter();
            let before = lanes.take_while(|lane| {
                sum += slices(lane);
                sum <= most
            });
            before.count()
        };
        cut(part)..cut(part + 1)
    }

    fn count(&self, lanes: Range<usize>) -> Counted {
        let mut sums = Sums::new(self, &lanes);
        for rows in self.rows() {
            sums.each(rows);
        }
        let spans = lanes.clone().map(|lane| match self.is_in[lane] {
            true => sums.at_edges(lane),
            false => Span::SumOfCalls,
        });
        let spans: Vec<Span> = spans.collect();
        sums.finish(lanes, &spans)
    }

    fn tree(&self, parts: Vec<Counted>, left_out: u64) -> CallTree {
        let whole = &*self.whole.tree;
        let mut tree = CallTree {
            functions: whole.functions.clone(),
            origins: whole.origins.clone(),
            clocks: self.clocks,
            repairs: whole.repairs.clone(),
            other_slices: left_out,
            clock_overhead_ns: whole.clock_overhead_ns,
            ..CallTree::default()
        };
        for part in parts {
            let first = tree.nodes.len() as u32;
            let threads = part.threads.into_iter().map(|thread| TreeThread {
                root: NodeId(first + thread.root.0),
                ..thread
            });
            tree.threads.extend(threads);
            tree.nodes.extend(part.nodes);
        }
        tree.calls = tree.calls_of_threads();
        tree
    }
}

/// What is added up of some lanes, whose rows stand together in the whole tree.
struct Sums<'n, 'a> {
    of: &'n Narrowing<'a>,
    rows: Range<u32>,
    counts: Counts,
    states: Vec<[i64; 3]>,
    /// For each lane where its state clock was asked last.
    hints: Vec<usize>,
}

impl<'n, 'a> Sums<'n, 'a> {
    fn new(of: &'n Narrowing<'a>, lanes: &Range<usize>) -> Self {
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
            sums.states.copy_from_slice(match of.states.is_some() {
                true => &tree.nodes.states[own],
                false => &[],
            });
        }
        sums
    }

    /// Adds these slices, or takes them away. What never ended is left for later.
    fn each(&mut self, rows: Range<usize>) {
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
                // A range never holds the last moment of all, so nothing there was added.
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

    /// Adds a slice's times, or takes them away.
    #[inline]
    fn measure(&mut self, lane: usize, node: u32, (first, last): (Moment, Moment), takes: bool) {
        let (wall_ns, mut cpu_ns) = last.since(first);
        let at = node - self.rows.start;
        if let Some(states) = self.of.states {
            let hint = &mut self.hints[lane];
            let end = last.wall_ns.max(first.wall_ns);
            let [running, rest @ ..] = states[lane].within(first.wall_ns, end, hint);
            cpu_ns = running;
            for (sum, time) in self.states[at as usize].iter_mut().zip(rest) {
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

    /// Sees to what the ends of the range cut of a lane, and to what never ended. How long the
    /// lane took.
    fn at_edges(&mut self, lane: usize) -> Span {
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
            add_cut(of, &level, before, &mut cut);
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
            if of.takes && TimeRange::ALL.overlaps(begin.wall_ns, own.last.wall_ns) {
                self.measure(lane, node, (begin, own.last), true);
            }
            if let Some(part) = clip.call(begin, own.last) {
                self.measure(lane, node, part, false);
            }
        }
        match own.has_methods {
            false => Span::SumOfCalls,
            true => clip
                .call(own.first, own.last)
                .map_or(Span::Measured(0, 0), |(first, last)| {
                    let (wall_ns, cpu_ns) = last.since(first);
                    Span::Measured(wall_ns, cpu_ns)
                }),
        }
    }

    /// The rows that have calls, or others that do below them.
    fn finish(self, lanes: Range<usize>, spans: &[Span]) -> Counted {
        let tree = &*self.of.whole.tree;
        let wanted = lanes.zip(spans).filter(|(lane, _)| self.of.is_in[*lane]);
        let wanted: Vec<_> = wanted
            .map(|(lane, span)| (&tree.threads[lane], *span))
            .collect();
        let places = self.places(&wanted);
        let (first, rows) = (self.rows.start, self.rows.len());
        let (kept, moved) = (places[rows], |row: u32| places[(row - first) as usize]);
        let stays = |at: &usize| places[*at] != places[at + 1];
        let mut links = Vec::with_capacity(kept as usize);
        let old = &tree.nodes.links[first as usize..][..rows];
        for (at, link) in old.iter().enumerate().filter(|(at, _)| stays(at)) {
            let [function, end, parent, _] = link.0;
            let parent = if parent == NONE {
                parent
            } else {
                moved(parent)
            };
            links.push(Link([function, moved(end), parent, places[at]]));
        }
        let mut nodes = CallNodes {
            links,
            counts: match kept as usize == rows {
                true => self.counts,
                false => {
                    let kept_rows = (0..rows).filter(stays).map(|at| at as u32);
                    self.counts.picked(kept as usize, kept_rows)
                }
            },
            states: match self.states.is_empty() {
                true => Vec::new(),
                false => (0..rows).filter(stays).map(|at| self.states[at]).collect(),
            },
        };
        let thread = |(thread, span): (&TreeThread, Span)| {
            let root = NodeId(moved(thread.root.0));
            set_root(&mut nodes, root, span);
            TreeThread {
                root,
                ..thread.clone()
            }
        };
        let threads = wanted.into_iter().map(thread).collect();
        Counted { nodes, threads }
    }

    /// For each row of the whole tree, and behind the last, how many stay before it.
    fn places(&self, wanted: &[(&TreeThread, Span)]) -> Vec<u32> {
        let tree = &*self.of.whole.tree;
        let mut places = vec![0; self.rows.len() + 1];
        let first = self.rows.start as usize;
        for (thread, _) in wanted {
            let rows = tree.rows_of(thread);
            places[rows.start - first + 1] = 1;
            // Parents stand before their children.
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

/// When a slice ended, if it did.
fn end_of(trace: &Trace, row: usize) -> Option<Moment> {
    let (begin, dur) = (begin_of(trace, row), trace.slices.dur.get(row));
    (dur != NO_DURATION).then(|| Moment {
        wall_ns: begin.wall_ns.saturating_add(dur),
        cpu_ns: begin
            .cpu_ns
            .saturating_add(trace.slices.thread_dur.get(row).max(0)),
    })
}

/// The slices of a level that an end of the range cuts; `before` are how many begin before each.
fn add_cut(of: &Narrowing<'_>, level: &Lane<'_>, before: [usize; 2], cut: &mut Vec<usize>) {
    let is_cut = |row: usize| {
        let (begin, end) = (of.trace.slices.ts.get(row), end_of(of.trace, row));
        end.is_some_and(|end| {
            let is_out = begin < of.range.from_ns || end.wall_ns > of.range.to_ns;
            is_out && of.range.overlaps(begin, end.wall_ns)
        })
    };
    let [from, to] = before;
    // Where slices follow each other, only the last before each end can reach over it.
    let (first, last) = match level.overlaps() {
        true => (0, from),
        false => (from.saturating_sub(1), to.saturating_sub(1).max(from)),
    };
    let rows = (first..from)
        .chain(last..to)
        .map(|at| level.ids()[at] as usize);
    cut.extend(rows.filter(|row| is_cut(*row)));
}

/// Shows a clip the events of a level that stand nearest to one of its ends, on both sides;
/// `before` is how many slices begin before it.
fn see(trace: &Trace, level: &Lane<'_>, (at_ns, before): (i64, usize), clip: &mut Clip) {
    let (ids, count) = (level.ids(), level.count());
    let end = |at: usize| end_of(trace, ids[at] as usize);
    let begin = |at: usize| begin_of(trace, ids[at] as usize);
    if level.overlaps() {
        (0..count).for_each(|at| {
            clip.see(begin(at));
            end(at).into_iter().for_each(|end| clip.see(end));
        });
        return;
    }
    // All before `middle` begin at or before the moment, and all but the last of them end so.
    let at_once = (before..count).take_while(|at| level.start(*at) == at_ns);
    let middle = before + at_once.count();
    nearest((0..middle).rev().map(|at| Some(begin(at))), clip);
    nearest((middle..count).map(|at| Some(begin(at))), clip);
    let is_before = |moment: &Moment| moment.wall_ns <= at_ns;
    nearest((0..middle).rev().map(|at| end(at).filter(is_before)), clip);
    let is_behind = |moment: &Moment| !is_before(moment);
    let behind = middle.saturating_sub(1)..count;
    nearest(behind.map(|at| end(at).filter(is_behind)), clip);
}

/// Shows a clip all events of the first instant that has any.
fn nearest(moments: impl Iterator<Item = Option<Moment>>, clip: &mut Clip) {
    let mut first = None;
    for moment in moments.flatten() {
        if *first.get_or_insert(moment.wall_ns) != moment.wall_ns {
            return;
        }
        clip.see(moment);
    }
}

impl CallNodes {
    /// Puts others behind its own; both have their counts in the order of the rows.
    fn extend(&mut self, others: Self) {
        if self.links.is_empty() {
            *self = others;
            return;
        }
        let first = self.counts.append(others.counts);
        let moved = |row: u32| if row == u32::MAX { row } else { first + row };
        let links = others.links.into_iter().map(|link| {
            let [function, end, parent, path] = link.0;
            Link([function, moved(end), moved(parent), first + path])
        });
        self.links.extend(links);
        self.states.extend(others.states);
    }
}
