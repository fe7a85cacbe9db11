//! The kernel's heaps for devices, and the times that processes wait for memory.

use traceloom_trace::{ArgValue, LaneKey, SliceBegin, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

/// The kinds of events that `mm_event_record` counts, by number.
const MM_EVENTS: [&str; 7] = [
    "min_flt",
    "maj_flt",
    "read_io",
    "compaction",
    "reclaim",
    "swp_flt",
    "kern_alloc",
];

/// Signal processors, by number.
const DSPS: [&str; 4] = ["ASDP", "MDSP", "SDSP", "CDSP"];

impl Interpreter {
    /// A buffer of a heap exists from an event with a positive length until one with a length of 0 or less.
    pub(super) fn buffer_of_heap(
        &mut self,
        at: At,
        (kind, track): (TrackType, &str),
        (buffer, length): (i64, i64),
        out: &mut TraceBuilder,
    ) {
        let track = out.intern(track.as_bytes());
        let track = out.global_track(kind, track);
        let key = LaneKey {
            track,
            cookie: buffer,
        };
        if length > 0 {
            let name = out.intern(format!("{} kB", length / 1024).as_bytes());
            self.lanes.begin(out, key, SliceBegin::named(at.ts, name));
        } else {
            self.lanes.end(out, key, at.ts);
        }
    }

    /// `dma_heap_stat: inode=12 len=4096 total_allocated=8192`.
    pub(super) fn dma_heap_stat(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let total = fields.int("total_allocated")?;
        self.global_counter(at, "mem.dma_heap", total as f64, out);
        let (inode, length) = (fields.int("inode")?, fields.int("len")?);
        let name = out.intern(b"mem.dma_heap_change");
        let track = out.thread_named_track(TrackType::AndroidDmaHeapChange, at.utid, name);
        let key = out.intern(b"inode");
        let args = out.args([(key, ArgValue::Int(inode))]);
        out.counter_with_args(track, at.ts, length as f64, args);
        let track = (TrackType::AndroidDmaAllocations, "mem.dma_buffer");
        self.buffer_of_heap(at, track, (inode, length), out);
        None
    }

    /// `mm_event_record: min_flt count=…`. In Perfetto traces, the kind is a number.
    pub(super) fn mm_event(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let kind = fields.get("type")?;
        let number = fields.int("type").map(usize::try_from);
        let kind = match number {
            Some(number) => (*MM_EVENTS.get(number.ok()?)?).into(),
            None => kind.shown(),
        };
        let upid = self.threads.process(at.slot, out)?;
        for figure in ["count", "max_lat", "avg_lat"] {
            let name = out.intern(format!("mem.mm.{kind}.{figure}").as_bytes());
            let track = out.process_track(TrackType::MmEvent, upid, name);
            let [what, metric] =
                [kind.as_bytes(), figure.as_bytes()].map(|text| ArgValue::Text(out.intern(text)));
            out.add_track_args(
                track,
                &[("mm_event_type", what), ("mm_event_metric", metric)],
            );
            out.counter(track, at.ts, fields.int(figure)? as f64);
        }
        None
    }

    /// `fastrpc_dma_stat`: the memory that a signal processor maps, and the change made by this thread.
    pub(super) fn fastrpc(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let number = fields.int("cid")?;
        let known = usize::try_from(number).ok().and_then(|at| DSPS.get(at));
        let processor = known.map_or_else(|| number.to_string(), |name| (*name).to_owned());
        let name = out.intern(format!("mem.fastrpc[{processor}]").as_bytes());
        let track = out.global_track(TrackType::Fastrpc, name);
        out.counter(track, at.ts, fields.int("total_allocated")? as f64);
        let name = out.intern(format!("mem.fastrpc_change[{processor}]").as_bytes());
        let track = out.thread_named_track(TrackType::FastrpcChange, at.utid, name);
        out.counter(track, at.ts, fields.int("len")? as f64);
        None
    }
}
