//! The names and dimensions of tracks under PerfettoSQL's names. [`TrackType`](traceloom_trace::TrackType) defines
//! them; this module creates their texts and arguments.

use std::collections::HashMap;

use traceloom_trace::{
    ArgValue, NO_NUMBER, ProcessId, RowId, StringId, Trace, TrackDimensionValue, TrackRow,
    TrackTitle, TrackType,
};

use super::cell::Cell;

/// Data that is derived from the tracks when a session opens: a few texts and numbers for each.
#[derive(Debug, Default)]
pub(super) struct TrackFacts {
    /// The name of each track's type.
    pub types: Vec<StringId>,
    /// The name of each track; NULL for none.
    pub names: Vec<StringId>,
    /// The process of each track.
    pub processes: Vec<ProcessId>,
    /// The unit of each track's values; NULL for none.
    pub units: Vec<StringId>,
    /// The first of each track's dimensions; `None` if it has none. Tracks with the same dimensions share them.
    first_dimensions: Vec<Option<usize>>,
    pub dimensions: Vec<DimensionRow>,
    /// Whether a track is one of several lanes, or has a type with lanes.
    pub has_group: Vec<bool>,
}

/// A dimension of a track.
#[derive(Debug)]
pub(super) struct DimensionRow {
    pub track: usize,
    pub key: StringId,
    pub value: Cell,
}

impl DimensionRow {
    /// The key and the value, for comparisons.
    fn identity(&self) -> (StringId, u8, i64) {
        match self.value {
            Cell::Null => (self.key, 0, 0),
            Cell::Int(value) => (self.key, 1, value),
            Cell::Float(value) => (self.key, 2, value.to_bits() as i64),
            Cell::Text(id) => (self.key, 3, id.0.into()),
        }
    }
}

impl TrackFacts {
    pub fn new(trace: &Trace, intern: &mut dyn FnMut(&str) -> StringId) -> Self {
        let mut facts = Self::default();
        let mut known: HashMap<Vec<(StringId, u8, i64)>, usize> = HashMap::new();
        let is_scoped = trace.strings.lookup(IS_PROCESS_SCOPED);
        for (number, row) in trace.tracks.rows().enumerate() {
            let row = as_queried(row, is_scoped, trace);
            facts.processes.push(row.upid);
            let name = trace.strings.get(row.name);
            facts.types.push(intern(row.kind.name()));
            facts.names.push(title(&row, intern));
            facts.units.push(match row.kind.unit() {
                _ if row.unit != StringId::NULL => row.unit,
                "" => StringId::NULL,
                unit => intern(unit),
            });
            let dimensions = row.kind.dimensions().iter().map(|dimension| DimensionRow {
                track: number,
                key: intern(dimension.key),
                value: match dimension.value {
                    TrackDimensionValue::Argument => argument(trace, &row, dimension.key),
                    from => value(&row, from, name, intern),
                },
            });
            let dimensions: Vec<DimensionRow> = dimensions.collect();
            let key = dimensions.iter().map(DimensionRow::identity).collect();
            let next = facts.dimensions.len();
            let is_empty = dimensions.is_empty();
            let first = *known.entry(key).or_insert_with(|| {
                facts.dimensions.extend(dimensions);
                next
            });
            facts.first_dimensions.push((!is_empty).then_some(first));
            facts.has_group.push(row.kind.has_lanes());
            if let Some(first) = row.parent.some() {
                facts.has_group[first.row()] = true;
            }
        }
        facts
    }

    /// The group of a track: the number of its first lane.
    pub fn group(&self, trace: &Trace, row: usize) -> Cell {
        let first = trace.tracks.parent.get(row).some();
        let first = first.map_or(row, |first| first.row());
        if self.has_group[first] {
            Cell::Int(first as i64)
        } else {
            Cell::Null
        }
    }

    /// The first dimension of a track; `None` if it has none.
    pub fn first_dimension(&self, track: usize) -> Option<usize> {
        self.first_dimensions.get(track).copied().flatten()
    }
}

/// The argument of a counter of Chrome with the name that PerfettoSQL has for it.
const COUNTER_NAME: &str = "json_counter_name";

/// The argument of an asynchronous track that says whether its ids are valid only in their process.
const IS_PROCESS_SCOPED: &str = "trace_id_is_process_scoped";

/// A track as PerfettoSQL shows it. There, the names of Chrome's counters always end with their series. Chrome's
/// asynchronous slices belong to no process, unless their ids are local.
fn as_queried(row: TrackRow, is_scoped: Option<StringId>, trace: &Trace) -> TrackRow {
    if matches!(row.kind, TrackType::JsonCounter | TrackType::GlobalCounter)
        && let Cell::Text(name) = argument(trace, &row, COUNTER_NAME)
    {
        return TrackRow { name, ..row };
    }
    if row.kind != TrackType::LegacyAsyncProcessSlice {
        return row;
    }
    let first = row.parent.some().map(|first| first.row());
    let set = first.map_or(row.arg_set_id, |first| trace.tracks.arg_set_id.get(first));
    let mut args = trace.args.set(set);
    if !args.any(|(key, value)| Some(key) == is_scoped && value == ArgValue::Bool(false)) {
        return row;
    }
    TrackRow {
        kind: TrackType::LegacyAsyncGlobalSlice,
        upid: ProcessId::NONE,
        ..row
    }
}

fn title(row: &TrackRow, intern: &mut dyn FnMut(&str) -> StringId) -> StringId {
    match row.kind.title() {
        TrackTitle::None => StringId::NULL,
        TrackTitle::Own => row.name,
        TrackTitle::Fixed(title) => intern(title),
        TrackTitle::OfCpu(before, after) => intern(&format!("{before}{}{after}", row.cpu)),
    }
}

/// The argument of a track with this key.
fn argument(trace: &Trace, row: &TrackRow, key: &str) -> Cell {
    let mut args = trace.args.set(row.arg_set_id);
    let found = args.find(|(known, _)| trace.strings.get(*known) == key);
    match found.map(|(_, value)| value) {
        Some(ArgValue::Int(value)) => Cell::Int(value),
        Some(ArgValue::Unsigned(value)) => Cell::Int(value as i64),
        Some(ArgValue::Text(text)) => Cell::Text(text),
        _ => Cell::Null,
    }
}

fn value(
    row: &TrackRow,
    value: TrackDimensionValue,
    name: &str,
    intern: &mut dyn FnMut(&str) -> StringId,
) -> Cell {
    let part = row.kind.variable_part(name);
    match value {
        TrackDimensionValue::Thread => Cell::id(row.utid),
        TrackDimensionValue::Process => Cell::id(row.upid),
        TrackDimensionValue::Cpu => Cell::unless(row.cpu, NO_NUMBER),
        TrackDimensionValue::Text if row.name == StringId::NULL => Cell::Text(StringId::NULL),
        TrackDimensionValue::Text => Cell::Text(intern(part)),
        TrackDimensionValue::Number => Cell::Int(part.parse().unwrap_or(0)),
        TrackDimensionValue::Absent | TrackDimensionValue::Argument => Cell::Text(StringId::NULL),
        TrackDimensionValue::Fixed(text) => Cell::Text(intern(text)),
    }
}
