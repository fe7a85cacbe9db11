//! Recording the platform's marks: turns its trace points on, catches what they write, and records it.
//!
//! ```no_run
//! use traceloom_inapp::marks::PlatformMarks;
//! use traceloom_inapp::platform::Tags;
//! use traceloom_inapp::recorder;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! recorder::start(&recorder::Options::new("/data/data/com.example/cache/app.ring"))?;
//! let marks = PlatformMarks::begin(Tags::from_names(&["app", "view", "gfx"])?, true)?;
//! // … the platform's marks are recorded …
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

/// Records the platform's marks. Dropping it turns the trace points off and removes the hook.
#[derive(Debug)]
pub struct PlatformMarks {
    // Dropped before the hook, so that every mark is caught.
    points: Option<TracePoints>,
    hook: Hook,
}

impl PlatformMarks {
    /// Catches what libraries write to `trace_marker`, and turns on the trace points of `tags` if this process has any.
    /// With `pass_on`, the kernel gets the marks too.
    ///
    /// # Errors
    ///
    /// See [`HookError`]. Nothing has changed then.
    pub fn begin(tags: Tags, pass_on: bool) -> Result<Self, HookError> {
        Self::install(tags, pass_on, false)
    }

    /// As [`PlatformMarks::begin`]; also makes a section of each time that a thread waits at least 0.1 ms for another process
    /// (binder), a file or a lock.
    ///
    /// # Errors
    ///
    /// See [`HookError`]. Nothing has changed then.
    pub fn begin_with_waits(tags: Tags, pass_on: bool) -> Result<Self, HookError> {
        Self::install(tags, pass_on, true)
    }

    fn install(tags: Tags, pass_on: bool, waits: bool) -> Result<Self, HookError> {
        let options = Options {
            pass_on,
            ..Options::default()
        };
        let hook = if waits {
            recorder::prepare_waits();
            Hook::install_with_waits(&options, recorder::mark, recorder::wait)?
        } else {
            Hook::install(&options, recorder::mark)?
        };
        let points = match (tags != Tags::none())
            .then(|| TracePoints::turn_on(tags))
            .transpose()
        {
            Ok(points) => points,
            // The program may still write marks itself.
            Err(PlatformError::NoTracePoints) => None,
            Err(PlatformError::Maps(error)) => return Err(HookError::Maps(error)),
        };
        Ok(Self { points, hook })
    }

    /// The number of libraries whose trace points are on.
    pub fn libraries(&self) -> usize {
        self.points.as_ref().map_or(0, TracePoints::libraries)
    }

    /// Catches up with changes since the last call: newly loaded libraries, tags that a system trace has reset, and a
    /// newly opened `trace_marker`.
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

/// The marks of the C and Java interfaces, which have one recording per process.
static MARKS: Mutex<Option<PlatformMarks>> = Mutex::new(None);

/// The category name for waits.
const WAITS: &str = "waits";

/// Starts recording the marks of `categories`, separated by spaces or commas; all categories if empty. The category
/// `waits` records waits as well. Returns the tags.
pub(crate) fn begin(categories: &str, pass_on: bool) -> io::Result<Tags> {
    let names = categories.split([' ', ',']);
    let mut names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    let waits = names.contains(&WAITS);
    let only_waits = waits && names.iter().all(|name| *name == WAITS);
    names.retain(|name| *name != WAITS);
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidInput, format!("{error}"));
    let tags = match names[..] {
        [] if only_waits => Tags::none(),
        [] => Tags::all(),
        _ => Tags::from_names(&names).map_err(invalid)?,
    };
    let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
    if marks.is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    *marks = Some(PlatformMarks::install(tags, pass_on, waits).map_err(as_io)?);
    Ok(tags)
}

/// As [`PlatformMarks::refresh`], if marks are being recorded.
pub(crate) fn refresh() -> io::Result<()> {
    let mut marks = MARKS.lock().unwrap_or_else(PoisonError::into_inner);
    let marks = marks.as_mut();
    let marks = marks.ok_or(io::Error::from(io::ErrorKind::NotFound))?;
    marks.refresh().map_err(as_io)
}

/// Stops recording marks. False if none were being recorded.
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
