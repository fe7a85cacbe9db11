//! Turns on the trace points that the platform brings: libcutils' tags and those that `android.os.Trace` keeps.
//!
//! Every trace point of Android asks a word of libcutils whether its tag is on, and then writes to a file that
//! libcutils has opened. Both are variables that the library exports; [`TracePoints::turn_on`] finds them
//! in every copy of the library that is loaded, whatever the linker's namespaces hide, and sets them.
//!
//! ```no_run
//! use traceloom_inapp::platform::{Tags, TracePoints};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let on = TracePoints::turn_on(Tags::of(&["app", "view", "gfx"])?)?;
//! // … the platform writes its marks …
//! drop(on); // as it was
//! # Ok(())
//! # }
//! ```

mod categories;
mod find;
pub(crate) mod java;
mod variables;

use std::{fmt, io};

pub use categories::{Tags, UnknownCategory};
use find::Found;
use variables::Applied;

/// The variables that hold the `trace_marker` of a library that writes marks.
pub(crate) const MARKER_VARIABLES: [&str; 2] =
    [find::LIBCUTILS.marker_fd, find::LIBUTILS.marker_fd];

/// Why trace points cannot be turned on.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlatformError {
    /// No library of this process has trace points: this is no Android process, or an unusual one.
    NoTracePoints,
    /// `/proc/self/maps`, which tells what can be written to, cannot be read.
    Maps(io::Error),
}

impl fmt::Display for PlatformError {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoTracePoints => write!(
                to,
                "no library of this process defines {} or {}",
                find::LIBCUTILS.tags,
                find::LIBUTILS.tags
            ),
            Self::Maps(error) => write!(to, "/proc/self/maps cannot be read: {error}"),
        }
    }
}

impl std::error::Error for PlatformError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoTracePoints => None,
            Self::Maps(error) => Some(error),
        }
    }
}

/// Trace points that are on; dropping it turns them off again, so far as nobody else turned them on since.
#[derive(Debug)]
pub struct TracePoints {
    tags: Tags,
    applied: Vec<Applied>,
}

impl TracePoints {
    /// Turns on those of `tags`, beside any that are on. Where a library has no `trace_marker`, a number that
    /// stands for one lets it write all the same, to whoever [hooks](crate::hook) its writes.
    ///
    /// # Errors
    ///
    /// See [`PlatformError`]. Nothing has changed then.
    pub fn turn_on(tags: Tags) -> Result<Self, PlatformError> {
        let mut points = Self {
            tags,
            applied: Vec::new(),
        };
        points.refresh()?;
        if points.applied.is_empty() {
            Err(PlatformError::NoTracePoints)
        } else {
            Ok(points)
        }
    }

    /// Libraries whose trace points are on.
    pub fn libraries(&self) -> usize {
        self.applied.len()
    }

    /// Turns them on again where somebody has reset them (a system trace that began or ended), and in libraries
    /// that were loaded since.
    ///
    /// # Errors
    ///
    /// [`PlatformError::Maps`].
    pub fn refresh(&mut self) -> Result<(), PlatformError> {
        for found in Found::all().map_err(PlatformError::Maps)? {
            match self.applied.iter_mut().find(|known| known.found == found) {
                Some(known) => known.again(self.tags),
                None => self.applied.push(Applied::to(found, self.tags)),
            }
        }
        Ok(())
    }

    /// Turns them off: the same as dropping it.
    pub fn turn_off(self) {}
}

impl Drop for TracePoints {
    fn drop(&mut self) {
        self.applied.drain(..).for_each(Applied::restore);
    }
}
