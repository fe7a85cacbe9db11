//! Finds the track of a thread, process, CPU or counter, and adds it at its first use.

use super::trace_builder::TraceBuilder;
use crate::args::ArgValue;
use crate::ids::{ArgSetId, ProcessId, RowId, StringId, ThreadId, TrackId};
use crate::tables::{NO_NUMBER, TrackRow};
use crate::track_type::TrackType;

/// The owner of a track.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TrackOwnerId {
    /// A thread.
    Thread(ThreadId),
    /// A process.
    Process(ProcessId),
    /// The whole machine.
    Machine,
}

impl TraceBuilder {
    /// The track of a thread's nested slices.
    #[inline]
    pub fn thread_track(&mut self, utid: ThreadId) -> TrackId {
        self.stack_track(TrackType::ThreadExecution, utid)
    }

    /// The track of a thread's calls in a method trace.
    #[inline]
    pub fn method_track(&mut self, utid: ThreadId) -> TrackId {
        self.stack_track(TrackType::ArtMethodTracing, utid)
    }

    #[inline]
    fn stack_track(&mut self, kind: TrackType, utid: ThreadId) -> TrackId {
        if let Some(&track) = self.tracks.by_thread.get(&utid) {
            return track;
        }
        let track = self.new_track(TrackRow {
            utid,
            ..blank(kind)
        });
        self.tracks.by_thread.insert(utid, track);
        track
    }

    /// A named track or counter of a thread.
    pub fn thread_named_track(
        &mut self,
        kind: TrackType,
        utid: ThreadId,
        name: StringId,
    ) -> TrackId {
        let row = TrackRow {
            utid,
            name,
            ..blank(kind)
        };
        self.keyed_track(utid.0.into(), row)
    }

    /// A named track or counter of a process.
    pub fn process_track(&mut self, kind: TrackType, upid: ProcessId, name: StringId) -> TrackId {
        let row = TrackRow {
            upid,
            name,
            ..blank(kind)
        };
        self.keyed_track(upid.0.into(), row)
    }

    /// A named track or counter of a CPU.
    pub fn cpu_track(&mut self, kind: TrackType, cpu: u32, name: StringId) -> TrackId {
        let row = TrackRow {
            cpu: cpu.into(),
            name,
            ..blank(kind)
        };
        self.keyed_track(cpu.into(), row)
    }

    /// Renames the tracks of processes from row `first` on. `new` returns the new name of a track, or `None` to keep
    /// the name.
    pub fn rename_process_tracks(
        &mut self,
        first: usize,
        new: impl Fn(StringId) -> Option<StringId>,
    ) {
        let tracks = &mut self.trace.tracks;
        for row in first..tracks.len() {
            let is_of_process =
                tracks.upid.get(row) != ProcessId::NONE && tracks.utid.get(row) == ThreadId::NONE;
            if let Some(name) = is_of_process.then(|| new(tracks.name.get(row))).flatten() {
                *tracks.name.get_mut(row) = name;
            }
        }
    }

    /// A named track or counter of the whole machine.
    pub fn global_track(&mut self, kind: TrackType, name: StringId) -> TrackId {
        self.keyed_track(
            NO_NUMBER,
            TrackRow {
                name,
                ..blank(kind)
            },
        )
    }

    /// Sets the category of a track's counter; an empty one changes nothing.
    pub fn categorize_track(&mut self, track: TrackId, category: StringId) {
        if !category.is_empty() {
            *self.trace.tracks.category.get_mut(track.row()) = category;
        }
    }

    /// Renames a track. Lookups still find it by its first name.
    pub fn rename_track(&mut self, track: TrackId, name: StringId) {
        *self.trace.tracks.name.get_mut(track.row()) = name;
    }

    /// Sets the unit of a counter.
    pub fn set_track_unit(&mut self, track: TrackId, unit: StringId) {
        *self.trace.tracks.unit.get_mut(track.row()) = unit;
    }

    /// Puts a track under another one, which precedes it.
    pub fn set_track_parent(&mut self, track: TrackId, parent: TrackId) {
        *self.trace.tracks.declared_parent.get_mut(track.row()) = parent;
    }

    /// Sets further facts about a track.
    pub fn set_track_args(&mut self, track: TrackId, args: ArgSetId) {
        *self.trace.tracks.arg_set_id.get_mut(track.row()) = args;
    }

    /// Like [`set_track_args`](Self::set_track_args), unless the track already has facts.
    pub fn add_track_args(&mut self, track: TrackId, args: &[(&str, ArgValue)]) {
        if self.trace.tracks.arg_set_id.get(track.row()) == ArgSetId::NONE {
            let args = args
                .iter()
                .map(|(key, value)| (self.intern(key.as_bytes()), *value));
            let args: Vec<_> = args.collect();
            let args = self.args(args);
            self.set_track_args(track, args);
        }
    }

    /// A new track. It is never looked up by name, since other tracks of its owner may have the same name.
    pub fn separate_track(
        &mut self,
        kind: TrackType,
        owner: TrackOwnerId,
        name: StringId,
    ) -> TrackId {
        let row = TrackRow {
            name,
            ..blank(kind)
        };
        self.new_track(match owner {
            TrackOwnerId::Thread(utid) => TrackRow { utid, ..row },
            TrackOwnerId::Process(upid) => TrackRow { upid, ..row },
            TrackOwnerId::Machine => row,
        })
    }

    /// Like [`separate_track`](Self::separate_track), for a CPU.
    pub fn separate_cpu_track(&mut self, kind: TrackType, cpu: u32, name: StringId) -> TrackId {
        self.new_track(TrackRow {
            cpu: cpu.into(),
            name,
            ..blank(kind)
        })
    }

    /// A new lane of `parent`: a track of the same kind and owner. Lanes separate slices that overlap on one track.
    pub fn lane_of(&mut self, parent: TrackId) -> TrackId {
        let row = self.trace.tracks.row(parent.row());
        self.new_track(TrackRow { parent, ..row })
    }

    fn keyed_track(&mut self, owner: i64, row: TrackRow) -> TrackId {
        let key = (row.kind, owner, row.name);
        if let Some(&track) = self.tracks.by_key.get(&key) {
            return track;
        }
        let track = self.new_track(row);
        self.tracks.by_key.insert(key, track);
        track
    }

    fn new_track(&mut self, row: TrackRow) -> TrackId {
        let source = self.source();
        TrackId::from_row(self.trace.tracks.push(TrackRow { source, ..row }))
    }
}

fn blank(kind: TrackType) -> TrackRow {
    TrackRow {
        kind,
        name: StringId::NULL,
        category: StringId::NULL,
        utid: ThreadId::NONE,
        upid: ProcessId::NONE,
        cpu: NO_NUMBER,
        parent: TrackId::NONE,
        source: Default::default(),
        declared_parent: TrackId::NONE,
        unit: StringId::NULL,
        arg_set_id: ArgSetId::NONE,
    }
}
