//! Other recordings at the same time (`ConcurrentSessionEvent`).
//!
//! ```text
//! session a   CONFIGURED |-|  STARTED |-------------------| DISABLED
//! session b                        STARTED |-----| DISABLED
//! ```
//! Each session has a track with its states.

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, StringId, TraceBuilder, TrackId, TrackOwnerId, TrackType};

use super::super::state_rows::StateRows;
use super::super::wire::Fields;

const DISABLED: u64 = 1;
const CLONED: u64 = 5;

/// The states of other recordings.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    states: StateRows,
    tracks: FxHashMap<u64, TrackId>,
}

impl Sessions {
    /// Sets the new state of a session.
    pub fn event(&mut self, ts: i64, event: &[u8], out: &mut TraceBuilder) {
        let (mut state, mut name, mut number) = (0, &b""[..], 0);
        let mut args = Vec::new();
        for field in Fields::new(event) {
            let key: &[u8] = match field.number {
                1 => {
                    state = field.uint();
                    continue;
                }
                2 => {
                    name = field.bytes();
                    continue;
                }
                3 => {
                    number = field.uint();
                    continue;
                }
                4 => b"consumer_uid",
                5 => b"num_data_sources",
                _ => continue,
            };
            args.push((out.intern(key), ArgValue::Int(field.int())));
        }
        let Some(value) = state_name(state) else {
            return;
        };
        let track = self.track(number, name, state, out);
        let value = out.intern(value);
        self.states
            .set(ts, track, (value, StringId::NULL), args, out);
        if state == DISABLED {
            // The session is over.
            let none = (StringId::NULL, StringId::NULL);
            self.states.set(ts, track, none, Vec::new(), out);
        }
    }

    fn track(&mut self, number: u64, name: &[u8], state: u64, out: &mut TraceBuilder) -> TrackId {
        *self.tracks.entry(number).or_insert_with(|| {
            let mut title = match name {
                b"" => format!("Session {number}"),
                name => String::from_utf8_lossy(name).into_owned(),
            };
            if state == CLONED {
                title += " (clone)";
            }
            let title = out.intern(title.as_bytes());
            let kind = TrackType::ConcurrentTracingSessions;
            out.separate_track(kind, TrackOwnerId::Machine, title)
        })
    }

    /// Writes the states.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.states.finish(out);
    }
}

fn state_name(state: u64) -> Option<&'static [u8]> {
    Some(match state {
        DISABLED => b"DISABLED",
        2 => b"CONFIGURED",
        3 => b"STARTED",
        4 => b"DISABLING_WAITING_STOP_ACKS",
        CLONED => b"CLONED_READ_ONLY",
        _ => return None,
    })
}
