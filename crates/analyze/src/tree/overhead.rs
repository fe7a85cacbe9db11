//! Taking out what the recording itself cost.

use serde::Serialize;

use super::measure::Measure;
use super::{CallTree, NodeId};

/// What [`CallTree::correct_overhead`] took out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct OverheadReport {
    /// What one look at the clocks costs, ns (`clock-call-overhead-nsec`).
    pub clock_overhead_ns: i64,
    /// CPU time taken out of the tree's threads, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_cpu_ns: Option<i64>,
    /// Real time taken out of the tree's threads, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_wall_ns: Option<i64>,
}

impl CallTree {
    /// Takes the cost of reading the clocks out of all times; `None` where the trace does not say
    /// what a reading costs.
    ///
    /// ART measures, before it records, what one reading of its clocks takes, and writes it into
    /// the key section. Each record makes one reading; its time stamp is taken somewhere inside
    /// it. If a share `f` of the cost `c` falls before the stamp, then
    ///
    /// ```text
    ///  caller |        callee         | caller
    ///     f·c | (1-f)·c  ...      f·c | (1-f)·c
    ///         ^ entry's stamp         ^ exit's stamp
    /// ```
    ///
    /// so whatever `f` is, a call puts `c` into the callee's exclusive time and `c` into its
    /// caller's. The corrected times of a path are therefore
    ///
    /// ```text
    /// exclusive' = max(0, exclusive - c · (own calls + calls of its children))
    /// inclusive' = exclusive' + sum of the children's inclusive'
    /// ```
    ///
    /// Nothing gets below zero: a method that is cheaper than the measured cost becomes 0, and no
    /// more is taken out of the others for it. Other costs of recording (storing the record, the
    /// call into the recorder) are not written in the file and stay in. The reading takes CPU
    /// time, so the same amount comes out of both clocks. A call still open at the end has no exit
    /// record; it is treated like the others.
    pub fn correct_overhead(&mut self) -> Option<OverheadReport> {
        let cost = self.clock_overhead_ns.filter(|cost| *cost >= 0)?;
        let readings = self.readings();
        let mut removed = [None; 2];
        for measure in [Measure::Wall, Measure::Cpu] {
            if self.clocks.has(measure) {
                removed[measure as usize] = Some(self.take_out(measure, cost, &readings));
            }
        }
        Some(OverheadReport {
            clock_overhead_ns: cost,
            removed_cpu_ns: removed[Measure::Cpu as usize],
            removed_wall_ns: removed[Measure::Wall as usize],
        })
    }

    /// Whether each node belongs to a thread of the tree: the nodes of others stay when a tree is
    /// cut down to some threads.
    fn rows_of_threads(&self) -> Vec<bool> {
        let mut shown = vec![false; self.nodes.len()];
        for thread in &self.threads {
            shown[thread.root.row()..self.nodes.end(thread.root).row()].fill(true);
        }
        shown
    }

    /// How many readings fall into each node's exclusive time.
    fn readings(&self) -> Vec<u64> {
        let mut readings = vec![0u64; self.nodes.len()];
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            let (calls, parent) = (self.nodes.calls(node), self.nodes.parent(node));
            if parent != NodeId::NONE {
                readings[node.row()] = readings[node.row()].saturating_add(calls);
                readings[parent.row()] = readings[parent.row()].saturating_add(calls);
            }
        }
        readings
    }

    /// Children have higher rows, so going backwards a node is whole before its parent is asked.
    fn take_out(&mut self, measure: Measure, cost: i64, readings: &[u64]) -> i64 {
        let rows = (0..self.nodes.len() as u32).map(NodeId);
        let exclusive = rows.map(|node| self.nodes.exclusive(node, measure));
        let mut times: Vec<i64> = exclusive.collect();
        let shown = self.rows_of_threads();
        let mut removed = 0i64;
        for (row, readings) in readings.iter().enumerate().rev() {
            let cost = i64::try_from(*readings)
                .unwrap_or(i64::MAX)
                .saturating_mul(cost);
            // What children added stays: only the node's own time pays for its readings.
            let own = self.nodes.exclusive(NodeId(row as u32), measure);
            let taken = cost.min(own);
            times[row] = times[row].saturating_sub(taken);
            if shown[row] {
                removed = removed.saturating_add(taken);
            }
            let parent = self.nodes.parent(NodeId(row as u32));
            if parent != NodeId::NONE {
                times[parent.row()] = times[parent.row()].saturating_add(times[row]);
            }
        }
        self.nodes.set_inclusive(measure, &times);
        removed
    }
}
