//! Memory: reclaim, resident sizes, kernel heaps.
//!
//! Counters use Perfetto's names.

use traceloom_trace::{FtraceEventRow, ProcessId, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::{At, SlotId};
use super::state::Resident;

impl Interpreter {
    /// `oom_score_adj_update: pid=812 comm=app oom_score_adj=900`.
    pub(super) fn oom_score(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let score = fields.int("oom_score_adj")?;
        let name = fields.text("comm").unwrap_or_default();
        let slot = self.named(at, fields.tid("pid")?, name, out);
        let upid = self.threads.process(slot, out)?;
        process_counter(at.ts, upid, "oom_score_adj", score, out);
        Some(())
    }

    /// `rss_stat: mm_id=17 curr=1 type=MM_ANONPAGES size=4096B`, older ones `member=1 size=4096B`.
    pub(super) fn rss_stat(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = match (fields.int("member"), fields.text("type")) {
            (Some(0), _) | (_, Some(b"MM_FILEPAGES")) => "mem.rss.file",
            (Some(1), _) | (_, Some(b"MM_ANONPAGES")) => "mem.rss.anon",
            (Some(2), _) | (_, Some(b"MM_SWAPENTS")) => "mem.swap",
            (Some(3), _) | (_, Some(b"MM_SHMEMPAGES")) => "mem.rss.shmem",
            _ => return None,
        };
        let size = fields.int("size").filter(|size| *size >= 0)?;
        let slot = match fields.int("mm_id") {
            Some(id) if fields.int("curr") == Some(0) => self.memory_owner(id)?,
            id => {
                id.map(|id| self.memory.owners.insert(id, at.slot));
                at.slot
            }
        };
        match self.threads.process(slot, out) {
            Some(upid) => process_counter(at.ts, upid, name, size, out),
            None => self.resident_later(at, slot, (name, size), fields, out),
        }
        Some(())
    }

    /// The last thread that used this memory, unless its lifetime ended: the kernel reuses the number.
    fn memory_owner(&self, id: i64) -> Option<SlotId> {
        let slot = *self.memory.owners.get(&id)?;
        self.threads.is_current(slot).then_some(slot)
    }

    /// Keeps the value of a thread until the thread's process is known.
    fn resident_later(
        &mut self,
        at: At,
        slot: SlotId,
        (name, size): (&'static str, i64),
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        let event = FtraceEventRow {
            ts: at.ts,
            name: out.intern(b"rss_stat"),
            utid: at.utid,
            cpu: at.cpu,
            arg_set_id: self.kernel.keep(fields, out),
        };
        self.memory.pending.push(Resident {
            slot,
            name,
            size,
            event,
        });
    }

    /// Adds the values of threads whose processes are known by now. The others are kept as events.
    pub(super) fn place_resident(&mut self, out: &mut TraceBuilder) {
        for one in std::mem::take(&mut self.memory.pending) {
            match self.threads.process(one.slot, out) {
                Some(upid) => process_counter(one.event.ts, upid, one.name, one.size, out),
                None => out.ftrace_event(one.event),
            }
        }
    }

    /// `ion_heap_grow: heap_name=system, len=4096, total_allocated=8192`.
    pub(super) fn ion_heap(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("mem.ion.{}", fields.shown("heap_name")?);
        self.global_counter(at, &name, fields.int("total_allocated")? as f64, out);
        None
    }

    /// `ion_stat: buffer_id=1 len=4096 total_allocated=8192`.
    pub(super) fn ion_stat(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.global_counter(at, "mem.ion", fields.int("total_allocated")? as f64, out);
        let name = out.intern(b"mem.ion_change");
        let track = out.thread_named_track(TrackType::IonChange, at.utid, name);
        let length = fields.int("len")?;
        out.counter(track, at.ts, length as f64);
        let track = (TrackType::AndroidIonAllocations, "mem.ion_buffer");
        self.buffer_of_heap(at, track, (fields.int("buffer_id")?, length), out);
        None
    }

    /// `dmabuf_rss_stat: rss=4096 rss_delta=4096 i_ino=12`.
    pub(super) fn dma_buffers(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let size = fields.int("rss")?;
        let upid = self.threads.process(at.slot, out)?;
        process_counter(at.ts, upid, "mem.dmabuf_rss", size, out);
        Some(())
    }

    /// `mark_victim: pid=1000 …`: the kernel kills a process, because no memory is left.
    pub(super) fn oom_kill(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let slot = self.threads.current(fields.tid("pid")?, at.position, out);
        let begin = self.slice_begin(at, b"mem.oom_kill", fields, out);
        let track = self.threads.track(slot, out);
        out.begin_slice(track, begin);
        out.end_slice(track, at.ts, None);
        Some(())
    }

    /// `gpu_mem_total: gpu_id=0 pid=0 size=4096`; pid 0 is the whole machine.
    pub(super) fn gpu_memory(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let size = fields.int("size")?;
        let name = match fields.int("gpu_id").unwrap_or(0) {
            0 => "GPU Memory".to_owned(),
            gpu => format!("GPU Memory {gpu}"),
        };
        match fields.tid("pid")? {
            0 => self.global_counter(at, &name, size as f64, out),
            // The kernel may report memory of a process that is already gone.
            pid if self.threads.is_freed(pid) => return None,
            pid => {
                let upid = out.process(pid.into());
                process_counter(at.ts, upid, &name, size, out);
            }
        }
        Some(())
    }
}

fn process_counter(ts: i64, upid: ProcessId, name: &str, value: i64, out: &mut TraceBuilder) {
    let kind = TrackType::AtraceCounter.named(name);
    let name = out.intern(name.as_bytes());
    let track = out.process_track(kind, upid, name);
    out.counter(track, ts, value as f64);
}
