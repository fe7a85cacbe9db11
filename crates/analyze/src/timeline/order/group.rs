//! What stands under headings: CPUs, what belongs to nobody, interrupts, the kernel.

use std::cmp::Reverse;

use traceloom_trace::{NO_TIME, ProcessId, RowId, SmallSort, SourceId, ThreadId, TrackId};

use super::{Maker, is_idle_thread};
use crate::timeline::rows::{NO_ROW, RowKind, TimelineRow, row_flags};
use crate::timeline::run_extent;

impl Maker<'_> {
    pub(super) fn group(&mut self, name: &str) -> u32 {
        self.rows
            .push(TimelineRow::new(RowKind::Group, name.to_owned()))
    }

    pub(super) fn cpus(&mut self) {
        let mut cpus: Vec<i64> = self.of_cpu.keys().copied().collect();
        cpus.extend(
            (0..self.timeline.cpus())
                .map(i64::from)
                .filter(|cpu| !self.timeline.runs_of(*cpu as u32).is_empty()),
        );
        cpus.small_sort_unstable();
        cpus.dedup();
        let counts = |id: &TrackId| self.trace.tracks.kind.get(id.row()).is_counter();
        let shows = |cpu: &i64| {
            let counters = self
                .of_cpu
                .get(cpu)
                .is_some_and(|tracks| tracks.iter().any(counts));
            counters || u32::try_from(*cpu).is_ok_and(|cpu| !self.timeline.runs_of(cpu).is_empty())
        };
        cpus.retain(shows);
        if cpus.is_empty() {
            return;
        }
        let group = self.group("CPUs");
        for cpu in cpus {
            let row = self.cpu(cpu, group);
            let own = self.of_cpu.get(&cpu).cloned().unwrap_or_default();
            let counters = own
                .into_iter()
                .filter(|id| self.trace.tracks.kind.get(id.row()).is_counter())
                .collect();
            self.tracks(counters, row);
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
        if row.extent.0 == NO_TIME {
            row.flags |= row_flags::IDLE;
        }
        self.rows.push(row)
    }

    pub(super) fn interrupts(&mut self) {
        let mut cpus: Vec<i64> = self.of_cpu.keys().copied().collect();
        cpus.small_sort_unstable();
        let is_slices = |id: &TrackId| !self.trace.tracks.kind.get(id.row()).is_counter();
        let tracks = cpus.iter().flat_map(|cpu| self.of_cpu[cpu].iter().copied());
        let tracks: Vec<TrackId> = tracks.filter(is_slices).collect();
        if !tracks.is_empty() {
            let group = self.group("Interrupts");
            tracks
                .into_iter()
                .for_each(|track| self.track(track, group));
        }
    }

    pub(super) fn global(&mut self) {
        let tracks = std::mem::take(&mut self.of_nobody);
        let is_counter = |track: &TrackId| self.trace.tracks.kind.get(track.row()).is_counter();
        let (counters, tracks): (Vec<_>, Vec<_>) = tracks.into_iter().partition(is_counter);
        for (name, tracks) in [("Counters", counters), ("Tracks", tracks)] {
            if !tracks.is_empty() {
                let group = self.group(name);
                tracks
                    .into_iter()
                    .for_each(|track| self.track(track, group));
            }
        }
    }

    /// Threads whose process nobody told, a heading for each input; without one where they are all
    /// there is.
    pub(super) fn homeless_threads(&mut self, threads: &[ThreadId]) {
        let source = |utid: &ThreadId| self.trace.threads.source.get(utid.row());
        let mut sources: Vec<SourceId> = threads.iter().map(source).collect();
        sources.small_sort_unstable();
        sources.dedup();
        let alone = self.trace.processes.is_empty() && sources.len() == 1;
        for source in sources {
            let of_source = |utid: &&ThreadId| self.trace.threads.source.get(utid.row()) == source;
            let mut own: Vec<ThreadId> = threads.iter().filter(of_source).copied().collect();
            self.sort_for_show(&mut own);
            let parent = if alone {
                NO_ROW
            } else {
                self.homeless_group(&own, source)
            };
            own.into_iter().for_each(|utid| self.thread(utid, parent));
        }
    }

    pub(super) fn homeless_group(&mut self, threads: &[ThreadId], source: SourceId) -> u32 {
        let has_methods = |utid: &ThreadId| {
            let tracks = self.of_thread.get(utid).into_iter().flatten();
            tracks
                .into_iter()
                .any(|track| self.timeline.ends.span(track.row()).methods > 0)
        };
        let name = match threads.iter().any(has_methods) {
            true => "Method trace",
            false => "Threads of unknown processes",
        };
        let mut row = TimelineRow::new(RowKind::Group, name.to_owned());
        row.note = self.note(String::new(), source);
        row.source = source;
        row.flags |= self.focus_flag(ProcessId::NONE);
        self.rows.push(row)
    }

    pub(super) fn kernel(&mut self, homeless: &[ThreadId]) {
        let mut threads = homeless.to_vec();
        let upids = (0..self.trace.processes.len()).map(ProcessId::from_row);
        let upids: Vec<ProcessId> = upids.filter(|&upid| self.is_kernel(upid)).collect();
        for upid in &upids {
            threads.extend(self.threads_of(*upid));
        }
        if threads.is_empty() && upids.is_empty() {
            return;
        }
        self.sort_for_show(&mut threads);
        threads.small_sort_by_key(|utid| {
            (self.is_idle(*utid), Reverse(self.facts[utid.row()].busy_ns))
        });
        let group = self.group("Kernel threads");
        threads
            .into_iter()
            .for_each(|utid| self.thread(utid, group));
        for upid in upids {
            let own = self.of_process.remove(&upid).unwrap_or_default();
            self.tracks(own, group);
        }
    }
}
