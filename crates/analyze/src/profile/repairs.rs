//! Repairs as results show them.

use serde::Serialize;
use traceloom_trace::RepairTable;

/// Repairs of one kind, summed up over all inputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RepairNote {
    /// The kind's stable name, such as `unmatched_exit`.
    pub kind: &'static str,
    /// `note`, `mended` or `loss`.
    pub severity: &'static str,
    /// How often.
    pub count: u64,
    /// Where it happened first.
    pub first: String,
    /// What it means and what was done.
    pub explanation: &'static str,
}

/// The table's rows, one a kind.
pub(crate) fn notes(repairs: &RepairTable) -> Vec<RepairNote> {
    let mut notes: Vec<RepairNote> = Vec::new();
    for row in repairs.rows() {
        match notes.iter_mut().find(|note| note.kind == row.kind.name()) {
            Some(note) => note.count = note.count.saturating_add(row.count),
            None => notes.push(RepairNote {
                kind: row.kind.name(),
                severity: row.kind.severity().name(),
                count: row.count,
                first: row.first.to_string(),
                explanation: row.kind.explanation(),
            }),
        }
    }
    notes
}
