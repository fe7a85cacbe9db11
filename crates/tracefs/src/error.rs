//! What can go wrong on the way to a recording.

use std::io;
use std::path::{Path, PathBuf};

/// A recording that cannot start, go on or be saved. The texts of [`Error::File`] are those that
/// atrace has printed for years, with the number of the system's error at the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither `/sys/kernel/tracing` nor `/sys/kernel/debug/tracing` is there.
    #[error("Error: Did not find trace folder")]
    NoTracefs,
    /// A file of tracefs refused something.
    #[error("error {action} {}: {}", path.display(), reason(source))]
    File {
        /// `opening`, `reading`, `writing to`, `truncating` or `making`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A category's required event cannot be switched on.
    #[error("error writing file {0}")]
    RequiredEvent(String),
    /// A category that was asked for cannot be had.
    #[error(transparent)]
    Category(#[from] CategoryError),
    /// The categories of a file cannot be had: one line each.
    #[error("{}", lines(.0))]
    CategoriesFile(Vec<CategoryError>),
    /// A file of categories cannot be used.
    #[error("{}: {reason}", path.display())]
    Categories {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// The kernel traces no functions, whichever were asked for.
    #[error("error: this kernel does not trace functions (-k): {0}")]
    NoFunctionTracing(String),
    /// The kernel does not know a function that was to be traced.
    #[error("error: \"{0}\" is not a valid kernel function to trace.")]
    UnknownFunction(String),
    /// A property could not be set.
    #[error("error setting system property {name}: {}", reason(source))]
    Property {
        /// The property.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The name cannot be that of a tracefs instance.
    #[error("\"{0}\" cannot be the name of an instance: letters, digits, - _ and . are allowed")]
    InstanceName(String),
    /// Somebody else has an instance of that name.
    #[error(
        "the instance \"{0}\" exists already and is somebody else's: choose another name, or remove it with rmdir"
    )]
    InstanceExists(String),
    /// Another recording has the buffer; who, ` (NAME, process PID)`, where it is known.
    #[error(
        "another recording is under way{0}, and the two would take each other's events: wait for its end, or record in a buffer of your own with --instance NAME"
    )]
    Busy(String),
    /// What was recorded could not be written.
    #[error("error writing trace: {}", reason(.0))]
    Output(#[source] io::Error),
    /// What was recorded could not be read.
    #[error("error dumping trace: {}", reason(.0))]
    Input(#[source] io::Error),
    /// The process that puts settings back in case of a crash could not be started.
    #[error("cannot start the guardian of the settings: {}", reason(.0))]
    Guardian(#[source] io::Error),
    /// The settings to put back could not be kept for the stop.
    #[error("cannot keep the old settings in {}: {}", path.display(), reason(source))]
    State {
        /// The state file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a category cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CategoryError {
    /// Nobody has heard of it.
    #[error("error: unknown tracing category \"{0}\"")]
    Unknown(String),
    /// Its event files are there and not writable.
    #[error("error: category \"{0}\" requires root privileges.")]
    NeedsRoot(String),
    /// The kernel does not have its events.
    #[error("error: category \"{0}\" is not supported on this device.")]
    Unsupported(String),
}

impl Error {
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }
}

/// The system's words and number, as C programs print them: `No such file or directory (2)`.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match (text.rfind(" (os error "), error.raw_os_error()) {
        (Some(end), Some(number)) => format!("{} ({number})", &text[..end]),
        _ => text,
    }
}

fn lines(errors: &[CategoryError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
