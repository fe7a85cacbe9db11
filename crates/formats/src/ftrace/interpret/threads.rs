//! Threads by tid: names, processes and lifetimes.
//!
//! A tid is a small number that the kernel reuses, so threads are found through a paged array. A
//! slot holds everything that each line needs about its thread.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{NO_TIME, ProcessId, RowId, ThreadId, ThreadNameRow, TraceBuilder, TrackId};

use super::position::{Position, SlotId};
use super::slot::{Slot, is_unknown};
use crate::ftrace::event::NO_TGID;

const PAGE: usize = 1024;
const PAGES: usize = (1 << 22) / PAGE;
const EMPTY: u32 = u32::MAX;

/// A thread or process, and the thread that created it.
#[derive(Clone, Copy, Debug)]
struct Created {
    child: SlotId,
    by: SlotId,
    is_process: bool,
}

/// All threads of the input.
#[derive(Debug, Default)]
pub(super) struct Threads {
    slots: Vec<Slot>,
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    /// Threads with numbers that Linux never uses.
    beyond: FxHashMap<i32, u32>,
    /// Tids of threads that the kernel has freed, until they are used again.
    freed: FxHashSet<i32>,
    /// Threads whose creator was in an unknown process.
    created: Vec<Created>,
}

impl Threads {
    /// The thread that currently has `tid`.
    #[inline]
    pub fn current(&mut self, tid: i32, position: Position, out: &mut TraceBuilder) -> SlotId {
        let (page, index) = (tid as usize / PAGE, tid as usize % PAGE);
        if let Some(Some(page)) = self.pages.get(page)
            && page[index] != EMPTY
        {
            return page[index] as usize;
        }
        self.rarer(tid, position, out)
    }

    fn find(&self, tid: i32) -> Option<SlotId> {
        let (page, index) = (tid as usize / PAGE, tid as usize % PAGE);
        match self.pages.get(page) {
            Some(Some(page)) => Some(page[index]).filter(|slot| *slot != EMPTY),
            _ => self.beyond.get(&tid).copied(),
        }
        .map(|slot| slot as usize)
    }

    #[cold]
    fn rarer(&mut self, tid: i32, position: Position, out: &mut TraceBuilder) -> SlotId {
        if let Some(&slot) = self.beyond.get(&tid) {
            return slot as usize;
        }
        let utid = match tid {
            0 => out.idle_thread(),
            tid => out.thread(tid.into()),
        };
        self.put(tid, utid, position, out)
    }

    fn put(
        &mut self,
        tid: i32,
        utid: ThreadId,
        position: Position,
        out: &mut TraceBuilder,
    ) -> SlotId {
        let id = self.slots.len();
        if !self.freed.is_empty() {
            self.freed.remove(&tid);
        }
        self.slots.push(Slot::new(tid, utid, position));
        match self.entry(tid) {
            Some(entry) => *entry = id as u32,
            None => _ = self.beyond.insert(tid, id as u32),
        }
        if tid == 0 {
            let swapper = out.intern(b"swapper");
            out.name_thread(utid, swapper);
        }
        id
    }

    fn entry(&mut self, tid: i32) -> Option<&mut u32> {
        let page = usize::try_from(tid).ok()? / PAGE;
        if page >= PAGES {
            return None;
        }
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([EMPTY; PAGE]));
        Some(&mut page[tid as usize % PAGE])
    }

    #[inline]
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id]
    }

    #[inline]
    pub fn slot_mut(&mut self, id: SlotId) -> &mut Slot {
        &mut self.slots[id]
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Sets a thread's name from the columns of a line. `<...>` and similar texts mean that the writer did not know
    /// the name (but adbd's `<-transport` is a name). The idle threads of all CPUs share one name.
    #[inline]
    pub fn name(&mut self, id: SlotId, name: &[u8], out: &mut TraceBuilder) {
        let slot = &self.slots[id];
        let has_event_name = !slot.event_name.is_empty();
        if !has_event_name && !slot.is_idle() && !slot.is_named(name) && !is_unknown(name) {
            self.rename(id, name, out);
        }
    }

    /// Sets a thread's name from a kernel event at `ts`. Columns do not override it, because the kernel looks their
    /// names up when the text is read.
    #[inline]
    pub fn name_from_event(&mut self, id: SlotId, name: &[u8], ts: i64, out: &mut TraceBuilder) {
        let slot = &self.slots[id];
        let is_known = slot.is_name_from_event && slot.is_named(name);
        if !slot.is_idle() && !is_known && !is_unknown(name) {
            self.set_event_name(id, name, ts, out);
        }
    }

    #[inline(never)]
    fn set_event_name(&mut self, id: SlotId, name: &[u8], ts: i64, out: &mut TraceBuilder) {
        if !self.slots[id].is_named(name) {
            self.rename(id, name, out);
        }
        let name = out.intern(name);
        let slot = &mut self.slots[id];
        slot.is_name_from_event = true;
        if std::mem::replace(&mut slot.event_name, name) != name {
            let utid = slot.utid;
            out.thread_name(ThreadNameRow { ts, utid, name });
        }
    }

    fn rename(&mut self, id: SlotId, name: &[u8], out: &mut TraceBuilder) {
        let slot = &mut self.slots[id];
        if slot.is_cut(name) {
            return;
        }
        slot.set_name(name);
        let name = out.intern(name);
        out.name_thread(slot.utid, name);
    }

    /// Whether the column names a different process than before. Threads do not change their
    /// process, so the tid was reused at an unknown time.
    #[inline]
    pub fn is_elsewhere(&self, id: SlotId, tgid: i32) -> bool {
        let slot = &self.slots[id];
        slot.tgid_from_column && tgid != slot.tgid && tgid != NO_TGID && !slot.is_idle()
    }

    /// From here on, `tid` belongs to a new thread.
    #[cold]
    pub fn rebirth(
        &mut self,
        tid: i32,
        ts: i64,
        position: Position,
        out: &mut TraceBuilder,
    ) -> SlotId {
        let id = self.birth(tid, ts, position, out);
        self.slots[id].fresh = false;
        id
    }

    /// Sets the process from a line's column.
    #[inline]
    pub fn column_tgid(&mut self, id: SlotId, tgid: i32, out: &mut TraceBuilder) {
        let slot = &mut self.slots[id];
        if tgid != NO_TGID && (tgid != slot.tgid || !slot.tgid_from_column) && !slot.is_idle() {
            slot.tgid_from_column = true;
            slot.tgid = tgid;
            out.put_in_process(slot.utid, tgid.into());
        }
    }

    /// Sets the process from another source, unless a column named it.
    #[inline]
    pub fn learn_tgid(&mut self, id: SlotId, tgid: i32, out: &mut TraceBuilder) {
        let slot = &mut self.slots[id];
        if tgid > 0 && tgid != slot.tgid && !slot.tgid_from_column && !slot.is_idle() {
            slot.tgid = tgid;
            out.put_in_process(slot.utid, tgid.into());
        }
    }

    /// Makes each thread whose tid is the pid of a process its main thread, even if no line shows this. While the
    /// process exists, no other thread can have that number.
    pub fn place_leaders(&mut self, out: &mut TraceBuilder) {
        for id in 0..self.slots.len() {
            let Slot { tid, utid, .. } = self.slots[id];
            let placed = out.trace().threads.upid.get(utid.row()) != ProcessId::NONE;
            if !placed && out.find_process(tid.into()).is_some() && self.find(tid) == Some(id) {
                self.learn_tgid(id, tid, out);
            }
        }
    }

    /// The thread's process, if known. It may have ended, and its number may since belong to another process.
    pub fn process(&self, id: SlotId, out: &TraceBuilder) -> Option<ProcessId> {
        let utid = self.slots[id].utid;
        out.trace().threads.upid.get(utid.row()).some()
    }

    /// The thread's track.
    #[inline]
    pub fn track(&mut self, id: SlotId, out: &mut TraceBuilder) -> TrackId {
        let slot = &mut self.slots[id];
        if slot.track == TrackId::NONE {
            slot.track = out.thread_track(slot.utid);
        }
        slot.track
    }

    /// Handles the creation of a thread with `tid`. An earlier thread with that tid must have
    /// ended, even if its exit was not recorded.
    pub fn birth(
        &mut self,
        tid: i32,
        ts: i64,
        position: Position,
        out: &mut TraceBuilder,
    ) -> SlotId {
        // If only a process dump named it, that is not an earlier lifetime.
        let known = self.find(tid);
        let mut id = self.current(tid, position, out);
        if self.slots[id].fresh {
            return id;
        }
        if let Some(earlier) = known.filter(|_| tid != 0) {
            let utid = self.slots[earlier].utid;
            let ended = out.trace().threads.end_ts.get(utid.row());
            let ended = if ended == NO_TIME { ts } else { ended };
            out.end_thread(utid, ended);
            let utid = out.new_thread(tid.into());
            id = self.put(tid, utid, position, out);
        }
        let slot = &mut self.slots[id];
        slot.fresh = true;
        out.set_thread_start(slot.utid, ts);
        id
    }

    /// Handles `task_newtask`, the first event of a creation. If the earlier creation of that tid is the last thing
    /// known about its thread, that thread ended unseen.
    pub fn first_birth(
        &mut self,
        tid: i32,
        ts: i64,
        position: Position,
        out: &mut TraceBuilder,
    ) -> SlotId {
        if let Some(known) = self.find(tid) {
            let slot = &mut self.slots[known];
            slot.fresh &= out.trace().threads.start_ts.get(slot.utid.row()) == ts;
        }
        self.birth(tid, ts, position, out)
    }

    /// Handles the exit of a thread. It keeps its tid until another thread is created with it,
    /// because the last switch away from it is still to come.
    pub fn death(&mut self, id: SlotId, ts: i64, out: &mut TraceBuilder) {
        out.set_thread_end(self.slots[id].utid, ts);
    }

    /// Handles the event in which the kernel frees a thread: from now on, its tid belongs to another thread. This is
    /// the thread's end even if it exited before: a process whose main thread exits continues until its last thread is
    /// gone.
    pub fn free(&mut self, tid: i32, ts: i64, out: &mut TraceBuilder) {
        let utid = out.find_thread(tid.into()).filter(|_| tid > 0);
        let Some(utid) = utid else {
            return;
        };
        out.end_thread(utid, ts);
        match self.entry(tid) {
            Some(entry) => *entry = EMPTY,
            None => _ = self.beyond.remove(&tid),
        }
        self.freed.insert(tid);
    }

    /// Whether a thread's number is still its own.
    pub fn is_current(&self, id: SlotId) -> bool {
        self.find(self.slots[id].tid) == Some(id)
    }

    /// Whether the last thread with this tid is gone.
    pub fn is_freed(&self, tid: i32) -> bool {
        self.freed.contains(&tid)
    }

    /// Stores who created a thread or process, because the creator's process is still unknown.
    pub fn created(&mut self, child: SlotId, by: SlotId, is_process: bool) {
        self.created.push(Created {
            child,
            by,
            is_process,
        });
    }

    /// Puts threads into the processes of their creators, and gives processes their parents. If only the process of a
    /// created thread is known, its creator is put into that process.
    pub fn place_created(&mut self, out: &mut TraceBuilder) {
        let created = std::mem::take(&mut self.created);
        for one in created.iter().rev().filter(|one| !one.is_process) {
            self.place_beside(one.by, one.child, out);
        }
        for one in &created {
            match (one.is_process, self.process(one.by, out)) {
                (false, _) => self.place_beside(one.child, one.by, out),
                (true, Some(parent)) => {
                    let ppid = out.trace().processes.pid.get(parent.row());
                    if let Some(upid) = self.process(one.child, out) {
                        out.set_process_parent(upid, ppid);
                    }
                }
                (true, None) => {}
            }
        }
    }

    /// Puts a thread without a process into the process of another one.
    fn place_beside(&self, id: SlotId, other: SlotId, out: &mut TraceBuilder) {
        let (slot, other) = (&self.slots[id], &self.slots[other]);
        let placed = out.trace().threads.upid.get(slot.utid.row());
        let upid = out.trace().threads.upid.get(other.utid.row());
        if placed == ProcessId::NONE && upid != ProcessId::NONE && !slot.is_idle() {
            out.set_thread_process(slot.utid, upid);
        }
    }

    /// Gives every process without a name the name of its main thread. Only threads of this input
    /// count; those of earlier inputs were handled at their ends.
    pub fn name_processes(&self, out: &mut TraceBuilder) {
        for slot in &self.slots {
            let thread = out.trace().threads.row(slot.utid.row());
            let Some(upid) = thread.upid.some().filter(|_| thread.is_main_thread) else {
                continue;
            };
            if out.trace().processes.name.get(upid.row()).is_empty() {
                out.name_process(upid, thread.name);
            }
        }
    }
}
