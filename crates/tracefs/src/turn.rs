//! One recording at a time in the buffer that all share. Of two, the second would change the first's
//! settings and clear its buffer, and who reads takes the events away from the other.

use std::fmt::{self, Display};
use std::fs::{self, File, TryLockError};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Error, Tracefs};

/// The right to record in a tree, until it is dropped or the process ends. It is a lock on the tree's
/// folder, flock(2), which only those know that ask for it: the kernel itself and other tools don't.
#[derive(Debug)]
pub struct Turn(File);

/// How long a guardian may take to put things back; it takes some milliseconds for each event.
const PATIENCE: Duration = Duration::from_secs(5);
/// A recording that is just ending, such as one whose reader went, takes no longer.
const ENDING: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(5);

impl Turn {
    /// Takes the turn; waits for it a little, and longer while the guardian of a recording that died puts things back.
    /// `None` where the folder cannot be locked, as in a made-up tree.
    ///
    /// # Errors
    /// [`Error::Busy`] while another recording has it.
    pub fn take(tree: &dyn Tracefs) -> Result<Option<Self>, Error> {
        Self::take_within(tree, ENDING)
    }

    /// As [`take`](Self::take), for one that records whoever else does: what a guardian puts back, it waits for.
    /// `None` also while another recording has the turn.
    pub fn take_if_free(tree: &dyn Tracefs) -> Option<Self> {
        Self::take_within(tree, Duration::ZERO).unwrap_or_default()
    }

    /// Takes the turn, so long after one who is alive.
    fn take_within(tree: &dyn Tracefs, patience: Duration) -> Result<Option<Self>, Error> {
        let Ok(folder) = File::open(tree.path("")) else {
            return Ok(None);
        };
        let begun = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Some(Self(folder))),
                Err(TryLockError::Error(_)) => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
            }
            let holder = holder(&folder);
            // Nobody has it any more, or one who has died: a guardian is at work, or was just now.
            let lives = holder.as_ref().is_some_and(Holder::lives);
            if begun.elapsed() > if lives { patience } else { PATIENCE } {
                let who = holder.map_or_else(String::new, |holder| holder.to_string());
                return Err(Error::Busy(who));
            }
            thread::sleep(NAP);
        }
    }

    /// The file that has the lock: as long as somebody has it open, the turn is taken.
    pub fn file(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// The process that took a lock. It may have died since and left the lock to its guardian.
struct Holder {
    pid: String,
    name: String,
}

impl Holder {
    fn lives(&self) -> bool {
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

/// Who took the lock: as `/proc/locks` tells, proc(5).
fn holder(folder: &File) -> Option<Holder> {
    let folder = folder.metadata().ok()?;
    let (major, minor) = (libc::major(folder.dev()), libc::minor(folder.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", folder.ino());
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let pid = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == place)?;
        let flock = words.contains(&"FLOCK") && !words.contains(&"->");
        flock.then(|| words[at - 1].to_owned())
    })?;
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some(Holder {
        pid,
        name: name.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mounted;

    #[test]
    fn the_second_is_told_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Mounted::at(folder.path());
        let first = Turn::take(&tree).unwrap().unwrap();
        let error = Turn::take(&tree).unwrap_err().to_string();
        let me = format!("process {})", std::process::id());
        assert!(
            error.contains(&me) && error.contains("--instance"),
            "{error}"
        );
        assert!(Turn::take_if_free(&tree).is_none());
        drop(first);
        assert!(Turn::take(&tree).unwrap().is_some());
        assert!(Turn::take_if_free(&tree).is_some());
        assert!(Turn::take(&Mounted::at("/nowhere")).unwrap().is_none());
    }
}
