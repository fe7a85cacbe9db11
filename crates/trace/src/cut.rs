//! Cuts a time range out of a trace.

use rustc_hash::FxHashMap;

use crate::args::ArgTable;
use crate::ids::{ArgSetId, RecordId, RowId, SliceId, SourceId, TrackId};
use crate::remap::{IdKind, Remap};
use crate::sort;
use crate::tables::{
    CounterRow, ExactCounterRow, MetadataRow, NO_DURATION, NO_PRIORITY, SchedSliceRow, SliceRow,
    ThreadNameRow, ThreadStateRow,
};
use crate::trace::Trace;

impl Trace {
    /// The events from `from_ns` up to, but not including, `until_ns`, as a separate trace.
    ///
    /// ```text
    ///             from                until
    /// a    |--------|--------------------|-----|      kept, both ends moved
    /// b             |      |------|      |            kept unchanged
    /// c             |   |----------------|------ …    never ended: still unfinished
    /// d    |-----|  |                    |            removed
    /// ```
    /// Slices that overlap the range are kept. Their ends are moved into the range, and parents and depths are computed
    /// again. Their CPU times are computed from the thread's clock at the cut, which is interpolated linearly between
    /// the events around it. A slice that never ended remains unfinished, because the end of the range becomes the end
    /// of the trace. An unfinished method call, however, is closed there if its thread's last event comes later,
    /// because profiles count such a call up to that event. Thus the calls and times in the cut trace's profile equal
    /// those in the range's profile.
    ///
    /// Runs on CPUs and thread states that extend beyond the range remain unfinished. Each counter begins with its
    /// value at the start of the range. Instants, events and flows inside the range are kept, and so are all processes,
    /// threads, tracks, methods, clocks, facts and repairs. The fact `cut` records the requested range.
    pub fn cut(&self, from_ns: i64, until_ns: i64) -> Self {
        let mut cut = Cut {
            old: self,
            new: self.without_rows(),
            range: (from_ns, until_ns.max(from_ns)),
            new_ids: NewIds::new(&self.args),
        };
        cut.slices();
        cut.counters();
        cut.points();
        cut.sched();
        cut.sched_points();
        cut.records();
        cut.renumber();
        cut.fact();
        cut.new
    }

    /// A trace with everything that has no time.
    fn without_rows(&self) -> Self {
        Self {
            strings: self.strings.clone(),
            sources: self.sources.clone(),
            processes: self.processes.clone(),
            threads: self.threads.clone(),
            tracks: self.tracks.clone(),
            methods: self.methods.clone(),
            metadata: self.metadata.clone(),
            clocks: self.clocks.clone(),
            repairs: self.repairs.clone(),
            ..Self::default()
        }
    }
}

struct Cut<'t> {
    old: &'t Trace,
    new: Trace,
    range: (i64, i64),
    new_ids: NewIds<'t>,
}

/// The new ids of rows that move. Tables keep the old ids until all rows were copied.
struct NewIds<'t> {
    slices: Vec<SliceId>,
    arg_sets: FxHashMap<u32, ArgSetId>,
    records: Vec<RecordId>,
    old_args: &'t ArgTable,
    args: ArgTable,
}

impl<'t> NewIds<'t> {
    fn new(old_args: &'t ArgTable) -> Self {
        Self {
            slices: Vec::new(),
            arg_sets: FxHashMap::default(),
            records: Vec::new(),
            old_args,
            args: ArgTable::default(),
        }
    }

    fn arg_set(&mut self, id: u32) -> ArgSetId {
        let new = self.arg_sets.entry(id);
        *new.or_insert_with(|| self.args.push_set(self.old_args.set(ArgSetId(id))))
    }
}

impl Remap for NewIds<'_> {
    fn changes(&self, kind: IdKind) -> bool {
        matches!(kind, IdKind::Slice | IdKind::ArgSet | IdKind::Record)
    }

    fn new_id(&mut self, kind: IdKind, id: u32) -> u32 {
        match kind {
            IdKind::Slice => self.slices[id as usize].0,
            IdKind::ArgSet => self.arg_set(id).0,
            IdKind::Record => self.records[id as usize].0,
            _ => id,
        }
    }
}

/// A track's events around both ends of the range, and its last event.
#[derive(Clone, Copy, Default)]
struct TrackEnds {
    edges: [Edge; 2],
    last_ns: Option<i64>,
}

/// The events before and after a cut: (time, CPU clock).
#[derive(Clone, Copy, Default)]
struct Edge {
    before: Option<(i64, i64)>,
    after: Option<(i64, i64)>,
}

impl Edge {
    fn see(&mut self, at_ns: i64, event: (i64, i64)) {
        if event.0 <= at_ns {
            self.before = self.before.max(Some(event));
        } else if self.after.is_none_or(|after| event < after) {
            self.after = Some(event);
        }
    }

    /// The CPU clock at the cut.
    fn cpu_ns(self, at_ns: i64) -> i64 {
        match (self.before, self.after) {
            (Some(before), Some(after)) => {
                let wide = |value: i64| i128::from(value);
                let wall = wide(after.0) - wide(before.0);
                let step = (wide(after.1) - wide(before.1)) * (wide(at_ns) - wide(before.0)) / wall;
                before.1.saturating_add(step as i64)
            }
            (Some(only), None) | (None, Some(only)) => only.1,
            (None, None) => 0,
        }
    }
}

impl Cut<'_> {
    fn slices(&mut self) {
        let ends = self.track_ends();
        let mut new_rows = vec![SliceId::NONE; self.old.slices.len()];
        for (slice, new_row) in self.old.slices.rows().zip(&mut new_rows) {
            if let Some(kept) = self.slice(slice, &ends[slice.track_id.row()]) {
                *new_row = SliceId::from_row(self.new.slices.push(kept));
            }
        }
        let kept = |id: SliceId| new_rows[id.row()] != SliceId::NONE;
        for flow in self.old.flows.rows() {
            if kept(flow.slice_out) && kept(flow.slice_in) {
                self.new.flows.push(flow);
            }
        }
        self.new_ids.slices = self.stand_ins(new_rows);
    }

    /// For each slice its new row, or that of the innermost enclosing slice that is kept. A removed slice contains
    /// kept slices only if the nesting is broken.
    fn stand_ins(&self, mut rows: Vec<SliceId>) -> Vec<SliceId> {
        for row in 0..rows.len() {
            let parent = self.old.slices.parent_id.get(row).some();
            if let (SliceId::NONE, Some(parent)) = (rows[row], parent) {
                rows[row] = rows[parent.row()];
            }
        }
        rows
    }

    fn records(&mut self) {
        let (from, until) = self.range;
        (self.new.records, self.new_ids.records) = self.old.records.cut(from, until);
    }

    /// Gives ids their new values, copies the arguments that are still used, and computes depths.
    fn renumber(&mut self) {
        self.new.remap(&mut self.new_ids);
        self.new.args = std::mem::take(&mut self.new_ids.args);
        self.new.args.remap_rows(&mut self.new_ids);
        let slices = &mut self.new.slices;
        for row in 0..slices.len() {
            let parent = slices.parent_id.get(row).some();
            // A parent precedes its children, except where time stepped back.
            if parent.is_none_or(|parent| parent.row() < row) {
                let above = parent.map(|parent| slices.depth.get(parent.row()));
                *slices.depth.get_mut(row) = above.map_or(0, |above| above + 1);
            }
        }
    }

    fn track_ends(&self) -> Vec<TrackEnds> {
        let mut ends = vec![TrackEnds::default(); self.old.tracks.len()];
        let cuts = [self.range.0, self.range.1];
        let slices = &self.old.slices;
        for slice in slices.spans().map(|row| slices.row(row)) {
            let track = &mut ends[slice.track_id.row()];
            let begin = (slice.ts, slice.thread_ts.max(0));
            let end = (slice.dur != NO_DURATION).then(|| {
                let cpu_ns = begin.1.saturating_add(slice.thread_dur.max(0));
                (slice.ts.saturating_add(slice.dur), cpu_ns)
            });
            for event in [Some(begin), end].into_iter().flatten() {
                track.last_ns = track.last_ns.max(Some(event.0));
                let edges = track.edges.iter_mut().zip(cuts);
                edges.for_each(|(edge, cut)| edge.see(cut, event));
            }
        }
        ends
    }

    /// The slice with its ends moved into the range; `None` if it is outside.
    fn slice(&mut self, slice: SliceRow, track: &TrackEnds) -> Option<SliceRow> {
        let (from, until) = self.range;
        let endless = slice.dur == NO_DURATION;
        let is_call = slice.method_id.some().is_some();
        let end = match (endless, is_call) {
            (false, _) => slice.ts.saturating_add(slice.dur),
            (true, true) => track.last_ns.unwrap_or(slice.ts),
            (true, false) => self.old.bounds.1.max(slice.ts),
        };
        if !self.overlaps(slice.ts, end) {
            return None;
        }
        let has_cpu = slice.thread_ts != NO_DURATION;
        let mut kept = SliceRow {
            ts: slice.ts.max(from),
            ..slice
        };
        if has_cpu && slice.ts < from {
            kept.thread_ts = track.edges[0].cpu_ns(from);
        }
        if endless && !(is_call && end >= until) {
            return Some(kept);
        }
        kept.dur = end.min(until).saturating_sub(kept.ts).max(0);
        let end_cpu = if end > until || endless {
            Some(track.edges[1].cpu_ns(until))
        } else {
            let recorded = slice.thread_dur != NO_DURATION;
            recorded.then(|| slice.thread_ts.saturating_add(slice.thread_dur))
        };
        if let (true, Some(end_cpu)) = (has_cpu, end_cpu) {
            kept.thread_dur = end_cpu.saturating_sub(kept.thread_ts).max(0);
        }
        Some(kept)
    }

    fn overlaps(&self, begin_ns: i64, end_ns: i64) -> bool {
        let (from, until) = self.range;
        begin_ns < until && (end_ns > from || begin_ns >= from)
    }

    fn counters(&mut self) {
        let (from, until) = self.range;
        let mut held: FxHashMap<TrackId, CounterRow> = FxHashMap::default();
        let before = |row: &CounterRow| row.ts <= from && from < until;
        for row in self.old.counters.rows().take_while(before) {
            held.insert(row.track_id, CounterRow { ts: from, ..row });
        }
        let mut first: Vec<CounterRow> = held.into_values().collect();
        sort::by_key(&mut first, |row| row.track_id);
        let inside = self.old.counters.rows();
        let inside = inside.filter(|row| row.ts > from && row.ts < until);
        for row in first.into_iter().chain(inside) {
            self.new.counters.push(row);
        }
        self.exact_counters();
    }

    /// Adds the exact values that belong to the counters.
    fn exact_counters(&mut self) {
        let (from, until) = self.range;
        let exact = self.old.exact_counters.rows();
        for row in exact.take_while(|row| row.ts < until) {
            let ts = row.ts.max(from);
            self.new.exact_counters.push(ExactCounterRow { ts, ..row });
        }
    }

    fn points(&mut self) {
        let (from, until) = self.range;
        let inside = |ts: i64| ts >= from && ts < until;
        for row in self.old.ftrace_events.rows().filter(|row| inside(row.ts)) {
            self.new.ftrace_events.push(row);
        }
    }

    fn sched(&mut self) {
        for row in self.old.sched_slices.rows() {
            if let Some((ts, dur)) = self.stretch(row.ts, row.dur) {
                let (end_state, end_priority) = match dur {
                    NO_DURATION => (Default::default(), NO_PRIORITY),
                    _ => (row.end_state, row.end_priority),
                };
                self.new.sched_slices.push(SchedSliceRow {
                    ts,
                    dur,
                    end_state,
                    end_priority,
                    ..row
                });
            }
        }
        for row in self.old.thread_states.rows() {
            if let Some((ts, dur)) = self.stretch(row.ts, row.dur) {
                self.new
                    .thread_states
                    .push(ThreadStateRow { ts, dur, ..row });
            }
        }
    }

    fn sched_points(&mut self) {
        let (from, until) = self.range;
        let inside = |ts: i64| ts >= from && ts < until;
        for row in self.old.run_ends.rows().filter(|row| inside(row.ts)) {
            self.new.run_ends.push(row);
        }
        for row in self.old.wakeups.rows().filter(|row| inside(row.ts)) {
            self.new.wakeups.push(row);
        }
        let names = self.old.thread_names.rows();
        for row in names.take_while(|row| row.ts < until) {
            let ts = row.ts.max(from);
            self.new.thread_names.push(ThreadNameRow { ts, ..row });
        }
    }

    /// The start and duration of a span in the range. It is unfinished if it ends beyond the range.
    fn stretch(&self, ts: i64, dur: i64) -> Option<(i64, i64)> {
        let (from, until) = self.range;
        let end = match dur {
            NO_DURATION => self.old.bounds.1.max(ts),
            dur => ts.saturating_add(dur),
        };
        if !self.overlaps(ts, end) {
            return None;
        }
        let start = ts.max(from);
        let open = dur == NO_DURATION || end > until;
        Some((start, if open { NO_DURATION } else { end - start }))
    }

    fn fact(&mut self) {
        let (from, until) = self.range;
        let (first, last) = self.old.bounds;
        let start = first.max(from).min(until);
        self.new.bounds = (start, last.min(until).max(start));
        let row = MetadataRow {
            key: self.new.strings.intern("cut"),
            value: self.new.strings.intern(&format!("{from}..{until} ns")),
            source: if self.new.sources.is_empty() {
                SourceId::NONE
            } else {
                SourceId::from_row(0)
            },
        };
        self.new.metadata.push(row);
    }
}

#[cfg(test)]
mod tests;
