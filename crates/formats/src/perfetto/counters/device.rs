//! The state of an Android device: its screen, and the system properties for tracing.

use traceloom_trace::{ArgValue, SliceBegin, TraceBuilder, TrackId, TrackType};

use super::super::wire::{Field, Fields};
use super::named::text;

/// An `InitialDisplayState`.
pub(super) fn display_state(ts: i64, mut fields: Fields<'_>, out: &mut TraceBuilder) {
    let state = fields
        .find(|field| field.number == 1)
        .map_or(0, Field::int32);
    counter(TrackType::ScreenState, "ScreenState", ts, state, out);
}

fn counter(kind: TrackType, name: &str, ts: i64, value: i32, out: &mut TraceBuilder) -> TrackId {
    let name = out.intern(name.as_bytes());
    let track = out.global_track(kind, name);
    out.whole_counter(track, ts, value.into());
    track
}

/// An `AndroidSystemProperty`.
pub(super) fn properties(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    for property in fields.filter(|field| field.number == 1) {
        let (mut name, mut value): (&[u8], &[u8]) = (&[], &[]);
        for field in property.fields() {
            match field.number {
                1 => name = field.bytes(),
                2 => value = field.bytes(),
                _ => {}
            }
        }
        property_value(ts, &text(name), &text(value), out);
    }
}

fn property_value(ts: i64, full_name: &str, value: &str, out: &mut TraceBuilder) {
    let Some(name) = full_name.strip_prefix("debug.tracing.") else {
        return;
    };
    match name {
        "device_state" => {
            let track = out.intern(b"DeviceStateChanged");
            let track = out.global_track(TrackType::AndroidDeviceState, track);
            let value = out.intern(value.as_bytes());
            out.whole_slice(track, SliceBegin::named(ts, value), 0);
            return;
        }
        "wallpaper.package_name" | "wallpaper.class_name" => {
            out.metadata(full_name, value);
            return;
        }
        _ => {}
    }
    let Ok(number) = value.parse::<i32>() else {
        return;
    };
    use TrackType::{BatteryStats, ScreenState, SyspropCounter};
    let (kind, name) = match name {
        "profile_boot_classpath" | "profile_system_server" => {
            out.metadata(&format!("android_{name}"), value);
            return;
        }
        "screen_state" => (ScreenState, "ScreenState"),
        "battery_status" => (SyspropCounter, "BatteryStatus"),
        "plug_type" => (SyspropCounter, "PlugType"),
        "mcc" | "mnc" | "desktop_mode_visible_tasks" => (SyspropCounter, name),
        _ if name.starts_with("battery_stats.") => (BatteryStats, name),
        _ => return,
    };
    let track = counter(kind, name, ts, number, out);
    if kind == SyspropCounter {
        let full_name = ArgValue::Text(out.intern(full_name.as_bytes()));
        out.add_track_args(track, &[("sysprop_name", full_name)]);
    }
}
