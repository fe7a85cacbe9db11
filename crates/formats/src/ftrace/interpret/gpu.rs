//! GPUs: their frequency and power, and how busy apps kept them.

use traceloom_trace::{ArgValue, SliceBegin, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

impl Interpreter {
    /// `kgsl_gpu_frequency: gpu_freq=585000 gpu_id=0`. The event has kHz; the counter is in Hz here, although
    /// `gpu_frequency` sets the same counter in kHz.
    pub(super) fn kgsl_frequency(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = match fields.int("gpu_id").unwrap_or(0) {
            0 => "gpufreq".to_owned(),
            gpu => format!("gpufreq {gpu}"),
        };
        let frequency = fields.int("gpu_freq")? as f64 * 1000.0;
        self.global_counter(at, &name, frequency, out);
        Some(())
    }

    /// `gpu_power_state: old_state=0 new_state=2` of PowerVR.
    pub(super) fn gpu_power(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let state = match fields.int("new_state")? {
            0 => "OFF",
            1 => "PG",
            2 => "ON",
            _ => "Unknown",
        };
        let name = out.intern(b"powervr_gpu_power_state");
        let track = out.global_track(TrackType::PowervrGpuPowerState, name);
        out.end_slice(track, at.ts, None);
        let name = out.intern(state.as_bytes());
        out.begin_slice(track, SliceBegin::named(at.ts, name));
        None
    }

    /// `gpu_work_period: gpu_id=0 uid=10123 start_time_ns=… end_time_ns=… total_active_duration_ns=…`: the slice
    /// covers the period, and its thread duration is the busy time.
    pub(super) fn gpu_work(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (start, end) = (fields.int("start_time_ns")?, fields.int("end_time_ns")?);
        let length = end.checked_sub(start).filter(|length| *length >= 0)?;
        let busy = fields.int("total_active_duration_ns")?;
        let gpu = fields.int("gpu_id").unwrap_or(0);
        let uid = fields.int("uid")?;
        let track = match gpu {
            0 => format!("GPU work of {uid}"),
            gpu => format!("GPU {gpu} work of {uid}"),
        };
        let track = out.intern(track.as_bytes());
        let track = out.global_track(TrackType::AndroidGpuWorkPeriod, track);
        let [number, user] = [gpu, uid].map(ArgValue::Int);
        out.add_track_args(track, &[("ugpu", number), ("gpu", number), ("uid", user)]);
        let percent = match length {
            0 => 0.0,
            length => 100.0 * busy as f64 / length as f64,
        };
        let name = out.intern(format!("%{percent:.2}").as_bytes());
        let ts = self.period_start.take().unwrap_or(at.ts);
        let begin = SliceBegin {
            thread_ts: ts,
            ..SliceBegin::named(ts, name)
        };
        let slice = out.whole_slice(track, begin, length);
        out.set_slice_thread_dur(slice, busy);
        None
    }
}
