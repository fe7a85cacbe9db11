//! Packets of Android's own code: the times when apps held wakelocks, and packets between Android and its Bluetooth
//! chip.
//!
//! Source: `frameworks_base_trace_packet.proto` and `bluetooth_trace.proto` in `protos/third_party/android` of
//! google/perfetto.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use traceloom_trace::{
    ArgValue, AsyncLanes, LaneKey, Place, RepairKind, SliceBegin, StringId, TraceBuilder, TrackType,
};

use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::tally::Tally;
use super::super::wire::{Field, Fields};

/// The field of `InternedData` with the properties of wakelocks.
const INFO: u32 = 42;

/// The fields of an `AppWakelockInfo` that become arguments.
const ARGS: [(u32, &str); 4] = [
    (3, "flags"),
    (4, "owner_pid"),
    (5, "owner_uid"),
    (6, "work_uid"),
];

/// Collects the wakelock events of apps. Packets have them in the order of their writers, so they are sorted at the
/// end.
#[derive(Default)]
pub(super) struct AppWakelocks<'s> {
    events: Vec<Event<'s>>,
    /// The number of events without a timestamp, or whose wakelock is not interned.
    unknown: u64,
    tally: Tally,
}

struct Event<'s> {
    ts: i64,
    is_acquired: bool,
    info: &'s [u8],
}

impl<'s> AppWakelocks<'s> {
    /// Reads an `AppWakelockBundle`. Each event has the iid of the wakelock, a time relative to the packet's timestamp,
    /// and whether the wakelock was acquired.
    pub fn packet(&mut self, ts: i64, bundle: Fields<'s>, state: State, survey: &'s Survey<'s>) {
        let (mut ids, mut times) = (Vec::new(), Vec::new());
        for field in bundle {
            match field.number {
                1 => ids.extend(field.numbers()),
                2 => times.extend(field.numbers()),
                _ => {}
            }
        }
        self.unknown += ids.len().abs_diff(times.len()) as u64;
        for (iid, time) in ids.into_iter().zip(times) {
            let Some(info) = survey.sequences.interned(&state, INFO, iid) else {
                self.unknown += 1;
                self.tally.count("app_wakelock_unknown_id");
                continue;
            };
            self.events.push(Event {
                ts: ts.saturating_add((time >> 1) as i64),
                is_acquired: time & 1 == 1,
                info: survey.source.get(info),
            });
        }
    }

    /// Writes the slices and reports problems.
    pub fn finish(mut self, out: &mut TraceBuilder) {
        self.tally.write(out);
        out.repair(RepairKind::BadField, self.unknown, Place::default(), || {
            "events of wakelocks that no packet describes, or without a time".to_owned()
        });
        self.events.sort_by_key(|event| event.ts);
        let mut lanes = AsyncLanes::default();
        for event in self.events {
            event.add(&mut lanes, out);
        }
    }
}

impl Event<'_> {
    fn add(&self, lanes: &mut AsyncLanes, out: &mut TraceBuilder) {
        let title = out.intern(b"app_wakelock_events");
        let track = out.global_track(TrackType::AppWakelockEvents, title);
        let cookie = self.cookie();
        let key = LaneKey { track, cookie };
        if !self.is_acquired {
            return self.release(lanes, key, out);
        }
        let name = Fields::new(self.info).find(|field| field.number == 2);
        let name = out.intern(name.map_or(&b""[..], Field::bytes));
        let args = arguments(self.info, &ARGS, out);
        let begin = SliceBegin {
            arg_set_id: out.args(args),
            ..SliceBegin::named(self.ts, name)
        };
        lanes.begin(out, key, begin);
    }

    /// Ends the slice. The wakelock may have been acquired before the trace began.
    fn release(&self, lanes: &mut AsyncLanes, key: LaneKey, out: &mut TraceBuilder) {
        if lanes.end(out, key, self.ts).is_none() {
            let place = Place::default().with_ts(self.ts);
            out.repair(RepairKind::UnmatchedEnd, 1, place, || {
                "a wakelock was released".to_owned()
            });
        }
    }

    /// The identity of the wakelock: a hash of all fields except the iid.
    fn cookie(&self) -> i64 {
        let mut hasher = FxHasher::default();
        for field in Fields::new(self.info).filter(|field| field.number != 1) {
            (field.number, field.uint(), field.bytes()).hash(&mut hasher);
        }
        hasher.finish() as i64
    }
}

/// The fields of a `BluetoothTraceEvent` that become arguments.
const BLUETOOTH: [(u32, &str); 6] = [
    (2, "Count"),
    (3, "Length"),
    (5, "Op Code"),
    (6, "Event Code"),
    (7, "Subevent Code"),
    (8, "Handle"),
];

/// The packet types, from 1 on.
const PACKETS: [&str; 8] = [
    "HCI_CMD",
    "HCI_EVT",
    "HCI_ACL_RX",
    "HCI_ACL_TX",
    "HCI_SCO_RX",
    "HCI_SCO_TX",
    "HCI_ISO_RX",
    "HCI_ISO_TX",
];

/// A `BluetoothTraceEvent`.
pub(super) fn bluetooth(ts: i64, event: &[u8], out: &mut TraceBuilder) {
    let name = out.intern(b"BluetoothTraceEvent");
    let track = out.global_track(TrackType::BluetoothTraceEvent, name);
    let (mut dur_ns, mut args) = (0, Vec::new());
    for field in Fields::new(event) {
        match field.number {
            1 => {
                let place = (field.uint() as usize).checked_sub(1);
                let kind = place.and_then(|place| PACKETS.get(place)).copied();
                let kind = ArgValue::Text(out.intern(kind.unwrap_or("UNKNOWN").as_bytes()));
                args.push((out.intern(b"TracePacketType"), kind));
            }
            4 => dur_ns = field.int(),
            _ => {}
        }
    }
    args.extend(arguments(event, &BLUETOOTH, out));
    let begin = SliceBegin {
        arg_set_id: out.args(args),
        ..SliceBegin::named(ts, name)
    };
    out.whole_slice(track, begin, dur_ns);
}

/// The numeric fields of a message as arguments.
fn arguments(
    message: &[u8],
    keys: &[(u32, &str)],
    out: &mut TraceBuilder,
) -> Vec<(StringId, ArgValue)> {
    let mut args = Vec::new();
    for (number, key) in keys {
        let field = Fields::new(message).find(|field| field.number == *number);
        if let Some(field) = field {
            let value = ArgValue::Int(field.int());
            args.push((out.intern(key.as_bytes()), value));
        }
    }
    args
}
