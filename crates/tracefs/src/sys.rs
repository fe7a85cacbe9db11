//! System calls that the standard library does not have.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::Access;
use rustix::io::Errno;
use rustix::pipe::SpliceFlags;
use rustix::time::ClockId;

/// Whether a file exists.
pub fn exists(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXISTS).is_ok()
}

/// Whether a file exists and this process may write to it.
pub fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, Access::WRITE_OK).is_ok()
}

/// The time of `CLOCK_MONOTONIC`, ns.
pub fn monotonic_ns() -> i64 {
    clock_ns(ClockId::Monotonic)
}

/// The wall clock time, ns since 1970.
pub fn realtime_ns() -> i64 {
    clock_ns(ClockId::Realtime)
}

fn clock_ns(clock: ClockId) -> i64 {
    let time = Duration::try_from(rustix::time::clock_gettime(clock));
    time.map_or(0, |time| time.as_nanos() as i64)
}

/// What [`poll`] found for a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Data can be read.
    pub readable: bool,
    /// The other end is closed.
    pub closed: bool,
}

/// Waits until one of `read` has data, the reader of `write` is gone, a signal arrives, or `time` is
/// over. After a signal all results are false.
pub fn poll(
    read: &[BorrowedFd<'_>],
    write: Option<BorrowedFd<'_>>,
    time: Duration,
) -> io::Result<Vec<Readiness>> {
    let read = read
        .iter()
        .map(|file| PollFd::from_borrowed_fd(*file, PollFlags::IN));
    let write = write.map(|file| PollFd::from_borrowed_fd(file, PollFlags::empty()));
    let mut files: Vec<_> = read.chain(write).collect();
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    match rustix::event::poll(&mut files, Some(&time)) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(vec![Readiness::default(); files.len()]),
        Err(error) => return Err(error.into()),
    }
    let readiness = |file: &PollFd<'_>| Readiness {
        readable: file.revents().contains(PollFlags::IN),
        closed: file.revents().intersects(PollFlags::ERR | PollFlags::HUP),
    };
    Ok(files.iter().map(readiness).collect())
}

/// Moves up to `count` bytes between a pipe and a file without copying them through this process.
/// Does not wait for data. `None` if there is none.
pub fn splice(from: BorrowedFd<'_>, to: BorrowedFd<'_>, count: usize) -> io::Result<Option<usize>> {
    let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
    match rustix::pipe::splice(from, None, to, None, count, flags) {
        Ok(moved) => Ok(Some(moved)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Enlarges a pipe to `bytes`, or as far as the system permits. Returns its size.
pub fn grow_pipe(pipe: impl AsFd, bytes: usize) -> usize {
    let mut size = bytes;
    while size > 4096 {
        if let Ok(granted) = rustix::pipe::fcntl_setpipe_size(&pipe, size) {
            return granted;
        }
        size /= 2;
    }
    4096
}

/// The output of `uname`: system, host, release, version, machine.
pub fn uname() -> String {
    let name = rustix::system::uname();
    [
        name.sysname(),
        name.nodename(),
        name.release(),
        name.version(),
        name.machine(),
    ]
    .map(|text| text.to_string_lossy())
    .join(" ")
}

/// The effective user ID of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The usual policy. The crate `libc` calls it `SCHED_NORMAL` on Android.
const SCHED_OTHER: libc::c_int = 0;

/// The lowest real-time priority for this thread, until it is dropped. A thread that reads a buffer must run before the
/// buffer overflows, also on a busy machine. A nice value is not enough: it has an effect only inside a session or
/// control group.
#[derive(Debug)]
pub struct Urgent {
    is_raised: bool,
}

impl Urgent {
    /// Raises the priority, if this user has the permission and the thread still has the default policy.
    pub fn new() -> Self {
        // Not inherited by processes that this thread starts.
        let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
        // SAFETY: the call has no arguments but the thread, 0 for this one.
        let before = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
        Self {
            is_raised: before == SCHED_OTHER.into() && set_policy(policy, 1),
        }
    }
}

impl Default for Urgent {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        if self.is_raised {
            set_policy(SCHED_OTHER, 0);
        }
    }
}

/// Sets the policy of this thread. (The function of the C library does nothing on some systems.)
fn set_policy(policy: libc::c_int, priority: libc::c_int) -> bool {
    // SAFETY: the kernel reads the structure, which begins with the priority.
    unsafe {
        let mut parameters: libc::sched_param = std::mem::zeroed();
        parameters.sched_priority = priority;
        libc::syscall(
            libc::SYS_sched_setscheduler,
            0,
            policy,
            &raw const parameters,
        ) == 0
    }
}
