//! Power and energy: the battery, power rails, energy consumers, and the time that parts of the device spent in each
//! state.

mod rails;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, Place, RepairKind, StringId, TraceBuilder, TrackId, TrackType};

use super::super::clocks::{BOOTTIME, ClockId, Converter};
use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::tally::Tally;
use super::super::wire::{Field, Fields};
use super::named::{Distinct, push, text};

/// The maximum index of a power rail.
const MOST_RAIL: u64 = 256;

/// Power rails, consumers and states from descriptors.
pub(super) struct Energy<'s> {
    converter: Converter<'s>,
    /// The tracks of rails, by session and index.
    rails: FxHashMap<(u64, u64), TrackId>,
    consumers: FxHashMap<u64, Consumer>,
    states: FxHashMap<(u64, u64), TrackId>,
    tracks: Distinct,
    tally: Tally,
}

/// A part of the device whose energy is estimated.
#[derive(Clone, Copy)]
struct Consumer {
    id: u64,
    /// Its number among the consumers of the same type.
    ordinal: i64,
    kind: StringId,
    name: StringId,
}

impl<'s> Energy<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            converter: survey.clocks.converter(),
            rails: FxHashMap::default(),
            consumers: FxHashMap::default(),
            states: FxHashMap::default(),
            tracks: Distinct::default(),
            tally: Tally::default(),
        }
    }

    /// Reads a `PowerRails`. Each value may have its own timestamp.
    pub fn rails(&mut self, ts: i64, fields: Fields<'_>, state: State, out: &mut TraceBuilder) {
        let session = fields.clone().filter(|field| field.number == 3).last();
        let session = session.map_or(0, Field::uint);
        for rail in fields.clone().filter(|field| field.number == 1) {
            self.rail(session, rail.fields(), out);
        }
        if !fields.clone().any(|field| field.number == 2) {
            self.tally.count("power_rail_empty_packet");
        }
        // Values may be older than their packet.
        let packet_ts = Some(ts).filter(|ts| *ts != i64::MIN);
        let args = packet_ts.map(|ts| (out.intern(b"packet_ts"), ArgValue::Int(ts)));
        let args = out.args(args);
        for energy in fields.filter(|field| field.number == 2) {
            let (mut index, mut at, mut uws) = (0, Some(ts), 0);
            for field in energy.fields() {
                match field.number {
                    1 => index = field.uint(),
                    2 => at = self.boot_time(field.int().saturating_mul(1_000_000), state),
                    3 => uws = field.uint(),
                    _ => {}
                }
            }
            let track = self.rails.get(&(session, index));
            if track.is_none() {
                self.tally.count("power_rail_unknown_index");
            }
            match (track, at.filter(|at| *at != i64::MIN)) {
                (Some(track), Some(at)) => {
                    push(*track, at, uws, out);
                    out.describe_last_counter(args);
                }
                (None, _) => out.repair(RepairKind::BadField, 1, Place::default(), || {
                    format!("a value of the power rail {index}, which is not described")
                }),
                (_, None) => out.repair(RepairKind::Unplaced, 1, Place::default(), || {
                    "a value of a power rail without a time".to_owned()
                }),
            }
        }
    }

    fn boot_time(&mut self, ts: i64, state: State) -> Option<i64> {
        let clock = ClockId::new(BOOTTIME, 0, state.machine);
        self.converter.convert(clock, ts)
    }

    /// A `RailDescriptor`.
    fn rail(&mut self, session: u64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (mut index, mut raw, mut subsystem): (_, &[u8], &[u8]) = (0, &[], &[]);
        for field in fields {
            match field.number {
                1 => index = field.uint(),
                2 => raw = field.bytes(),
                3 => subsystem = field.bytes(),
                _ => {}
            }
        }
        if index > MOST_RAIL {
            return;
        }
        let raw = text(raw);
        let name = match rails::usual_name(&raw) {
            Some(usual) => format!("power.rails.{usual}"),
            None => format!("power.{raw}_uws"),
        };
        let name = out.intern(name.as_bytes());
        let ids = (session, out.intern(raw.as_bytes()).0.into());
        let [raw, subsystem] =
            [raw.as_bytes(), subsystem].map(|text| ArgValue::Text(out.intern(text)));
        let args = [
            ("raw_name", raw),
            ("subsystem_name", subsystem),
            ("session_uuid", ArgValue::Int(session as i64)),
        ];
        let track = self
            .tracks
            .track((TrackType::PowerRails, name), ids, &args, out);
        self.rails.insert((session, index), track);
    }

    /// Reads an `AndroidEnergyEstimationBreakdown`: the list of consumers, or the energy that one of them has used.
    pub fn breakdown(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (mut consumer, mut uws, mut is_list) = (None, None, false);
        for field in fields.clone() {
            match field.number {
                1 => {
                    is_list = true;
                    self.consumers(field.fields(), out);
                }
                2 => consumer = Some(field.uint()),
                3 => uws = Some(field.uint()),
                _ => {}
            }
        }
        let consumer = consumer.and_then(|id| self.consumers.get(&id).copied());
        let (Some(consumer), Some(uws)) = (consumer, uws) else {
            if !is_list {
                self.tally.count("energy_breakdown_missing_values");
            }
            return;
        };
        if ts == i64::MIN {
            return;
        }
        let kind = TrackType::AndroidEnergyEstimationBreakdown;
        let id = ("energy_consumer_id", ArgValue::Int(consumer.id as i64));
        let args = [
            id,
            ("consumer_type", ArgValue::Text(consumer.kind)),
            ("ordinal", ArgValue::Int(consumer.ordinal)),
        ];
        let (name, consumer) = (consumer.name, consumer.id);
        let track = self.tracks.track((kind, name), (consumer, 0), &args, out);
        push(track, ts, uws, out);
        for user in fields.filter(|field| field.number == 4) {
            let find = |number| user.fields().find(|field| field.number == number);
            let (Some(uid), Some(uws)) = (find(1), find(2)) else {
                self.tally.count("energy_uid_breakdown_missing_values");
                continue;
            };
            let kind = TrackType::AndroidEnergyEstimationBreakdownPerUid;
            let ids = (consumer, uid.uint());
            let args = [id, ("uid", ArgValue::Int(uid.int()))];
            let track = self.tracks.track((kind, name), ids, &args, out);
            push(track, ts, uws.uint(), out);
        }
    }

    /// An `AndroidEnergyConsumerDescriptor`.
    fn consumers(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        for consumer in fields.filter(|field| field.number == 1) {
            let (mut id, mut ordinal): (_, i64) = (None, 0);
            let (mut kind, mut name): (&[u8], &[u8]) = (&[], &[]);
            for field in consumer.fields() {
                match field.number {
                    1 => id = Some(field.uint()),
                    2 => ordinal = field.int(),
                    3 => kind = field.bytes(),
                    4 => name = field.bytes(),
                    _ => {}
                }
            }
            if let Some(id) = id {
                let [kind, name] = [kind, name].map(|text| out.intern(text));
                let consumer = Consumer {
                    id,
                    ordinal,
                    kind,
                    name,
                };
                self.consumers.insert(id, consumer);
            } else {
                self.tally.count("energy_descriptor_invalid");
            }
        }
    }

    /// Reads an `EntityStateResidency`: the states of parts of the device, and the time in each state, ms.
    pub fn entity_states(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        for entity in fields.clone().filter(|field| field.number == 1) {
            self.entity_state(entity.fields(), out);
        }
        if !fields.clone().any(|field| field.number == 2) {
            self.tally.count("entity_state_residency_invalid");
        }
        for residency in fields.filter(|field| field.number == 2 && ts != i64::MIN) {
            let mut numbers = [0; 3];
            for field in residency.fields() {
                if let number @ 1..=3 = field.number {
                    numbers[number as usize - 1] = field.uint();
                }
            }
            let [entity, state, time_ms] = numbers;
            if let Some(track) = self.states.get(&(entity, state)) {
                push(*track, ts, time_ms, out);
            } else {
                self.tally.count("entity_state_residency_lookup_failed");
            }
        }
    }

    /// A `PowerEntityState`.
    fn entity_state(&mut self, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (mut entity, mut state) = (None, None);
        let (mut entity_name, mut state_name): (&[u8], &[u8]) = (&[], &[]);
        for field in fields {
            match field.number {
                1 => entity = Some(field.uint()),
                2 => state = Some(field.uint()),
                3 => entity_name = field.bytes(),
                4 => state_name = field.bytes(),
                _ => {}
            }
        }
        if let (Some(entity), Some(state)) = (entity, state) {
            let name = format!(
                "Entity residency: {} is {}",
                text(entity_name),
                text(state_name)
            );
            let name = out.intern(name.as_bytes());
            let track = out.global_track(TrackType::EntityState, name);
            let [entity_name, state_name] =
                [entity_name, state_name].map(|text| ArgValue::Text(out.intern(text)));
            let args = [("entity_name", entity_name), ("state_name", state_name)];
            out.add_track_args(track, &args);
            self.states.insert((entity, state), track);
        } else {
            self.tally.count("energy_descriptor_invalid");
        }
    }

    /// Writes the statistics about problems.
    pub fn finish(&self, out: &mut TraceBuilder) {
        self.tally.write(out);
    }
}

/// A `BatteryCounters`.
pub(super) fn battery(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut name, mut values): (&[u8], [Option<i64>; 8]) = (&[], [None; 8]);
    for field in fields {
        match field.number {
            5 => name = field.bytes(),
            number @ 1..=7 => values[number as usize] = Some(field.int()),
            _ => {}
        }
    }
    let mut push = |key: &str, value: Option<f64>| {
        let Some(value) = value else {
            return;
        };
        let title = match name {
            [] => format!("batt.{key}"),
            _ => format!("batt.{}.{key}", text(name)),
        };
        let title = out.intern(title.as_bytes());
        let track = out.global_track(TrackType::BatteryCounter, title);
        let [name, key] = [name, key.as_bytes()].map(|text| ArgValue::Text(out.intern(text)));
        out.add_track_args(track, &[("battery_name", name), ("counter_name", key)]);
        out.counter(track, ts, value);
    };
    let [_, charge, percent, current, average, _, energy, voltage] = values;
    let charge = charge.or_else(|| charge_uah(energy?, voltage?));
    push("charge_uah", charge.map(|value| value as f64));
    push(
        "capacity_pct",
        percent.map(|bits| f32::from_bits(bits as u32).into()),
    );
    push("current_ua", current.map(|value| value as f64));
    push("current.avg_ua", average.map(|value| value as f64));
    push("voltage_uv", voltage.map(|value| value as f64));
    let power = current.zip(voltage).map(|(current, voltage)| {
        let power = i128::from(current) * i128::from(voltage) / 1_000_000_000;
        power.unsigned_abs() as f64
    });
    push("power_mw", power);
}

/// Computes the charge, µAh, from the energy, µWh, and the voltage, µV.
fn charge_uah(energy: i64, voltage: i64) -> Option<i64> {
    let charge = i128::from(energy) * 1_000_000 / i128::from(Some(voltage).filter(|it| *it > 0)?);
    i64::try_from(charge).ok()
}
