//! Marks: which writes are marks, and what happens to them. This code runs inside a library's call of `write`, perhaps in
//! a signal handler: it takes no lock, does not allocate, and preserves `errno`.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use libc::{size_t, ssize_t};

/// A callback for each payload that a library writes to `trace_marker` (`B|123|name`, without a final line feed). It is
/// called on the writing thread, inside its `write`, so it must not block, allocate or write.
pub type OnMark = fn(payload: &[u8]);

/// A fake file descriptor, used if the process has no `trace_marker`. No file can have this number: Linux's largest is 64
/// below the maximum of an `int`. It is positive because some platform libraries do not write to negative descriptors.
pub const MAGIC_FD: c_int = c_int::MAX - 1;

/// Maximum nesting of marks on one thread. Marks nest when a signal handler interrupts the writing
/// of a mark and writes another.
const MAX_DEPTH: usize = 4;

static ON_MARK: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static PASS_ON: AtomicBool = AtomicBool::new(true);
static LOST: AtomicU64 = AtomicU64::new(0);
/// One more than the thread-specific key of the topmost [`Frame`]; 0 if there is no key yet.
static KEY: AtomicUsize = AtomicUsize::new(0);
static MARKERS: [Marker; 8] = [const { Marker::none() }; 8];

/// A filter with one bit per value of the lowest six bits of a descriptor. If the bit of a descriptor is
/// clear, it is not a marker, and the search is skipped.
static FILTER: AtomicU64 = AtomicU64::new(bit_of(MAGIC_FD));

const fn bit_of(fd: c_int) -> u64 {
    1 << (fd & 63)
}

/// A quick check before [`is_marker`]: false if `fd` is certainly not a marker.
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
        // Readers must never see a descriptor together with the identity of another file.
        self.fd.store(-1, Ordering::SeqCst);
        self.device.store(device, Ordering::SeqCst);
        self.inode.store(inode, Ordering::SeqCst);
        self.fd.store(fd, Ordering::SeqCst);
    }

    /// Whether the descriptor is still the same file. If it was closed, the number may have been reused.
    fn is_same_file(&self) -> bool {
        let expected = (
            self.device.load(Ordering::SeqCst),
            self.inode.load(Ordering::SeqCst),
        );
        let fd = self.fd.load(Ordering::SeqCst);
        let errno = errno();
        let is_same = identity(fd) == Some(expected);
        set_errno(errno);
        if !is_same {
            self.fd
                .compare_exchange(fd, -1, Ordering::SeqCst, Ordering::SeqCst)
                .ok();
        }
        is_same
    }
}

/// Whether a write to `fd` is a mark. A platform library (`trusted`) never closes its marker. For all other libraries,
/// a system call checks whether the descriptor is still the marker.
fn is_marker(fd: c_int, trusted: bool) -> bool {
    if fd == MAGIC_FD {
        return true;
    }
    let found = MARKERS
        .iter()
        .find(|marker| marker.fd.load(Ordering::Relaxed) == fd);
    fd >= 0 && found.is_some_and(|marker| trusted || marker.is_same_file())
}

/// A mark that is being written on this thread.
struct Frame {
    data: *const c_void,
    count: size_t,
    below: *const Frame,
}

/// A write that may be a mark. Not inlined, so that all other writes cost only a handful of instructions before they jump
/// to the original.
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

/// Passes a mark to the callback, and then to the kernel if requested and if there is a file.
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
        // The same mark again: the original called another replaced function.
        None => return original(),
        Some(MAX_DEPTH..) => {
            LOST.fetch_add(1, Ordering::Relaxed);
            return original();
        }
        Some(_) => {}
    }
    // SAFETY: as above; the frame is removed again before it goes out of scope.
    unsafe { libc::pthread_setspecific(key, (&raw const frame).cast()) };
    // SAFETY: only `catch` stores a non-null value, and it is an `OnMark`.
    let on_mark = unsafe { std::mem::transmute::<*mut c_void, OnMark>(on_mark) };
    // SAFETY: the caller of `write` guarantees `count` readable bytes. Programs that probe addresses by writing from them
    // do not use a `trace_marker`.
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
    // The kernel cuts long marks. If the writer continued with the rest, that would become another mark.
    if written > 0 {
        count as ssize_t
    } else {
        written
    }
}

impl Frame {
    /// The number of marks below this one on the thread; `None` if one of them is this same mark.
    fn depth(&self) -> Option<usize> {
        let mut depth = 0;
        let mut below = self.below;
        while !below.is_null() {
            // SAFETY: frames are on this thread's stack, below the current one, until they are removed.
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

/// Creates the thread-specific key. Must be called before anything is hooked.
pub fn prepare() -> io::Result<()> {
    if KEY.load(Ordering::Acquire) != 0 {
        return Ok(());
    }
    let mut key = 0;
    // SAFETY: `key` is a local variable; there is no destructor.
    match unsafe { libc::pthread_key_create(&raw mut key, None) } {
        0 => {
            let mine =
                KEY.compare_exchange(0, key as usize + 1, Ordering::AcqRel, Ordering::Acquire);
            if mine.is_err() {
                // SAFETY: the key was created above and is unused, because another thread was first.
                unsafe { libc::pthread_key_delete(key) };
            }
            Ok(())
        }
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Starts passing marks to `on_mark`.
pub fn catch(on_mark: OnMark, pass_on: bool) {
    LOST.store(0, Ordering::Relaxed);
    PASS_ON.store(pass_on, Ordering::Relaxed);
    ON_MARK.store(on_mark as *mut c_void, Ordering::Release);
}

/// Stops catching marks: they become ordinary writes.
pub fn stop() {
    ON_MARK.store(ptr::null_mut(), Ordering::Release);
}

pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// Finds the open `trace_marker` files of the kernel and of its instances.
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
        let current = (
            marker.fd.load(Ordering::SeqCst),
            marker.device.load(Ordering::SeqCst),
            marker.inode.load(Ordering::SeqCst),
        );
        if current != next {
            marker.set(next);
        }
        if next.0 >= 0 {
            filter |= bit_of(next.0);
        }
    }
    FILTER.store(filter, Ordering::Relaxed);
}

/// Whether a file descriptor is a file named `trace_marker` in tracefs, or in debugfs on older systems.
pub fn is_trace_marker(fd: c_int) -> bool {
    const TRACEFS: i64 = 0x7472_6163;
    const DEBUGFS: i64 = 0x6462_6720;
    let path = std::fs::read_link(format!("/proc/self/fd/{fd}"));
    if !path.is_ok_and(|path| path.as_os_str().as_bytes().ends_with(b"/trace_marker")) {
        return false;
    }
    // SAFETY: zeros are valid for this struct of numbers.
    let mut system: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the struct is a local variable.
    let is_known = unsafe { libc::fstatfs(fd, &raw mut system) } == 0;
    is_known && [TRACEFS, DEBUGFS].contains(&(system.f_type as i64))
}

/// Device and inode of an open file.
fn identity(fd: c_int) -> Option<(u64, u64)> {
    // SAFETY: zeros are valid for this struct of numbers.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the struct is a local variable.
    let is_known = unsafe { libc::fstat(fd, &raw mut stat) } == 0;
    is_known.then_some((stat.st_dev as u64, stat.st_ino as u64))
}

fn errno_place() -> *mut c_int {
    // SAFETY: each thread has its own `errno`, which lives as long as the thread.
    #[cfg(target_os = "android")]
    return unsafe { libc::__errno() };
    // SAFETY: as above.
    #[cfg(not(target_os = "android"))]
    return unsafe { libc::__errno_location() };
}

pub fn errno() -> c_int {
    // SAFETY: the pointer is valid for this thread.
    unsafe { *errno_place() }
}

pub fn set_errno(value: c_int) {
    // SAFETY: the pointer is valid for this thread.
    unsafe { *errno_place() = value }
}
