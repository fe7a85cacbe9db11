//! The few system calls that the standard library has no word for.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// Whether `access(2)` grants the mode to this process.
pub fn access(path: &Path, mode: libc::c_int) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the pointer is to a string with a NUL at its end, which lives through the call.
    unsafe { libc::access(path.as_ptr(), mode) == 0 }
}

/// The time of a clock, nanoseconds.
pub fn clock_ns(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a timespec of our own. The clocks used here exist everywhere.
    unsafe { libc::clock_gettime(clock, &mut time) };
    #[allow(clippy::unnecessary_cast)] // 32 bits on 32-bit systems
    {
        time.tv_sec as i64 * 1_000_000_000 + time.tv_nsec as i64
    }
}

/// What [`poll`] saw of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// There is something to read.
    pub readable: bool,
    /// The other end is gone.
    pub gone: bool,
}

/// Waits until one of `read` has data, the reader of `write` is gone, a signal comes or the time
/// is over. A signal is no error: nothing is seen.
pub fn poll(
    read: &[BorrowedFd<'_>],
    write: Option<BorrowedFd<'_>>,
    time: Duration,
) -> io::Result<Vec<Seen>> {
    let entry = |file: &BorrowedFd<'_>, events| libc::pollfd {
        fd: file.as_raw_fd(),
        events,
        revents: 0,
    };
    let mut files: Vec<_> = read.iter().map(|file| entry(file, libc::POLLIN)).collect();
    files.extend(write.iter().map(|file| entry(file, 0)));
    let millis = time.as_millis().min(i32::MAX as u128) as i32;
    // SAFETY: the pointer and the count are those of our own vector.
    let count = unsafe { libc::poll(files.as_mut_ptr(), files.len() as libc::nfds_t, millis) };
    if count < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        return Ok(vec![Seen::default(); files.len()]);
    }
    let seen = |file: &libc::pollfd| Seen {
        readable: file.revents & libc::POLLIN != 0,
        gone: file.revents & (libc::POLLERR | libc::POLLHUP) != 0,
    };
    Ok(files.iter().map(seen).collect())
}

/// Moves up to `count` bytes between a pipe and a file without copying them through this process.
/// Never waits for the source. `None` where there is nothing now.
pub fn splice(from: BorrowedFd<'_>, to: BorrowedFd<'_>, count: usize) -> io::Result<Option<usize>> {
    let flags = libc::SPLICE_F_MOVE | libc::SPLICE_F_NONBLOCK;
    let null = std::ptr::null_mut();
    // SAFETY: both files are open; no offsets are handed over.
    let moved = unsafe { libc::splice(from.as_raw_fd(), null, to.as_raw_fd(), null, count, flags) };
    if moved >= 0 {
        return Ok(Some(moved as usize));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

/// Makes a pipe as big as it may be, up to `bytes`; the size it has now.
pub fn grow_pipe(pipe: BorrowedFd<'_>, bytes: usize) -> usize {
    let mut wanted = bytes as libc::c_int;
    while wanted > 4096 {
        // SAFETY: fcntl with a number as its argument.
        let got = unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, wanted) };
        if got > 0 {
            return got as usize;
        }
        wanted /= 2;
    }
    4096
}

/// What `uname` prints: system, host, release, version, machine.
pub fn uname() -> String {
    // SAFETY: a utsname is arrays of bytes, for which zeros are a value.
    let mut name: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a utsname of our own.
    unsafe { libc::uname(&mut name) };
    let text = |field: &[libc::c_char]| {
        let bytes: Vec<u8> = field
            .iter()
            .map(|&c| c as u8)
            .take_while(|&c| c != 0)
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    [
        &name.sysname[..],
        &name.nodename,
        &name.release,
        &name.version,
        &name.machine,
    ]
    .map(text)
    .join(" ")
}

/// The user that this process acts as.
pub fn user() -> u32 {
    // SAFETY: geteuid takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
