//! Catches what libraries write to the kernel's `trace_marker`.
//!
//! A library calls `write` through a word of its own, which the linker filled in. [`Hook::install`] finds
//! these words in chosen libraries and puts functions of this crate there; removing the hook puts back what
//! was there, and the protection of the pages. The functions hand to [`OnMark`](crate::OnMark) what goes to a
//! `trace_marker`, and to the next function, with the same arguments and result, all that does not.
//!
//! ```no_run
//! use traceloom_inapp::hook::{Hook, Options};
//!
//! fn on_mark(payload: &[u8]) { /* `B|123|name`; must not block, allocate or write */ }
//!
//! # fn main() -> Result<(), traceloom_inapp::hook::HookError> {
//! let hook = Hook::install(&Options::default(), on_mark)?;
//! // … libraries write to trace_marker …
//! drop(hook);
//! # Ok(())
//! # }
//! ```
//!
//! | file | |
//! |---|---|
//! | `entries` | the functions that stand in for `write` and `__write_chk` |
//! | `marker` | which file descriptors are a `trace_marker`, and what happens to a mark |
//! | `scan` | walks the libraries, decides which words to change |
//! | `slots` | changes a word, whatever protects its page |
//! | `later` | notices that libraries were loaded |
//! | `lock` | one scan at a time, over forks |

mod entries;
mod later;
mod lock;
mod marker;
mod scan;
mod slots;

use std::{fmt, io};

use crate::OnMark;
pub use marker::MAGIC_FD;
pub(crate) use marker::is_trace_marker;

/// Which libraries are hooked. This crate's own never is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Libraries {
    /// All that are loaded.
    #[default]
    All,
    /// Those with these file names or names of their own (`libcutils.so`).
    Named(Vec<String>),
}

/// How to catch marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which libraries.
    pub libraries: Libraries,
    /// Whether libraries that are loaded later are hooked when somebody looks up a function in them (x86-64
    /// and aarch64). Otherwise they are at the next [`Hook::refresh`].
    pub later: bool,
    /// Whether the kernel gets the marks too, where there is a `trace_marker` to get them.
    pub pass_on: bool,
}

impl Default for Options {
    /// All libraries, now and later, and the kernel gets the marks too.
    fn default() -> Self {
        Self {
            libraries: Libraries::All,
            later: true,
            pass_on: true,
        }
    }
}

/// What a walk over the libraries found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Libraries looked at.
    pub libraries: usize,
    /// Words changed by this walk.
    pub changed: usize,
    /// Words of libraries that the linker has not finished; the next walk has them.
    pub unfinished: usize,
    /// Words left alone, for their page cannot be made writable or another library has changed them in a way
    /// that leaves no room.
    pub refused: usize,
    /// Tables that lead outside of their library: what they list behind that was not looked at.
    pub broken: usize,
}

/// What became of the changed words when a hook was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Words that are again as they were.
    pub restored: usize,
    /// Words that somebody else has changed since. They keep that value; where it leads to this crate, writes
    /// go through it untouched.
    pub kept: usize,
}

/// Why marks cannot be caught.
#[derive(Debug)]
#[non_exhaustive]
pub enum HookError {
    /// Another hook of this process is installed.
    Installed,
    /// `/proc/self/maps`, which tells how pages are protected, cannot be read.
    Maps(io::Error),
    /// The process has no thread-specific key left (`PTHREAD_KEYS_MAX`).
    NoThreadKey(io::Error),
}

impl fmt::Display for HookError {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Installed => write!(to, "trace_marker is hooked already in this process"),
            Self::Maps(error) => write!(to, "/proc/self/maps cannot be read: {error}"),
            Self::NoThreadKey(error) => write!(to, "no thread-specific key is left: {error}"),
        }
    }
}

impl std::error::Error for HookError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Installed => None,
            Self::Maps(error) | Self::NoThreadKey(error) => Some(error),
        }
    }
}

/// The hook of this process; dropping it removes it.
#[derive(Debug)]
pub struct Hook {
    first: Report,
}

impl Hook {
    /// Hooks the libraries that are loaded. From then on `on_mark` gets each payload, on the thread that
    /// writes it, and also while [`Hook::remove`] runs: what it uses must stay when the hook is gone.
    ///
    /// # Errors
    ///
    /// See [`HookError`]. Nothing has changed then.
    pub fn install(options: &Options, on_mark: OnMark) -> Result<Self, HookError> {
        marker::prepare().map_err(HookError::NoThreadKey)?;
        scan::begin(options).ok_or(HookError::Installed)?;
        marker::catch(on_mark, options.pass_on);
        match scan::scan() {
            Ok(first) => Ok(Self { first }),
            Err(error) => {
                marker::stop();
                scan::end().ok();
                Err(HookError::Maps(error))
            }
        }
    }

    /// What the first walk found.
    pub fn report(&self) -> Report {
        self.first
    }

    /// Looks at the libraries and at this process's open files again: for libraries that were loaded since,
    /// and for a `trace_marker` that was opened since. Cheap enough to be called whenever a library was loaded.
    ///
    /// # Errors
    ///
    /// [`HookError::Maps`].
    pub fn refresh(&self) -> Result<Report, HookError> {
        scan::scan().map_err(HookError::Maps)
    }

    /// Marks that were not caught because so many were under way on their thread that one was writing the
    /// other.
    pub fn lost(&self) -> u64 {
        marker::lost()
    }

    /// Puts the words back, and tells how many.
    ///
    /// # Errors
    ///
    /// [`HookError::Maps`]: then the words lead to this crate still, and writes go through it untouched.
    pub fn remove(self) -> Result<Removed, HookError> {
        let removed = end();
        std::mem::forget(self);
        removed
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // Without maps the words stay, and everything goes through them untouched.
        end().ok();
    }
}

fn end() -> Result<Removed, HookError> {
    marker::stop();
    scan::end().map_err(HookError::Maps)
}
