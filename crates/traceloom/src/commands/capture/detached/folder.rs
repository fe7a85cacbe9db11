//! The folder through which a recorder and the commands `start`, `list` and `stop` communicate.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// Names a folder to use instead of the default, for tests.
const VARIABLE: &str = "TRACELOOM_SESSIONS";

/// The description of a recording.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct About {
    /// The process id of the recorder.
    pub pid: u32,
    /// The boot of the machine in which it started.
    pub boot: String,
    /// When it started, seconds since 1970.
    pub began_s: u64,
    /// The categories and events.
    pub what: Vec<String>,
    /// The name of each buffer, and its tracefs instance; empty for the shared buffer.
    pub buffers: Vec<(String, String)>,
    /// Where the result is written unless `stop` names another file.
    pub output: PathBuf,
}

/// How a recording ended.
#[derive(Serialize, Deserialize, Debug)]
pub struct Ending {
    /// The file that was written, or `None` if that failed.
    pub written: Option<PathBuf>,
}

/// The state of a recording.
#[derive(Debug)]
pub enum State {
    /// Its recorder lives.
    Recording,
    /// It has ended.
    Ended(Ending),
    /// Its recorder was killed.
    Killed,
    /// The machine was restarted.
    Restarted,
}

/// The folder of a recording.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The name of the recording.
    pub name: String,
    path: PathBuf,
}

impl Folder {
    /// The folder of the recording `name`. It need not exist.
    ///
    /// # Errors
    /// If the name is not allowed.
    pub fn of(name: &str) -> Result<Self> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_allowed) {
            bail!("\"{name}\" cannot be the name of a recording: use letters, digits, - _ and .");
        }
        Ok(Self {
            name: name.to_owned(),
            path: root()?.join(name),
        })
    }

    /// The folders of all recordings, sorted by name.
    ///
    /// # Errors
    /// If another user owns the folder in which they are.
    pub fn all() -> Result<Vec<Self>> {
        let entries = fs::read_dir(root()?).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut all: Vec<Self> = names.filter_map(|name| Self::of(&name).ok()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Creates it, for the recorder that will hold its lock. `None` if it exists.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(&self) -> Result<Option<File>> {
        let cannot = || format!("cannot create {}", self.path.display());
        // The folder appears together with its lock. A folder without a held lock would look as if
        // its recorder was killed.
        let beside = self.path.parent().unwrap_or(Path::new("."));
        let new = tempfile::Builder::new().prefix(".").tempdir_in(beside);
        let new = new.with_context(cannot)?;
        let lock = File::create(new.path().join("lock")).context("cannot create a lock")?;
        lock.lock().context("cannot lock")?;
        match fs::rename(new.path(), &self.path) {
            Err(_) if self.exists() => return Ok(None),
            renamed => renamed.with_context(cannot)?,
        }
        _ = new.keep();
        Ok(Some(lock))
    }

    /// Whether it exists.
    pub fn exists(&self) -> bool {
        self.path.is_dir()
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes it.
    pub fn remove(&self) {
        _ = fs::remove_dir_all(&self.path);
    }

    /// The description of the recording. `None` before the recording has begun.
    pub fn about(&self) -> Option<About> {
        serde_json::from_slice(&fs::read(self.file("about")).ok()?).ok()
    }

    /// The messages of the recorder.
    pub fn log(&self) -> String {
        let log = fs::read(self.file("log")).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }

    /// The state of the recording.
    pub fn state(&self) -> State {
        if self.is_locked() {
            return State::Recording;
        }
        let ending = fs::read(self.file("result")).ok();
        if let Some(ending) = ending.and_then(|text| serde_json::from_slice(&text).ok()) {
            return State::Ended(ending);
        }
        match self.about() {
            Some(about) if about.boot != boot() => State::Restarted,
            _ => State::Killed,
        }
    }

    fn is_locked(&self) -> bool {
        let lock = File::open(self.file("lock"));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Waits until the recorder has ended.
    ///
    /// # Errors
    /// If the lock cannot be waited for.
    pub fn wait(&self) -> Result<()> {
        let lock = File::open(self.file("lock")).context("the recording is gone")?;
        lock.lock_shared().context("cannot wait for the recorder")
    }

    /// Writes a file in the folder atomically, so that a reader sees all of it or nothing.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let new = self.file(&format!("{name}.new"));
        let written = fs::write(&new, bytes).and_then(|()| fs::rename(&new, self.file(name)));
        written.with_context(|| format!("cannot write {}", self.file(name).display()))
    }
}

/// The folder of all recordings. A restart empties `/run`.
fn root() -> Result<PathBuf> {
    let root = match std::env::var_os(VARIABLE) {
        Some(folder) => PathBuf::from(folder),
        None if Path::new("/run").is_dir() => PathBuf::from("/run/traceloom"),
        None => std::env::temp_dir().join("traceloom-recordings"),
    };
    let made = fs::DirBuilder::new().mode(0o700).create(&root);
    // SAFETY: geteuid has no preconditions.
    let user = unsafe { libc::geteuid() };
    match (made, fs::symlink_metadata(&root)) {
        (_, Ok(found)) if found.is_dir() && found.uid() == user => Ok(root),
        (_, Ok(_)) => bail!("{} belongs to another user", root.display()),
        (made, Err(_)) => {
            made.with_context(|| format!("cannot create {}; run as root", root.display()))?;
            Ok(root)
        }
    }
}

/// A text that changes with each boot.
pub fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn a_folder_appears_with_its_lock() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..200 {
            let name = number.to_string();
            let path = root.path().join(&name);
            let folder = Folder { name, path };
            let begin = Barrier::new(2);
            let lock = std::thread::scope(|scope| {
                scope.spawn(|| {
                    begin.wait();
                    while !folder.exists() {}
                    assert!(matches!(folder.state(), State::Recording), "{number}");
                });
                begin.wait();
                folder.create().unwrap()
            });
            assert!(lock.is_some() && folder.create().unwrap().is_none());
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 200);
    }
}
