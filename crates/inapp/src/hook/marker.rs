//! Marks: which writes are one, and what becomes of it. All of this runs within somebody's `write`, perhaps
//! in a signal handler: no lock, no allocation, `errno` as it was.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use libc::{size_t, ssize_t};

use crate::OnMark;

/// Stands for a `trace_marker` that this process has not: a number that no file can have (Linux's largest is
/// 64 below that of an `int`), positive because some of the platform's libraries don't write below zero.
pub const MAGIC_FD: c_int = c_int::MAX - 1;

/// Marks under way on one thread: a signal handler may write one while another is written.
const DEEPEST: usize = 4;

static ON_MARK: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static PASS_ON: AtomicBool = AtomicBool::new(true);
static LOST: AtomicU64 = AtomicU64::new(0);
/// The thread-specific key of the topmost [`Frame`], and one; zero while there is none.
static KEY: AtomicUsize = AtomicUsize::new(0);
static MARKERS: [Marker; 8] = [const { Marker::none() }; 8];

/// A bit for the last six bits of each number that may be a marker: it spares nearly all other writes the search.
static FILTER: AtomicU64 = AtomicU64::new(bit_of(MAGIC_FD));

const fn bit_of(fd: c_int) -> u64 {
    1 << (fd & 63)
}

/// Whether it is worth asking [`is_marker`].
#[inline(always)]
pub fn may_be_marker(fd: c_int) -> bool {
    FILTER.load(Ordering::Relaxed) & bit_of(fd) != 0
}

/// A `trace_marker` that this process has opened.
struct Marker {
    fd: AtomicI32,
    device: AtomicU64,
    inode: AtomicU64,
}

impl Marker {
    const fn none() -> Self {
        Self {
            fd: AtomicI32::new(-1),
            device: AtomicU64::new(0),
            inode: AtomicU64::new(0),
        }
    }

    fn set(&self, (fd, device, inode): (c_int, u64, u64)) {
        // Never a number with another file's identity.
        self.fd.store(-1, Ordering::SeqCst);
        self.device.store(device, Ordering::SeqCst);
        self.inode.store(inode, Ordering::SeqCst);
        self.fd.store(fd, Ordering::SeqCst);
    }

    /// Whether the number still stands for that file; if it was closed, it may be anything now.
    fn still_is(&self) -> bool {
        let noted = (
            self.device.load(Ordering::SeqCst),
            self.inode.load(Ordering::SeqCst),
        );
        let fd = self.fd.load(Ordering::SeqCst);
        let errno = errno();
        let is = identity(fd) == Some(noted);
        set_errno(errno);
        if !is {
            self.fd
                .compare_exchange(fd, -1, Ordering::SeqCst, Ordering::SeqCst)
                .ok();
        }
        is
    }
}

/// Whether a write to `fd` is a mark. A library of the platform (`trusted`) never closes the marker that it
/// opened once; of all others' files only the system knows what they are.
fn is_marker(fd: c_int, trusted: bool) -> bool {
    if fd == MAGIC_FD {
        return true;
    }
    let known = MARKERS
        .iter()
        .find(|marker| marker.fd.load(Ordering::Relaxed) == fd);
    fd >= 0 && known.is_some_and(|marker| trusted || marker.still_is())
}

/// A mark that is being written on this thread.
struct Frame {
    data: *const c_void,
    count: size_t,
    below: *const Frame,
}

/// A write that may be a mark. Not inlined, so that all others leave the function before by a jump, and cost a
/// handful of instructions.
#[inline(never)]
pub fn write(
    fd: c_int,
    trusted: bool,
    data: *const c_void,
    count: size_t,
    original: impl FnOnce() -> ssize_t,
) -> ssize_t {
    if is_marker(fd, trusted) {
        write_mark(fd, data, count, original)
    } else {
        original()
    }
}

/// Hands a mark to who wants it, then to the kernel by `original` where it shall have it and there is a file.
fn write_mark(
    fd: c_int,
    data: *const c_void,
    count: size_t,
    original: impl FnOnce() -> ssize_t,
) -> ssize_t {
    let on_mark = ON_MARK.load(Ordering::Acquire);
    let key = KEY.load(Ordering::Relaxed).wrapping_sub(1) as libc::pthread_key_t;
    if on_mark.is_null() || data.is_null() || count == 0 || count > isize::MAX as usize {
        return original();
    }
    // SAFETY: the key was made before anything was hooked, and is never deleted.
    let below: *const Frame = unsafe { libc::pthread_getspecific(key) }
        .cast_const()
        .cast();
    let frame = Frame { data, count, below };
    match frame.depth() {
        // The way to the kernel leads through another changed word.
        None => return original(),
        Some(DEEPEST..) => {
            LOST.fetch_add(1, Ordering::Relaxed);
            return original();
        }
        Some(_) => {}
    }
    // SAFETY: as above; the frame is taken off again before it goes.
    unsafe { libc::pthread_setspecific(key, (&raw const frame).cast()) };
    // SAFETY: only `catch` stores what isn't null, from an `OnMark`.
    let on_mark = unsafe { std::mem::transmute::<*mut c_void, OnMark>(on_mark) };
    // SAFETY: the caller of `write` promises `count` readable bytes; the file is a `trace_marker`, so that it
    // isn't one of the programs that probe addresses by writing them somewhere.
    let payload = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), count) };
    let errno = errno();
    on_mark(payload.strip_suffix(b"\n").unwrap_or(payload));
    set_errno(errno);
    let to_kernel = fd != MAGIC_FD && PASS_ON.load(Ordering::Relaxed);
    let written = if to_kernel {
        original()
    } else {
        count as ssize_t
    };
    // SAFETY: as above.
    unsafe { libc::pthread_setspecific(key, below.cast()) };
    // The kernel cuts long marks. A writer that went on with the rest would have it taken for another mark.
    if written > 0 {
        count as ssize_t
    } else {
        written
    }
}

impl Frame {
    /// How many marks are under way below; `None` where one of them is this very mark.
    fn depth(&self) -> Option<usize> {
        let mut depth = 0;
        let mut below = self.below;
        while !below.is_null() {
            // SAFETY: frames lie on this thread's stack, below the present one, until they are taken off.
            let frame = unsafe { &*below };
            if (frame.data, frame.count) == (self.data, self.count) {
                return None;
            }
            depth += 1;
            below = frame.below;
        }
        Some(depth)
    }
}

/// What must be there before anything is hooked: the thread-specific key.
pub fn prepare() -> io::Result<()> {
    if KEY.load(Ordering::Acquire) != 0 {
        return Ok(());
    }
    let mut key = 0;
    // SAFETY: `key` is written to; no destructor.
    match unsafe { libc::pthread_key_create(&raw mut key, None) } {
        0 => {
            let mine =
                KEY.compare_exchange(0, key as usize + 1, Ordering::AcqRel, Ordering::Acquire);
            if mine.is_err() {
                // SAFETY: made above, and used by nobody: another thread was first.
                unsafe { libc::pthread_key_delete(key) };
            }
            Ok(())
        }
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// From now on marks go to `on_mark`.
pub fn catch(on_mark: OnMark, pass_on: bool) {
    LOST.store(0, Ordering::Relaxed);
    PASS_ON.store(pass_on, Ordering::Relaxed);
    ON_MARK.store(on_mark as *mut c_void, Ordering::Release);
}

/// From now on marks are writes like any other.
pub fn stop() {
    ON_MARK.store(ptr::null_mut(), Ordering::Release);
}

pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// Looks for open `trace_marker` files, the kernel's and those of its instances.
pub fn find_markers() {
    let Ok(listed) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let numbers = listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut found = numbers.filter(|fd| is_trace_marker(*fd)).filter_map(|fd| {
        let (device, inode) = identity(fd)?;
        Some((fd, device, inode))
    });
    let mut filter = bit_of(MAGIC_FD);
    for marker in &MARKERS {
        let next = found.next().unwrap_or((-1, 0, 0));
        let stands = || {
            (
                marker.device.load(Ordering::SeqCst),
                marker.inode.load(Ordering::SeqCst),
            )
        };
        if (marker.fd.load(Ordering::SeqCst), stands()) != (next.0, (next.1, next.2)) {
            marker.set(next);
        }
        if next.0 >= 0 {
            filter |= bit_of(next.0);
        }
    }
    FILTER.store(filter, Ordering::Relaxed);
}

/// Whether a file of this process is called `trace_marker` and lies in tracefs, or in debugfs where older
/// systems have it.
pub fn is_trace_marker(fd: c_int) -> bool {
    const TRACEFS: i64 = 0x7472_6163;
    const DEBUGFS: i64 = 0x6462_6720;
    let path = std::fs::read_link(format!("/proc/self/fd/{fd}"));
    if !path.is_ok_and(|path| path.as_os_str().as_bytes().ends_with(b"/trace_marker")) {
        return false;
    }
    // SAFETY: all zero is a value of this plain record, which the call fills in.
    let mut system: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the record is this function's own.
    let known = unsafe { libc::fstatfs(fd, &raw mut system) } == 0;
    known && [TRACEFS, DEBUGFS].contains(&(system.f_type as i64))
}

/// Device and inode of an open file.
fn identity(fd: c_int) -> Option<(u64, u64)> {
    // SAFETY: all zero is a value of this plain record, which the call fills in.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the record is this function's own.
    let known = unsafe { libc::fstat(fd, &raw mut stat) } == 0;
    known.then_some((stat.st_dev as u64, stat.st_ino as u64))
}

fn errno_place() -> *mut c_int {
    // SAFETY: the C library gives each thread its own, which lives as long as the thread.
    #[cfg(target_os = "android")]
    return unsafe { libc::__errno() };
    // SAFETY: as above.
    #[cfg(not(target_os = "android"))]
    return unsafe { libc::__errno_location() };
}

pub fn errno() -> c_int {
    // SAFETY: this thread's own.
    unsafe { *errno_place() }
}

pub fn set_errno(value: c_int) {
    // SAFETY: this thread's own.
    unsafe { *errno_place() = value }
}
