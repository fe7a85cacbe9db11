//! Rows of tracks other than thread tracks: named and async tracks, counters, interrupts.

use traceloom_trace::{NO_TIME, RowId, TrackId, TrackOwner, TrackType, sort};

use super::{Maker, Owner, first_and_last};
use crate::timeline::Grouped;
use crate::timeline::joined::{Joined, stem};
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, row_flags};

impl<'t> Maker<'t> {
    /// Adds a track and its lanes to a row.
    pub(super) fn put(&mut self, track: TrackId, row: u32) {
        for track in self.family(track) {
            let levels = self.timeline.lanes.levels(track);
            self.rows.put_track(row, track, levels);
        }
    }

    /// Rows for named tracks, then for counters. Async tracks whose names differ only in numbers share a row.
    pub(super) fn tracks(&mut self, mut tracks: Vec<TrackId>, parent: u32) {
        let is_counter = |track: &TrackId| self.trace.tracks.kind.get(track.row()).is_counter();
        sort::by_key(&mut tracks, is_counter);
        // Tracks that share a row are placed at the first of them.
        let mut alike: Vec<(&str, usize)> = Vec::new();
        for (at, track) in tracks.iter().enumerate() {
            alike.extend(self.stem_of(*track).map(|stem| (stem, at)));
        }
        sort::by_key(&mut alike, |one| *one);
        let mut places: Vec<usize> = (0..tracks.len()).collect();
        for group in alike.chunk_by(|one, other| one.0 == other.0) {
            group.iter().for_each(|(_, at)| places[*at] = group[0].1);
        }
        let rows = Grouped::new(tracks.len(), tracks.len(), &|at| places[at]);
        for row in 0..tracks.len() {
            match rows.rows(row) {
                [] => {}
                [at] => self.track(tracks[*at as usize], parent),
                several => {
                    let tracks = several.iter().map(|at| tracks[*at as usize]);
                    self.joined(&tracks.collect::<Vec<_>>(), parent);
                }
            }
        }
    }

    /// The part of an async track's name that it shares with others; `None` if it gets a row of its own.
    fn stem_of(&self, id: TrackId) -> Option<&'t str> {
        let trace = self.trace;
        let is_async = trace.tracks.kind.get(id.row()).is_process_async();
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
        let mut family = vec![id];
        family.extend(self.tracks_of(Owner::Track(id)));
        family
    }

    /// One row for several async tracks.
    fn joined(&mut self, tracks: &[TrackId], parent: u32) {
        let name = |id: &TrackId| self.trace.tracks.name.get(id.row());
        let mut names: Vec<_> = tracks.iter().map(name).collect();
        sort::by_key(&mut names, |one| *one);
        names.dedup();
        let (mut families, mut slices) = (Vec::new(), Vec::new());
        for id in tracks {
            families.extend(self.family(*id));
        }
        for id in &families {
            slices.extend_from_slice(self.timeline.lanes.rows_of(*id));
        }
        let name = self.stem_of(tracks[0]).unwrap_or_default();
        let mut row = TimelineRow::new(RowKind::Track, name.to_owned());
        row.note = numbered_names(names.len());
        self.place(&mut row, tracks[0], parent);
        self.measure(&mut row, &families);
        let joined = Joined::new(self.trace, &self.timeline.ends, slices);
        let row = self.rows.push(row);
        self.rows.put_joined(row, families, joined);
    }

    /// The thread or process of a track's row.
    fn place(&self, row: &mut TimelineRow, id: TrackId, parent: u32) {
        let tracks = &self.trace.tracks;
        row.parent = parent;
        row.utid = tracks.utid.get(id.row());
        row.source = tracks.source.get(id.row());
        row.upid = self.timeline.process_of(self.trace, id);
        row.cpu = u32::try_from(tracks.cpu.get(id.row())).unwrap_or(u32::MAX);
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
            (kind, ..) if kind.owner() == TrackOwner::Cpu => RowKind::Interrupts,
            (_, false, true) => RowKind::Instants,
            _ => RowKind::Track,
        };
        let own_name = self.trace.strings.get(track.name);
        let name = match (track.kind, own_name) {
            (kind, name) if kind.holds_slices_of(TrackOwner::Cpu) => {
                format!("CPU {} {name}", track.cpu)
            }
            (kind, "") => label(kind),
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
            row.widen(self.extent_of_instants(*id));
            let values = self.timeline.values_of(*id);
            if !values.is_empty() {
                row.widen(first_and_last(values, &self.trace.counters.ts));
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

/// The label of a track without a name.
fn label(kind: TrackType) -> String {
    let owner = kind.owner().name();
    match (kind.is_counter(), kind.owner()) {
        (false, _) => owner.to_owned(),
        (true, TrackOwner::Machine) => "counter".to_owned(),
        (true, _) => format!("{owner} counter"),
    }
}

/// The unit of a counter, if its name shows it.
fn unit(kind: TrackType, name: &str) -> &'static str {
    match kind {
        TrackType::CpuCounter if name.contains("freq") => "kHz",
        TrackType::CpuCounter if name.contains("idle") => "state",
        TrackType::CpuFrequency
        | TrackType::CpuMaxFrequencyLimit
        | TrackType::CpuMinFrequencyLimit => "kHz",
        TrackType::CpuIdle => "state",
        _ if name.starts_with("mem.") || name.ends_with("_bytes") => "bytes",
        _ => "",
    }
}
