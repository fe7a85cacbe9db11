//! Repairs as shown in results.

use serde::Serialize;
use traceloom_trace::RepairTable;

/// Repairs of one kind, added up over all inputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RepairNote {
    /// The stable name of the kind, such as `unmatched_exit`.
    pub kind: &'static str,
    /// `note`, `mended` or `loss`.
    pub severity: &'static str,
    /// How often it happened.
    pub count: u64,
    /// The first place where it happened.
    pub first: String,
    /// The explanation of the kind.
    pub explanation: &'static str,
}

/// The repairs of a trace, one row per kind.
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
