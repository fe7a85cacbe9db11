//! The functions that record events.

use std::ffi::{CStr, c_char, c_void};
use std::time::Duration;

use traceloom_ring::Kind;

use crate::recorder;
use crate::recorder::raw::text_event;

/// The text of a C string, empty for null. Names need not be UTF-8.
///
/// # Safety
/// `text` is null or a C string that lives as long as the result.
unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return b"";
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

macro_rules! by_id {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => $call:expr;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) {
            $call;
        }
    )*};
}

by_id! {
    /// A section begins.
    tl_begin(id: u32) => recorder::begin_id(id);
    /// A section ends.
    tl_end() => recorder::end();
    /// A counter's value.
    tl_counter(id: u32, value: i64) => recorder::counter_id(id, value);
    /// A point in time.
    tl_instant(id: u32) => recorder::instant_id(id);
    /// An async section begins.
    tl_async_begin(id: u32, cookie: i64) => recorder::async_begin_id(id, cookie);
    /// An async section ends.
    tl_async_end(id: u32, cookie: i64) => recorder::async_end_id(id, cookie);
    /// A method is entered.
    tl_method_enter(id: u32) => recorder::method_enter(id);
    /// A method is left.
    tl_method_exit(id: u32) => recorder::method_exit(id);
    /// A frame was shown, and took `took_ns`.
    tl_frame(took_ns: u64) => recorder::frame(Duration::from_nanos(took_ns));
    /// The main thread begins a task.
    tl_task_begin() => recorder::task_begin();
    /// The main thread's task is over.
    tl_task_end() => recorder::task_end();
}

macro_rules! by_name {
    ($($(#[$doc:meta])* $name:ident($($value:ident)?) => $kind:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// `name` is null or a C string.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(name: *const c_char $(, $value: i64)?) {
            let value = 0 $(| $value as u64)?;
            if recorder::is_recording() {
                // SAFETY: guaranteed by the caller.
                unsafe { named(Kind::$kind, value, name) };
            }
        }
    )*};
}

/// Not inlined: while nothing is recorded, its callers need no registers.
///
/// # Safety
/// `name` is null or a C string.
#[inline(never)]
unsafe fn named(kind: Kind, value: u64, name: *const c_char) {
    // SAFETY: guaranteed by the caller.
    text_event(kind, value, unsafe { bytes(name) });
}

by_name! {
    /// A section begins.
    tl_begin_name() => BeginNamed;
    /// A counter's value.
    tl_counter_name(value) => CounterNamed;
    /// A point in time.
    tl_instant_name() => InstantNamed;
    /// An async section begins.
    tl_async_begin_name(cookie) => AsyncBeginNamed;
    /// An async section ends.
    tl_async_end_name(cookie) => AsyncEndNamed;
}

/// Records text in the format of `trace_marker`.
///
/// # Safety
/// `payload` is null or points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_mark(payload: *const c_void, length: usize) {
    if !payload.is_null() {
        // SAFETY: guaranteed by the caller.
        recorder::mark(unsafe { std::slice::from_raw_parts(payload.cast(), length) });
    }
}

/// Sets the name of an id.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_name_id(id: u32, name: *const c_char) {
    // SAFETY: guaranteed by the caller.
    recorder::raw::name_id(id, unsafe { bytes(name) });
}
