//! Rows of tracks that are no thread's own: named and async tracks, counters, interrupts.

use traceloom_trace::{NO_TIME, RowId, SmallSort, TrackId, TrackKind};

use super::Maker;
use crate::case::contains;
use crate::timeline::joined::{Joined, stem};
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, row_flags};

impl<'t> Maker<'t> {
    /// Gives a track and its lanes to a row.
    pub(super) fn put(&mut self, track: TrackId, row: u32) {
        let lanes = self.lanes.remove(&track).unwrap_or_default();
        for track in [track].into_iter().chain(lanes) {
            let levels = self.timeline.lanes.levels(track);
            self.rows.put_track(row, track, levels);
        }
    }

    /// Rows for named tracks, then for counters. Async tracks whose names differ in numbers alone
    /// are one row.
    pub(super) fn tracks(&mut self, mut tracks: Vec<TrackId>, parent: u32) {
        let is_counter = |track: &TrackId| self.trace.tracks.kind.get(track.row()).is_counter();
        tracks.small_sort_by_key(is_counter);
        // Those that are alike stand where the first of them does.
        let mut alike: Vec<(&str, usize)> = Vec::new();
        for (at, track) in tracks.iter().enumerate() {
            alike.extend(self.stem_of(*track).map(|stem| (stem, at)));
        }
        alike.small_sort_unstable();
        let mut rows: Vec<Vec<TrackId>> = tracks.iter().map(|track| vec![*track]).collect();
        for group in alike.chunk_by(|one, other| one.0 == other.0) {
            for (_, at) in &group[1..] {
                let track = std::mem::take(&mut rows[*at]);
                rows[group[0].1].extend(track);
            }
        }
        for tracks in rows {
            match tracks[..] {
                [] => {}
                [track] => self.track(track, parent),
                _ => self.joined(tracks, parent),
            }
        }
    }

    /// What an async track's name has in common with others; `None` for what keeps its own row.
    fn stem_of(&self, id: TrackId) -> Option<&'t str> {
        let trace = self.trace;
        let is_async = trace.tracks.kind.get(id.row()) == TrackKind::ProcessAsync;
        let holds_more = |id: TrackId| {
            !self.timeline.values_of(id).is_empty() || !self.timeline.instants_of(id).is_empty()
        };
        if !is_async || self.family(id).into_iter().any(holds_more) {
            return None;
        }
        let stem = stem(trace.strings.get(trace.tracks.name.get(id.row())));
        (!stem.is_empty()).then_some(stem)
    }

    /// A track and its lanes.
    fn family(&self, id: TrackId) -> Vec<TrackId> {
        let lanes = self.lanes.get(&id).into_iter().flatten();
        [id].into_iter().chain(lanes.copied()).collect()
    }

    /// One row for several async tracks.
    fn joined(&mut self, tracks: Vec<TrackId>, parent: u32) {
        let name = |id: &TrackId| self.trace.tracks.name.get(id.row());
        let mut names: Vec<_> = tracks.iter().map(name).collect();
        names.small_sort_unstable();
        names.dedup();
        let first = tracks[0];
        let tracks: Vec<TrackId> = tracks.into_iter().flat_map(|id| self.family(id)).collect();
        let name = self.stem_of(first).unwrap_or_default();
        let mut row = TimelineRow::new(RowKind::Track, name.to_owned());
        row.note = numbered_names(names.len());
        self.place(&mut row, first, parent);
        self.measure(&mut row, &tracks);
        let ids = tracks
            .iter()
            .flat_map(|id| self.timeline.lanes.rows_of(*id));
        let joined = Joined::new(self.trace, &self.timeline.ends, ids.copied().collect());
        let row = self.rows.push(row);
        self.rows.put_joined(row, tracks, joined);
    }

    /// Whose a track's row is.
    fn place(&self, row: &mut TimelineRow, id: TrackId, parent: u32) {
        let track = self.trace.tracks.row(id.row());
        (row.parent, row.utid, row.source) = (parent, track.utid, track.source);
        row.upid = self.timeline.process_of(self.trace, id);
        row.cpu = u32::try_from(track.cpu).unwrap_or(u32::MAX);
        let parent = self.rows.all.get(parent as usize);
        row.flags |= parent.map_or(0, |parent| parent.flags & row_flags::FOCUS);
    }

    pub(super) fn track(&mut self, id: TrackId, parent: u32) {
        let track = self.trace.tracks.row(id.row());
        let family = self.family(id);
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
        self.place(&mut row, id, parent);
        row.note = match kind {
            RowKind::Counter => unit(track.kind, own_name).to_owned(),
            _ if parent == NO_ROW => self.note(String::new(), track.source),
            _ => String::new(),
        };
        self.measure(&mut row, &family);
        if row.extent.0 == NO_TIME {
            row.flags |= row_flags::IDLE;
        }
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

fn numbered_names(count: usize) -> String {
    match count {
        1 => String::new(),
        count => format!("{count} names"),
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
