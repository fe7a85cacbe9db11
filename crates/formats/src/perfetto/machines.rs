//! The machines that were recorded: `SystemInfo`.

use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

use super::kernel::Kernel;
use super::states::kernel_version;
use super::survey::Survey;
use super::wire::{Field, Fields, Value};

/// Fields of `SystemInfo`: the number, the fact, and the column of `machine`, if it has one.
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

/// The columns of a machine's row.
#[derive(Debug)]
pub(super) struct Machine {
    /// Its number in the trace: 0 for the one that recorded.
    number: i64,
    /// Its number in the file.
    raw: u32,
    cells: Vec<(&'static str, ArgValue)>,
}

impl Machine {
    /// The machine with this number.
    pub fn of(survey: &Survey<'_>, number: usize) -> Self {
        let raw = number.checked_sub(1).and_then(|at| survey.machines.get(at));
        Self {
            number: number as i64,
            raw: raw.copied().unwrap_or(0),
            cells: Vec::new(),
        }
    }

    /// A `SystemInfo`.
    pub fn info(&mut self, info: &[u8], kernel: &mut Kernel<'_>, out: &mut TraceBuilder) {
        let cells = &mut self.cells;
        for field in Fields::new(info) {
            match field.number {
                1 => {
                    for field in field.fields() {
                        if field.number == 3 {
                            kernel.version = kernel_version(field.bytes());
                        }
                        fact(UTSNAME, field, cells, out);
                    }
                }
                2 => {
                    fact(FACTS, field, cells, out);
                    if let Some(build) = incremental_build(field.bytes()) {
                        out.metadata("android_incremental_build", build);
                    }
                }
                16 => {
                    fact(FACTS, field, cells, out);
                    let gb = (field.uint() as f64 / 1e9).round() as i64;
                    out.metadata("system_ram_gb", &gb.to_string());
                    cells.push(("system_ram_gb", ArgValue::Int(gb)));
                }
                _ => fact(FACTS, field, cells, out),
            }
        }
    }

    /// Writes the row of `machine`. The one that recorded has a row in each trace.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        self.cells.push(("raw_id", ArgValue::Int(self.raw.into())));
        self.cells.push(("label_index", ArgValue::Int(self.number)));
        out.record(NO_TIME, "machine", &self.cells);
    }
}

/// The number of the build in a fingerprint: `brand/product/device:version/id/BUILD:type/keys`.
fn incremental_build(fingerprint: &[u8]) -> Option<&str> {
    let parts = std::str::from_utf8(fingerprint).ok()?;
    let (_, version) = parts.split_once(':')?;
    let build = version.split('/').nth(2)?;
    Some(build.split(':').next().unwrap_or(build))
}

/// A fact of the table, for people and as a cell.
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
