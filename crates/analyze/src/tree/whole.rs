//! The tree of all slices, with the node of each slice. From it, the tree of a range or of some threads can be
//! narrowed without walking all slices again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use traceloom_trace::{RowId, Trace, TrackId};

use super::arena::NONE;
use super::clip::Moment;
use super::from_trace::{Counts, Plan, TreeOptions, usual_parts, with_thread_clocks};
use super::lane::Lane;
use super::nodes::CallNodes;
use super::sched::{StateClock, StatesByThread};
use super::{CallTree, TreeClocks};
use crate::parallel;

/// The tree of the slices of all threads, and the data to [narrow](Self::narrowed) it.
#[derive(Debug)]
pub struct WholeTree {
    /// The tree.
    pub tree: Arc<CallTree>,
    /// The tracks of its threads, in their order.
    pub(super) lanes: Vec<WholeLane>,
    /// The index of each track in `lanes`; [`NONE`] for tracks without a thread.
    pub(super) lane_of_track: Vec<u32>,
    /// The row that counts each slice; [`NONE`] if no row does.
    pub(super) node_of: Vec<u32>,
    pub(super) slices_of_track: Vec<u32>,
    /// The states of the thread of each lane, once requested and if the scheduler was recorded.
    states: OnceLock<Option<Vec<StateClock>>>,
}

/// A track with slices.
#[derive(Debug)]
pub(super) struct WholeLane {
    pub track: TrackId,
    pub first: Moment,
    pub last: Moment,
    pub has_methods: bool,
    pub has_thread_clock: bool,
    /// Its slices that never ended, and their nodes.
    pub open: Vec<(u32, u32)>,
}

impl WholeTree {
    /// Counts all slices of threads like [`CallTree::from_trace`].
    pub fn new(trace: &Trace) -> Self {
        let options = TreeOptions::default();
        let counts = Counts::new(trace, &options, None);
        let nodes_of = (0..trace.slices.len()).map(|_| AtomicU32::new(NONE));
        let nodes_of: Vec<AtomicU32> = nodes_of.collect();
        let plan = Plan {
            nodes_of: &nodes_of,
            ..Plan::new(trace, &options, &counts.is_in)
        };
        let (mut tree, lanes) = CallTree::counted(&plan, &counts, usual_parts(&counts));
        drop(plan);
        let row_of = tree.nodes.order_counts();
        let mut whole = Self {
            tree: Arc::default(),
            lane_of_track: vec![NONE; trace.tracks.len()],
            lanes: Vec::with_capacity(lanes.len()),
            node_of: Vec::new(),
            slices_of_track: counts.slices,
            states: OnceLock::new(),
        };
        whole.number(trace, &lanes, &row_of, &nodes_of);
        whole.node_of = nodes_of.into_iter().map(AtomicU32::into_inner).collect();
        whole.take_lanes(trace, lanes, &row_of);
        whole.tree = Arc::new(tree);
        whole
    }

    /// Converts the numbers of nodes in their walks into rows.
    fn number(&self, trace: &Trace, lanes: &[Lane], row_of: &[u32], nodes_of: &[AtomicU32]) {
        let mut first_paths = vec![0; trace.tracks.len()];
        for lane in lanes {
            first_paths[lane.track.row()] = lane.first_path;
        }
        let number = |rows: std::ops::Range<usize>| {
            for row in rows {
                let node = nodes_of[row].load(Ordering::Relaxed);
                if node != NONE {
                    let first_path = first_paths[trace.slices.track_id.get(row).row()];
                    let row_of = row_of[(first_path + node) as usize];
                    nodes_of[row].store(row_of, Ordering::Relaxed);
                }
            }
        };
        parallel::map_ranges(trace.slices.len(), &number);
    }

    fn take_lanes(&mut self, trace: &Trace, lanes: Vec<Lane>, row_of: &[u32]) {
        let has_thread_clock = with_thread_clocks(trace);
        for lane in lanes {
            self.lane_of_track[lane.track.row()] = self.lanes.len() as u32;
            let open = lane.open.into_iter();
            let open = open.map(|(row, node)| (row, row_of[(lane.first_path + node) as usize]));
            self.lanes.push(WholeLane {
                track: lane.track,
                first: lane.first,
                last: lane.last,
                has_methods: lane.has_methods,
                has_thread_clock: has_thread_clock[lane.track.row()],
                open: open.filter(|(_, node)| *node != NONE).collect(),
            });
        }
    }

    /// The states of the thread of each lane; `None` for a trace without scheduler events.
    pub(super) fn states(&self, trace: &Trace) -> Option<&[StateClock]> {
        let clocks = || {
            let states = StatesByThread::new(trace)?;
            let utid = |lane: &WholeLane| trace.tracks.utid.get(lane.track.row());
            let clock = |lane: &WholeLane| states.clock(trace, utid(lane));
            Some(self.lanes.iter().map(clock).collect())
        };
        self.states.get_or_init(clocks).as_deref()
    }

    /// Whether slices can be subtracted. They cannot if a time in a thread state was clamped.
    pub(super) fn is_exact(&self) -> bool {
        let most = |times: &[i64; 3]| times.iter().all(|time| *time < i64::MAX);
        self.tree.nodes.states.iter().all(most)
    }

    /// The clocks of the tree of some tracks.
    pub(super) fn clocks(&self, trace: &Trace, thread_clocks: bool) -> TreeClocks {
        let states = !thread_clocks && self.states(trace).is_some();
        super::from_trace::clocks(trace, thread_clocks, states)
    }
}

impl CallNodes {
    /// Sorts the counts by row. Returns the row of each old number.
    pub(super) fn order_counts(&mut self) -> Vec<u32> {
        let mut row_of = vec![u32::MAX; self.counts.len()];
        let paths = self.links.iter().map(|link| link.0[3]);
        self.counts = self.counts.picked(self.links.len(), paths.clone());
        if !self.states.is_empty() {
            let states = paths.map(|path| self.states[path as usize]);
            self.states = states.collect();
        }
        for (row, link) in self.links.iter_mut().enumerate() {
            row_of[link.0[3] as usize] = row as u32;
            link.0[3] = row as u32;
        }
        row_of
    }
}
