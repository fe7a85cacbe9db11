//! Legacy events of Chrome that are not slices: parts of CPU profiles, and raw records of other kinds.

use traceloom_trace::{ArgValue, RowId, StringId, ThreadId, TraceBuilder};

use super::super::wire::Fields;
use super::event::{Event, Legacy};
use super::interpret::{At, TrackEvents};
use super::names::interned;
use super::tracks::Owner;
use super::writer::unsigned;
use crate::profile::V8Event;

impl<'s> TrackEvents<'s> {
    /// A part of a V8 CPU profile. Events of other samplers lack its JSON data, so they become raw events.
    pub(super) fn v8_profile(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: &Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        let Some(json) = v8_data(at, event) else {
            return self.raw_event(at, event, legacy, out);
        };
        let utid = self.thread_of(at, event, out);
        let process = |utid: ThreadId| out.trace().threads.upid.get(utid.row()).some();
        let id = legacy.unscoped_id.or(legacy.local_id).or(legacy.global_id);
        self.v8 = Some(V8Event {
            id: id.unwrap_or(0),
            upid: utid.and_then(process),
            utid,
            json,
        });
    }

    /// A raw event: an object, a memory dump, a context or a similar event.
    pub(super) fn raw_event(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: &Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        let Some(utid) = self.thread_of(at, event, out) else {
            self.unknown_phases.1 = legacy.phase;
            self.unknown_phases.0 += 1;
            return;
        };
        let category = at.names.category(event, &mut self.texts, out);
        let mut args = described(legacy, (at.name, category), at.thread_ts, out);
        args.extend(self.args.list(&event.others, at.names, out));
        let name = out.intern(b"track_event.legacy_event");
        let cells = [
            ("name", ArgValue::Text(name)),
            ("utid", utid.into()),
            ("arg_set_id", out.args(args).into()),
        ];
        out.record(at.ts, "__intrinsic_chrome_raw", &cells);
    }

    /// The thread of an event: that of its track, or that of its sequence.
    pub(super) fn thread_of(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        out: &mut TraceBuilder,
    ) -> Option<ThreadId> {
        let uuid = self.uuid(event, at.names.state).filter(|uuid| *uuid != 0);
        match uuid.map(|uuid| self.owner(uuid, out)) {
            Some(Owner::Thread(utid)) => Some(utid),
            _ => at.utid,
        }
    }
}

/// The fields of a legacy event other than its annotations, under the argument names of PerfettoSQL.
fn described(
    legacy: &Legacy<'_>,
    (name, category): (StringId, StringId),
    thread_ts: Option<i64>,
    out: &mut TraceBuilder,
) -> Vec<(StringId, ArgValue)> {
    let phase = out.intern(&[legacy.phase]);
    let ns = |us: i64| ArgValue::Int(us.saturating_mul(1_000));
    let unscoped = legacy.unscoped_id.map(|id| ("unscoped_id", id));
    let global = legacy.global_id.map(|id| ("global_id", id));
    let id = unscoped.or(global);
    let id = id.or(legacy.local_id.map(|id| ("local_id", id)));
    let thread_dur_us = legacy.thread_dur_us.filter(|_| thread_ts.is_some());
    let scope = Some(legacy.id_scope).filter(|scope| id.is_some() && !scope.is_empty());
    let values = [
        ("category", Some(ArgValue::Text(category))),
        ("name", Some(ArgValue::Text(name))),
        ("phase", Some(ArgValue::Text(phase))),
        ("duration_ns", legacy.dur_us.map(ns)),
        ("thread_timestamp_ns", thread_ts.map(ArgValue::Int)),
        ("thread_duration_ns", thread_dur_us.map(ns)),
        (
            id.map_or("", |(key, _)| key),
            id.map(|(_, id)| unsigned(id)),
        ),
        (
            "id_scope",
            scope.map(|scope| ArgValue::Text(out.intern(scope))),
        ),
    ];
    let mut key = |key| out.intern(format!("legacy_event.{key}").as_bytes());
    let values = values.into_iter();
    let values = values.filter_map(|(name, value)| Some((key(name), value?)));
    values.collect()
}

/// The JSON annotation `data` of an event.
fn v8_data<'s>(at: &At<'s>, event: &Event<'s>) -> Option<&'s [u8]> {
    let annotations = event.others.iter().filter(|field| field.number == 4);
    let mut annotations = annotations.map(|field| Fields::new(field.bytes()));
    annotations.find_map(|annotation| {
        let (mut is_data, mut json) = (false, None);
        for field in annotation {
            match field.number {
                1 => {
                    let name = at.names.text(interned::ANNOTATION_NAMES, field.uint());
                    is_data = name == Some(b"data");
                }
                9 => json = Some(field.bytes()),
                10 => is_data = field.bytes() == b"data",
                _ => {}
            }
        }
        json.filter(|_| is_data)
    })
}
