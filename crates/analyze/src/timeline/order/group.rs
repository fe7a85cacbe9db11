//! Rows under headings: CPUs, tracks without an owner, interrupts, the kernel.

use std::cmp::Reverse;

use traceloom_trace::{NO_TIME, ProcessId, RowId, ThreadId, TrackId, sort};

use super::{Maker, Owner, first_and_last, is_idle_thread};
use crate::record_tables::LOGS;
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, row_flags};
use crate::timeline::run_extent;

impl Maker<'_> {
    pub(super) fn group(&mut self, name: &str) -> u32 {
        self.rows
            .push(TimelineRow::new(RowKind::Group, name.to_owned()))
    }

    /// The tracks of CPUs, in order of the CPUs: either counters or tracks with slices.
    fn cpu_tracks(&self, counters: bool) -> Vec<TrackId> {
        let tracks = &self.trace.tracks;
        let mut found = Vec::new();
        for track in self.tracks_of(Owner::Cpu) {
            if tracks.kind.get(track.row()).is_counter() == counters {
                found.push(track);
            }
        }
        sort::by_key(&mut found, |track| tracks.cpu.get(track.row()));
        found
    }

    /// Rows for CPUs that ran a thread, or have events or counters.
    pub(super) fn cpus(&mut self) {
        let counters = self.cpu_tracks(true);
        let cpu_of = |track: &TrackId| self.trace.tracks.cpu.get(track.row());
        let mut cpus: Vec<i64> = counters.iter().map(cpu_of).collect();
        for cpu in 0..self.timeline.cpus() {
            if !self.timeline.runs_of(cpu).is_empty() || !self.timeline.events_on(cpu).is_empty() {
                cpus.push(i64::from(cpu));
            }
        }
        if cpus.is_empty() {
            return;
        }
        sort::by_key(&mut cpus, |one| *one);
        cpus.dedup();
        let group = self.group("CPUs");
        let mut rest = &counters[..];
        for cpu in cpus {
            let row = self.cpu(cpu, group);
            let own;
            (own, rest) = rest.split_at(rest.partition_point(|track| cpu_of(track) == cpu));
            self.tracks(own.to_vec(), row);
        }
    }

    pub(super) fn cpu(&mut self, cpu: i64, parent: u32) -> u32 {
        let mut row = TimelineRow::new(RowKind::Cpu, format!("CPU {cpu}"));
        row.cpu = u32::try_from(cpu).unwrap_or(u32::MAX);
        row.parent = parent;
        for &run in self.timeline.runs_of(row.cpu) {
            let (start, end) = run_extent(self.trace, run as usize);
            row.widen((start, end));
            let utid = self.trace.sched_slices.utid.get(run as usize);
            if !is_idle_thread(self.trace, utid) {
                row.busy_ns = row.busy_ns.saturating_add(end.saturating_sub(start));
            }
        }
        let events = self.timeline.events_on(row.cpu);
        if !events.is_empty() {
            row.widen(first_and_last(events, &self.trace.ftrace_events.ts));
            row.flags |= row_flags::EVENTS;
        }
        if row.extent.0 == NO_TIME {
            row.flags |= row_flags::IDLE;
        }
        self.rows.push(row)
    }

    /// A row for the log, if there is one.
    pub(super) fn log(&mut self) {
        let lines = self.timeline.records.of(self.trace, LOGS);
        if lines.is_empty() {
            return;
        }
        let mut row = TimelineRow::new(RowKind::Log, "Android log".to_owned());
        row.note = match lines.len() {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        row.widen(first_and_last(lines, &self.trace.records.rows().ts));
        self.rows.push(row);
    }

    pub(super) fn interrupts(&mut self) {
        let tracks = self.cpu_tracks(false);
        self.under_heading("Interrupts", &tracks);
    }

    pub(super) fn global(&mut self) {
        for (name, counters) in [("Counters", true), ("Tracks", false)] {
            let kind = &self.trace.tracks.kind;
            let tracks = self.tracks_of(Owner::Nobody);
            let tracks: Vec<TrackId> = tracks
                .filter(|track| kind.get(track.row()).is_counter() == counters)
                .collect();
            self.under_heading(name, &tracks);
        }
    }

    fn under_heading(&mut self, name: &str, tracks: &[TrackId]) {
        if !tracks.is_empty() {
            let group = self.group(name);
            for &track in tracks {
                self.track(track, group);
            }
        }
    }

    /// Threads without a known process, with a heading for each input; without a heading if there is nothing else.
    pub(super) fn homeless_threads(&mut self) {
        let mut threads = std::mem::take(&mut self.homeless);
        self.sort_for_show(&mut threads);
        let source = |utid: &ThreadId| self.trace.threads.source.get(utid.row());
        sort::by_key(&mut threads, source);
        let of_one = |one: &ThreadId, other: &ThreadId| source(one) == source(other);
        let is_one = threads.first().map(source) == threads.last().map(source);
        let alone = self.trace.real_processes().next().is_none() && is_one;
        for own in threads.chunk_by(of_one) {
            let parent = if alone {
                NO_ROW
            } else {
                self.homeless_group(own)
            };
            self.some_threads(own, parent);
        }
    }

    fn homeless_group(&mut self, threads: &[ThreadId]) -> u32 {
        let has_methods = |&utid: &ThreadId| {
            let mut tracks = self.tracks_of(Owner::Thread(utid));
            tracks.any(|track| self.timeline.ends.span(track.row()).methods > 0)
        };
        let name = if threads.iter().any(has_methods) {
            "Method trace"
        } else {
            "Threads of unknown processes"
        };
        let mut row = TimelineRow::new(RowKind::Group, name.to_owned());
        row.source = self.trace.threads.source.get(threads[0].row());
        row.note = self.note(String::new(), row.source);
        row.flags |= self.focus_flag(ProcessId::NONE);
        self.rows.push(row)
    }

    pub(super) fn kernel(&mut self) {
        let mut threads = std::mem::take(&mut self.kernel);
        let mut upids = Vec::new();
        for upid in self.trace.real_processes() {
            if self.is_kernel(upid) {
                threads.extend(self.threads_of(upid));
                upids.push(upid);
            }
        }
        if threads.is_empty() && upids.is_empty() {
            return;
        }
        self.sort_for_show(&mut threads);
        sort::by_key(&mut threads, |utid| {
            (self.is_idle(*utid), Reverse(self.facts[utid.row()].busy_ns))
        });
        let group = self.group("Kernel threads");
        self.some_threads(&threads, group);
        for upid in upids {
            self.tracks(self.tracks_of(Owner::Process(upid)).collect(), group);
        }
    }
}
