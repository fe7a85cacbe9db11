//! The events of a recording: what was counted.

use rustc_hash::FxHashMap;

use super::attr::{Attr, read};
use super::records::{Record, kind};
use crate::bytes::ByteOrder;

/// An event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event<'a> {
    pub attr: Attr,
    /// The event's name in the file.
    name: &'a [u8],
}

/// All events, and the ids in samples.
#[derive(Debug, Default)]
pub(super) struct Events<'a> {
    pub list: Vec<Event<'a>>,
    by_id: FxHashMap<u64, usize>,
}

impl<'a> Events<'a> {
    /// Adds an event.
    pub fn add(&mut self, attr: Attr, ids: impl IntoIterator<Item = u64>) {
        let at = self.list.len();
        self.list.push(Event { attr, name: b"" });
        for id in ids {
            self.add_id(id, at);
        }
    }

    /// Adds an id to the event with this index.
    pub fn add_id(&mut self, id: u64, event: usize) {
        self.by_id.entry(id).or_insert(event);
    }

    /// The index of the event with this id.
    pub fn with_id(&self, id: u64) -> Option<usize> {
        self.by_id
            .get(&id)
            .copied()
            .filter(|at| *at < self.list.len())
    }

    /// Names the event that has one of these ids. If no event has them, names the one at index `at`.
    pub fn name(&mut self, ids: impl IntoIterator<Item = u64>, at: usize, name: &'a [u8]) {
        let known = ids.into_iter().find_map(|id| self.with_id(id));
        if let Some(event) = self.list.get_mut(known.unwrap_or(at)) {
            event.name = name;
        }
    }

    /// Names the events by their type and configuration.
    pub fn name_kinds(&mut self, names: impl Iterator<Item = (&'a [u8], (u32, u64))>) {
        let kind = |event: &Event<'_>| (event.attr.kind, event.attr.config);
        let mut known: FxHashMap<_, &[u8]> = FxHashMap::default();
        known.extend(self.list.iter().map(|event| (kind(event), &b""[..])));
        for (name, kind) in names {
            known.entry(kind).and_modify(|known| *known = name);
        }
        for event in &mut self.list {
            if let Some(name) = known.get(&kind(event)).filter(|name| !name.is_empty()) {
                event.name = name;
            }
        }
    }

    /// Whether the kernel counted the lost samples of each event.
    pub fn count_losses(&self) -> bool {
        let mut events = self.list.iter();
        events.any(|event| event.attr.read_format & read::LOST != 0)
    }

    /// The index of the event to which a record belongs. A record without an id belongs to the first one.
    pub fn of(&self, record: &Record<'_>, order: ByteOrder) -> Option<usize> {
        let first = &self.list.first()?.attr;
        if self.list.len() == 1 {
            return Some(0);
        }
        let id = if record.kind == kind::SAMPLE {
            first.id_of_sample(record.cursor(order))
        } else {
            first.id_of_other(record.payload, order)
        };
        match id {
            None | Some(0) => Some(0),
            Some(id) => self.with_id(id),
        }
    }
}

impl Event<'_> {
    /// The event's name: the one in the file, otherwise the one that perf uses.
    pub fn name(&self) -> String {
        if !self.name.is_empty() {
            return String::from_utf8_lossy(self.name).into_owned();
        }
        let named = match self.attr.kind {
            0 => HARDWARE.get(self.attr.config as usize),
            1 => SOFTWARE.get(self.attr.config as usize),
            _ => None,
        };
        let raw = || format!("raw.{:#x}.{:#x}", self.attr.kind, self.attr.config);
        named.map_or_else(raw, |name| (*name).to_owned())
    }

    /// The unit of the event's count, if it is known.
    pub fn unit(&self) -> &'static str {
        match (self.attr.kind, self.attr.config) {
            (0, 0 | 6 | 9) => "cycles",
            (0, 1) => "instructions",
            (1, 0 | 1) => "ns",
            (0..=3 | 5, _) => "count",
            _ => "",
        }
    }
}

/// `PERF_COUNT_HW_…`, under perf's names.
const HARDWARE: [&str; 10] = [
    "cpu-cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branch-instructions",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
];

/// `PERF_COUNT_SW_…`, under perf's names.
const SOFTWARE: [&str; 12] = [
    "cpu-clock",
    "task-clock",
    "page-faults",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
    "dummy",
    "bpf-output",
    "cgroup-switches",
];
