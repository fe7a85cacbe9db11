//! The guardian: a small process that puts settings back when the recorder dies. It holds the
//! reading end of a pipe. The recorder writes down each old value there before it changes
//! something; when the pipe closes without the word [`DONE`], the guardian undoes everything.
//!
//! ```text
//! recorder ── file trace_clock local ──► guardian      (setsid, signals ignored, no terminal)
//!     │   ─── file buffer_size_kb 1408 ──►  │
//!     ✗ kill -9                             │ end of file, no "done"
//!                                           └─► undo, last change first
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;

use crate::turn::Turn;
use crate::undo::{Undo, undo_all};
use crate::{Properties, Tracefs, state};

const DONE: &str = "done";

/// The recorder's end.
#[derive(Debug)]
pub struct Guardian {
    pipe: PipeWriter,
    pid: libc::pid_t,
}

impl Guardian {
    /// Starts the process. It knows nothing yet. It keeps the turn, which is then taken until all is
    /// put back.
    ///
    /// # Errors
    /// If there is no pipe or process to be had.
    pub fn start(
        tree: &dyn Tracefs,
        properties: &dyn Properties,
        state: &state::File,
        turn: Option<&Turn>,
    ) -> io::Result<Self> {
        let (reader, pipe) = io::pipe()?;
        // SAFETY: the child runs only `guard`, which neither returns nor panics into the code of
        // the parent: it ends with _exit. In a process with other threads, the child of a fork has
        // the calling thread alone; memory may be allocated there, because the C libraries
        // make their allocators safe for it, and `guard` takes no lock that another thread could have
        // held.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(pipe);
                detach(&[reader.as_raw_fd(), turn.map_or(-1, Turn::file)]);
                guard(reader, tree, properties, state);
                // SAFETY: _exit never fails. Destructors of the parent's copies must not run here.
                unsafe { libc::_exit(0) }
            }
            pid => Ok(Self { pipe, pid }),
        }
    }

    /// Writes an old value down. If the guardian is gone, recording goes on without it.
    pub fn tell(&mut self, undo: &Undo) {
        let _ = self
            .pipe
            .write_all(format!("{}\n", undo.encode()).as_bytes());
    }

    /// All is put back, or kept in a state file: the guardian may go.
    pub fn dismiss(mut self) {
        let _ = self.pipe.write_all(format!("{DONE}\n").as_bytes());
        drop(self.pipe);
        // SAFETY: the child is ours and was not waited for; no status is asked for.
        unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
    }
}

fn guard(
    mut pipe: PipeReader,
    tree: &dyn Tracefs,
    properties: &dyn Properties,
    state: &state::File,
) {
    let mut log = Vec::new();
    let _ = pipe.read_to_end(&mut log);
    let log = String::from_utf8_lossy(&log);
    if log.lines().last() == Some(DONE) {
        return;
    }
    let undo: Vec<Undo> = log.lines().filter_map(Undo::decode).collect();
    stop_buffers(&undo, tree);
    undo_all(&undo, tree, properties);
    state.remove();
}

/// Nothing more is to be recorded while the settings go back.
fn stop_buffers(undo: &[Undo], tree: &dyn Tracefs) {
    for entry in undo {
        if let Undo::File { file, .. } = entry
            && file.ends_with("tracing_on")
        {
            let _ = tree.write(file, "0");
        }
    }
}

/// Out of the session of the terminal or adb shell, and deaf to what ends it; no other file of the
/// parent stays open, so that a shell that waits for its output to close does not wait for us.
fn detach(keep: &[libc::c_int]) {
    const IGNORED: [libc::c_int; 6] = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGPIPE,
        libc::SIGTSTP,
    ];
    // SAFETY: plain system calls on this process; the name is a C string with its NUL.
    unsafe {
        libc::setsid();
        for signal in IGNORED {
            libc::signal(signal, libc::SIG_IGN);
        }
        libc::prctl(libc::PR_SET_NAME, c"atrace-guardian".as_ptr());
    }
    let _ = std::env::set_current_dir("/");
    let null: Option<File> = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")
        .ok();
    for file in open_files().into_iter().filter(|file| !keep.contains(file)) {
        match &null {
            // SAFETY: both numbers are open files of this process.
            Some(null) if file <= 2 => unsafe {
                libc::dup2(null.as_raw_fd(), file);
            },
            // SAFETY: nobody in this process uses the file any more.
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
