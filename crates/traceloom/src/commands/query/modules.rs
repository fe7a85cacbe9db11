//! Modules from a folder: `--sql-modules DIR`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use traceloom_query::{Limits, Session};
use traceloom_trace::Trace;

/// A session with the `.sql` files of folders and their subfolders as modules: `a/b.sql` is the module `a.b`.
///
/// # Errors
/// If SQLite does not work, or a folder or a file cannot be read.
pub(in crate::commands) fn open_session(
    trace: impl Into<Arc<Trace>>,
    limits: Limits,
    folders: &[PathBuf],
) -> Result<Session> {
    let mut session = Session::open(trace, limits)?;
    for folder in folders {
        add(&mut session, folder, "")?;
    }
    Ok(session)
}

/// Adds the modules in a folder. Their names begin with `prefix`.
fn add(session: &mut Session, folder: &Path, prefix: &str) -> Result<()> {
    let failed = || format!("cannot read the modules in {}", folder.display());
    let entries = std::fs::read_dir(folder).with_context(failed)?;
    for entry in entries {
        let entry = entry.with_context(failed)?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // A link to a folder is not followed: it could lead back here.
        if entry.file_type().with_context(failed)?.is_dir() {
            add(session, &path, &format!("{prefix}{name}."))?;
        } else if let Some(name) = name.strip_suffix(".sql") {
            let file = path.display().to_string();
            let text = std::fs::read_to_string(&path);
            let text = text.with_context(|| format!("cannot read the module {file}"))?;
            session.add_module(&format!("{prefix}{name}"), &file, &text);
        }
    }
    Ok(())
}
