//! The functions of `include/traceloom.h`, which documents them.

mod events;
mod options;

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::marks;
use crate::recorder::{self, Format};
use options::COptions;

/// Which categories the header's macros record.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static tl_enabled_tags: AtomicU64 = AtomicU64::new(u64::MAX);

/// 0, or the error's number below zero.
pub(crate) fn answer(result: io::Result<()>) -> c_int {
    let code = |error: io::Error| match (error.raw_os_error(), error.kind()) {
        (Some(code), _) => code,
        (None, io::ErrorKind::AlreadyExists) => libc::EEXIST,
        (None, io::ErrorKind::NotFound) => libc::ENODATA,
        (None, io::ErrorKind::Unsupported) => libc::ENOTSUP,
        (None, io::ErrorKind::InvalidData) => libc::EBADMSG,
        (None, io::ErrorKind::InvalidInput) => libc::EINVAL,
        (None, _) => libc::EIO,
    };
    result.map_or_else(|error| -code(error), |()| 0)
}

fn invalid(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// # Safety
/// `text` is null or a C string that lives as long as the answer.
unsafe fn path<'a>(text: *const c_char) -> io::Result<&'a Path> {
    if text.is_null() {
        return Err(invalid("a path is missing"));
    }
    // SAFETY: the caller promises it.
    let text = unsafe { CStr::from_ptr(text) };
    Ok(Path::new(OsStr::from_bytes(text.to_bytes())))
}

pub(crate) fn format(number: u32) -> io::Result<Format> {
    match number {
        0 => Ok(Format::Ring),
        1 => Ok(Format::Ftrace),
        2 => Ok(Format::MethodTrace),
        _ => Err(invalid("no such format")),
    }
}

/// Starts.
///
/// # Safety
/// `options` is null or a `tl_options` whose `size` is right and whose `path` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_start(options: *const COptions) -> c_int {
    // SAFETY: the caller promises it.
    let options = unsafe { options::read(options) };
    answer(options.and_then(|options| recorder::start(&options).map(drop)))
}

/// Stops, and lets the platform's trace points be as they were.
#[unsafe(no_mangle)]
pub extern "C" fn tl_stop() -> c_int {
    marks::end();
    let stopped = recorder::stop().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    answer(stopped.map(drop))
}

/// Saves what is recorded so far.
///
/// # Safety
/// `file` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_save(file: *const c_char, as_format: u32) -> c_int {
    // SAFETY: the caller promises it.
    let file = unsafe { path(file) };
    answer(file.and_then(|file| recorder::save(file, format(as_format)?, None)))
}

/// Saves the last seconds as a ring file.
///
/// # Safety
/// `file` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_dump_last(seconds: f64, file: *const c_char) -> c_int {
    // SAFETY: the caller promises it.
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
    let last = Duration::try_from_secs_f64(seconds).map_err(|_| invalid("no time is negative"));
    // SAFETY: the caller promises it.
    let file = unsafe { path(file) };
    answer(file.and_then(|file| recorder::save(file, format(as_format)?, Some(last?))))
}

/// Turns a ring file into another format.
///
/// # Safety
/// `ring` and `file` are null or C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_convert(
    ring: *const c_char,
    file: *const c_char,
    as_format: u32,
) -> c_int {
    // SAFETY: the caller promises it.
    let (ring, file) = unsafe { (path(ring), path(file)) };
    answer(ring.and_then(|ring| recorder::convert(ring, file?, format(as_format)?)))
}

/// Whether anything is recorded.
#[unsafe(no_mangle)]
pub extern "C" fn tl_is_recording() -> c_int {
    recorder::is_recording().into()
}

/// Chooses the categories that the macros record.
#[unsafe(no_mangle)]
pub extern "C" fn tl_set_tags(tags: u64) {
    tl_enabled_tags.store(tags, Ordering::Relaxed);
}

/// Keeps what the platform writes to `trace_marker`.
///
/// # Safety
/// `categories` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tl_platform_start(categories: *const c_char, pass_on: c_int) -> c_int {
    let names = if categories.is_null() {
        "".into()
    } else {
        // SAFETY: the caller promises a C string.
        unsafe { CStr::from_ptr(categories) }.to_string_lossy()
    };
    answer(marks::begin(&names, pass_on != 0).map(drop))
}

/// Looks for libraries and markers that came since.
#[unsafe(no_mangle)]
pub extern "C" fn tl_platform_refresh() -> c_int {
    answer(marks::refresh())
}

/// Ends that; everything is as it was.
#[unsafe(no_mangle)]
pub extern "C" fn tl_platform_stop() -> c_int {
    let ended = marks::end().then_some(());
    answer(ended.ok_or_else(|| io::ErrorKind::NotFound.into()))
}
