//! Reading `tl_options`.

use std::ffi::c_char;
use std::io;
use std::time::Duration;

use super::arguments::{invalid, path};
use crate::recorder::{ClockSource, Options, Policy, Triggers};

/// `tl_options` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct COptions {
    size: u32,
    policy: u32,
    path: *const c_char,
    bytes: u64,
    chunk_bytes: u32,
    clock: u32,
    names: u32,
    cpu_time: u32,
    sample_ms: u32,
    slow_frame_ms: u32,
    blocked_ms: u32,
    sigquit: u32,
    last_seconds: u32,
    most_files: u32,
    min_call_us: u32,
}

/// The fields up to `path`, which every caller sets.
const MIN_SIZE: usize = std::mem::offset_of!(COptions, bytes);

/// Copies the first `size` bytes, the fields that the caller was compiled with. The other fields are 0.
///
/// # Safety
/// `options` is null or points to as many bytes as its field `size` contains, and its path is null or a C string.
pub(super) unsafe fn read(options: *const COptions) -> io::Result<Options> {
    if options.is_null() {
        return Err(invalid("options are missing"));
    }
    // SAFETY: the caller guarantees at least the first field.
    let size = unsafe { (&raw const (*options).size).read() } as usize;
    if size < MIN_SIZE {
        return Err(invalid("tl_options.size is too small"));
    }
    // SAFETY: zeros are valid for every field.
    let mut given: COptions = unsafe { std::mem::zeroed() };
    let given_bytes = size.min(size_of::<COptions>());
    // SAFETY: the caller guarantees `size` bytes, and `given` has room for the bytes that are copied.
    unsafe {
        std::ptr::copy_nonoverlapping(
            options.cast::<u8>(),
            (&raw mut given).cast::<u8>(),
            given_bytes,
        );
    }
    // SAFETY: guaranteed by the caller.
    let path = unsafe { path(given.path) }?;
    with_defaults(&given, Options::new(path))
}

fn with_defaults(given: &COptions, defaults: Options) -> io::Result<Options> {
    let or = |value: u64, default: usize| match usize::try_from(value) {
        Ok(0) => default,
        Ok(value) => value,
        Err(_) => usize::MAX,
    };
    let ms = |ms: u32| (ms > 0).then(|| Duration::from_millis(ms.into()));
    let last = given.last_seconds.into();
    Ok(Options {
        bytes: or(given.bytes, defaults.bytes),
        chunk_bytes: or(given.chunk_bytes.into(), defaults.chunk_bytes),
        policy: match given.policy {
            0 => Policy::DropOldest,
            1 => Policy::Stop,
            _ => return Err(invalid("unknown policy")),
        },
        clock: match given.clock {
            0 => None,
            1 => Some(ClockSource::Counter),
            2 => Some(ClockSource::Boot),
            3 => Some(ClockSource::Monotonic),
            _ => return Err(invalid("unknown clock")),
        },
        names: match given.names {
            0 => defaults.names,
            names => names.min(1 << 20),
        },
        cpu_time: given.cpu_time != 0,
        min_call: (given.min_call_us > 0).then(|| Duration::from_micros(given.min_call_us.into())),
        sample_every: ms(given.sample_ms),
        triggers: Triggers {
            slow_frame: ms(given.slow_frame_ms),
            blocked: ms(given.blocked_ms),
            sigquit: given.sigquit != 0,
            last: if last == 0 {
                defaults.triggers.last
            } else {
                Duration::from_secs(last)
            },
            max_files: match given.most_files {
                0 => defaults.triggers.max_files,
                max => max,
            },
        },
        ..defaults
    })
}
