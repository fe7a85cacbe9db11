//! The recorded machines (`SystemInfo`).

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use super::kernel::Kernel;
use super::states::kernel_version;
use super::survey::Survey;
use super::wire::{Field, Fields, Value};
use crate::parts::MachineFact;

/// Fields of `SystemInfo`: the field number, the metadata key, and the column of `machine`. An empty string means none.
const FACTS: &[(u32, &str, &str)] = &[
    (2, "android_build_fingerprint", "android_build_fingerprint"),
    (4, "tracing_service_version", ""),
    (5, "android_sdk_version", "android_sdk_version"),
    (7, "timezone_off_mins", ""),
    (8, "", "num_cpus"),
    (9, "android_soc_model", ""),
    (10, "android_hardware_revision", ""),
    (11, "android_storage_model", ""),
    (12, "android_ram_model", ""),
    (13, "android_guest_soc_model", ""),
    (
        14,
        "android_device_manufacturer",
        "android_device_manufacturer",
    ),
    (15, "android_serial_console", ""),
    (16, "system_ram_bytes", "system_ram_bytes"),
    (17, "system_machine_name", "name"),
];

/// Fields of `Utsname`.
const UTSNAME: &[(u32, &str, &str)] = &[
    (1, "system_name", "sysname"),
    (2, "system_version", "version"),
    (3, "system_release", "release"),
    (4, "system_machine", "arch"),
];

/// A machine, with the cells of its row in `machine`.
#[derive(Debug)]
pub(super) struct Machine {
    /// The machine's id in the file.
    raw: u32,
    /// Its number among the machines with an id.
    label: i64,
    cells: Vec<(&'static str, ArgValue)>,
}

impl Machine {
    /// The machine with this number.
    pub fn of(survey: &Survey<'_>, number: usize) -> Self {
        let other = number.checked_sub(1).and_then(|at| survey.machines.get(at));
        let raw = other.copied().unwrap_or(survey.recorder);
        Self {
            raw,
            label: number as i64 + i64::from(survey.recorder != 0),
            cells: Vec::new(),
        }
    }

    /// Reads a `SystemInfo`.
    pub fn info(&mut self, info: &[u8], kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
        let (mut level, mut has_level) = (None, false);
        for field in Fields::new(info) {
            match field.number {
                1 => self.utsname(field, kernel, out),
                2 => {
                    fact(FACTS, field, &mut self.cells, out);
                    if let Some((version, build)) = version_and_build(field.bytes()) {
                        out.metadata("android_incremental_build", build);
                        level = api_level(version);
                    }
                }
                5 => {
                    fact(FACTS, field, &mut self.cells, out);
                    has_level = true;
                }
                16 => {
                    fact(FACTS, field, &mut self.cells, out);
                    let gb = (field.uint() as f64 / 1e9).round() as i64;
                    self.number("system_ram_gb", gb, out);
                }
                _ => fact(FACTS, field, &mut self.cells, out),
            }
        }
        if let Some(level) = level.filter(|_| !has_level) {
            self.number("android_sdk_version", level, out);
        }
    }

    /// Reads a `Utsname`.
    fn utsname(&mut self, names: Field<'_>, kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
        for field in names.fields() {
            if field.number == 3 {
                kernel.version = kernel_version(field.bytes());
            }
            fact(UTSNAME, field, &mut self.cells, out);
        }
    }

    fn number(&mut self, name: &'static str, number: i64, out: &mut TraceBuilder) {
        out.metadata(name, &number.to_string());
        self.cells.push((name, ArgValue::Int(number)));
    }

    /// The machine's id in the file.
    pub fn raw(&self) -> u32 {
        self.raw
    }

    /// Writes the row in `machine`. The machine that recorded has a row in each trace.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        self.cells.push(("raw_id", ArgValue::Int(self.raw.into())));
        self.cells.push(("label_index", ArgValue::Int(self.label)));
        out.record(NO_TIME, "machine", &self.cells);
    }

    /// The machine's cells with owned strings instead of string ids.
    pub fn facts(&self, out: &TraceBuilder) -> Vec<(&'static str, MachineFact)> {
        let fact = |value: &ArgValue| match value {
            ArgValue::Int(number) => Some(MachineFact::Number(*number)),
            ArgValue::Text(id) => Some(MachineFact::Text(out.trace().strings.get(*id).to_owned())),
            _ => None,
        };
        let cells = self.cells.iter();
        cells
            .filter_map(|(column, value)| Some((*column, fact(value)?)))
            .collect()
    }
}

/// The Android version and the build number in a fingerprint: `brand/product/device:VERSION/id/BUILD:type/keys`.
fn version_and_build(fingerprint: &[u8]) -> Option<(&str, &str)> {
    let parts = std::str::from_utf8(fingerprint).ok()?;
    let (_, version) = parts.split_once(':')?;
    let mut parts = version.split('/');
    let (version, build) = (parts.next()?, parts.nth(1)?);
    Some((version, build.split(':').next().unwrap_or(build)))
}

/// The API level of an Android version (source.android.com, "Codenames, tags, and build numbers").
fn api_level(version: &str) -> Option<i64> {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let minor = minor.split('.').next()?;
    let level = match (major.parse().ok()?, minor.parse().ok()?) {
        (5, minor @ 0..=1) => 21 + minor,
        (6, 0) => 23,
        (7, minor @ 0..=1) => 24 + minor,
        (8, minor @ 0..=1) => 26 + minor,
        (major @ 9..=12, 0) => 19 + major,
        // API level 32 is Android 12L, whose version is 12 too.
        (major @ 13..=16, 0) => 20 + major,
        _ => return None,
    };
    Some(level)
}

/// Stores a field as metadata and as a cell, as its entry in `table` specifies.
fn fact(
    table: &[(u32, &'static str, &'static str)],
    field: Field<'_>,
    cells: &mut Vec<(&'static str, ArgValue)>,
    out: &mut TraceBuilder,
) {
    let Some((_, key, column)) = table.iter().find(|(number, ..)| *number == field.number) else {
        return;
    };
    let (shown, value) = match field.value {
        Value::Number(number) => ((number as i64).to_string(), ArgValue::Int(number as i64)),
        Value::Bytes(text) => {
            let shown = String::from_utf8_lossy(text).into_owned();
            (shown, ArgValue::Text(out.intern(text)))
        }
    };
    if !key.is_empty() {
        out.metadata(key, &shown);
    }
    if !column.is_empty() {
        cells.push((column, value));
    }
}
