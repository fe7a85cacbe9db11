//! The CPU profiles of V8: `Profile` and `ProfileChunk`, which DevTools records.

use traceloom_trace::{Place, ProcessId, RepairKind, RowId, ThreadId, TraceBuilder};

use super::event::Event;
use crate::json::Value;
use crate::profile::{Samples, Stacks, V8Event, V8Profiles, add_samples, add_stacks};

/// The memory that the profiles of any file may take, bytes, and that for each byte of the file: first for stacks, then for
/// samples.
const OF_STACKS: (usize, usize) = (16 << 20, 4);
const OF_SAMPLES: (usize, usize) = (24 << 20, 10);

/// The profiles of a file.
#[derive(Debug)]
pub(super) struct V8 {
    profiles: V8Profiles,
    /// How many bytes of the file the room of the stacks is for.
    bytes: usize,
    stacks: Stacks,
    samples: Samples,
    /// Parts of profiles that have not begun. Chrome writes the events of one thread before those of another.
    early: Vec<Early>,
}

/// A part of a profile that comes before its begin.
#[derive(Debug)]
struct Early {
    id: u64,
    upid: Option<ProcessId>,
    utid: Option<ThreadId>,
    json: Vec<u8>,
}

impl Early {
    fn new(event: &V8Event<'_>) -> Self {
        Self {
            id: event.id,
            upid: event.upid,
            utid: event.utid,
            json: event.json.to_vec(),
        }
    }

    fn event(&self) -> V8Event<'_> {
        V8Event {
            id: self.id,
            upid: self.upid,
            utid: self.utid,
            json: &self.json,
        }
    }
}

impl Default for V8 {
    fn default() -> Self {
        Self {
            profiles: V8Profiles::default(),
            bytes: 0,
            stacks: Stacks::with_room(OF_STACKS.0),
            samples: Samples::default(),
            early: Vec::new(),
        }
    }
}

/// Whether an event is a part of a profile.
pub(super) fn has_profile(event: &Event<'_>) -> bool {
    matches!(&*event.name, b"Profile" | b"ProfileChunk")
}

/// The data of an event: its argument `data`, or all of its arguments.
fn data<'a>(event: &Event<'a>) -> Option<&'a [u8]> {
    let args = event.args.as_ref()?;
    let data = args.fields().find(|(key, _)| &**key == b"data");
    match data.map(|(_, value)| value).as_ref().or(Some(args)) {
        Some(Value::Nested(json)) => Some(json),
        _ => None,
    }
}

impl V8 {
    /// Reads an event of a file of which `bytes` have been read.
    pub fn event(
        &mut self,
        event: &Event<'_>,
        (upid, utid): (ProcessId, ThreadId),
        bytes: usize,
        out: &mut TraceBuilder,
    ) {
        let Some(json) = data(event) else {
            self.profiles.invalid += 1;
            return;
        };
        let id = event.id.as_deref().and_then(number);
        let event = V8Event {
            id: id.unwrap_or(0),
            upid: upid.some(),
            utid: utid.some(),
            json,
        };
        if self.profiles.lacks_begin(&event) {
            self.early.push(Early::new(&event));
            return;
        }
        self.read(&event, bytes, out);
        let key = (event.id, event.upid);
        let mine = |early: &mut Early| (early.id, early.upid) == key;
        let early: Vec<_> = self.early.extract_if(.., mine).collect();
        for early in early {
            self.read(&early.event(), bytes, out);
        }
    }

    fn read(&mut self, event: &V8Event<'_>, bytes: usize, out: &mut TraceBuilder) {
        let more = bytes.saturating_sub(std::mem::replace(&mut self.bytes, bytes));
        self.stacks.add_room(OF_STACKS.1 * more);
        let room = OF_SAMPLES.0 + OF_SAMPLES.1 * bytes;
        let room = room.saturating_sub(self.samples.bytes());
        let tables = (&mut self.stacks, &mut self.samples, room);
        self.profiles.event(event, Some, tables, out);
    }

    /// Adds the rows, whose times are moved.
    pub fn finish(mut self, shift: i64, out: &mut TraceBuilder) {
        let bytes = self.bytes;
        for early in std::mem::take(&mut self.early) {
            self.read(&early.event(), bytes, out);
        }
        for sample in &mut self.samples.samples {
            sample.ts = sample.ts.saturating_add(shift);
        }
        let place = Place::default();
        out.repair(RepairKind::BadField, self.profiles.invalid, place, || {
            "a part of a CPU profile does not fit the rest of it".to_owned()
        });
        let beyond = self.profiles.beyond + self.stacks.beyond;
        out.repair(RepairKind::BeyondLimit, beyond, place, || {
            "CPU profiles with too many rows for their size".to_owned()
        });
        if self.samples.samples.is_empty() {
            return;
        }
        if let Some(callsites) = add_stacks(&self.stacks, out) {
            add_samples(self.samples, callsites, out);
        }
    }
}

/// The number of an id, which is hexadecimal: `0x2a`.
fn number(id: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(id).ok()?;
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16).ok()
}
