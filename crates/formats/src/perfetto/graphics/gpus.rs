//! The GPUs: a row of `gpu` for each GPU in a packet, and properties of GPU tracks.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{
    ArgSetId, ArgValue, NO_TIME, RowId, StringId, TraceBuilder, TrackId, TrackOwnerId, TrackType,
};

use super::super::wire::Fields;
use super::args::ArgList;
use crate::hex::hex;

/// The text columns of a GPU, by field number of `GpuInfo.Gpu`.
const TEXTS: [(u32, &str); 6] = [
    (1, "name"),
    (2, "vendor"),
    (3, "model"),
    (4, "architecture"),
    (5, "uuid"),
    (7, "pci_bdf"),
];

/// The GPUs, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(super) struct Gpus {
    rows: FxHashMap<u32, usize>,
    gpus: Vec<Gpu>,
    /// The tracks that are already in use.
    taken: FxHashSet<TrackId>,
}

#[derive(Debug)]
struct Gpu {
    number: u32,
    cells: Vec<(&'static str, ArgValue)>,
    args: ArgSetId,
}

impl Gpus {
    /// The row of a GPU in `gpu`.
    pub fn row(&mut self, number: u32) -> usize {
        *self.rows.entry(number).or_insert_with(|| {
            self.gpus.push(Gpu {
                number,
                cells: Vec::new(),
                args: ArgSetId::NONE,
            });
            self.gpus.len() - 1
        })
    }

    /// A `GpuInfo`: all GPUs of the machine, in order.
    pub fn info(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        let gpus = fields.filter(|field| field.number == 1);
        for (number, gpu) in gpus.enumerate() {
            let row = self.row(number as u32);
            let cells = cells(gpu.fields(), out);
            let args = extra(gpu.fields(), out);
            let gpu = &mut self.gpus[row];
            (gpu.cells, gpu.args) = (cells, args);
        }
    }

    /// Adds a new track. Tracks of different GPUs or queues may have the same name.
    pub fn track(&mut self, kind: TrackType, name: StringId, out: &mut TraceBuilder) -> TrackId {
        let track = out.global_track(kind, name);
        if self.taken.insert(track) {
            track
        } else {
            out.separate_track(kind, TrackOwnerId::Machine, name)
        }
    }

    /// Stores the properties of a track of a GPU that PerfettoSQL shows.
    pub fn describe(
        &mut self,
        track: TrackId,
        gpu: u32,
        (unit, description): (&str, &[u8]),
        out: &mut TraceBuilder,
    ) {
        let ugpu = self.row(gpu) as i64;
        let unit = out.intern_unless_empty(unit.as_bytes());
        out.set_track_unit(track, unit);
        let mut args = ArgList::new(out);
        args.some_text("description", description);
        let args = args.store();
        out.set_track_args(track, args);
        let cells = [
            ("track_id", track.into()),
            ("ugpu", ArgValue::Int(ugpu)),
            ("gpu_id", ArgValue::Int(gpu.into())),
        ];
        out.record(NO_TIME, "_gpu_track_detail", &cells);
    }

    /// Writes the rows.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        for gpu in self.gpus.drain(..) {
            let mut cells = vec![
                ("gpu", ArgValue::Int(gpu.number.into())),
                ("machine_id", ArgValue::Int(0)),
                ("arg_set_id", gpu.args.into()),
            ];
            cells.extend(gpu.cells);
            out.record(NO_TIME, "__intrinsic_gpu", &cells);
        }
    }
}

fn cells(fields: Fields<'_>, out: &mut TraceBuilder) -> Vec<(&'static str, ArgValue)> {
    let mut cells = Vec::new();
    for field in fields {
        let column = TEXTS.iter().find(|(number, _)| *number == field.number);
        let Some((number, column)) = column.filter(|_| !field.bytes().is_empty()) else {
            continue;
        };
        let text = match number {
            5 => out.intern(hex(field.bytes()).as_bytes()),
            _ => out.intern(field.bytes()),
        };
        cells.push((*column, ArgValue::Text(text)));
    }
    cells
}

/// Additional key-value pairs from the driver.
fn extra(fields: Fields<'_>, out: &mut TraceBuilder) -> ArgSetId {
    let mut args = ArgList::new(out);
    for pair in fields.filter(|field| field.number == 6) {
        let find = |number| pair.fields().filter(move |it| it.number == number).last();
        if let (Some(key), Some(value)) = (find(1), find(2)) {
            args.text(key.bytes(), value.bytes());
        }
    }
    args.store()
}
