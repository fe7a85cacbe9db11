//! `tl_options`.

use std::ffi::c_char;
use std::io;
use std::time::Duration;

use super::{invalid, path};
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
}

/// Up to `path`: what any caller knows.
const LEAST_SIZE: usize = std::mem::offset_of!(COptions, bytes);

/// Reads the fields that the caller knows; the others are 0.
///
/// # Safety
/// `options` is null or points to `size` bytes, the first field, and its path is null or a C string.
pub(super) unsafe fn read(options: *const COptions) -> io::Result<Options> {
    if options.is_null() {
        return Err(invalid("options are missing"));
    }
    // SAFETY: the caller promises that there are at least the first four bytes.
    let size = unsafe { (&raw const (*options).size).read() } as usize;
    if size < LEAST_SIZE {
        return Err(invalid("tl_options.size is too small"));
    }
    // SAFETY: zeros are a value of every field.
    let mut known: COptions = unsafe { std::mem::zeroed() };
    let known_bytes = size.min(size_of::<COptions>());
    // SAFETY: the caller promises `size` bytes, and `known` has room for as many as are copied.
    unsafe {
        std::ptr::copy_nonoverlapping(
            options.cast::<u8>(),
            (&raw mut known).cast::<u8>(),
            known_bytes,
        );
    }
    // SAFETY: the caller promises it.
    let path = unsafe { path(known.path) }?;
    with_defaults(&known, Options::new(path))
}

fn with_defaults(known: &COptions, usual: Options) -> io::Result<Options> {
    let or = |value: u64, usual: usize| match usize::try_from(value) {
        Ok(0) => usual,
        Ok(value) => value,
        Err(_) => usize::MAX,
    };
    let ms = |ms: u32| (ms > 0).then(|| Duration::from_millis(ms.into()));
    let last = known.last_seconds.into();
    Ok(Options {
        bytes: or(known.bytes, usual.bytes),
        chunk_bytes: or(known.chunk_bytes.into(), usual.chunk_bytes),
        policy: match known.policy {
            0 => Policy::DropOldest,
            1 => Policy::Stop,
            _ => return Err(invalid("no such policy")),
        },
        clock: match known.clock {
            0 => None,
            1 => Some(ClockSource::Counter),
            2 => Some(ClockSource::Boot),
            3 => Some(ClockSource::Monotonic),
            _ => return Err(invalid("no such clock")),
        },
        names: match known.names {
            0 => usual.names,
            names => names.min(1 << 20),
        },
        cpu_time: known.cpu_time != 0,
        sample_every: ms(known.sample_ms),
        triggers: Triggers {
            slow_frame: ms(known.slow_frame_ms),
            blocked: ms(known.blocked_ms),
            sigquit: known.sigquit != 0,
            last: if last == 0 {
                usual.triggers.last
            } else {
                Duration::from_secs(last)
            },
            most_files: match known.most_files {
                0 => usual.triggers.most_files,
                most => most,
            },
        },
        ..usual
    })
}
