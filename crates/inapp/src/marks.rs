//! The platform's marks in a recording: its trace points on, what they write caught and kept.
//!
//! ```no_run
//! use traceloom_inapp::marks::PlatformMarks;
//! use traceloom_inapp::platform::Tags;
//! use traceloom_inapp::recorder;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! recorder::start(&recorder::Options::new("/data/data/com.example/cache/app.ring"))?;
//! let marks = PlatformMarks::begin(Tags::of(&["app", "view", "gfx"])?, true)?;
//! // … what the platform says of this process is in the recording …
//! drop(marks);
//! recorder::stop();
//! # Ok(())
//! # }
//! ```

use std::io;
use std::sync::{Mutex, PoisonError};

use crate::hook::{Hook, HookError, Options};
use crate::platform::{PlatformError, Tags, TracePoints};
use crate::recorder;

/// Marks that are kept; dropping it turns the trace points off and takes the hook away.
#[derive(Debug)]
pub struct PlatformMarks {
    // Off before nobody catches what they write.
    points: Option<TracePoints>,
    hook: Hook,
}

impl PlatformMarks {
    /// Catches what libraries write to `trace_marker`, and turns on the trace points of `tags` where this process
    /// has any. With `pass_on` the kernel gets the marks too.
    ///
    /// # Errors
    ///
    /// [`HookError`]. Nothing has changed then.
    pub fn begin(tags: Tags, pass_on: bool) -> Result<Self, HookError> {
        let options = Options {
            pass_on,
            ..Options::default()
        };
        let hook = Hook::install(&options, recorder::mark)?;
        let points = match TracePoints::turn_on(tags) {
            Ok(points) => Some(points),
            // A program of its own may write marks all the same.
            Err(PlatformError::NoTracePoints) => None,
            Err(PlatformError::Maps(error)) => return Err(HookError::Maps(error)),
        };
        Ok(Self { points, hook })
    }

    /// Libraries whose trace points are on.
    pub fn libraries(&self) -> usize {
        self.points.as_ref().map_or(0, TracePoints::libraries)
    }

    /// Looks again: for libraries that were loaded since, for tags that a system trace has reset, and for a
    /// `trace_marker` that was opened since.
    ///
    /// # Errors
    ///
    /// [`HookError::Maps`].
    pub fn refresh(&mut self) -> Result<(), HookError> {
        self.hook.refresh()?;
        match self.points.as_mut().map(TracePoints::refresh) {
            Some(Err(PlatformError::Maps(error))) => Err(HookError::Maps(error)),
            _ => Ok(()),
        }
    }
}

/// Those of the C and Java interfaces, which have one recording for a process.
static MARKS: Mutex<Option<PlatformMarks>> = Mutex::new(None);

/// Begins to keep the marks of categories, with spaces or commas between their names, of all where there are
/// none; their tags.
pub(crate) fn begin(categories: &str, pass_on: bool) -> io::Result<Tags> {
    let names = categories.split([' ', ',']);
    let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidInput, format!("{error}"));
    let tags = match names[..] {
        [] => Tags::all(),
        _ => Tags::of(&names).map_err(invalid)?,
    };
    let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
    if marks.is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    *marks = Some(PlatformMarks::begin(tags, pass_on).map_err(as_io)?);
    Ok(tags)
}

/// Looks again, if marks are kept.
pub(crate) fn refresh() -> io::Result<()> {
    let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
    let marks = marks.as_mut();
    let marks = marks.ok_or(io::Error::from(io::ErrorKind::NotFound))?;
    marks.refresh().map_err(as_io)
}

/// Ends it; whether marks were kept.
pub(crate) fn end() -> bool {
    let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
    marks.take().is_some()
}

fn as_io(error: HookError) -> io::Error {
    match error {
        HookError::Installed => io::ErrorKind::AlreadyExists.into(),
        HookError::Maps(error) | HookError::NoThreadKey(error) => error,
    }
}
