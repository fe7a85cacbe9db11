//! States of tracks. Each state lasts until the track's next state.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgSetId, ArgValue, IdKind, NO_DURATION, RowId, StringId, TraceBuilder, TrackId,
};

/// The arguments of a state.
type Args = Vec<(StringId, ArgValue)>;

/// A row of the table `state`.
#[derive(Clone, Copy, Debug)]
struct Row {
    ts: i64,
    dur: i64,
    track: TrackId,
    category: StringId,
    value: StringId,
    args: ArgSetId,
}

/// The states of all tracks.
#[derive(Debug, Default)]
pub(super) struct StateRows {
    rows: Vec<Row>,
    /// The row of each track's open state, and its arguments so far.
    open: FxHashMap<TrackId, (usize, Args)>,
}

impl StateRows {
    /// Sets the state of a track from `ts` on. A null `value` ends the state. If the state stays the same, only the
    /// arguments are added to it.
    pub fn set(
        &mut self,
        ts: i64,
        track: TrackId,
        (value, category): (StringId, StringId),
        args: Args,
        out: &mut TraceBuilder,
    ) {
        if let Some((row, known)) = self.open.get_mut(&track) {
            if self.rows[*row].value == value {
                known.extend(args);
                return;
            }
            self.rows[*row].dur = ts.saturating_sub(self.rows[*row].ts);
            self.close(track, out);
        }
        if value == StringId::NULL {
            return;
        }
        self.open.insert(track, (self.rows.len(), args));
        self.rows.push(Row {
            ts,
            dur: NO_DURATION,
            track,
            category,
            value,
            args: ArgSetId::NONE,
        });
    }

    fn close(&mut self, track: TrackId, out: &mut TraceBuilder) {
        if let Some((row, args)) = self.open.remove(&track) {
            self.rows[row].args = out.args(args);
        }
    }

    /// Writes the rows. Open states have no duration.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let mut open: Vec<TrackId> = self.open.keys().copied().collect();
        open.sort_unstable();
        for track in open {
            self.close(track, out);
        }
        for row in std::mem::take(&mut self.rows) {
            let mut cells = vec![
                ("dur", ArgValue::Int(row.dur)),
                ("track_id", ArgValue::Row(IdKind::Track, row.track.0)),
                ("value", ArgValue::Text(row.value)),
            ];
            if row.category != StringId::NULL {
                cells.push(("category", ArgValue::Text(row.category)));
            }
            if row.args != ArgSetId::NONE {
                cells.push(("arg_set_id", ArgValue::Row(IdKind::ArgSet, row.args.0)));
            }
            out.record(row.ts, "state", &cells);
        }
    }
}
