//! The functions that record events.

use std::marker::PhantomData;

use traceloom_ring::{Kind, NoteKind};

use super::current::{is_recording, records_cpu_time, with_current};
use super::write::{event, text_event};
use super::{notes, short_calls, ticks};

/// Sets the name of an id for this recording. Names are never overwritten, so setting each name
/// once is enough.
///
/// Methods may be named `class method signature` or `class.method`.
pub fn name_id(id: u32, name: &str) {
    name_bytes(id, name.as_bytes());
}

pub(crate) fn name_bytes(id: u32, name: &[u8]) {
    with_current(|session| notes::put(session, NoteKind::Name, id, name));
}

/// Begins a section of this thread.
pub fn begin(name: &str) {
    text_event(Kind::BeginNamed, 0, name.as_bytes());
}

/// Begins a section of this thread by id; see [`name_id`].
#[inline]
pub fn begin_id(id: u32) {
    event(Kind::Begin, id, 0);
}

/// Ends the innermost section of this thread.
#[inline]
pub fn end() {
    event(Kind::End, 0, 0);
}

/// A section that ends when this guard is dropped.
#[derive(Debug)]
#[must_use = "a dropped guard ends the section at once: bind it with let _section = …"]
pub struct Section {
    /// The thread that began the section has to end it.
    not_send: PhantomData<*const ()>,
}

impl Drop for Section {
    fn drop(&mut self) {
        end();
    }
}

/// Begins a section that ends when the returned guard is dropped.
pub fn section(name: &str) -> Section {
    begin(name);
    Section {
        not_send: PhantomData,
    }
}

/// As [`section`], with an id.
#[inline]
pub fn section_id(id: u32) -> Section {
    begin_id(id);
    Section {
        not_send: PhantomData,
    }
}

/// Records a new value of a counter of the process.
pub fn counter(name: &str, value: i64) {
    text_event(Kind::CounterNamed, value as u64, name.as_bytes());
}

/// As [`counter`], with an id.
#[inline]
pub fn counter_id(id: u32, value: i64) {
    event(Kind::Counter, id, value as u64);
}

/// Records a point in time on this thread.
pub fn instant(name: &str) {
    text_event(Kind::InstantNamed, 0, name.as_bytes());
}

/// As [`instant`], with an id.
#[inline]
pub fn instant_id(id: u32) {
    event(Kind::Instant, id, 0);
}

/// Begins an async section, which may end on another thread. Name and `cookie` identify it.
pub fn async_begin(name: &str, cookie: i64) {
    text_event(Kind::AsyncBeginNamed, cookie as u64, name.as_bytes());
}

/// Ends the async section with this name and `cookie`.
pub fn async_end(name: &str, cookie: i64) {
    text_event(Kind::AsyncEndNamed, cookie as u64, name.as_bytes());
}

/// As [`async_begin`], with an id.
#[inline]
pub fn async_begin_id(id: u32, cookie: i64) {
    event(Kind::AsyncBegin, id, cookie as u64);
}

/// As [`async_end`], with an id.
#[inline]
pub fn async_end_id(id: u32, cookie: i64) {
    event(Kind::AsyncEnd, id, cookie as u64);
}

/// Records text in the format of `trace_marker` (`B|123|name`), of any length. Usable as an [`OnMark`](crate::OnMark).
pub fn mark(payload: &[u8]) {
    text_event(Kind::Mark, 0, payload);
}

/// Records that a method was entered. Woven code calls this.
#[inline]
pub fn method_enter(id: u32) {
    if is_recording() {
        if has_method_options() {
            method_with_options(id, Kind::Enter, Kind::EnterCpu);
        } else {
            event(Kind::Enter, id, 0);
        }
    }
}

/// Records that a method was left, by a return or an exception. Woven code calls this.
#[inline]
pub fn method_exit(id: u32) {
    if is_recording() {
        if has_method_options() {
            method_with_options(id, Kind::Exit, Kind::ExitCpu);
        } else {
            event(Kind::Exit, id, 0);
        }
    }
}

/// Whether methods need more work than other events: their CPU time is recorded, or short calls are dropped.
#[inline(always)]
fn has_method_options() -> bool {
    records_cpu_time() || short_calls::is_on()
}

#[inline(never)]
fn method_with_options(id: u32, plain: Kind, with_cpu: Kind) {
    let (is_entry, has_cpu) = (plain == Kind::Enter, records_cpu_time());
    if short_calls::is_on() && !is_entry {
        let entry = if has_cpu { Kind::EnterCpu } else { Kind::Enter };
        if short_calls::take_back(entry, id) {
            return;
        }
    }
    let (kind, value) = if has_cpu {
        (with_cpu, ticks::thread_cpu_ns())
    } else {
        (plain, 0)
    };
    if is_entry && short_calls::is_on() {
        short_calls::enter(kind, id, value);
    } else {
        event(kind, id, value);
    }
}
