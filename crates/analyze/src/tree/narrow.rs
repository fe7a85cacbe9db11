//! Narrows the tree of a whole trace to a part of it.
//!
//! Slices are in order of time, so those that start within a range are consecutive rows. Either these are added up, or
//! all others are subtracted from the whole, whichever are fewer. The slices that an end of the range cuts are found in
//! the lanes of the timeline, level by level:
//!
//! ```text
//! range            |from            to|
//! level 0   [ cut               ]  [ cut   ]
//! level 1      [x]   [added] [added]  [x]
//! ```
//!
//! Rows have the same order as in the whole tree.

use std::ops::Range;

use traceloom_trace::{RowId, Trace};

use super::arena::Link;
use super::clip::TimeRange;
use super::freeze::Span;
use super::from_trace::{Counts as Tracks, TreeOptions};
use super::nodes::CallNodes;
use super::sums::{Counted, Narrowing, Sums};
use super::whole::{WholeLane, WholeTree};
use super::{CallTree, NodeId, TreeThread};
use crate::parallel;
use crate::partition::first_index_not;
use crate::timeline::Timeline;

impl WholeTree {
    /// The tree of a range, on the tracks for which `wanted` is `true`, by row; on all tracks if `None`. `timeline` must
    /// be that of the trace.
    ///
    /// The result equals that of [`CallTree::of_tracks`], except for the order of children, and that
    /// [`functions`](CallTree::functions) has the functions of the whole trace.
    pub fn narrowed(
        &self,
        trace: &Trace,
        timeline: &Timeline,
        range: Option<TimeRange>,
        wanted: Option<&[bool]>,
    ) -> CallTree {
        let options = TreeOptions::default();
        let tracks = Tracks::with_slices(trace, self.slices_of_track.clone(), &options, wanted);
        let narrowing = Narrowing::new(self, trace, timeline, range, &tracks.is_in);
        let rows: usize = narrowing.rows().map(|rows| rows.len()).iter().sum();
        let threads = parallel::split(rows + self.tree.nodes.len(), usize::MAX).len();
        narrowing.tree(threads, tracks.left_out)
    }
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
        let before = |ns: i64| first_index_not(ts.len(), |&row| ts.get(row) < ns);
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

    /// The slices to add or subtract one by one.
    fn rows(&self) -> [Range<usize>; 2] {
        if self.takes {
            [
                0..self.window.start,
                self.window.end..self.trace.slices.len(),
            ]
        } else {
            [self.window.clone(), 0..0]
        }
    }

    /// The lanes of one part of the work. All parts have about the same number of slices.
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
        let spans = lanes.clone().map(|lane| {
            if self.is_in[lane] {
                sums.at_edges(lane)
            } else {
                Span::SumOfCalls
            }
        });
        let spans: Vec<Span> = spans.collect();
        sums.finish(lanes, &spans)
    }

    /// The same for any number of threads.
    fn tree(&self, threads: usize, left_out: u64) -> CallTree {
        let parts = parallel::map((0..threads).collect(), &|part| {
            self.count(self.share(part, threads))
        });
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

impl CallNodes {
    /// Appends other nodes. Both have their counts in the order of the rows.
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

#[cfg(test)]
mod tests {
    use super::super::from_trace::tests::trace;
    use super::*;

    #[test]
    fn the_tree_is_the_same_on_any_number_of_threads() {
        let trace = trace();
        let (whole, timeline) = (WholeTree::new(&trace), Timeline::new(&trace));
        for (from_ns, to_ns) in [(i64::MIN, 3_900), (700, 3_000), (i64::MIN, i64::MAX)] {
            let range = Some(TimeRange { from_ns, to_ns });
            let wanted = vec![true; trace.tracks.len()];
            let narrowing = Narrowing::new(&whole, &trace, &timeline, range, &wanted);
            let told = |threads: usize| {
                let tree = narrowing.tree(threads, 0);
                let rows = (0..tree.nodes.len() as u32).map(NodeId).map(|node| {
                    let nodes = &tree.nodes;
                    let place = (nodes.function(node), nodes.parent(node), nodes.end(node));
                    (place, nodes.calls(node), nodes.inclusive_sums(node))
                });
                (rows.collect::<Vec<_>>(), tree.threads, tree.calls)
            };
            let alone = told(1);
            assert!(alone.0.len() > 30);
            for threads in [2, 3, 7, 20] {
                assert_eq!(told(threads), alone, "{threads} threads, {range:?}");
            }
        }
    }
}
