//! The functions that start, stop and save.

use std::ffi::{CStr, c_char, c_int};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::arguments::{answer, format, invalid, path};
use super::options::{self, COptions};
use crate::marks;
use crate::recorder::{self, Format};

/// The categories that the macros of the header record.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static tl_enabled_tags: AtomicU64 = AtomicU64::new(u64::MAX);

/// Starts recording.
///
/// # Safety
/// `options` is null or a `tl_options` whose `size` is right and whose `path` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_start(options: *const COptions) -> c_int {
    // SAFETY: guaranteed by the caller.
    let options = unsafe { options::read(options) };
    answer(options.and_then(|options| recorder::start(&options).map(drop)))
}

/// Stops recording, and restores the platform's trace points.
#[unsafe(no_mangle)]
pub extern "C" fn tl_stop() -> c_int {
    marks::end();
    let stopped = recorder::stop().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    answer(stopped.map(drop))
}

/// Saves the recording so far.
///
/// # Safety
/// `file` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_save(file: *const c_char, as_format: u32) -> c_int {
    // SAFETY: guaranteed by the caller.
    let file = unsafe { path(file) };
    answer(file.and_then(|file| recorder::save(file, format(as_format)?, None)))
}

/// Saves the last seconds as a ring file.
///
/// # Safety
/// `file` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_dump_last(seconds: f64, file: *const c_char) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { tl_dump_last_as(seconds, file, Format::Ring as u32) }
}

/// Saves the last seconds.
///
/// # Safety
/// `file` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_dump_last_as(
    seconds: f64,
    file: *const c_char,
    as_format: u32,
) -> c_int {
    let last =
        Duration::try_from_secs_f64(seconds).map_err(|_| invalid("the time must not be negative"));
    // SAFETY: guaranteed by the caller.
    let file = unsafe { path(file) };
    answer(file.and_then(|file| recorder::save(file, format(as_format)?, Some(last?))))
}

/// Converts a ring file to another format.
///
/// # Safety
/// `ring` and `file` are null or C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_convert(
    ring: *const c_char,
    file: *const c_char,
    as_format: u32,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    let (ring, file) = unsafe { (path(ring), path(file)) };
    answer(ring.and_then(|ring| recorder::convert(ring, file?, format(as_format)?)))
}

/// Whether anything is recorded.
#[unsafe(no_mangle)]
pub extern "C" fn tl_is_recording() -> c_int {
    recorder::is_recording().into()
}

/// Sets the categories that the macros record.
#[unsafe(no_mangle)]
pub extern "C" fn tl_set_tags(tags: u64) {
    tl_enabled_tags.store(tags, Ordering::Relaxed);
}

/// Turns on the platform's trace points and records what they write to `trace_marker`.
///
/// # Safety
/// `categories` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_platform_start(categories: *const c_char, pass_on: c_int) -> c_int {
    let names = if categories.is_null() {
        "".into()
    } else {
        // SAFETY: the caller guarantees a C string.
        unsafe { CStr::from_ptr(categories) }.to_string_lossy()
    };
    answer(marks::begin(&names, pass_on != 0).map(drop))
}

/// Hooks the libraries that were loaded, and finds the markers that were opened, since the last call.
#[unsafe(no_mangle)]
pub extern "C" fn tl_platform_refresh() -> c_int {
    answer(marks::refresh())
}

/// Restores the platform's trace points.
#[unsafe(no_mangle)]
pub extern "C" fn tl_platform_stop() -> c_int {
    let ended = marks::end().then_some(());
    answer(ended.ok_or_else(|| io::ErrorKind::NotFound.into()))
}
