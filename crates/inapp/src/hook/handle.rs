//! Installing and removing the hook.

use std::{fmt, io};

use super::loads;
use super::marker::{self, OnMark};
use super::options::{Options, Removed, Report};
use super::replacements::{self, Function};
use super::scan::{self, Replacements};
use super::waits::{self, OnWait};

/// Why the hook cannot be installed or removed.
#[derive(Debug)]
#[non_exhaustive]
pub enum HookError {
    /// This process already has a hook.
    Installed,
    /// `/proc/self/maps` cannot be read. It is needed to know the protection of pages.
    Maps(io::Error),
    /// The process has no thread-specific key left (`PTHREAD_KEYS_MAX`).
    NoThreadKey(io::Error),
}

impl fmt::Display for HookError {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Installed => write!(to, "trace_marker is already hooked in this process"),
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

/// The hook of this process. Dropping it removes the hook.
#[derive(Debug)]
pub struct Hook {
    first: Report,
}

impl Hook {
    /// Hooks the loaded libraries. From then on, `on_mark` gets each payload on the thread that writes it. A call may
    /// still be running while [`Hook::remove`] returns, so whatever it uses must outlive the hook.
    ///
    /// # Errors
    ///
    /// See [`HookError`]. Nothing has changed then.
    pub fn install(options: &Options, on_mark: OnMark) -> Result<Self, HookError> {
        Self::begin(options, on_mark, None)
    }

    /// As [`Hook::install`]; `on_wait` is also called when threads wait for other processes, files and locks.
    ///
    /// # Errors
    ///
    /// See [`HookError`]. Nothing has changed then.
    pub fn install_with_waits(
        options: &Options,
        on_mark: OnMark,
        on_wait: OnWait,
    ) -> Result<Self, HookError> {
        Self::begin(options, on_mark, Some(on_wait))
    }

    fn begin(
        options: &Options,
        on_mark: OnMark,
        on_wait: Option<OnWait>,
    ) -> Result<Self, HookError> {
        marker::prepare().map_err(HookError::NoThreadKey)?;
        scan::begin(options, on_wait.is_some(), REPLACEMENTS).ok_or(HookError::Installed)?;
        marker::catch(on_mark, options.pass_on);
        waits::catch(on_wait);
        match scan::scan() {
            Ok(first) => Ok(Self { first }),
            Err(error) => {
                marker::stop();
                waits::catch(None);
                scan::end().ok();
                Err(HookError::Maps(error))
            }
        }
    }

    /// The result of the first walk.
    pub fn report(&self) -> Report {
        self.first
    }

    /// Also covers libraries loaded and a `trace_marker` opened since the last walk. Cheap enough to be called after
    /// every load of a library.
    ///
    /// # Errors
    ///
    /// [`HookError::Maps`].
    pub fn refresh(&self) -> Result<Report, HookError> {
        scan::scan().map_err(HookError::Maps)
    }

    /// The number of marks that were not caught because they were nested too deeply. Marks nest
    /// when a signal handler interrupts the writing of a mark and writes another. More than four
    /// levels are not caught.
    pub fn lost(&self) -> u64 {
        marker::lost()
    }

    /// Restores the changed words.
    ///
    /// # Errors
    ///
    /// [`HookError::Maps`]. The words then still lead to this crate, and writes pass through it unchanged.
    pub fn remove(self) -> Result<Removed, HookError> {
        let removed = end();
        std::mem::forget(self);
        removed
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // If the maps cannot be read, the words stay, and writes pass through unchanged.
        end().ok();
    }
}

/// The replacement functions: from `loads` for the linker's functions, from `replacements` for
/// `write`.
const REPLACEMENTS: Replacements = Replacements {
    watches_loads: loads::SUPPORTED,
    for_function,
    is_one: |value| replacements::is_replacement(value) || loads::is_replacement(value),
};

fn for_function(function: Function, original: usize, trusted: bool) -> Option<usize> {
    if function.is_linkers() {
        loads::replacement(function, original)
    } else {
        replacements::replacement(function, original, trusted)
    }
}

fn end() -> Result<Removed, HookError> {
    marker::stop();
    waits::catch(None);
    scan::end().map_err(HookError::Maps)
}
