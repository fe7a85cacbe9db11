//! `SmapsPacket`: the memory mappings of a process.

use traceloom_trace::{ArgValue, TraceBuilder};

use super::super::wire::{Field, Fields};
use super::tasks;

/// The maximum memory for a row, bytes.
pub(super) const BYTES: usize = 450;

/// The numeric fields of `SmapsEntry`.
const NUMBERS: &[(u32, &str)] = &[
    (2, "size_kb"),
    (3, "private_dirty_kb"),
    (4, "swap_kb"),
    (6, "start_address"),
    (7, "module_timestamp"),
    (10, "protection_flags"),
    (11, "private_clean_resident_kb"),
    (12, "shared_dirty_resident_kb"),
    (13, "shared_clean_resident_kb"),
    (14, "locked_kb"),
    (15, "proportional_resident_kb"),
];

/// The text fields of `SmapsEntry`, except the path.
const TEXTS: &[(u32, &str)] = &[
    (5, "file_name"),
    (8, "module_debugid"),
    (9, "module_debug_path"),
];

/// The columns of `PackedSmaps`. Each has a number per mapping.
const PACKED: &[(u32, &str)] = &[
    (4, "size_kb"),
    (5, "rss_kb"),
    (6, "anonymous_kb"),
    (7, "swap_kb"),
    (8, "shared_clean_resident_kb"),
    (9, "shared_dirty_resident_kb"),
    (10, "private_clean_resident_kb"),
    (11, "private_dirty_kb"),
    (12, "locked_kb"),
    (13, "proportional_resident_kb"),
    (14, "pss_dirty_kb"),
    (15, "swap_pss_kb"),
];

/// Reads a packet, as long as its rows take less than `room` bytes. Returns the number of rows.
pub(super) fn packet(ts: i64, fields: Fields<'_>, room: usize, out: &mut TraceBuilder) -> usize {
    let before = out.trace().records.len();
    let pid = fields.clone().filter(|field| field.number == 1).last();
    let upid = tasks::process(pid.map_or(0, Field::uint), out);
    for field in fields {
        match field.number {
            2 if (out.trace().records.len() - before) * BYTES > room => break,
            2 => entry(ts, upid.into(), field.fields(), out),
            3 => packed(ts, upid.into(), field.fields(), room / BYTES, out),
            _ => {}
        }
    }
    out.trace().records.len() - before
}

/// The cells for the path of a mapping.
fn of_path(path: &[u8], upid: ArgValue, out: &mut TraceBuilder) -> Vec<(&'static str, ArgValue)> {
    let trimmed = path.strip_suffix(b" (deleted)");
    vec![
        ("upid", upid),
        ("path", ArgValue::Text(out.intern(path))),
        (
            "path_trimmed",
            ArgValue::Text(out.intern(trimmed.unwrap_or(path))),
        ),
        ("is_deleted", unless(0, trimmed.is_some().into())),
    ]
}

/// A number. The table's default value needs no cell.
fn unless(usual: i64, value: i64) -> ArgValue {
    if value == usual {
        ArgValue::Null
    } else {
        ArgValue::Int(value)
    }
}

fn add(ts: i64, mut cells: Vec<(&str, ArgValue)>, out: &mut TraceBuilder) {
    cells.retain(|(_, cell)| *cell != ArgValue::Null);
    out.record(ts, "profiler_smaps", &cells);
}

fn entry(ts: i64, upid: ArgValue, fields: Fields<'_>, out: &mut TraceBuilder) {
    let path = fields.clone().filter(|field| field.number == 1).last();
    let mut cells = of_path(path.map_or(b"", Field::bytes), upid, out);
    for (number, column) in NUMBERS {
        let field = fields
            .clone()
            .filter(|field| field.number == *number)
            .last();
        cells.push((column, unless(0, field.map_or(0, Field::int))));
    }
    for (number, column) in TEXTS {
        let field = fields
            .clone()
            .filter(|field| field.number == *number)
            .last();
        let text = field.map(|field| ArgValue::Text(out.intern(field.bytes())));
        cells.extend(text.map(|text| (*column, text)));
    }
    add(ts, cells, out);
}

/// The numbers of a repeated field.
fn numbers(fields: &Fields<'_>, number: u32) -> Vec<u64> {
    let fields = fields.clone().filter(|field| field.number == number);
    fields.flat_map(Field::numbers).collect()
}

/// Reads a `PackedSmaps`, which has mappings as columns. A row is either one mapping, or the sum of all mappings with
/// the same path.
fn packed(ts: i64, upid: ArgValue, fields: Fields<'_>, most: usize, out: &mut TraceBuilder) {
    let paths: Vec<&[u8]> = fields
        .clone()
        .filter(|field| field.number == 1)
        .map(Field::bytes)
        .collect();
    let (ids, counts) = (numbers(&fields, 2), numbers(&fields, 3));
    let columns: Vec<(&str, Vec<u64>)> = PACKED
        .iter()
        .map(|(number, column)| (*column, numbers(&fields, *number)))
        .filter(|(_, column)| !column.is_empty())
        .collect();
    let rows = if counts.is_empty() {
        ids.len()
    } else {
        counts.len()
    };
    let rows = columns
        .iter()
        .fold(rows, |rows, (_, column)| rows.min(column.len()));
    for row in 0..rows.min(most) {
        let path = match ids.get(row) {
            Some(id) if counts.is_empty() => *id as usize,
            _ => row,
        };
        let Some(path) = paths.get(path) else {
            return;
        };
        let mut cells = of_path(path, upid, out);
        let count = counts.get(row).copied().unwrap_or(1);
        cells.push(("aggregate_count", unless(1, count as i64)));
        for (column, values) in &columns {
            let value = values.get(row).copied().unwrap_or_default();
            cells.push((column, unless(0, value as i64)));
        }
        add(ts, cells, out);
    }
}
