//! The history of typed statements.

use std::fs::{DirBuilder, OpenOptions};
use std::path::{Path, PathBuf};

use rustyline::Config;
use rustyline::history::{FileHistory, History, SearchDirection};

/// Maximum number of statements in the history.
pub(crate) const REMEMBERED: usize = 1000;

/// The history file: `traceloom/query_history` in `XDG_STATE_HOME`, or in `~/.local/state` if that is not set. Only this
/// user can read it. `None` if there is no such folder and it cannot be created.
pub(crate) fn file() -> Option<PathBuf> {
    let folder = state_folder()?.join("traceloom");
    let mut builder = DirBuilder::new();
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.recursive(true).create(&folder).ok()?;
    let path = folder.join("query_history");
    options.open(&path).ok()?;
    Some(path)
}

fn state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))
}

/// The statements in the file, the oldest first.
pub(crate) fn list(path: &Path) -> Vec<String> {
    let history = read(path);
    let last = |at| history.get(at, SearchDirection::Forward).ok().flatten();
    let all = (0..history.len()).filter_map(last);
    all.map(|found| found.entry.into_owned()).collect()
}

/// Adds a statement, if the file can be written.
pub(crate) fn add(path: &Path, statement: &str) {
    let mut history = read(path);
    if history.add(statement).is_ok() {
        _ = history.append(path);
    }
}

fn read(path: &Path) -> FileHistory {
    let config = Config::builder().max_history_size(REMEMBERED);
    let config = config.map(|config| config.build()).unwrap_or_default();
    let mut history = FileHistory::with_config(&config);
    // If the file cannot be read, there is no history yet.
    _ = history.load(path);
    history
}
