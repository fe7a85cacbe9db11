//! Subtracts the overhead of the recording.

use serde::Serialize;

use super::measure::Measure;
use super::{CallTree, NodeId};

/// The overhead that [`CallTree::correct_overhead`] subtracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct OverheadReport {
    /// The cost of reading the clocks once, ns (`clock-call-overhead-nsec`).
    pub clock_overhead_ns: i64,
    /// The CPU time subtracted from all threads, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_cpu_ns: Option<i64>,
    /// The wall time subtracted from all threads, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_wall_ns: Option<i64>,
}

impl CallTree {
    /// Subtracts the cost of reading the clocks from all times. `None` if the trace does not have that cost.
    ///
    /// Before it records, ART measures the cost of reading its clocks and writes it into the key section. Each record
    /// makes one reading, and its timestamp is taken somewhere within. If a share `f` of the cost `c` is before the
    /// timestamp, then
    ///
    /// ```text
    ///  caller |        callee         | caller
    ///     f·c | (1-f)·c  ...      f·c | (1-f)·c
    ///         ^ entry's stamp         ^ exit's stamp
    /// ```
    ///
    /// The two shares between the stamps add up to `c`, whatever `f` is. So each call adds `c` to the exclusive time of
    /// the callee, and `c` to that of the caller. The corrected times of a path are
    ///
    /// ```text
    /// exclusive' = max(0, exclusive - c · (own calls + calls of its children))
    /// inclusive' = exclusive' + sum of the children's inclusive'
    /// ```
    ///
    /// No time becomes negative: a method cheaper than the measured cost becomes 0, and the rest is not subtracted
    /// elsewhere. Other costs of recording, such as storing the record, are not in the file and remain. A reading takes
    /// CPU time, so the same amount is subtracted on both clocks. A call that is open at the end has no exit record; it
    /// is treated like the others.
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

    /// Whether each node belongs to a thread of the tree. A tree limited to some threads keeps the nodes of the others.
    fn rows_of_threads(&self) -> Vec<bool> {
        let mut shown = vec![false; self.nodes.len()];
        for thread in &self.threads {
            shown[thread.root.row()..self.nodes.end(thread.root).row()].fill(true);
        }
        shown
    }

    /// The number of readings in the exclusive time of each node.
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

    /// Children have higher rows, so in a backward pass a node is complete before its parent.
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
            // Only the exclusive time pays for the readings; the sum of the children stays.
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
