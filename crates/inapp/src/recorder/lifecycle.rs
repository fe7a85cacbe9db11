//! Starting, stopping, saving.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use super::options::Options;
use super::previous::{Previous, put_aside};
use super::save::{self, Format};
use super::session::Session;
use super::snapshot::snapshot;
use super::watch::Watch;
use super::write::{CPU_TIME, CURRENT};
use super::{fork, threads};

/// What a start came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    /// What an earlier process left at the path, if it did.
    pub previous: Option<Previous>,
}

/// How long a stop waits for threads that are in the middle of a record, which takes nanoseconds unless the thread
/// is not on a CPU.
const PATIENCE: Duration = Duration::from_secs(2);

/// The thread that looks after the current recording.
static WATCH: AtomicPtr<Watch> = AtomicPtr::new(std::ptr::null_mut());

static IS_LOCKED: AtomicBool = AtomicBool::new(false);

/// Held by whoever starts, stops or saves. No `Mutex`: a forked child must be able to open it.
struct Lock;

impl Lock {
    fn take() -> Self {
        while IS_LOCKED.swap(true, Ordering::Acquire) {
            std::thread::sleep(Duration::from_micros(200));
        }
        Self
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        IS_LOCKED.store(false, Ordering::Release);
    }
}

/// In a forked child, nobody is starting, stopping, saving or watching.
pub(crate) fn reset() {
    IS_LOCKED.store(false, Ordering::Release);
    WATCH.store(std::ptr::null_mut(), Ordering::Release);
}

/// Starts to record.
///
/// # Errors
/// If a recording is under way ([`io::ErrorKind::AlreadyExists`]), the file cannot be made, or the clock is not to be
/// trusted.
pub fn start(options: &Options) -> io::Result<Started> {
    let _lock = Lock::take();
    if !CURRENT.load(Ordering::Acquire).is_null() {
        let text = "a recording is under way; stop it first";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    threads::prepare();
    threads::forget();
    fork::prepare();
    let previous = put_aside(&options.path)?;
    let session = Box::into_raw(Box::new(Session::create(options)?));
    CPU_TIME.store(options.cpu_time, Ordering::Relaxed);
    CURRENT.store(session, Ordering::Release);
    if options.sample_every.is_some() || options.triggers.any() {
        let watch = Box::into_raw(Box::new(Watch::start(options)));
        WATCH.store(watch, Ordering::Release);
    }
    Ok(Started { previous })
}

/// Ends the recording; where its file is. `None` where nothing was recorded.
pub fn stop() -> Option<PathBuf> {
    let watch = WATCH.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !watch.is_null() {
        // SAFETY: it came from a box, and the swap gave it to nobody else.
        unsafe { Box::from_raw(watch) }.end();
    }
    let _lock = Lock::take();
    let session = CURRENT.swap(std::ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: what is current lives until the end of this function at least, as the lock is held.
    let path = unsafe { session.as_ref() }?.path.clone();
    let nobody = wait_for_writers();
    // SAFETY: as above.
    unsafe { &*session }.note_end();
    if nobody {
        // SAFETY: it came from a box; it is no longer current, so nobody comes to it any more, and nobody was in
        // the middle of anything after that.
        drop(unsafe { Box::from_raw(session) });
    }
    // Else a thread may still write its record: the memory stays, as there is no telling when it comes back.
    Some(path)
}

/// Whether every thread finished its record. Without a barrier in all threads that cannot be told.
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

/// Calls `with` with the current recording, which stays for as long as that takes.
fn current<T>(with: impl FnOnce(&Session) -> T) -> Option<T> {
    let _lock = Lock::take();
    // SAFETY: nobody takes it away while the lock is held.
    let session = unsafe { CURRENT.load(Ordering::Acquire).as_ref() };
    session.map(with)
}

/// Saves what is recorded so far, or its last part, while recording goes on.
///
/// Of `last`, whole chunks are kept: at least that much of each thread, where that much is in the ring.
///
/// # Errors
/// If nothing is recorded ([`io::ErrorKind::NotFound`]) or the file cannot be written.
pub fn save(path: &Path, format: Format, last: Option<Duration>) -> io::Result<()> {
    let bytes = current(|session| snapshot(session, last));
    let bytes =
        bytes.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "nothing is recorded"))?;
    save::write(&bytes, path, format)
}

/// Writes a ring file that was stopped, or left by an earlier process, in another format.
///
/// # Errors
/// If one cannot be read or the other not be written.
pub fn convert(ring: &Path, path: &Path, format: Format) -> io::Result<()> {
    save::write(&std::fs::read(ring)?, path, format)
}

/// Notes something in the current recording, if there is one.
pub(crate) fn note(with: impl FnOnce(&Session)) {
    current(with);
}
