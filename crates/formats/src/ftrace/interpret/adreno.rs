//! Batches of commands on Qualcomm's Adreno GPUs.
//!
//! ```text
//! kgsl_adreno_cmdbatch_queued   a thread queues a batch of a context
//! kgsl_adreno_cmdbatch_sync     the GPU begins it: a simultaneous reading of the trace clock and the GPU clock
//! kgsl_adreno_cmdbatch_retired  it is done: begin and end on the clock of the GPU
//! ```

use traceloom_trace::{RowId, TraceBuilder, TrackId, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

/// The frequency of the GPU's clock, Hz.
const TICKS_PER_SECOND: i128 = 19_200_000;

/// The maximum number of overlapping slices of a context. The GPU works on one batch of a context at a time.
const MOST_LANES: usize = 16;

impl Interpreter {
    pub(super) fn adreno_queued(
        &mut self,
        at: At,
        fields: Fields<'_>,
        _: &mut TraceBuilder,
    ) -> Option<()> {
        let threads = &mut self.devices.adreno.threads;
        threads.insert(fields.int("id")?, at.slot);
        None
    }

    pub(super) fn adreno_sync(
        &mut self,
        at: At,
        fields: Fields<'_>,
        _: &mut TraceBuilder,
    ) -> Option<()> {
        let times = (at.ts, fields.int("ticks")?);
        let batch = fields.int("timestamp")?;
        self.devices.adreno.times.insert(batch, times);
        None
    }

    pub(super) fn adreno_retired(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (start, end) = (fields.int("start")?, fields.int("retire")?);
        let (ts, ticks) = self
            .devices
            .adreno
            .times
            .remove(&fields.int("timestamp")?)?;
        let when = |tick: i64| {
            let distance = i128::from(tick) - i128::from(ticks);
            let ns = distance * 1_000_000_000 / TICKS_PER_SECOND;
            ts.checked_add(i64::try_from(ns).ok()?)
        };
        let (start, end) = (when(start)?, when(end)?);
        let context = (fields.int("id")?, fields.int("prio").unwrap_or(0));
        let track = self.adreno_lane(context, start, end, out)?;
        let at = At { ts: start, ..at };
        let begin = self.slice_begin(at, b"GPU", fields, out);
        out.whole_slice(track, begin, end - start);
        Some(())
    }

    /// A track of the context that is free at `start`.
    fn adreno_lane(
        &mut self,
        context: (i64, i64),
        start: i64,
        end: i64,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        if end < start {
            return None;
        }
        let lanes = self.devices.adreno.lanes.get(&context);
        let count = lanes.map_or(0, Vec::len);
        let free = lanes.and_then(|lanes| lanes.iter().position(|(_, last)| *last <= start));
        let place = free.unwrap_or(count);
        let track = match lanes.and_then(|lanes| lanes.get(place).or(lanes.first())) {
            Some((track, _)) if place < count => *track,
            Some(_) if count == MOST_LANES => return None,
            Some((first, _)) => out.lane_of(*first),
            None => self.adreno_track(context, out),
        };
        let lanes = self.devices.adreno.lanes.entry(context).or_default();
        match lanes.get_mut(place) {
            Some(lane) => lane.1 = end,
            None => lanes.push((track, end)),
        }
        Some(track)
    }

    /// The track of a context, named after the process that queued the batch.
    fn adreno_track(&mut self, (id, priority): (i64, i64), out: &mut TraceBuilder) -> TrackId {
        let slot = self.devices.adreno.threads.get(&id).copied();
        let process = slot.and_then(|slot| self.threads.process(slot, out));
        let name = process.map(|upid| {
            let trace = out.trace();
            trace.strings.get(trace.processes.name.get(upid.row()))
        });
        let owner = match name {
            Some(name) if !name.is_empty() => format!(" {name}"),
            _ => String::new(),
        };
        let title = format!("GPU{owner} (Ctx={id}, Prio={priority})");
        let title = out.intern(title.as_bytes());
        out.global_track(TrackType::AdrenoGpuCmdbatch, title)
    }
}
