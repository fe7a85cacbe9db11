//! Frequencies, clocks, temperatures, regulators, sleep.
//!
//! Counters use Perfetto's names, so that queries work unchanged.

use traceloom_trace::{TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use super::slices::lane_key;
use crate::ftrace::event::Value;

impl Interpreter {
    /// `cpu_frequency_limits: min=500000 max=2800000 cpu_id=6`; vendors print `min_freq`.
    pub(super) fn frequency_limits(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let cpu = u32::try_from(fields.int("cpu_id")?).ok()?;
        let min = fields.int_of(&["min", "min_freq"])?;
        let max = fields.int_of(&["max", "max_freq"])?;
        let limits = [
            ("Max", max, TrackType::CpuMaxFrequencyLimit),
            ("Min", min, TrackType::CpuMinFrequencyLimit),
        ];
        for (which, value, kind) in limits {
            let name = out.intern(format!("Cpu {cpu} {which} Freq Limit").as_bytes());
            let track = out.cpu_track(kind, cpu, name);
            out.counter(track, at.ts, value as f64);
        }
        Some(())
    }

    /// `clock_set_rate: gcc_clk state=200000000 cpu_id=7`, `clk_set_rate: gcc_clk 200000000`, Hz.
    pub(super) fn clock_rate(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let rate = fields.int_of(&["state", "rate"])?;
        let name = format!("{} Frequency", fields.shown("name")?);
        self.global_counter(at, &name, rate as f64, out);
        Some(())
    }

    /// `clock_enable: gcc_clk state=1 cpu_id=0`, `clk_enable: gcc_clk`.
    pub(super) fn clock_on(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.state(at, fields, fields.int("state").unwrap_or(1), out)
    }

    pub(super) fn clock_off(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.state(at, fields, fields.int("state").unwrap_or(0), out)
    }

    fn state(
        &mut self,
        at: At,
        fields: Fields<'_>,
        state: i64,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("{} State", fields.shown("name")?);
        self.global_counter(at, &name, state as f64, out);
        Some(())
    }

    /// `gpu_frequency: gpu_id=0 state=585000`, kHz.
    pub(super) fn gpu_frequency(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = match fields.int("gpu_id").unwrap_or(0) {
            0 => "gpufreq".to_owned(),
            gpu => format!("gpufreq {gpu}"),
        };
        self.global_counter(at, &name, fields.int("state")? as f64, out);
        Some(())
    }

    /// `thermal_temperature: thermal_zone=soc id=0 temp_prev=68794 temp=68786`, m°C.
    pub(super) fn temperature(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("{} Temperature", fields.shown("thermal_zone")?);
        self.global_counter(at, &name, fields.int("temp")? as f64, out);
        // The counter does not hold the zone's number and the previous value.
        None
    }

    /// `cdev_update: type=thermal-cpufreq-1 target=0`.
    pub(super) fn cooling(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("{} Cooling Device", fields.shown("type")?);
        self.global_counter(at, &name, fields.int("target")? as f64, out);
        Some(())
    }

    /// `regulator_enable_complete: name=vdd`: the state counter, in addition to the slice that it
    /// ends.
    pub(super) fn regulator_on(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.state(at, fields, 1, out)
    }

    pub(super) fn regulator_off(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.state(at, fields, 0, out)
    }

    /// `regulator_set_voltage_complete: name=vdd, val=900000`, µV.
    pub(super) fn regulator_voltage(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("{} Voltage", fields.shown("name")?);
        self.global_counter(at, &name, fields.int_of(&["val", "value"])? as f64, out);
        Some(())
    }

    /// `suspend_resume: dpm_suspend[2] begin`. The form has `=` if a tool prints the fields, and
    /// keys (`action`, `val`, `start`) if they come from the ring buffer.
    pub(super) fn suspend(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let (action, edge) = match fields.text("action") {
            Some(action) => {
                let action = format!(
                    "{}({})",
                    String::from_utf8_lossy(action),
                    fields.int("val")?
                );
                (action.into_bytes(), edge(fields.get("start")?)?)
            }
            None => {
                let text = fields.text("")?;
                let space = memchr::memrchr(b' ', text)?;
                (in_parentheses(&text[..space]), &text[space + 1..])
            }
        };
        // The step contains the number of a CPU, which may be a different one at the end.
        let action: &[u8] = if action.starts_with(b"timekeeping_freeze(") {
            b"timekeeping_freeze(0)"
        } else {
            &action
        };
        let key = lane_key("suspend", i64::from(out.intern(action).0), out);
        match edge {
            b"begin" => {
                self.devices.suspend.begins(action, key);
                self.lane_begin(at, key, action, Fields::NONE, out);
                Some(())
            }
            b"end" => {
                let ended = self.lane_end(at, key, Fields::NONE, out);
                if let Some(whole) = self.devices.suspend.ends(action) {
                    self.lane_end(at, whole, Fields::NONE, out);
                }
                if ended.is_none() {
                    self.history.unmatched(at);
                }
                ended.map(drop)
            }
            _ => None,
        }
    }
}

/// The name of a step: `suspend_enter(3)` of `suspend_enter[3]`.
fn in_parentheses(step: &[u8]) -> Vec<u8> {
    let letter = |letter: &u8| match letter {
        b'[' => b'(',
        b']' => b')',
        other => *other,
    };
    step.iter().map(letter).collect()
}

/// Whether a step begins or ends. Perfetto keeps the number.
fn edge(start: Value<'_>) -> Option<&[u8]> {
    match start {
        Value::Text(edge) => Some(edge),
        Value::Int(0) => Some(b"end"),
        Value::Int(1) => Some(b"begin"),
        _ => None,
    }
}
