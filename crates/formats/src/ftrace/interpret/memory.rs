//! Memory: reclaim, resident sizes, kernel heaps.
//!
//! Counters use Perfetto's names.

use traceloom_trace::{ProcessId, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

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
        process_counter(at, upid, "oom_score_adj", score, out);
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
        let size = fields.int("size")?;
        let upid = match fields.int("mm_id") {
            Some(id) if fields.int("curr") == Some(0) => self.memory.owner(id, out)?,
            id => {
                let upid = self.threads.process(at.slot, out)?;
                id.map(|id| self.memory.owners.insert(id, upid));
                upid
            }
        };
        process_counter(at, upid, name, size, out);
        Some(())
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
        out.counter(track, at.ts, fields.int("len")? as f64);
        None
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

    pub(super) fn dma_heap_stat(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.global_counter(
            at,
            "mem.dma_heap",
            fields.int("total_allocated")? as f64,
            out,
        );
        None
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
            // The kernel may tell that after the process is gone.
            pid if self.threads.is_freed(pid) => return None,
            pid => {
                let upid = out.process(pid.into());
                process_counter(at, upid, &name, size, out);
            }
        }
        Some(())
    }
}

fn process_counter(at: At, upid: ProcessId, name: &str, value: i64, out: &mut TraceBuilder) {
    let kind = TrackType::AtraceCounter.named(name);
    let name = out.intern(name.as_bytes());
    let track = out.process_track(kind, upid, name);
    out.counter(track, at.ts, value as f64);
}
