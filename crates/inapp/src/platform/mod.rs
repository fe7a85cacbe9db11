//! Turning on the platform's trace points.
//!
//! Every trace point of Android checks a variable of libcutils to see whether its tag is on, and then writes to a file
//! that libcutils has opened. The library exports both variables. [`TracePoints::turn_on`] finds and sets them in every
//! loaded copy of the library, in all linker namespaces.
//!
//! ```no_run
//! use traceloom_inapp::platform::{Tags, TracePoints};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let on = TracePoints::turn_on(Tags::from_names(&["app", "view", "gfx"])?)?;
//! // … the platform writes its marks …
//! drop(on); // restores the previous state
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

/// The variables that hold a library's file descriptor of the `trace_marker`.
pub(crate) const MARKER_VARIABLES: [&str; 2] =
    [find::LIBCUTILS.marker_fd, find::LIBUTILS.marker_fd];

/// Why trace points cannot be turned on.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlatformError {
    /// No library of this process has trace points: probably not an Android process.
    NoTracePoints,
    /// `/proc/self/maps` cannot be read. It is needed to know which memory is writable.
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

/// Trace points that are on. Dropping it turns them off again, unless other code has changed the tags since.
#[derive(Debug)]
pub struct TracePoints {
    tags: Tags,
    applied: Vec<Applied>,
}

impl TracePoints {
    /// Turns on the trace points of `tags`, in addition to those that are on. If a library has no `trace_marker`, it gets
    /// a fake file descriptor, so that it writes marks for a [hook](crate::hook) to catch.
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

    /// The number of libraries whose trace points are on.
    pub fn libraries(&self) -> usize {
        self.applied.len()
    }

    /// Turns the trace points on again if a system trace has reset them when it began or ended, and in libraries that
    /// were loaded since.
    ///
    /// # Errors
    ///
    /// [`PlatformError::Maps`].
    pub fn refresh(&mut self) -> Result<(), PlatformError> {
        let all = Found::all().map_err(PlatformError::Maps)?;
        let is_known = |found: &&Found| self.applied.iter().any(|other| other.found == **found);
        // Before any tags are set: if the program has a copy of a library's variables, the library sets that copy up.
        let new = all.iter().filter(|found| !is_known(found));
        new.for_each(Found::set_up);
        for found in all {
            match self.applied.iter_mut().find(|other| other.found == found) {
                Some(applied) => applied.refresh(self.tags),
                None => self.applied.push(Applied::to(found, self.tags)),
            }
        }
        Ok(())
    }

    /// Turns the trace points off. The same as dropping the value.
    pub fn turn_off(self) {}
}

impl Drop for TracePoints {
    fn drop(&mut self) {
        self.applied.drain(..).for_each(Applied::restore);
    }
}
