//! Vulkan memory allocations (`VulkanMemoryEvent`).

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, NO_TIME, ProcessId, TraceBuilder, TrackId, TrackType};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::tasks;
use super::super::wire::{Field, Fields};
use super::args::ArgList;

/// Fields of `InternedData`.
mod interned {
    pub const FUNCTIONS: u32 = 5;
    pub const KEYS: u32 = 22;
}

/// `VulkanMemoryEvent.Source`.
const SOURCES: [&str; 6] = [
    "UNSPECIFIED",
    "DRIVER",
    "DEVICE",
    "DEVICE_MEMORY",
    "BUFFER",
    "IMAGE",
];

/// `VulkanMemoryEvent.Operation`.
const OPERATIONS: [&str; 6] = [
    "UNSPECIFIED",
    "CREATE",
    "DESTROY",
    "BIND",
    "DESTROY_BOUND",
    "ANNOTATIONS",
];

/// `VulkanMemoryEvent.AllocationScope`.
const SCOPES: [&str; 6] = [
    "UNSPECIFIED",
    "COMMAND",
    "OBJECT",
    "CACHE",
    "DEVICE",
    "INSTANCE",
];

/// Columns that contain a number of the message unchanged, by field number.
const NUMBERS: [(u32, &str); 7] = [
    (5, "memory_address"),
    (6, "memory_size"),
    (16, "device"),
    (17, "device_memory"),
    (18, "memory_type"),
    (19, "heap"),
    (20, "object_handle"),
];

/// The allocated memory.
pub(super) struct VulkanMemory<'s> {
    survey: &'s Survey<'s>,
    bytes: FxHashMap<TrackId, i64>,
}

/// The fields of an event that change the counters.
#[derive(Debug, Default)]
struct Change {
    source: u64,
    operation: u64,
    scope: u64,
    kind: u64,
    bytes: i64,
}

impl<'s> VulkanMemory<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            survey,
            bytes: FxHashMap::default(),
        }
    }

    /// Reads a `VulkanMemoryEvent`, which has its own timestamp.
    pub fn event(&mut self, ts: i64, fields: Fields<'_>, state: State, out: &mut TraceBuilder) {
        let find = |number| fields.clone().filter(move |field| field.number == number);
        let number = |number| find(number).last().map_or(0, Field::uint);
        let own = find(3).last().map_or(ts, Field::int);
        let upid = tasks::process_and_leader(i64::from(number(4) as u32), out);
        let mut cells = vec![("timestamp", ArgValue::Int(own)), ("upid", upid.into())];
        for field in fields.clone() {
            let column = NUMBERS.iter().find(|(known, _)| *known == field.number);
            cells.extend(column.map(|(_, column)| (*column, ArgValue::Int(field.int()))));
        }
        let mut word = |column, words: &[&str; 6], of| {
            let word = usize::try_from(of).ok().and_then(|of| words.get(of));
            if let Some(word) = word {
                cells.push((column, ArgValue::Text(out.intern(word.as_bytes()))));
            }
        };
        word("source", &SOURCES, number(1));
        word("operation", &OPERATIONS, number(2));
        if find(8).next().is_some() {
            word("scope", &SCOPES, number(8));
        }
        if let Some(function) = find(7).last() {
            let name = self.text(interned::FUNCTIONS, function.uint(), state);
            cells.extend(name.map(|name| ("function_name", ArgValue::Text(out.intern(name)))));
        }
        let args = self.annotations(&fields, state, out);
        cells.push(("arg_set_id", args.into()));
        out.record(NO_TIME, "vulkan_memory_allocations", &cells);
        let change = Change {
            source: number(1),
            operation: number(2),
            scope: number(8),
            kind: number(18),
            bytes: number(6) as i64,
        };
        if own != i64::MIN {
            self.count(own, upid, &change, out);
        }
    }

    fn text(&self, field: u32, iid: u64, state: State) -> Option<&'s [u8]> {
        let span = self.survey.sequences.interned(&state, field, iid)?;
        let mut fields = Fields::new(self.survey.source.get(span));
        fields.find(|field| field.number == 2).map(Field::bytes)
    }

    /// The `VulkanMemoryEventAnnotation`s.
    fn annotations(&self, fields: &Fields<'_>, state: State, out: &mut TraceBuilder) -> ArgSetId {
        let mut args = ArgList::new(out);
        for annotation in fields.clone().filter(|field| field.number == 9) {
            let mut key = None;
            for field in annotation.fields() {
                let Some(name) = key.filter(|_| field.number > 1) else {
                    key = self.text(interned::KEYS, field.uint(), state);
                    continue;
                };
                match field.number {
                    2 => args.push(name, ArgValue::Int(field.int())),
                    3 => args.push(name, ArgValue::Float(f64::from_bits(field.uint()))),
                    _ => {
                        if let Some(text) = self.text(interned::KEYS, field.uint(), state) {
                            args.text(name, text);
                        }
                    }
                }
            }
        }
        args.store()
    }

    /// Adds allocated memory to the counter of the event's scope or memory type, and subtracts freed memory.
    fn count(&mut self, ts: i64, upid: ProcessId, change: &Change, out: &mut TraceBuilder) {
        use TrackType::{VulkanDeviceMemAllocation, VulkanDeviceMemBind, VulkanDriverMem};
        let memory = |what| {
            format!(
                "vulkan.mem.device.memory.type.{}.{what}",
                change.kind as u32
            )
        };
        let (track, name) = match (change.source, change.operation) {
            (1, 1 | 2) => match usize::try_from(change.scope)
                .ok()
                .and_then(|of| SCOPES.get(of))
            {
                Some(scope) if change.scope > 0 => {
                    (VulkanDriverMem, format!("vulkan.mem.driver.scope.{scope}"))
                }
                _ => return,
            },
            (3, 1 | 2) => (VulkanDeviceMemAllocation, memory("allocation")),
            (4 | 5, 3 | 4) => (VulkanDeviceMemBind, memory("bind")),
            _ => return,
        };
        let name = out.intern(name.as_bytes());
        let track = out.process_track(track, upid, name);
        let bytes = self.bytes.entry(track).or_default();
        *bytes = match change.operation {
            1 | 3 => bytes.saturating_add(change.bytes),
            _ => bytes.saturating_sub(change.bytes),
        };
        out.whole_counter(track, ts, *bytes);
    }
}
