//! Events of Chrome's older trace format inside track events. Their phase is a letter, as in Chrome's JSON.
//!
//! | letters | meaning |
//! |---|---|
//! | `B` `E` `X` | begin, end and complete slice of a thread |
//! | `b` `e` `n`, `S` `F` `T` `p` | begin, end and instants of an asynchronous slice, matched by an id |
//! | `I` `i` `R` | instant |
//! | `s` `t` `f` | a flow, see `legacy_flows` |
//! | `M` | the name of a thread or process |
//! | `P` | a part of a CPU profile of V8 |
//! | others | objects, memory dumps, contexts: records in `__intrinsic_chrome_raw` |

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use traceloom_trace::{ProcessId, RowId, StringId, TraceBuilder, TrackId, TrackType};

use super::super::wire::Fields;
use super::described::named_thread;
use super::event::{Event, Legacy};
use super::interpret::{At, TrackEvents};
use super::tracks::{Owner, Use};

impl<'s> TrackEvents<'s> {
    pub(super) fn legacy(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        match legacy.phase {
            b'B' => {
                if let Some(track) = self.legacy_track(at, event, &legacy, Use::Begin, out) {
                    self.begin_slice(at, event, track, out);
                }
            }
            b'E' => {
                if let Some(track) = self.legacy_track(at, event, &legacy, Use::End, out) {
                    self.end_slice(at, event, track, out);
                }
            }
            b'X' => self.complete(at, event, &legacy, out),
            b'I' | b'i' | b'R' => {
                if let Some(track) = self.instant_track(at, event, &legacy, out) {
                    self.instant(at, event, track, out);
                }
            }
            b'b' | b'S' | b'e' | b'F' | b'n' | b'T' | b'p' => {
                self.asynchronous(at, event, &legacy, out);
            }
            b's' | b't' | b'f' => self.flow(at, event, &legacy, out),
            b'M' => self.metadata(at, event, &legacy, out),
            b'P' => self.v8_profile(at, event, &legacy, out),
            _ => self.raw_event(at, event, &legacy, out),
        }
    }

    /// The track of an event: that of its uuid, or else that of its thread.
    pub(super) fn legacy_track(
        &mut self,
        at: &At<'s>,
        event: &Event<'_>,
        legacy: &Legacy<'_>,
        usage: Use,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        if let Some(uuid) = self.uuid(event, at.names.state).filter(|uuid| *uuid != 0) {
            let asker = self.asker(at);
            return Some(self.tracks.track(uuid, usage, asker, out));
        }
        if let Some(utid) = named_thread(legacy, at.pid, &mut self.tracks.tids, out) {
            return Some(out.thread_track(utid));
        }
        if at.utid.is_none() {
            self.without_thread += 1;
        }
        Some(out.thread_track(at.utid?))
    }

    fn complete(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: &Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        let Some(track) = self.legacy_track(at, event, legacy, Use::Instant, out) else {
            return;
        };
        let dur_ns = legacy.dur_us.unwrap_or(0).saturating_mul(1_000);
        let slice = self.whole_slice(at, event, (track, dur_ns), out);
        if let (Some(_), Some(us)) = (at.thread_ts, legacy.thread_dur_us) {
            out.set_slice_thread_dur(slice, us.saturating_mul(1_000));
        }
    }

    fn instant_track(
        &mut self,
        at: &At<'s>,
        event: &Event<'_>,
        legacy: &Legacy<'_>,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        const GLOBAL: u64 = 1;
        const PROCESS: u64 = 2;
        match legacy.scope {
            GLOBAL => Some(out.global_track(TrackType::LegacyChromeGlobalInstants, StringId::NULL)),
            PROCESS => {
                let upid = self.process(at, event, legacy, out)?;
                Some(out.process_track(TrackType::ChromeProcessInstant, upid, StringId::NULL))
            }
            _ => self.legacy_track(at, event, legacy, Use::Instant, out),
        }
    }

    /// The process of an event.
    fn process(
        &mut self,
        at: &At<'s>,
        event: &Event<'_>,
        legacy: &Legacy<'_>,
        out: &mut TraceBuilder,
    ) -> Option<ProcessId> {
        if let Some(pid) = legacy.pid {
            return Some(out.process(pid.into()));
        }
        if let Some(uuid) = self.uuid(event, at.names.state).filter(|uuid| *uuid != 0) {
            return match self.owner(uuid, out) {
                Owner::Process(upid) => Some(upid),
                Owner::Thread(utid) => out.trace().threads.upid.get(utid.row()).some(),
                Owner::Machine => None,
            };
        }
        Some(out.process(at.pid?.into()))
    }

    /// An asynchronous slice or instant, matched by its id. Local ids are scoped to the process, others to the whole
    /// trace. In addition, ids with a scope and those of nestable events (`b`, `e`, `n`) are scoped to the
    /// category, and other ids to the name.
    fn asynchronous(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: &Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        let name = at.names.name(event, &mut self.texts, out);
        let process = legacy
            .local_id
            .and_then(|_| self.process(at, event, legacy, out));
        let is_nestable = matches!(legacy.phase, b'b' | b'e' | b'n');
        let scope = if is_nestable || !legacy.id_scope.is_empty() {
            at.names.category(event, &mut self.texts, out)
        } else {
            name
        };
        let number = legacy.unscoped_id.or(legacy.global_id).or(legacy.local_id);
        let owner = process.map_or(Owner::Machine, Owner::Process);
        let id = (owner, mixed((number, legacy.id_scope, scope)));
        match legacy.phase {
            b'b' | b'S' => {
                let begin = self.slice_begin(at, event, out);
                let slice = self.lanes.begin(id, begin, out);
                self.begun(slice, event, out);
            }
            b'e' | b'F' => {
                let category = at.names.category(event, &mut self.texts, out);
                match self.lanes.end(id, (name, category), at.ts, out) {
                    Some(slice) => {
                        self.add_args(slice, at, event, out);
                        self.attach(slice, event, out);
                    }
                    None => self.unmatched_at(at.ts),
                }
            }
            _ => {
                let track = self.lanes.track(id, name, out);
                self.instant(at, event, track, out);
            }
        }
    }

    /// `thread_name` and `process_name`. The first annotation is the name.
    fn metadata(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        legacy: &Legacy<'s>,
        out: &mut TraceBuilder,
    ) {
        const STRING: u32 = 6;
        let annotation = event.others.iter().find(|field| field.number == 4);
        let text = annotation
            .and_then(|field| Fields::new(field.bytes()).find(|field| field.number == STRING));
        let thread = named_thread(legacy, at.pid, &mut self.tracks.tids, out)
            .or_else(|| self.thread_of(at, event, out));
        let (Some(text), Some(utid)) = (text, thread) else {
            return;
        };
        let what = at.names.name(event, &mut self.texts, out);
        let what = out.trace().strings.get(what).to_owned();
        let name = out.intern(text.bytes());
        match what.as_str() {
            "thread_name" => self.tracks.names.keep_other(utid, text.bytes(), out),
            "process_name" => {
                if let Some(upid) = out.trace().threads.upid.get(utid.row()).some() {
                    out.name_process(upid, name);
                }
            }
            _ => {}
        }
    }
}

/// One number for several parts of an id.
pub(super) fn mixed(parts: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    parts.hash(&mut hasher);
    hasher.finish()
}
