//! The guardian: a small process that restores settings when the recorder dies. It reads from a pipe.
//! The recorder writes each old value to the pipe before it changes a setting. If the pipe closes
//! without [`DONE`], the guardian undoes all changes.
//!
//! ```text
//! recorder ── file trace_clock local ──► guardian      (own session, signals ignored)
//!     │   ─── file buffer_size_kb 1408 ──►  │
//!     ✗ kill -9                             │ end of file, no "done"
//!                                           └─► undo, last change first
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;

use rustix::process::{Pid, WaitOptions, setsid, waitpid};
use rustix::thread::set_name;

use crate::recording_lock::RecordingLock;
use crate::state_file::StateFile;
use crate::undo_log::{Undo, stop_recording, undo_all};
use crate::{Properties, Tracefs};

const DONE: &str = "done";

/// A running guardian.
#[derive(Debug)]
pub struct Guardian {
    pipe: PipeWriter,
    pid: Option<Pid>,
}

impl Guardian {
    /// Starts the process. It keeps `lock` open, so that the lock is held until all settings are
    /// restored.
    ///
    /// # Errors
    /// If no pipe or process can be created.
    pub fn start(
        tree: &dyn Tracefs,
        properties: &dyn Properties,
        state: &StateFile,
        lock: Option<&RecordingLock>,
    ) -> io::Result<Self> {
        let (reader, pipe) = io::pipe()?;
        // SAFETY: the child only runs `guard` and then `_exit`, so it never returns into the code of
        // the parent. It has only the calling thread. It may allocate memory, since the allocators in
        // use are safe after a fork, and `guard` takes no lock that another thread could have held.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(pipe);
                detach(&[reader.as_raw_fd(), lock.map_or(-1, RecordingLock::file)]);
                guard(reader, tree, properties, state);
                // SAFETY: `_exit` has no preconditions. It skips the destructors of the parent's values.
                unsafe { libc::_exit(0) }
            }
            pid => Ok(Self {
                pipe,
                pid: Pid::from_raw(pid),
            }),
        }
    }

    /// Sends an old value. If the guardian is gone, the recording continues without it.
    pub fn send(&mut self, undo: &Undo) {
        let _ = self
            .pipe
            .write_all(format!("{}\n", undo.encode()).as_bytes());
    }

    /// Ends the guardian: all settings are restored, or saved in a state file.
    pub fn dismiss(mut self) {
        let _ = self.pipe.write_all(format!("{DONE}\n").as_bytes());
        drop(self.pipe);
        if let Some(pid) = self.pid {
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
    }
}

fn guard(mut pipe: PipeReader, tree: &dyn Tracefs, properties: &dyn Properties, state: &StateFile) {
    let mut log = Vec::new();
    let _ = pipe.read_to_end(&mut log);
    let log = String::from_utf8_lossy(&log);
    if log.lines().last() == Some(DONE) {
        return;
    }
    let undo = complete_entries(&log);
    // Nothing is recorded while settings are restored.
    let _ = stop_recording(&undo, tree);
    undo_all(&undo, tree, properties);
    state.remove();
}

/// The entries of a log. The recorder may have died while it wrote the last line, before it changed that setting.
fn complete_entries(log: &str) -> Vec<Undo> {
    let (lines, _) = log.rsplit_once('\n').unwrap_or_default();
    lines.lines().filter_map(Undo::decode).collect()
}

/// Leaves the session of the terminal or adb shell, ignores the signals that end it, and closes all
/// files of the parent except `keep`. A shell that waits until its output is closed must not wait for
/// the guardian.
fn detach(keep: &[libc::c_int]) {
    const IGNORED: [libc::c_int; 6] = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGPIPE,
        libc::SIGTSTP,
    ];
    let _ = setsid();
    let _ = set_name(c"atrace-guardian");
    for signal in IGNORED {
        // SAFETY: ignoring a signal installs no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    let _ = std::env::set_current_dir("/");
    let null: Option<File> = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")
        .ok();
    for file in open_files().into_iter().filter(|file| !keep.contains(file)) {
        match &null {
            // SAFETY: both are open files of this process.
            Some(null) if file <= 2 => unsafe {
                libc::dup2(null.as_raw_fd(), file);
            },
            // SAFETY: no code of this process uses the file any more.
            _ if null.as_ref().is_none_or(|null| null.as_raw_fd() != file) => unsafe {
                libc::close(file);
            },
            _ => {}
        }
    }
}

fn open_files() -> Vec<libc::c_int> {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten();
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    entries.flatten().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_entry_is_not_undone() {
        let undo = ["tracing_on", "buffer_size_kb"].map(|file| Undo::File {
            file: file.to_owned(),
            value: "1408".to_owned(),
        });
        let log: String = undo.iter().map(|entry| entry.encode() + "\n").collect();
        assert_eq!(complete_entries(&log), undo);
        let first = undo[0].encode().len() + 1;
        for end in 0..first {
            assert_eq!(complete_entries(&log[..end]), []);
        }
        for end in first..log.len() {
            assert_eq!(complete_entries(&log[..end]), undo[..1]);
        }
    }
}
