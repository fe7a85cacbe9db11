//! State events, which set the state of a track.

use traceloom_trace::{StringId, TraceBuilder, TrackType};

use super::event::Event;
use super::interpret::{At, TrackEvents};
use super::tracks::{Owner, Use};

impl<'s> TrackEvents<'s> {
    /// Sets the state of the track to the event's name. An event without a name ends the state.
    pub(super) fn state(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        uuid: Option<u64>,
        out: &mut TraceBuilder,
    ) {
        let uuid = uuid.unwrap_or(0);
        let overrides = event
            .legacy
            .is_some_and(|it| it.pid.is_some() || it.tid.is_some());
        let holds_states = self.tracks.descriptor(uuid).is_some_and(|it| it.is_state);
        if !holds_states || (uuid == 0 && overrides) {
            self.misplaced_states += 1;
            return;
        }
        let asker = self.asker(at);
        let track = self.tracks.track(uuid, Use::State, asker, out);
        let category = at.names.category(event, &mut self.texts, out);
        let args = match at.name {
            StringId::NULL => Vec::new(),
            _ => self.args.list(&event.others, at.names, out),
        };
        self.states
            .set(at.ts, track, (at.name, category), args, out);
    }

    /// Adds a thread's CPU time and instruction count, in the older form that Chrome adds to its events.
    pub(super) fn figures_of_thread(
        &mut self,
        at: &At<'s>,
        event: &Event<'_>,
        out: &mut TraceBuilder,
    ) {
        let has_time = event.thread_us.is_some() || event.thread_delta_us.is_some();
        if !has_time && at.instructions.is_none() {
            return;
        }
        let owner = match self.uuid(event, at.names.state).filter(|uuid| *uuid != 0) {
            Some(uuid) => self.owner(uuid, out),
            None => at.utid.map_or(Owner::Machine, Owner::Thread),
        };
        let Owner::Thread(utid) = owner else {
            return;
        };
        let time = at.thread_ts.filter(|_| has_time);
        let stats = [
            (&b"thread_time"[..], time),
            (b"thread_instruction_count", at.instructions),
        ];
        for (name, value) in stats {
            if let Some(value) = value {
                let name = out.intern(name);
                let track = out.thread_named_track(TrackType::ThreadCounter, utid, name);
                out.whole_counter(track, at.ts, value);
            }
        }
    }
}
