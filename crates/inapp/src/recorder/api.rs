//! What programs call.

use std::marker::PhantomData;

use traceloom_ring::{Kind, NoteKind};

use super::lifecycle::note;
use super::write::{event, text_event};
use super::{notes, ticks, write};

/// Tells the name of an id. It is kept however long the recording is; tell it once.
///
/// Methods may be named `class method signature` or `class.method`.
pub fn name_id(id: u32, name: &str) {
    name_bytes(id, name.as_bytes());
}

pub(crate) fn name_bytes(id: u32, name: &[u8]) {
    note(|session| _ = notes::put(session, NoteKind::Name, id, name));
}

/// A section begins on this thread.
pub fn begin(name: &str) {
    text_event(Kind::BeginNamed, 0, name.as_bytes());
}

/// A section begins on this thread; [`name_id`] tells its name.
#[inline]
pub fn begin_id(id: u32) {
    event(Kind::Begin, id, 0);
}

/// The innermost section of this thread ends.
#[inline]
pub fn end() {
    event(Kind::End, 0, 0);
}

/// A section that ends where this goes out of scope.
#[derive(Debug)]
#[must_use = "it ends at once if it is not kept: let _section = …"]
pub struct Section {
    /// The thread that began it has to end it.
    not_send: PhantomData<*const ()>,
}

impl Drop for Section {
    fn drop(&mut self) {
        end();
    }
}

/// A section, from here to where the answer goes out of scope.
pub fn section(name: &str) -> Section {
    begin(name);
    Section {
        not_send: PhantomData,
    }
}

/// The same with an id.
#[inline]
pub fn section_id(id: u32) -> Section {
    begin_id(id);
    Section {
        not_send: PhantomData,
    }
}

/// A counter of the process has a new value.
pub fn counter(name: &str, value: i64) {
    text_event(Kind::CounterNamed, value as u64, name.as_bytes());
}

/// The same with an id.
#[inline]
pub fn counter_id(id: u32, value: i64) {
    event(Kind::Counter, id, value as u64);
}

/// A point in time on this thread.
pub fn instant(name: &str) {
    text_event(Kind::InstantNamed, 0, name.as_bytes());
}

/// The same with an id.
#[inline]
pub fn instant_id(id: u32) {
    event(Kind::Instant, id, 0);
}

/// A section begins that may end on another thread; its name and `cookie` tell it from others.
pub fn async_begin(name: &str, cookie: i64) {
    text_event(Kind::AsyncBeginNamed, cookie as u64, name.as_bytes());
}

/// The section of that name and `cookie` ends.
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

/// What a program writes to `trace_marker` (`B|123|name`), of any length. This is an [`OnMark`](crate::OnMark).
pub fn mark(payload: &[u8]) {
    text_event(Kind::Mark, 0, payload);
}

/// A method was entered: what woven code calls.
#[inline]
pub fn method_enter(id: u32) {
    if !write::cpu_time() {
        event(Kind::Enter, id, 0)
    } else {
        event(Kind::EnterCpu, id, ticks::thread_cpu_ns())
    }
}

/// A method was left, by a return or an exception.
#[inline]
pub fn method_exit(id: u32) {
    if !write::cpu_time() {
        event(Kind::Exit, id, 0)
    } else {
        event(Kind::ExitCpu, id, ticks::thread_cpu_ns())
    }
}
