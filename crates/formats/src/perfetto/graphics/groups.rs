//! GPU counter groups: rows of `gpu_counter_group`.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder, TrackId};

use super::super::wire::{Field, Fields};

/// The groups in a `GpuCounterDescriptor`, by id.
#[derive(Debug)]
pub(super) struct Groups<'a> {
    described: FxHashMap<u64, Group<'a>>,
    /// In the order of the descriptor.
    all: Vec<Group<'a>>,
}

/// A `GpuCounterGroupSpec`.
#[derive(Clone, Debug)]
struct Group<'a> {
    id: u64,
    name: &'a [u8],
    description: &'a [u8],
    fields: Fields<'a>,
}

impl<'a> Groups<'a> {
    pub fn read(descriptor: Fields<'a>) -> Self {
        let groups = descriptor.filter(|field| field.number == 6);
        let all: Vec<_> = groups
            .filter_map(|field| Group::read(field.fields()))
            .collect();
        let described = all.iter().map(|group| (group.id, group.clone()));
        Self {
            described: described.collect(),
            all,
        }
    }

    /// Adds rows for the groups in a counter's spec. A counter without groups gets group 0.
    pub fn of_counter(&self, track: TrackId, spec: Fields<'_>, out: &mut TraceBuilder) {
        let fields = spec.filter(|field| field.number == 10);
        let mut numbers = fields.flat_map(|field| field.numbers()).peekable();
        if numbers.peek().is_none() {
            return row(0, track, None, out);
        }
        for number in numbers {
            row(number, track, self.described.get(&number), out);
        }
    }

    /// Adds rows for the counters that are listed in the groups.
    pub fn with_counters(&self, tracks: &FxHashMap<u64, TrackId>, out: &mut TraceBuilder) {
        for group in &self.all {
            let fields = group.fields.clone().filter(|field| field.number == 4);
            for counter in fields.flat_map(Field::numbers) {
                if let Some(track) = tracks.get(&counter) {
                    row(group.id, *track, Some(group), out);
                }
            }
        }
    }
}

impl<'a> Group<'a> {
    fn read(fields: Fields<'a>) -> Option<Self> {
        let (mut id, mut name, mut description): (_, &[u8], &[u8]) = (None, &[], &[]);
        for field in fields.clone() {
            match field.number {
                1 => id = Some(field.uint()),
                2 => name = field.bytes(),
                3 => description = field.bytes(),
                _ => {}
            }
        }
        Some(Self {
            id: id?,
            name,
            description,
            fields,
        })
    }
}

fn row(id: u64, track: TrackId, group: Option<&Group<'_>>, out: &mut TraceBuilder) {
    let mut cells = vec![
        ("group_id", ArgValue::Int(id as i64)),
        ("track_id", track.into()),
    ];
    if let Some(group) = group {
        for (column, text) in [("name", group.name), ("description", group.description)] {
            if !text.is_empty() {
                cells.push((column, ArgValue::Text(out.intern(text))));
            }
        }
    }
    out.record(NO_TIME, "gpu_counter_group", &cells);
}
