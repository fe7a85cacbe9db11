//! Power management: wakelocks, devices that sleep, limits of batteries and chips.

use std::collections::hash_map::Entry;

use traceloom_trace::{ArgValue, SliceBegin, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use super::slices::lane_key;

/// The limits of `bcl_irq_trigger` that hold only while it throttles, and the names of their counters.
const LIMITS: [(&str, &str); 5] = [
    ("cpu0_limit", "bcl_irq_cpu0"),
    ("cpu1_limit", "bcl_irq_cpu1"),
    ("cpu2_limit", "bcl_irq_cpu2"),
    ("tpu_limit", "bcl_irq_tpu"),
    ("gpu_limit", "bcl_irq_gpu"),
];

/// The thermal zones of Exynos chips, by number.
const ACPM_ZONES: [&str; 7] = ["BIG", "MID", "LITTLE", "GPU", "ISP", "TPU", "AUR"];

/// The transitions of devices, by number (`include/linux/pm.h`).
const TRANSITIONS: [(i64, &str); 8] = [
    (0x1, "freeze"),
    (0x2, "suspend"),
    (0x4, "hibernate"),
    (0x8, "quiesce"),
    (0x10, "resume"),
    (0x20, "thaw"),
    (0x40, "restore"),
    (0x80, "recover"),
];

impl Interpreter {
    /// `wakeup_source_activate: alarmtimer state=0x…`: a wakelock may be taken several times.
    pub(super) fn wakelock_taken(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("Wakelock({})", fields.shown("name")?);
        let name = out.intern(name.as_bytes());
        let track = out.global_track(TrackType::WakesourceWakelock, name);
        let count = self.devices.wakelocks.entry(track).or_default();
        *count += 1;
        if *count == 1 {
            out.begin_slice(track, SliceBegin::named(at.ts, name));
        }
        None
    }

    pub(super) fn wakelock_released(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!("Wakelock({})", fields.shown("name")?);
        let name = out.intern(name.as_bytes());
        let track = out.global_track(TrackType::WakesourceWakelock, name);
        match self.devices.wakelocks.entry(track) {
            Entry::Occupied(mut count) if *count.get() > 1 => *count.get_mut() -= 1,
            Entry::Occupied(count) => {
                count.remove();
                out.end_slice(track, at.ts, None);
            }
            Entry::Vacant(_) => self.history.unmatched(at),
        }
        None
    }

    /// `rpm_status: 1c00000.qcom,pcie status=RPM_ACTIVE`: the state of a device until its next event. Nothing is shown
    /// while it sleeps.
    pub(super) fn device_status(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = out.intern(fields.text("name")?);
        let track = out.global_track(TrackType::LinuxRpm, name);
        out.end_slice(track, at.ts, None);
        let state = match fields.get("status")?.shown().as_ref() {
            "2" | "RPM_SUSPENDED" => return None,
            "0" | "RPM_ACTIVE" => "Active",
            "1" | "RPM_RESUMING" => "Resuming",
            "3" | "RPM_SUSPENDING" => "Suspending",
            _ => "Invalid State",
        };
        let name = out.intern(state.as_bytes());
        out.begin_slice(track, SliceBegin::named(at.ts, name));
        None
    }

    /// `device_pm_callback_start: dwc3 a600000.dwc3, parent: a600000.ssusb, [suspend]`: shown among the steps of a
    /// suspend.
    pub(super) fn device_step(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let [device, driver] = ["device", "driver"].map(|key| fields.shown(key));
        let (device, driver) = (device?, driver?);
        let name = out.intern(format!("{device} {driver}").as_bytes());
        let phase = phase(fields);
        let args = [
            ("event_type", "Device PM Suspend Event"),
            ("device_name", &device),
            ("driver_name", &driver),
            ("callback_phase", &phase),
        ]
        .map(|(key, value)| {
            let value = ArgValue::Text(out.intern(value.as_bytes()));
            (out.intern(key.as_bytes()), value)
        });
        let key = lane_key("suspend", i64::from(name.0), out);
        let begin = SliceBegin {
            arg_set_id: out.args(args),
            ..SliceBegin::named(at.ts, name)
        };
        self.lanes.begin(out, key, begin);
        None
    }

    pub(super) fn device_step_end(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let [device, driver] = ["device", "driver"].map(|key| fields.shown(key));
        let name = out.intern(format!("{} {}", device?, driver?).as_bytes());
        let key = lane_key("suspend", i64::from(name.0), out);
        if self.lanes.end(out, key, at.ts).is_none() {
            self.history.unmatched(at);
        }
        None
    }

    /// `bcl_irq_trigger`: the battery's current is limited.
    pub(super) fn battery_limits(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let value = |key: &str| fields.int(key).unwrap_or(0);
        let throttle = value("throttle");
        let id = if throttle == 0 { -1 } else { value("id") };
        let mut counters = vec![("bcl_irq_id", id), ("bcl_irq_throttle", throttle)];
        let limit = |key| if throttle == 0 { 0 } else { value(key) };
        counters.extend(LIMITS.map(|(key, name)| (name, limit(key))));
        counters.push(("bcl_irq_voltage", value("voltage")));
        counters.push(("bcl_irq_capacity", value("capacity")));
        for (name, value) in counters {
            let name = out.intern(name.as_bytes());
            let track = out.global_track(TrackType::BclIrq, name);
            out.counter(track, at.ts, value as f64);
        }
        None
    }

    /// `devfreq_frequency`: the driver's name follows the device's address.
    pub(super) fn device_frequency(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let device = fields.shown("dev_name")?;
        let name = match device.find("devfreq_") {
            Some(start) => device[start..].to_owned(),
            None => format!("devfreq_{device}"),
        };
        let name = out.intern(name.as_bytes());
        let track = out.global_track(TrackType::LinuxDeviceFrequency, name);
        out.counter(track, at.ts, fields.int("freq")? as f64);
        None
    }

    /// `thermal_exynos_acpm_bulk` has the time of the firmware, ns.
    pub(super) fn acpm_bulk(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let ts = fields.int("timestamp")?;
        self.acpm(At { ts, ..at }, fields, out)
    }

    pub(super) fn acpm(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let number = fields.int("tz_id")?;
        let zone = ACPM_ZONES.get(usize::try_from(number).ok()?)?;
        let key = out.intern(b"thermal_zone_id");
        for (kind, name, field) in [
            (
                TrackType::AcpmThermalTemperature,
                format!("{zone} Temperature"),
                "current_temp",
            ),
            (
                TrackType::AcpmCoolingDeviceCounter,
                format!("Tj-{zone} Cooling Device"),
                "cdev_state",
            ),
        ] {
            let name = out.intern(name.as_bytes());
            let track = out.global_track(kind, name);
            let args = out.args([(key, ArgValue::Int(number))]);
            out.counter_with_args(track, at.ts, fields.int(field)? as f64, args);
        }
        None
    }
}

/// The transition requested from a device, and its phase: `suspend:late`. In the first and the last phase, the kernel
/// leaves the operation empty.
fn phase(fields: Fields<'_>) -> String {
    let transition = match fields.int("event") {
        Some(number) => TRANSITIONS
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, name)| (*name).to_owned()),
        None => fields.shown("event").map(|text| text.into_owned()),
    };
    let transition = transition.unwrap_or_else(|| "(unknown PM event)".to_owned());
    let operation = fields.shown("pm_ops").unwrap_or_default();
    let phase = match transition.as_str() {
        "suspend" if operation.is_empty() => Some("prepare"),
        "resume" if operation.is_empty() => Some("complete"),
        _ => ["early", "late", "noirq"]
            .into_iter()
            .find(|phase| operation.starts_with(phase)),
    };
    match phase {
        Some(phase) => format!("{transition}:{phase}"),
        None => transition,
    }
}
