//! Starting and stopping.

use std::io;
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use super::current::{ACTIVE, CPU_TIME, CURRENT, Lock, is_recording};
use super::options::Options;
use super::previous::Previous;
use super::session::Session;
use super::watch::Watch;
use super::{fault, fork, short_calls, threads, write};

/// The result of a start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    /// The recording that an earlier process left at the path, if any.
    pub previous: Option<Previous>,
}

/// How long a stop waits for threads that are in the middle of a record. A record takes nanoseconds unless the thread
/// is not on a CPU.
const PATIENCE: Duration = Duration::from_secs(2);

/// The thread that watches the current recording.
static WATCH: AtomicPtr<Watch> = AtomicPtr::new(std::ptr::null_mut());

/// Starts recording.
///
/// # Errors
/// If a recording is already running ([`io::ErrorKind::AlreadyExists`]), the file cannot be
/// created, or the requested clock is not usable here ([`io::ErrorKind::Unsupported`]). In these
/// cases no file is left.
pub fn start(options: &Options) -> io::Result<Started> {
    if ended_by_fault() {
        stop();
    }
    let _lock = Lock::take();
    if !CURRENT.load(Ordering::Acquire).is_null() {
        let text = "a recording is already running; stop it first";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    threads::prepare(write::thread_ends);
    threads::forget_wiped_slot();
    prepare_for_forks();
    fault::prepare();
    let (session, previous) = Session::create(options)?;
    fault::expect_in(session.map.addresses());
    let number = session.number;
    CPU_TIME.store(options.cpu_time, Ordering::Relaxed);
    short_calls::set_limit(options.min_call, session.ticks_per_second);
    CURRENT.store(Box::into_raw(Box::new(session)), Ordering::Release);
    ACTIVE.store(number, Ordering::Release);
    if options.sample_every.is_some() || options.triggers.any() {
        let watch = Box::into_raw(Box::new(Watch::start(options)));
        WATCH.store(watch, Ordering::Release);
    }
    Ok(Started { previous })
}

/// Whether a fault has ended the recording, and `stop` has not been called since.
fn ended_by_fault() -> bool {
    let _lock = Lock::take();
    !is_recording() && !CURRENT.load(Ordering::Acquire).is_null()
}

/// Whether the recording belongs to the parent process. After `vfork`, a child shares its parent's memory until `exec`.
fn is_of_parent() -> bool {
    let _lock = Lock::take();
    // SAFETY: this thread holds the lock, so nobody else frees the recording.
    let session = unsafe { CURRENT.load(Ordering::Acquire).as_ref() };
    session.is_some_and(|session| session.pid != std::process::id())
}

/// Stops the recording. Returns the path of its file, or `None` if nothing was being recorded.
pub fn stop() -> Option<PathBuf> {
    if is_of_parent() {
        return None;
    }
    let watch = WATCH.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !watch.is_null() {
        // SAFETY: the pointer came from a box, and the swap gave it to this thread alone.
        unsafe { Box::from_raw(watch) }.end();
    }
    let _lock = Lock::take();
    let was_recording = ACTIVE.swap(0, Ordering::AcqRel) != 0;
    let session = CURRENT.swap(std::ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: this thread holds the lock, so nobody else frees the recording before this function ends.
    let path = unsafe { session.as_ref() }?.path.clone();
    let nobody_writes = wait_for_writers();
    // SAFETY: as above.
    unsafe { &*session }.note_end();
    if nobody_writes {
        fault::expect_none();
        // SAFETY: the pointer came from a box. It is no longer current, so no thread picks it up any more, and no
        // thread was in the middle of a record after that.
        drop(unsafe { Box::from_raw(session) });
    }
    // Otherwise a thread may still write its record, at an unknown time: leak the memory.
    was_recording.then_some(path)
}

/// Waits until every thread has finished its record. False if a thread did not finish. Also false if the system has no
/// memory barrier for all threads, because the state of other threads is then unknown.
fn wait_for_writers() -> bool {
    if !threads::has_barrier() {
        return false;
    }
    threads::barrier();
    let until = Instant::now() + PATIENCE;
    while threads::anybody_writes() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    true
}

/// Makes forked children stop recording. Must be called before anything is recorded.
fn prepare_for_forks() {
    static ONCE: Once = Once::new();
    // SAFETY: the handler only stores to atomics.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    });
}

/// In a forked child, no thread is starting, stopping, saving or watching.
extern "C" fn in_child() {
    fork::stop_in_child();
    Lock::reset_in_child();
    WATCH.store(std::ptr::null_mut(), Ordering::Release);
}
