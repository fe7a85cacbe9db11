//! Processes and their threads.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_TIME, ProcessId, RowId, SmallSort, ThreadId, TrackId, TrackKind};

use super::{Maker, SUMMARY_THREADS};
use crate::timeline::focus::{self, Focus};
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, numbered, row_flags};

impl Maker<'_> {
    /// Processes that did something and processes that did not, each in the order to show. What
    /// several inputs tell of one process stands together.
    pub(super) fn processes(&self) -> (Vec<ProcessId>, Vec<ProcessId>) {
        let all = (0..self.trace.processes.len()).map(ProcessId::from_row);
        let mut all: Vec<(ProcessId, i64)> = all
            .filter(|&upid| !self.is_kernel(upid))
            .map(|upid| (upid, self.busy_of(upid)))
            .collect();
        let key = |upid: ProcessId| {
            let row = self.trace.processes.row(upid.row());
            (row.pid, row.name)
        };
        let mut together: FxHashMap<_, (bool, i64)> = FxHashMap::default();
        for &(upid, busy) in &all {
            let best = together.entry(key(upid)).or_default();
            best.0 |= self.focus == Focus::Process(upid);
            best.1 = best.1.max(busy);
        }
        all.small_sort_by_key(|&(upid, busy)| {
            let (focus, best) = together[&key(upid)];
            let (pid, name) = key(upid);
            (Reverse((focus, best)), pid, name, Reverse(busy), upid)
        });
        let (busy, idle): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(upid, _)| self.is_used(*upid));
        let ids = |list: Vec<(ProcessId, i64)>| list.into_iter().map(|(upid, _)| upid).collect();
        (ids(busy), ids(idle))
    }

    pub(super) fn threads_of(&self, upid: ProcessId) -> &[ThreadId] {
        self.threads.get(&upid).map_or(&[], Vec::as_slice)
    }

    pub(super) fn busy_of(&self, upid: ProcessId) -> i64 {
        let busy = |utid: &ThreadId| self.facts[utid.row()].busy_ns;
        self.threads_of(upid)
            .iter()
            .map(busy)
            .fold(0, i64::saturating_add)
    }

    /// Whether there is anything to see of a process.
    pub(super) fn is_used(&self, upid: ProcessId) -> bool {
        let threads = self.threads_of(upid).iter();
        let own = self.of_process.get(&upid).into_iter().flatten();
        threads
            .map(|utid| self.facts[utid.row()].extent.0)
            .any(|first| first != NO_TIME)
            || own.into_iter().any(|track| self.has_events(*track))
    }

    pub(super) fn has_events(&self, track: TrackId) -> bool {
        self.timeline.ends.span(track.row()).slices > 0
            || !self.timeline.values_of(track).is_empty()
            || !self.timeline.instants_of(track).is_empty()
    }

    pub(super) fn is_kernel(&self, upid: ProcessId) -> bool {
        const KTHREADD: i64 = 2;
        let process = self.trace.processes.row(upid.row());
        let name = self.trace.strings.get(process.name);
        let alone = self.threads_of(upid).len() <= 1 && process.cmdline.is_empty();
        (process.ppid == KTHREADD || process.pid == KTHREADD && name == "kthreadd")
            || alone && focus::is_kernel_name(name)
    }

    pub(super) fn is_kernel_thread(&self, utid: ThreadId) -> bool {
        let thread = self.trace.threads.row(utid.row());
        thread.tid == 0 && self.facts[utid.row()].extent.0 == NO_TIME
            || focus::is_kernel_name(self.trace.strings.get(thread.name))
    }

    pub(super) fn process(&mut self, upid: ProcessId) {
        let process = self.trace.processes.row(upid.row());
        let own_name = [process.name, process.cmdline]
            .map(|id| self.trace.strings.get(id))
            .into_iter()
            .find(|name| !name.is_empty());
        let pid = numbered("pid", process.pid);
        let name = match own_name {
            Some(name) => name.to_owned(),
            None if pid.is_empty() => "process".to_owned(),
            None => pid.clone(),
        };
        let mut row = TimelineRow::new(RowKind::Process, name);
        let shown = if row.name == pid { String::new() } else { pid };
        row.note = self.note(shown, process.source);
        (row.upid, row.source) = (upid, process.source);
        row.busy_ns = self.busy_of(upid);
        row.flags |= self.focus_flag(upid);
        if !self.is_used(upid) {
            row.flags |= row_flags::IDLE;
        }
        let mut threads = self.threads_of(upid).to_vec();
        self.sort_for_show(&mut threads);
        for utid in &threads {
            row.widen(self.facts[utid.row()].extent);
        }
        let summary = threads.iter().filter_map(|utid| self.summary_track(*utid));
        let summary: Vec<TrackId> = summary.take(SUMMARY_THREADS).collect();
        let row = self.rows.push(row);
        summary
            .into_iter()
            .for_each(|track| self.rows.put_summary(row, track));
        self.frames(upid, row);
        let idle = threads.partition_point(|utid| !self.is_idle(*utid));
        threads[..idle]
            .iter()
            .for_each(|&utid| self.thread(utid, row));
        let own = self.of_process.remove(&upid).unwrap_or_default();
        self.tracks(own, row);
        threads[idle..]
            .iter()
            .for_each(|&utid| self.thread(utid, row));
    }

    /// A row for each thread of a process that makes frames.
    fn frames(&mut self, upid: ProcessId, parent: u32) {
        let frames = &self.timeline.frames;
        let apps = frames.apps.iter().zip(0..);
        for (app, place) in apps.filter(|(app, _)| app.upid == upid) {
            let (own, late) = (frames.of(app), frames.of(app).iter());
            let (Some(first), late) = (own.first(), late.filter(|frame| frame.is_janky()).count())
            else {
                continue;
            };
            let mut row = TimelineRow::new(RowKind::Frames, "Frames".to_owned());
            row.note = format!("{late} of {} late", own.len());
            (row.parent, row.utid, row.upid) = (parent, app.utid, upid);
            row.source = self.trace.threads.source.get(app.utid.row());
            row.levels = app.levels.len() as u32;
            row.busy_ns = own.iter().map(|frame| frame.dur_ns()).sum();
            row.extent = (
                first.ts,
                own.iter().map(|frame| frame.end).max().unwrap_or(first.end),
            );
            row.flags |= self.focus_flag(upid);
            let row = self.rows.push(row);
            self.rows.put_frames(row, place);
        }
    }

    /// A thread's track of slices, if it has some.
    pub(super) fn summary_track(&self, utid: ThreadId) -> Option<TrackId> {
        let tracks = self.of_thread.get(&utid)?.iter().copied();
        let with_slices = |track: &TrackId| {
            self.trace.tracks.kind.get(track.row()) == TrackKind::Thread
                && self.timeline.ends.span(track.row()).slices > 0
        };
        tracks.into_iter().find(with_slices)
    }

    pub(super) fn is_idle(&self, utid: ThreadId) -> bool {
        let facts = &self.facts[utid.row()];
        facts.extent.0 == NO_TIME
            || facts.busy_ns == 0
                && self
                    .of_thread
                    .get(&utid)
                    .is_none_or(|tracks| !tracks.iter().any(|track| self.has_events(*track)))
    }

    pub(super) fn focus_flag(&self, upid: ProcessId) -> u8 {
        let focus = match upid.some() {
            Some(_) => Focus::Process(upid),
            None => Focus::Homeless,
        };
        if self.focus == focus {
            row_flags::FOCUS
        } else {
            0
        }
    }

    /// Main thread, threads that draw, then the busiest; idle ones last.
    pub(super) fn sort_for_show(&self, threads: &mut [ThreadId]) {
        threads.small_sort_by_cached_key(|&utid| {
            let (flags, facts) = (self.thread_flags(utid), &self.facts[utid.row()]);
            let idle = flags & row_flags::IDLE != 0;
            let main = flags & row_flags::MAIN != 0;
            let important = flags & row_flags::IMPORTANT != 0;
            (idle, !main, !important, Reverse(facts.busy_ns), utid)
        });
    }

    pub(super) fn thread_flags(&self, utid: ThreadId) -> u8 {
        let thread = self.trace.threads.row(utid.row());
        let name = self.trace.strings.get(thread.name);
        let is_main = thread.is_main_thread || thread.upid == ProcessId::NONE && name == "main";
        let when = |is: bool, flag: u8| if is { flag } else { 0 };
        when(is_main, row_flags::MAIN)
            | when(self.is_idle(utid), row_flags::IDLE)
            | when(self.facts[utid.row()].has_states, row_flags::STATES)
            | when(focus::is_important(name), row_flags::IMPORTANT)
            | self.focus_flag(thread.upid)
    }

    pub(super) fn thread(&mut self, utid: ThreadId, parent: u32) {
        let thread = self.trace.threads.row(utid.row());
        let facts = self.facts[utid.row()];
        let mut row = TimelineRow::new(RowKind::Thread, self.trace.thread_name(utid));
        row.note = numbered("tid", thread.tid);
        if parent == NO_ROW {
            row.note = self.note(row.note, thread.source);
        }
        (row.parent, row.utid, row.upid, row.source) = (parent, utid, thread.upid, thread.source);
        (row.busy_ns, row.extent, row.flags) =
            (facts.busy_ns, facts.extent, self.thread_flags(utid));
        let row = self.rows.push(row);
        let own = self.of_thread.remove(&utid).unwrap_or_default();
        let is_stack =
            |track: &TrackId| self.trace.tracks.kind.get(track.row()) == TrackKind::Thread;
        let (stack, named): (Vec<_>, Vec<_>) = own.into_iter().partition(is_stack);
        stack.iter().for_each(|track| self.put(*track, row));
        self.tracks(named, row);
    }
}
