//! Slices and counters of the events in [`derived`](crate::ftrace::derived).

use traceloom_trace::{
    ArgSetId, ArgValue, LaneKey, SliceBegin, StringId, TraceBuilder, TrackId, TrackType,
};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use crate::ftrace::derived::{Action, Entry, On, fill};
use crate::ftrace::event::{MOST_CPUS, Value};

impl Interpreter {
    /// Adds the slices and counters that are derived from an event.
    pub(super) fn derive(
        &mut self,
        at: At,
        entries: &'static [Entry],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        for entry in entries {
            if entry.when.counts(|field| fields.int(field))
                && self.show(at, entry, fields, out).is_none()
            {
                self.history.unmatched(at);
            }
        }
    }

    /// `None` if a slice that the entry needs is not open.
    fn show(
        &mut self,
        at: At,
        entry: &'static Entry,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        match entry.does {
            Action::Begin | Action::Next | Action::Moment => {
                self.show_slice(at, entry, fields, out)
            }
            Action::End => self.show_end(at, entry, fields, out),
            Action::Adds => {
                let track = self.derived_track(at, entry.on, fields, out)?;
                let slice = out.open_slice(track)?;
                let args = arguments(at, entry, fields, out);
                out.append_slice_args(slice, args);
                Some(())
            }
            Action::Counter(value) => {
                let track = self.derived_track(at, entry.on, fields, out)?;
                out.counter(track, at.ts, fields.number(value)?);
                Some(())
            }
            Action::CounterAt(value, time) => {
                let track = self.derived_track(at, entry.on, fields, out)?;
                out.counter(track, fields.int(time)?, fields.number(value)?);
                Some(())
            }
        }
    }

    fn show_slice(
        &mut self,
        at: At,
        entry: &'static Entry,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let field = |key: &str| fields.get(key);
        let [name, category] = [entry.name, entry.category].map(|text| fill(text, field));
        let begin = SliceBegin {
            category: out.intern(category?.as_bytes()),
            arg_set_id: arguments(at, entry, fields, out),
            ..SliceBegin::named(at.ts, out.intern(name?.as_bytes()))
        };
        let track = self.derived_track(at, entry.on, fields, out)?;
        match (entry.does, entry.on) {
            (Action::Begin, On::Lanes(_, _, keys)) => {
                let cookie = cookie(keys, fields)?;
                self.lanes.begin(out, LaneKey { track, cookie }, begin);
            }
            (Action::Moment, _) => _ = out.whole_slice(track, begin, 0),
            (Action::Next, _) => {
                out.end_slice(track, at.ts, None);
                out.begin_slice(track, begin);
            }
            _ => _ = out.begin_slice(track, begin),
        }
        Some(())
    }

    fn show_end(
        &mut self,
        at: At,
        entry: &'static Entry,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let track = self.derived_track(at, entry.on, fields, out)?;
        let slice = if let On::Lanes(_, _, keys) = entry.on {
            let cookie = cookie(keys, fields)?;
            self.lanes.end(out, LaneKey { track, cookie }, at.ts)?
        } else {
            let open = out.open_slice(track)?;
            if !out.trace().slice_name(open).starts_with(entry.name) {
                return None;
            }
            out.end_slice(track, at.ts, None)?
        };
        let args = arguments(at, entry, fields, out);
        out.append_slice_args(slice, args);
        Some(())
    }

    /// The track of an entry.
    fn derived_track(
        &mut self,
        at: At,
        on: On,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        let field = |key: &str| fields.get(key);
        Some(match on {
            On::Own => self.threads.track(at.slot, out),
            On::OwnOf(tid) => {
                let slot = self.threads.current(fields.tid(tid)?, at.position, out);
                self.threads.track(slot, out)
            }
            On::Machine(kind, name) | On::Lanes(kind, name, _) => {
                let name = out.intern(fill(name, field)?.as_bytes());
                out.global_track(kind, name)
            }
            On::Cpu(kind, name) => of_cpu(kind, at.cpu.into(), name, out)?,
            On::CpuOf(kind, name, cpu) => of_cpu(kind, fields.int(cpu)?, name, out)?,
        })
    }
}

fn of_cpu(kind: TrackType, cpu: i64, name: &str, out: &mut TraceBuilder) -> Option<TrackId> {
    let cpu = u32::try_from(cpu).ok().filter(|cpu| *cpu < MOST_CPUS)?;
    let name = out.intern(name.as_bytes());
    Some(out.cpu_track(kind, cpu, name))
}

/// Combines the numbers that the begin and the end of a slice have in common.
fn cookie(keys: &str, fields: Fields<'_>) -> Option<i64> {
    let mut keys = keys.split(',');
    let first = fields.int(keys.next()?)?;
    keys.try_fold(first, |sum, key| {
        Some(sum.rotate_left(32) ^ fields.int(key)?)
    })
}

/// The arguments of an entry, for those fields that the event has.
fn arguments(at: At, entry: &Entry, fields: Fields<'_>, out: &mut TraceBuilder) -> ArgSetId {
    let args = entry.args.iter().filter_map(|(key, field)| {
        let value = match (*field, field.strip_prefix('=')) {
            ("@cpu", _) => ArgValue::Int(at.cpu.into()),
            (_, Some(text)) => ArgValue::Text(out.intern(text.as_bytes())),
            (field, None) => match field.strip_prefix('%') {
                Some(parts) => percent(parts, fields)?,
                None => argument(fields.get(field)?, out),
            },
        };
        Some((out.intern(key.as_bytes()), value))
    });
    let args: Vec<(StringId, ArgValue)> = args.collect();
    out.args(args)
}

/// The percentage that one field is of another, rounded. The two are given as `part/whole`.
fn percent(parts: &str, fields: Fields<'_>) -> Option<ArgValue> {
    let (part, whole) = parts.split_once('/')?;
    let (part, whole) = (fields.int(part)?, fields.int(whole)?);
    let percent = part as f64 * 100.0 / whole as f64;
    percent
        .is_finite()
        .then(|| ArgValue::Int(percent.round() as i64))
}

/// A value as Perfetto stores it: all numbers are signed.
pub(super) fn argument(value: Value<'_>, out: &mut TraceBuilder) -> ArgValue {
    match value {
        Value::Int(value) => ArgValue::Int(value),
        Value::Hex(value) => ArgValue::Int(value as i64),
        Value::Text(text) => ArgValue::Text(out.intern(text)),
    }
}
