//! Counters of drivers and of the scheduler.
//!
//! Each counter has Perfetto's name. The events are kept too, because they have further fields.

use traceloom_trace::{ArgValue, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use crate::ftrace::event::Value;

/// The fields of `f2fs_iostat`, and the names of their counters.
const IOSTAT: &[(&str, &str)] = &[
    ("app_wio", "write_app_total"),
    ("app_dio", "write_app_direct"),
    ("app_bio", "write_app_buffered"),
    ("app_mio", "write_app_mapped"),
    ("fs_dio", "write_fs_data"),
    ("fs_nio", "write_fs_node"),
    ("fs_mio", "write_fs_meta"),
    ("fs_gc_dio", "write_gc_data"),
    ("fs_gc_nio", "write_gc_node"),
    ("fs_cp_dio", "write_cp_data"),
    ("fs_cp_nio", "write_cp_node"),
    ("fs_cp_mio", "write_cp_meta"),
    ("app_rio", "read_app_total"),
    ("app_drio", "read_app_direct"),
    ("app_brio", "read_app_buffered"),
    ("app_mrio", "read_app_mapped"),
    ("fs_drio", "read_fs_data"),
    ("fs_gdrio", "read_fs_gdata"),
    ("fs_cdrio", "read_fs_cdata"),
    ("fs_nrio", "read_fs_node"),
    ("fs_mrio", "read_fs_meta"),
    ("fs_discard", "other_fs_discard"),
];

/// The beginnings of the fields of `f2fs_iostat_latency`, and the names of their counters.
const LATENCIES: &[(&str, &str)] = &[
    ("d_rd", "read_data"),
    ("n_rd", "read_node"),
    ("m_rd", "read_meta"),
    ("d_wr_s", "write_sync_data"),
    ("n_wr_s", "write_sync_node"),
    ("m_wr_s", "write_sync_meta"),
    ("d_wr_as", "write_async_data"),
    ("n_wr_as", "write_async_node"),
    ("m_wr_as", "write_async_meta"),
];

impl Interpreter {
    /// `f2fs_iostat`: bytes since the last one.
    pub(super) fn f2fs_iostat(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let device = device(fields.get("dev")?);
        for (key, name) in IOSTAT {
            if let Some(value) = fields.int(key) {
                let name = format!("f2fs_iostat.[{device}].{name}");
                self.global_counter(at, &name, value as f64, out);
            }
        }
        None
    }

    /// `f2fs_iostat_latency`: the longest and the mean wait for a device, and the number of waits.
    pub(super) fn f2fs_iostat_latency(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let device = device(fields.get("dev")?);
        for (key, name) in LATENCIES {
            for figure in ["peak", "avg", "cnt"] {
                if let Some(value) = fields.int(&format!("{key}_{figure}")) {
                    let name = format!("f2fs_iostat_latency.[{device}].{name}_{figure}");
                    self.global_counter(at, &name, value as f64, out);
                }
            }
        }
        None
    }

    /// `sched_cpu_util_cfs: cpu=6 active=1 capacity=1004 capacity_orig=1024 cpu_util=1 nr_running=0`.
    pub(super) fn cpu_utilization(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let cpu = u32::try_from(fields.int("cpu")?).ok()?;
        for (key, ending) in [
            ("cpu_util", "Util"),
            ("capacity", "Cap"),
            ("nr_running", "Nr Running"),
        ] {
            let name = format!("Cpu {cpu} {ending}");
            let kind = TrackType::CpuCounter.named(&name);
            let name = out.intern(name.as_bytes());
            let track = out.cpu_track(kind, cpu, name);
            out.counter(track, at.ts, fields.int(key)? as f64);
        }
        None
    }

    /// `cros_ec_sensorhub_data`: the delay of a sample, ns.
    pub(super) fn sensor_sample(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let sensor = fields.int("ec_sensor_num")?;
        let [now, sampled, queued] = ["current_time", "current_timestamp", "fifo_timestamp"]
            .map(|key| fields.int(key).unwrap_or(0));
        let name = format!("cros_ec.cros_ec_sensorhub_data.{sensor}");
        let name = out.intern(name.as_bytes());
        let track = out.global_track(TrackType::CrosEcSensorhubData, name);
        let args = [
            ("ec_num", sensor),
            ("ec_delta", queued.saturating_sub(sampled)),
            ("sample_ts", sampled),
        ];
        let args = args.map(|(key, value)| (out.intern(key.as_bytes()), ArgValue::Int(value)));
        let args = out.args(args);
        out.counter_with_args(track, at.ts, now.saturating_sub(sampled) as f64, args);
        None
    }

    /// `ufshcd_command`: the number of commands in the device, one for each bit of the doorbell. Without a doorbell,
    /// the event only shows that a command began or ended.
    pub(super) fn ufs_commands(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let step = fields.text("str_t")?;
        let count = match fields.int("doorbell").unwrap_or(0) {
            0 => u32::from(step != b"complete_rsp"),
            doorbell => doorbell.count_ones(),
        };
        self.global_counter(at, "io.ufs.command.count", count.into(), out);
        None
    }
}

/// A device as `major:minor`, as the kernel prints it. Perfetto stores its number.
fn device(value: Value<'_>) -> String {
    match value {
        Value::Int(number) => format!("{}:{}", (number >> 8) & 0xff, number & 0xff),
        other => other.shown().replace(',', ":"),
    }
}
