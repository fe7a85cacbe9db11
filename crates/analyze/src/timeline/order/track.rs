//! Rows of tracks that are no thread's own: named and async tracks, counters, interrupts.

use traceloom_trace::{NO_TIME, RowId, SmallSort, TrackId, TrackKind};

use super::Maker;
use crate::case::contains;
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, row_flags};

impl Maker<'_> {
    /// Gives a track and its lanes to a row.
    pub(super) fn put(&mut self, track: TrackId, row: u32) {
        let lanes = self.lanes.remove(&track).unwrap_or_default();
        for track in [track].into_iter().chain(lanes) {
            let levels = self.timeline.lanes.levels(track);
            self.rows.put_track(row, track, levels);
        }
    }

    /// Rows for named tracks, then for counters.
    pub(super) fn tracks(&mut self, mut tracks: Vec<TrackId>, parent: u32) {
        let is_counter = |track: &TrackId| self.trace.tracks.kind.get(track.row()).is_counter();
        tracks.small_sort_by_key(is_counter);
        tracks
            .into_iter()
            .for_each(|track| self.track(track, parent));
    }

    pub(super) fn track(&mut self, id: TrackId, parent: u32) {
        let track = self.trace.tracks.row(id.row());
        let lanes = self.lanes.get(&id).into_iter().flatten();
        let family: Vec<TrackId> = [id].into_iter().chain(lanes.copied()).collect();
        let slices = family
            .iter()
            .any(|id| self.timeline.ends.span(id.row()).slices > 0);
        let values = !self.timeline.values_of(id).is_empty();
        let instants = family
            .iter()
            .any(|id| !self.timeline.instants_of(*id).is_empty());
        let kind = match (track.kind, slices, instants) {
            (kind, ..) if kind.is_counter() || values && !slices => RowKind::Counter,
            (TrackKind::Cpu, ..) => RowKind::Interrupts,
            (_, false, true) => RowKind::Instants,
            _ => RowKind::Track,
        };
        let own_name = self.trace.strings.get(track.name);
        let name = match (track.kind, own_name) {
            (TrackKind::Cpu, name) => format!("CPU {} {name}", track.cpu),
            (kind, "") => kind.name().replace('_', " "),
            (_, name) => name.to_owned(),
        };
        let mut row = TimelineRow::new(kind, name);
        (row.parent, row.utid, row.source) = (parent, track.utid, track.source);
        row.upid = self.timeline.process_of(self.trace, id);
        row.cpu = u32::try_from(track.cpu).unwrap_or(u32::MAX);
        row.note = match kind {
            RowKind::Counter => unit(track.kind, own_name).to_owned(),
            _ if parent == NO_ROW => self.note(String::new(), track.source),
            _ => String::new(),
        };
        self.measure(&mut row, &family);
        if row.extent.0 == NO_TIME {
            row.flags |= row_flags::IDLE;
        }
        row.flags |= self
            .rows
            .all
            .get(parent as usize)
            .map_or(0, |parent| parent.flags & row_flags::FOCUS);
        let row = self.rows.push(row);
        self.put(id, row);
    }

    pub(super) fn measure(&self, row: &mut TimelineRow, family: &[TrackId]) {
        for id in family {
            let span = self.timeline.ends.span(id.row());
            row.busy_ns = row.busy_ns.saturating_add(span.busy_ns);
            row.widen((span.first_ns, span.last_ns));
            let instants = self.timeline.instants_of(*id);
            if let (Some(&first), Some(&last)) = (instants.first(), instants.last()) {
                let ts = |row: u32| self.trace.instants.ts.get(row as usize);
                row.widen((ts(first), ts(last)));
            }
            let values = self.timeline.values_of(*id);
            if let (Some(&first), Some(&last)) = (values.first(), values.last()) {
                let ts = |row: u32| self.trace.counters.ts.get(row as usize);
                row.widen((ts(first), ts(last)));
                row.extremes = self.timeline.extremes_of(self.trace, *id, 0, values.len());
            }
        }
    }
}

/// The unit of a counter, where its name tells.
fn unit(kind: TrackKind, name: &str) -> &'static str {
    match kind {
        TrackKind::CpuCounter if contains(name, "freq") => "kHz",
        TrackKind::CpuCounter if contains(name, "idle") => "state",
        _ if name.starts_with("mem.") || name.ends_with("_bytes") => "bytes",
        _ => "",
    }
}
