//! A lock that lets only one recording at a time use the shared ring buffer. A second recording would
//! change the settings of the first, clear its buffer, and take its events.

use std::fmt::{self, Display};
use std::fs::{self, File, TryLockError};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Error, Tracefs};

/// The right to record in a tree, until it is dropped or the process ends. This is a flock(2) on the
/// tree's folder, so it does not exclude other tools.
#[derive(Debug)]
pub struct RecordingLock(File);

/// How long to wait for a guardian that restores settings. It takes a few milliseconds per event.
const GUARDIAN_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait for another recording, which may be about to end.
const TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

impl RecordingLock {
    /// Acquires the lock. Waits a short time for another recording, and longer for the guardian of a
    /// recording that died. `None` if the folder cannot be locked, as in a fake tree.
    ///
    /// # Errors
    /// [`Error::Busy`] if another recording holds the lock.
    pub fn acquire(tree: &dyn Tracefs) -> Result<Option<Self>, Error> {
        Self::acquire_within(tree, TIMEOUT)
    }

    /// Acquires the lock if no other recording holds it, for callers that record in any case. Waits
    /// for a guardian.
    pub fn try_acquire(tree: &dyn Tracefs) -> Option<Self> {
        Self::acquire_within(tree, Duration::ZERO).unwrap_or_default()
    }

    /// Acquires the lock. `timeout` applies while the process that holds it lives.
    fn acquire_within(tree: &dyn Tracefs, timeout: Duration) -> Result<Option<Self>, Error> {
        let Ok(folder) = File::open(tree.path("")) else {
            return Ok(None);
        };
        let started = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Some(Self(folder))),
                Err(TryLockError::Error(_)) => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
            }
            let holder = Holder::find(&folder);
            // Otherwise the lock was just released, or the guardian of a dead process holds it.
            let is_alive = holder.as_ref().is_some_and(Holder::is_alive);
            let timeout = if is_alive { timeout } else { GUARDIAN_TIMEOUT };
            if started.elapsed() > timeout {
                let holder = holder.map_or_else(String::new, |holder| holder.to_string());
                return Err(Error::Busy(holder));
            }
            thread::sleep(RETRY_INTERVAL);
        }
    }

    /// The locked file. The lock is held as long as any process has it open.
    pub fn file(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// The process that acquired a lock. It may have died and left the lock to its guardian.
struct Holder {
    pid: String,
    name: String,
}

impl Holder {
    /// Finds the process in `/proc/locks`, see proc(5).
    fn find(folder: &File) -> Option<Self> {
        let folder = folder.metadata().ok()?;
        let (major, minor) = (libc::major(folder.dev()), libc::minor(folder.dev()));
        let file_id = format!("{major:02x}:{minor:02x}:{}", folder.ino());
        let locks = fs::read_to_string("/proc/locks").ok()?;
        let pid = locks.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let at = words.iter().position(|word| *word == file_id)?;
            let is_held = words.contains(&"FLOCK") && !words.contains(&"->");
            is_held.then(|| words[at - 1].to_owned())
        })?;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Some(Self {
            pid,
            name: name.trim().to_owned(),
        })
    }

    fn is_alive(&self) -> bool {
        Path::new("/proc").join(&self.pid).exists()
    }
}

impl Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => write!(f, " (process {})", self.pid),
            name => write!(f, " ({name}, process {})", self.pid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mounted;

    #[test]
    fn a_second_recording_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Mounted::at(folder.path());
        let first = RecordingLock::acquire(&tree).unwrap().unwrap();
        let error = RecordingLock::acquire(&tree).unwrap_err().to_string();
        let holder = format!("process {})", std::process::id());
        assert!(
            error.contains(&holder) && error.contains("--instance"),
            "{error}"
        );
        assert!(RecordingLock::try_acquire(&tree).is_none());
        drop(first);
        assert!(RecordingLock::acquire(&tree).unwrap().is_some());
        assert!(RecordingLock::try_acquire(&tree).is_some());
        let missing = Mounted::at("/nowhere");
        assert!(RecordingLock::acquire(&missing).unwrap().is_none());
    }
}
