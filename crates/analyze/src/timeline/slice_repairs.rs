//! The repairs of a slice.

use traceloom_trace::{NO_DURATION, RepairKind, RowId, SliceId, SourceId, Trace};

use super::Timeline;

/// A repair of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SliceRepair {
    /// It never ended; it is drawn to the end of its parent.
    ClosedByParent,
    /// Neither it nor any ancestor ended.
    NeverEnded,
    /// The recorder truncated its name.
    NameCut,
    /// It may have been closed with its caller: both end at the same time, and the input has such repairs.
    MaybeClosedByParent,
}

impl SliceRepair {
    /// A sentence that explains the repair.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::ClosedByParent => {
                "it never ended; it is shown up to the end of the slice around it"
            }
            Self::NeverEnded => "it never ended; it is shown up to the last event there is",
            Self::NameCut => "its name was cut by the recorder",
            Self::MaybeClosedByParent => {
                "it ends with its caller; some calls of this trace were closed so because their end is missing"
            }
        }
    }
}

impl Timeline {
    /// The repairs of a slice that the tables show.
    pub fn repairs_of(&self, trace: &Trace, slice: SliceId) -> Vec<SliceRepair> {
        let row = slice.row();
        let mut repairs = Vec::new();
        let source = trace
            .tracks
            .source
            .get(trace.slices.track_id.get(row).row());
        if trace.slices.dur.get(row) == NO_DURATION {
            repairs.push(if self.ends.is_closed_by_parent(row) {
                SliceRepair::ClosedByParent
            } else {
                SliceRepair::NeverEnded
            });
        } else if let Some(parent) = trace.slices.parent_id.get(row).some()
            && self.end_of(trace, parent.row()) == self.end_of(trace, row)
            && has(trace, source, RepairKind::MissingExit)
        {
            repairs.push(SliceRepair::MaybeClosedByParent);
        }
        if self.has_cut_name(trace, row) && has(trace, source, RepairKind::NameCut) {
            repairs.push(SliceRepair::NameCut);
        }
        repairs
    }

    /// An ftrace marker holds 1024 bytes. The letter, the bars and the number before the name take at most 16 of them.
    fn has_cut_name(&self, trace: &Trace, row: usize) -> bool {
        const SURELY_WHOLE: usize = 1023 - 16;
        trace.strings.get(trace.slices.name.get(row)).len() >= SURELY_WHOLE
    }

    /// Whether the end or the name of a slice certainly differs from what the app wrote.
    pub fn is_repaired(&self, trace: &Trace, row: usize) -> bool {
        self.ends.is_closed_by_parent(row)
            || self.has_cut_name(trace, row) && {
                let source = trace
                    .tracks
                    .source
                    .get(trace.slices.track_id.get(row).row());
                has(trace, source, RepairKind::NameCut)
            }
    }
}

fn has(trace: &Trace, source: SourceId, kind: RepairKind) -> bool {
    let rows = trace.repairs.rows().iter();
    rows.into_iter()
        .any(|row| row.source == source && row.kind == kind)
}
