//! Opens and closes slices: nesting, depth and parents on each track.

use super::trace_builder::TraceBuilder;
use crate::args::ArgColumns;
use crate::ids::{ArgSetId, MethodId, RowId, SliceId, StringId, TrackId};
use crate::repair::{Place, RepairKind};
use crate::tables::{NO_DURATION, SliceRow};

/// The values with which a slice starts.
#[derive(Clone, Copy, Debug)]
pub struct SliceBegin {
    /// Start, ns.
    pub ts: i64,
    /// The thread's CPU clock at the start, ns; [`NO_DURATION`] if not recorded.
    pub thread_ts: i64,
    /// Its name; empty for a call of a method.
    pub name: StringId,
    /// A category, or empty.
    pub category: StringId,
    /// Its arguments.
    pub arg_set_id: ArgSetId,
    /// The called method, in a method trace.
    pub method_id: MethodId,
}

impl SliceBegin {
    /// A slice with only a name.
    #[inline]
    pub fn named(ts: i64, name: StringId) -> Self {
        Self {
            ts,
            thread_ts: NO_DURATION,
            name,
            category: StringId::NULL,
            arg_set_id: ArgSetId::NONE,
            method_id: MethodId::NONE,
        }
    }

    /// A call of a method.
    #[inline]
    pub fn call(ts: i64, thread_ts: i64, method_id: MethodId) -> Self {
        Self {
            thread_ts,
            method_id,
            ..Self::named(ts, StringId::NULL)
        }
    }
}

impl TraceBuilder {
    /// Opens a slice on `track`, inside the innermost open one.
    #[inline]
    pub fn begin_slice(&mut self, track_id: TrackId, begin: SliceBegin) -> SliceId {
        self.saw_time(begin.ts);
        let id = SliceId::from_row(self.trace.slices.len());
        let open = self.open.on_track(track_id);
        let parent_id = open.last().copied().unwrap_or(SliceId::NONE);
        let depth = open.len() as u32;
        open.push(id);
        self.trace.slices.push(SliceRow {
            ts: begin.ts,
            dur: NO_DURATION,
            track_id,
            name: begin.name,
            category: begin.category,
            depth,
            parent_id,
            arg_set_id: begin.arg_set_id,
            thread_ts: begin.thread_ts,
            thread_dur: NO_DURATION,
            method_id: begin.method_id,
            instant: false,
        });
        id
    }

    /// Adds a point in time, ns. [`finish`](Self::finish) finds the slice around it.
    pub fn instant(
        &mut self,
        track_id: TrackId,
        ts: i64,
        name: StringId,
        arg_set_id: ArgSetId,
    ) -> SliceId {
        self.saw_time(ts);
        let row = SliceRow::instant(ts, track_id, name, arg_set_id);
        SliceId::from_row(self.trace.slices.push(row))
    }

    /// Adds an instant at `ts`, ns, inside the innermost slice that is open on the track. If slices begin or end at
    /// the same time, the order of the calls determines the nesting.
    pub fn nested_instant(
        &mut self,
        track_id: TrackId,
        ts: i64,
        name: StringId,
        arg_set_id: ArgSetId,
    ) -> SliceId {
        self.saw_time(ts);
        let open = self.open.on_track(track_id);
        let row = SliceRow {
            depth: open.len() as u32,
            parent_id: open.last().copied().unwrap_or(SliceId::NONE),
            ..SliceRow::instant(ts, track_id, name, arg_set_id)
        };
        SliceId::from_row(self.trace.slices.push(row))
    }

    /// Closes the innermost open slice of `track`. Returns `None` if no slice was open; the caller then counts the
    /// repair. If the end is before the start, the duration becomes 0 and a repair is counted.
    #[inline]
    pub fn end_slice(
        &mut self,
        track: TrackId,
        ts: i64,
        thread_ts: Option<i64>,
    ) -> Option<SliceId> {
        self.saw_time(ts);
        let id = self.open.on_track(track).pop()?;
        let begin = self.trace.slices.ts.get(id.row());
        let dur = ts.saturating_sub(begin);
        if dur < 0 {
            self.repair(
                RepairKind::NegativeDuration,
                1,
                Place::default().with_ts(ts),
                String::new,
            );
        }
        *self.trace.slices.dur.get_mut(id.row()) = dur.max(0);
        if let Some(thread_ts) = thread_ts {
            let begin = self.trace.slices.thread_ts.get(id.row());
            *self.trace.slices.thread_dur.get_mut(id.row()) =
                thread_ts.saturating_sub(begin).max(0);
        }
        Some(id)
    }

    /// The innermost open slice of `track`.
    #[inline]
    pub fn open_slice(&mut self, track: TrackId) -> Option<SliceId> {
        self.open.on_track(track).last().copied()
    }

    /// The open slices of `track`, outermost first.
    pub fn open_slices(&self, track: TrackId) -> &[SliceId] {
        self.open.of(track)
    }

    /// The number of open slices on `track`.
    pub fn open_depth(&mut self, track: TrackId) -> usize {
        self.open.on_track(track).len()
    }

    /// Adds a complete slice inside the innermost open one.
    pub fn whole_slice(&mut self, track: TrackId, begin: SliceBegin, dur: i64) -> SliceId {
        let id = self.begin_slice(track, begin);
        self.end_slice(track, begin.ts.saturating_add(dur.max(0)), None);
        id
    }

    /// Renames the slices from row `first` on. `new` returns the new name of a slice, or `None` to keep the name.
    pub fn rename_slices(&mut self, first: usize, new: impl Fn(StringId) -> Option<StringId>) {
        let names = &mut self.trace.slices.name;
        for row in first..names.len() {
            if let Some(name) = new(names.get(row)) {
                *names.get_mut(row) = name;
            }
        }
    }

    /// Changes the name of a slice that has begun.
    pub fn rename_slice(&mut self, slice: SliceId, name: StringId) {
        *self.trace.slices.name.get_mut(slice.row()) = name;
    }

    /// Replaces the arguments of a slice.
    pub fn set_slice_args(&mut self, slice: SliceId, args: ArgSetId) {
        *self.trace.slices.arg_set_id.get_mut(slice.row()) = args;
    }

    /// Changes the category of a slice.
    pub fn categorize_slice(&mut self, slice: SliceId, category: StringId) {
        *self.trace.slices.category.get_mut(slice.row()) = category;
    }

    /// Sets the thread's CPU clock at the start of a slice, or at an instant, ns.
    pub fn set_slice_thread_ts(&mut self, slice: SliceId, thread_ts: i64) {
        *self.trace.slices.thread_ts.get_mut(slice.row()) = thread_ts;
    }

    /// Sets the CPU time that a slice took, ns.
    pub fn set_slice_thread_dur(&mut self, slice: SliceId, thread_dur: i64) {
        *self.trace.slices.thread_dur.get_mut(slice.row()) = thread_dur;
    }

    /// Adds arguments to those of a slice, except those it already has. The slice must not share its
    /// set with another row.
    pub fn add_slice_args(&mut self, slice: SliceId, args: &ArgColumns) {
        let old = self.trace.slices.arg_set_id.get(slice.row());
        let all = self.trace.args.add_to_set(old, args);
        if all != old {
            *self.trace.slices.arg_set_id.get_mut(slice.row()) = all;
        }
    }

    /// Appends the arguments of a stored set to those of a slice. Other rows may share either set.
    pub fn append_slice_args(&mut self, slice: SliceId, more: ArgSetId) {
        let (args, sets) = (&mut self.trace.args, &mut self.trace.slices.arg_set_id);
        let Some(more) = more.some() else {
            return;
        };
        *sets.get_mut(slice.row()) = match sets.get(slice.row()).some() {
            None => more,
            Some(old) => {
                let both: Vec<_> = args.set(old).chain(args.set(more)).collect();
                args.push_set(both)
            }
        };
    }
}
