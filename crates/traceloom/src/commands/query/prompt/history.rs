//! Where the typed statements are remembered.

use std::fs::{DirBuilder, OpenOptions};
use std::path::PathBuf;

/// The history file: `traceloom/query_history` in `XDG_STATE_HOME`, or in `~/.local/state` if that is not set. Only this
/// user can read it. `None` if there is no such folder and it cannot be created.
pub(super) fn file() -> Option<PathBuf> {
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
