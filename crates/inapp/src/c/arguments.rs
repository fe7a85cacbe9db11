//! Converting arguments and results between C and Rust.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::recorder::Format;

/// 0 for success, else a negative errno.
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

pub(super) fn invalid(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// The path in a C string.
///
/// # Safety
/// `text` is null or a C string that lives as long as the result.
pub(super) unsafe fn path<'a>(text: *const c_char) -> io::Result<&'a Path> {
    if text.is_null() {
        return Err(invalid("the path is missing"));
    }
    // SAFETY: guaranteed by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    Ok(Path::new(OsStr::from_bytes(text.to_bytes())))
}

pub(crate) fn format(number: u32) -> io::Result<Format> {
    match number {
        0 => Ok(Format::Ring),
        1 => Ok(Format::Ftrace),
        2 => Ok(Format::MethodTrace),
        _ => Err(invalid("unknown format")),
    }
}
