//! The CPU profiles of V8: `Profile` and `ProfileChunk`, which DevTools records, and `CpuProfile`, which is a whole
//! profile. The last is from early versions of DevTools, and from webpack.

use std::collections::BTreeMap;

use traceloom_trace::{Place, ProcessId, RepairKind, RowId, ThreadId, TraceBuilder};

use super::event::Event;
use crate::json::{Fields, Value};
use crate::profile::{
    Rows, Samples, Stacks, V8Event, V8Profiles, add_samples, add_stacks, events_of_profile,
};

/// Memory limits of the profiles: a base for any file, bytes, and the bytes allowed for each byte of the file. One
/// pair is for stacks, the other for samples.
const OF_STACKS: (usize, usize) = (16 << 20, 4);
const OF_SAMPLES: (usize, usize) = (24 << 20, 10);

/// The profiles of a file.
#[derive(Debug)]
pub(super) struct V8 {
    profiles: V8Profiles,
    /// The number of bytes of the file that already count towards the memory limit of the stacks.
    bytes: usize,
    stacks: Stacks,
    samples: Samples,
    /// Parts of profiles whose begin has not been read. Chrome writes all events of one thread before those of
    /// another.
    early: BTreeMap<ProfileKey, Vec<Early>>,
    /// The number of whole profiles.
    wholes: u64,
}

/// The number of a profile in its process.
type ProfileKey = (u64, Option<ProcessId>);

/// A part of a profile that comes before the profile's begin: the thread and the text.
type Early = (Option<ThreadId>, Vec<u8>);

impl Default for V8 {
    fn default() -> Self {
        Self {
            profiles: V8Profiles::default(),
            bytes: 0,
            stacks: Stacks::with_room(OF_STACKS.0),
            samples: Samples::default(),
            early: BTreeMap::new(),
            wholes: 0,
        }
    }
}

/// Whether an event is a part of a profile.
pub(super) fn has_profile(event: &Event<'_>) -> bool {
    matches!(&*event.name, b"Profile" | b"ProfileChunk")
}

/// Whether an event contains a whole profile. Its phase is that of an instant or of a slice.
pub(super) fn is_profile(event: &Event<'_>) -> bool {
    *event.name == *b"CpuProfile" && profile(event).is_some()
}

fn profile<'a>(event: &Event<'a>) -> Option<Value<'a>> {
    let mut fields = Fields::new(data(event)?);
    let (_, profile) = fields.find(|(key, _)| &**key == b"cpuProfile")?;
    matches!(profile, Value::Nested([b'{', ..])).then_some(profile)
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
    /// Reads an event. `bytes` of the file have been read so far.
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
        let key = (event.id, event.upid);
        if self.profiles.lacks_begin(&event) {
            let early = self.early.entry(key).or_default();
            return early.push((event.utid, event.json.to_vec()));
        }
        self.read(&event, bytes, out);
        if let Some(parts) = self.early.remove(&key) {
            self.read_early(key, &parts, bytes, out);
        }
    }

    /// Reads an event that contains a whole profile, as if it were the start of a profile and its only chunk.
    pub fn whole(
        &mut self,
        event: &Event<'_>,
        (upid, utid): (ProcessId, ThreadId),
        bytes: usize,
        out: &mut TraceBuilder,
    ) {
        let Some(Value::Nested(profile)) = profile(event) else {
            return;
        };
        // No event has an id this large, so it cannot be taken for a chunk of another profile.
        self.wholes += 1;
        for json in events_of_profile(profile) {
            let event = V8Event {
                id: u64::MAX - self.wholes,
                upid: upid.some(),
                utid: utid.some(),
                json: &json,
            };
            self.read(&event, bytes, out);
        }
    }

    fn read_early(
        &mut self,
        (id, upid): ProfileKey,
        parts: &[Early],
        bytes: usize,
        out: &mut TraceBuilder,
    ) {
        for (utid, json) in parts {
            let utid = *utid;
            self.read(
                &V8Event {
                    id,
                    upid,
                    utid,
                    json,
                },
                bytes,
                out,
            );
        }
    }

    fn read(&mut self, event: &V8Event<'_>, bytes: usize, out: &mut TraceBuilder) {
        let room = self.room(bytes);
        let tables = (&mut self.stacks, &mut self.samples, room);
        self.profiles.event(event, Some, tables, out);
    }

    /// The memory left for samples after `bytes` of the file. Also adds memory for stacks.
    fn room(&mut self, bytes: usize) -> usize {
        let more = bytes.saturating_sub(std::mem::replace(&mut self.bytes, bytes));
        self.stacks.add_room(OF_STACKS.1 * more);
        let room = OF_SAMPLES.0 + OF_SAMPLES.1 * bytes;
        room.saturating_sub(self.samples.bytes())
    }

    /// The tables for stacks and samples of other kinds, and the memory left for samples.
    pub fn tables(&mut self, bytes: usize) -> (&mut Stacks, &mut Samples, usize) {
        let room = self.room(bytes);
        (&mut self.stacks, &mut self.samples, room)
    }

    /// Adds the rows, with `shift` added to their times. Returns the callsites.
    pub fn finish(mut self, shift: i64, out: &mut TraceBuilder) -> Option<Rows> {
        let bytes = self.bytes;
        for (key, parts) in std::mem::take(&mut self.early) {
            self.read_early(key, &parts, bytes, out);
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
        if self.samples.samples.is_empty() && self.stacks.callsites.is_empty() {
            return None;
        }
        let callsites = add_stacks(&self.stacks, out)?;
        add_samples(self.samples, callsites, out);
        Some(callsites)
    }
}

/// The value of a hexadecimal id: `0x2a`.
fn number(id: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(id).ok()?;
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16).ok()
}
