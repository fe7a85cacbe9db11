//! Waits of threads as sections. Short waits are dropped like [short calls](super::short_calls).

use traceloom_ring::Kind;

use super::api::name_id;
use super::current::is_recording;
use super::short_calls;
use super::write::event;
use crate::hook::Wait;

/// Ids of the sections. They are the highest ids, which programs are unlikely to use.
const FIRST_ID: u32 = u32::MAX - 16;

const WAITS: [(Wait, &str); 6] = [
    (Wait::Binder, "binder call"),
    (Wait::Read, "read"),
    (Wait::Write, "write"),
    (Wait::Sync, "sync to disk"),
    (Wait::Lock, "lock wait"),
    (Wait::Condition, "condition wait"),
];

/// Names the sections in the recording.
pub(crate) fn prepare() {
    for (wait, name) in WAITS {
        name_id(id_of(wait), name);
    }
}

/// Records that the thread begins to wait, or continues. An [`OnWait`](crate::hook::OnWait).
pub(crate) fn wait(wait: Wait, begins: bool) {
    if !is_recording() {
        return;
    }
    let id = id_of(wait);
    if begins {
        short_calls::enter(Kind::Begin, id, 0);
    } else if !short_calls::take_back_wait(id) {
        event(Kind::End, 0, 0);
    }
}

fn id_of(wait: Wait) -> u32 {
    FIRST_ID + wait as u32
}
