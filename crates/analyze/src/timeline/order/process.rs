//! Rows of processes and their threads.

use std::cmp::Reverse;

use traceloom_trace::{NO_TIME, ProcessId, RowId, ThreadId, TrackId, sort};

use super::{Maker, Owner, SUMMARY_THREADS};
use crate::timeline::focus::{self, Focus};
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, numbered, row_flags};

impl Maker<'_> {
    /// Busy and idle processes, each in display order. The rows of one process from several inputs
    /// are adjacent.
    pub(super) fn processes(&self) -> (Vec<ProcessId>, Vec<ProcessId>) {
        let processes = &self.trace.processes;
        let mut all = Vec::new();
        for upid in self.trace.real_processes() {
            if !self.is_kernel(upid) {
                let (pid, name) = (
                    processes.pid.get(upid.row()),
                    processes.name.get(upid.row()),
                );
                let (focus, busy) = (self.focus == Focus::Process(upid), self.activity_of(upid));
                all.push((Reverse((focus, busy)), (pid, name), Reverse(busy), upid));
            }
        }
        sort::by_key(&mut all, |one| one.1);
        for together in all.chunk_by_mut(|one, other| one.1 == other.1) {
            let focus = together.iter().any(|one| one.0.0.0);
            let busy = together.iter().map(|one| one.0.0.1).max();
            for one in together {
                one.0 = Reverse((focus, busy.unwrap_or_default()));
            }
        }
        sort::by_key(&mut all, |one| *one);
        let (mut busy, mut idle) = (Vec::new(), Vec::new());
        for (.., upid) in all {
            if self.is_used(upid) {
                busy.push(upid)
            } else {
                idle.push(upid)
            }
        }
        (busy, idle)
    }

    pub(super) fn threads_of(&self, upid: ProcessId) -> impl Iterator<Item = ThreadId> + use<'_> {
        let threads = self.threads.rows(upid.row());
        threads.iter().map(|&row| ThreadId(row))
    }

    pub(super) fn busy_of(&self, upid: ProcessId) -> i64 {
        self.threads_of(upid)
            .map(|utid| self.facts[utid.row()].busy_ns)
            .fold(0, i64::saturating_add)
    }

    /// How busy a process was. Without times, its events and samples decide.
    fn activity_of(&self, upid: ProcessId) -> (i64, usize) {
        let events = self.threads_of(upid);
        let events = events.map(|utid| self.facts[utid.row()].events).sum();
        (self.busy_of(upid), events)
    }

    /// Whether a process has anything to show.
    pub(super) fn is_used(&self, upid: ProcessId) -> bool {
        self.threads_of(upid)
            .any(|utid| self.facts[utid.row()].extent.0 != NO_TIME)
            || self.have_events(Owner::Process(upid))
    }

    /// Whether any track of an owner has an event.
    fn have_events(&self, owner: Owner) -> bool {
        self.tracks_of(owner).any(|track| {
            self.timeline.ends.span(track.row()).slices > 0
                || !self.timeline.values_of(track).is_empty()
                || !self.timeline.instants_of(track).is_empty()
        })
    }

    pub(super) fn is_kernel(&self, upid: ProcessId) -> bool {
        const KTHREADD: i64 = 2;
        let (processes, row) = (&self.trace.processes, upid.row());
        let name = self.trace.strings.get(processes.name.get(row));
        let alone = || self.threads.rows(row).len() <= 1 && processes.cmdline.get(row).is_empty();
        processes.ppid.get(row) == KTHREADD
            || processes.pid.get(row) == KTHREADD && name == "kthreadd"
            || focus::is_kernel_name(name) && alone()
    }

    pub(super) fn is_kernel_thread(&self, utid: ThreadId) -> bool {
        let (threads, row) = (&self.trace.threads, utid.row());
        threads.tid.get(row) == 0 && self.facts[row].extent.0 == NO_TIME
            || focus::is_kernel_name(self.trace.strings.get(threads.name.get(row)))
    }

    pub(super) fn some_processes(&mut self, upids: &mut dyn Iterator<Item = &ProcessId>) {
        upids.for_each(|upid| self.process(*upid));
    }

    fn process(&mut self, upid: ProcessId) {
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
        let mut threads: Vec<ThreadId> = self.threads_of(upid).collect();
        self.sort_for_show(&mut threads);
        for utid in &threads {
            row.widen(self.facts[utid.row()].extent);
        }
        let row = self.rows.push(row);
        let mut places = 0..SUMMARY_THREADS;
        for utid in &threads {
            if let Some(track) = self.summary_track(*utid)
                && places.next().is_some()
            {
                self.rows.put_summary(row, track);
            }
        }
        self.frames(upid, row);
        let idle = threads.partition_point(|utid| !self.is_idle(*utid));
        self.some_threads(&threads[..idle], row);
        self.tracks(self.tracks_of(Owner::Process(upid)).collect(), row);
        self.some_threads(&threads[idle..], row);
    }

    /// A row for each thread of a process that draws frames.
    fn frames(&mut self, upid: ProcessId, parent: u32) {
        let frames = &self.timeline.frames;
        let apps = frames.apps.iter().zip(0..);
        for (app, place) in apps.filter(|(app, _)| app.upid == upid) {
            let own = frames.of_app(app);
            let Some(first) = own.first() else {
                continue;
            };
            let mut row = TimelineRow::new(RowKind::Frames, "Frames".to_owned());
            let mut late = 0;
            row.extent = (first.ts, first.end);
            for frame in own {
                late += u32::from(frame.is_janky());
                row.busy_ns += frame.dur_ns();
                row.extent.1 = row.extent.1.max(frame.end);
            }
            row.note = format!("{late} of {} late", own.len());
            (row.parent, row.utid, row.upid) = (parent, app.utid, upid);
            row.source = self.trace.threads.source.get(app.utid.row());
            row.levels = app.levels.len() as u32;
            row.flags |= self.focus_flag(upid);
            let row = self.rows.push(row);
            self.rows.put_frames(row, place);
        }
    }

    /// The track of a thread's slices, if it has any.
    pub(super) fn summary_track(&self, utid: ThreadId) -> Option<TrackId> {
        let mut tracks = self.tracks_of(Owner::Thread(utid));
        let with_slices = |track: &TrackId| {
            self.is_stack(*track) && self.timeline.ends.span(track.row()).slices > 0
        };
        tracks.find(with_slices)
    }

    pub(super) fn is_idle(&self, utid: ThreadId) -> bool {
        let facts = &self.facts[utid.row()];
        facts.extent.0 == NO_TIME
            || facts.busy_ns == 0 && facts.events == 0 && !self.have_events(Owner::Thread(utid))
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

    /// The order of threads: main thread, threads that draw, then by busy time; idle threads last.
    pub(super) fn sort_for_show(&self, threads: &mut [ThreadId]) {
        sort::by_key(threads, |&utid| {
            let (flags, facts) = (self.thread_flags(utid), &self.facts[utid.row()]);
            let idle = flags & row_flags::IDLE != 0;
            let main = flags & row_flags::MAIN != 0;
            let important = flags & row_flags::IMPORTANT != 0;
            let activity = Reverse((facts.busy_ns, facts.events));
            (idle, !main, !important, activity, utid)
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
            | when(self.facts[utid.row()].events > 0, row_flags::EVENTS)
            | when(focus::is_important(name), row_flags::IMPORTANT)
            | self.focus_flag(thread.upid)
    }

    pub(super) fn some_threads(&mut self, utids: &[ThreadId], parent: u32) {
        utids.iter().for_each(|utid| self.thread(*utid, parent));
    }

    fn thread(&mut self, utid: ThreadId, parent: u32) {
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
        let mut tracks: Vec<TrackId> = self.tracks_of(Owner::Thread(utid)).collect();
        for &track in &tracks {
            if self.is_stack(track) {
                self.put(track, row);
            }
        }
        tracks.retain(|track| !self.is_stack(*track));
        self.tracks(tracks, row);
    }

    fn is_stack(&self, track: TrackId) -> bool {
        self.trace.tracks.kind.get(track.row()).is_stack()
    }
}
