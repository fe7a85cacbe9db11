//! The work of GPUs and displays, as recorded by the kernel's Direct Rendering Manager: jobs in queues, and fences.
//!
//! A queue works on one job at a time. A job handed over while another one runs waits, and begins when that one ends:
//!
//! ```text
//! run a   run b   done a   done b
//! |---- a --------|-- b ---|
//! ```

use traceloom_trace::{
    ArgValue, FlowRow, NO_NUMBER, SliceBegin, SliceId, TraceBuilder, TrackId, TrackType,
};

use super::args::Fields;
use super::devices::{Job, Running};
use super::interpreter::Interpreter;
use super::position::At;

/// Fences that contain other fences have time lines of this name, often one time line per fence.
const UNBOUND: &[u8] = b"unbound";

impl Interpreter {
    /// `drm_sched_job`, and `drm_sched_job_queue` in newer kernels: a thread hands a job to a queue.
    pub(super) fn drm_queue(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let ring = fields.text("name")?;
        let job = fence(fields).or_else(|| fields.int("id").map(Job::Number))?;
        let mut args = vec![(
            out.intern(b"gpu sched ring"),
            ArgValue::Text(out.intern(ring)),
        )];
        args.extend(job_args(job, out));
        let begin = SliceBegin {
            arg_set_id: out.args(args),
            ..SliceBegin::named(at.ts, out.intern(b"drm_sched_job_queue"))
        };
        let track = self.threads.track(at.slot, out);
        let slice = out.whole_slice(track, begin, 0);
        let ring = ring_track(ring, out);
        self.devices.drm_queued.insert((ring, job), slice);
        None
    }

    /// `drm_run_job`, and `drm_sched_job_run` in newer kernels: the device receives the job.
    pub(super) fn drm_run(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let ring = fields.text("name")?;
        let running = match fence(fields) {
            Some(job) => Running { job, queued: job },
            None => Running {
                job: Job::Address(fields.int("fence")?),
                queued: Job::Number(fields.int("id")?),
            },
        };
        let ring = ring_track(ring, out);
        self.devices.drm_rings.insert(running.job, ring);
        let jobs = self.devices.drm_jobs.entry(ring).or_default();
        jobs.push_back(running);
        if jobs.len() == 1 {
            self.drm_job(at, ring, running.queued, out);
        }
        None
    }

    /// `drm_sched_process_job`, and `drm_sched_job_done` in newer kernels.
    pub(super) fn drm_done(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let job = fence(fields).or_else(|| fields.int("fence").map(Job::Address))?;
        let Some(ring) = self.devices.drm_rings.remove(&job) else {
            self.history.unmatched(at);
            return None;
        };
        let jobs = self.devices.drm_jobs.get_mut(&ring)?;
        jobs.pop_front();
        let next = jobs.front().copied();
        out.end_slice(ring, at.ts, None);
        if let Some(next) = next {
            self.drm_job(at, ring, next.queued, out);
        }
        None
    }

    /// Begins a job. A flow connects it with the slice that queued it.
    fn drm_job(&mut self, at: At, ring: TrackId, job: Job, out: &mut TraceBuilder) {
        let args: Vec<_> = job_args(job, out);
        let begin = SliceBegin {
            arg_set_id: out.args(args),
            ..SliceBegin::named(at.ts, out.intern(b"job"))
        };
        let slice_in = out.begin_slice(ring, begin);
        if let Some(slice_out) = self.devices.drm_queued.remove(&(ring, job)) {
            flow(slice_out, slice_in, out);
        }
    }

    /// `dma_fence_init`: a fence is created.
    pub(super) fn fence_init(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (track, number) = time_line(fields, out)?;
        let fences = self.devices.fences.entry(track).or_default();
        if !fences.is_emitted {
            fences.pending.push_back(number);
            self.fence_begin(at, track, out);
        }
        None
    }

    /// `dma_fence_emit`: a fence is handed to the device.
    pub(super) fn fence_emit(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (track, number) = time_line(fields, out)?;
        let fences = self.devices.fences.entry(track).or_default();
        if !std::mem::replace(&mut fences.is_emitted, true) && !fences.pending.is_empty() {
            out.end_slice(track, at.ts, None);
            fences.pending.clear();
        }
        fences.pending.push_back(number);
        self.fence_begin(at, track, out);
        None
    }

    /// `dma_fence_signaled`.
    pub(super) fn fence_signaled(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (track, number) = time_line(fields, out)?;
        let fences = self.devices.fences.entry(track).or_default();
        if fences.pending.front().is_none_or(|first| number < *first) {
            self.history.unmatched(at);
            return None;
        }
        fences.pending.pop_front();
        out.end_slice(track, at.ts, None);
        self.fence_begin(at, track, out);
        None
    }

    /// Begins the slice of the first fence of a time line, unless it has begun.
    fn fence_begin(&mut self, at: At, track: TrackId, out: &mut TraceBuilder) {
        let fences = self.devices.fences.get(&track);
        let first = fences.and_then(|fences| fences.pending.front());
        if let (Some(number), None) = (first, out.open_slice(track)) {
            let key = out.intern(b"fence seqno");
            let begin = SliceBegin {
                arg_set_id: out.args([(key, ArgValue::Int(*number))]),
                ..SliceBegin::named(at.ts, out.intern(b"fence"))
            };
            out.begin_slice(track, begin);
        }
    }
}

/// The fence that identifies a job in newer kernels.
fn fence(fields: Fields<'_>) -> Option<Job> {
    let [context, number] = ["fence_context", "fence_seqno"].map(|key| fields.int(key));
    Some(Job::Fence(context?, number?))
}

fn job_args(job: Job, out: &mut TraceBuilder) -> Vec<(traceloom_trace::StringId, ArgValue)> {
    match job {
        Job::Fence(context, number) => vec![
            (out.intern(b"fence context"), ArgValue::Int(context)),
            (out.intern(b"fence seqno"), ArgValue::Int(number)),
        ],
        Job::Number(number) | Job::Address(number) => {
            vec![(out.intern(b"gpu sched job"), ArgValue::Int(number))]
        }
    }
}

fn ring_track(ring: &[u8], out: &mut TraceBuilder) -> TrackId {
    let name = out.intern(&[b"sched-", ring].concat());
    out.global_track(TrackType::DrmSchedRing, name)
}

/// The track of a fence's time line, and the number of the fence there.
fn time_line(fields: Fields<'_>, out: &mut TraceBuilder) -> Option<(TrackId, i64)> {
    let name = fields.text("timeline").filter(|name| *name != UNBOUND)?;
    let context = fields.int("context")?;
    let title = [b"fence-", name, format!("-{context}").as_bytes()].concat();
    let title = out.intern(&title);
    let track = out.global_track(TrackType::DrmFence, title);
    let name = ArgValue::Text(out.intern(name));
    out.add_track_args(
        track,
        &[("name", name), ("context", ArgValue::Int(context))],
    );
    Some((track, fields.int("seqno")?))
}

fn flow(slice_out: SliceId, slice_in: SliceId, out: &mut TraceBuilder) {
    let name = out.intern(b"drm");
    out.flow(FlowRow {
        slice_out,
        slice_in,
        name,
        trace_id: NO_NUMBER,
    });
}
