//! Errors of a recording.

use std::io;
use std::path::{Path, PathBuf};

/// An error while starting, running or saving a recording. Messages end with the number of the
/// system's error, as in Android's atrace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither `/sys/kernel/tracing` nor `/sys/kernel/debug/tracing` exists.
    #[error("Error: Did not find trace folder")]
    NoTracefs,
    /// An operation on a file failed.
    #[error("error {action} {}: {}", path.display(), reason(source))]
    File {
        /// `opening`, `reading`, `writing to`, `truncating` or `making`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A required event of a category cannot be enabled.
    #[error("error writing file {0}")]
    RequiredEvent(String),
    /// A chosen category cannot be recorded.
    #[error(transparent)]
    Category(#[from] CategoryError),
    /// Categories of a file (`-f`) cannot be recorded.
    #[error("{}", lines(.0))]
    CategoriesFile(Vec<CategoryError>),
    /// A file that defines categories is invalid.
    #[error("{}: {reason}", path.display())]
    Categories {
        /// The file.
        path: PathBuf,
        /// The reason and its position.
        reason: String,
    },
    /// The kernel does not support function tracing.
    #[error("error: this kernel does not trace functions (-k): {0}")]
    NoFunctionTracing(String),
    /// The kernel does not have the function.
    #[error("error: \"{0}\" is not a valid kernel function to trace.")]
    UnknownFunction(String),
    /// A system property could not be set.
    #[error("error setting system property {name}: {}", reason(source))]
    Property {
        /// The property.
        name: String,
        /// The system's error.
        source: io::Error,
    },
    /// The name is not allowed for a trace instance.
    #[error("\"{0}\" is not a valid instance name: use letters, digits, - _ and .")]
    InstanceName(String),
    /// A trace instance of that name exists and was not created by this program.
    #[error(
        "the instance \"{0}\" exists already and belongs to another program: choose another name, or remove it with rmdir"
    )]
    InstanceExists(String),
    /// Another recording uses the shared ring buffer. The text is ` (NAME, process PID)` if known.
    #[error(
        "another recording is running{0}, and both would take events from each other: wait for its end, or record in a separate buffer with --instance NAME"
    )]
    Busy(String),
    /// An event with a filter or a stack trace does not exist.
    #[error("this kernel has no event {0}; available_events in its tracefs lists all")]
    UnknownEvent(String),
    /// The kernel refuses a filter.
    #[error("the kernel refuses the filter \"{filter}\": {reason}")]
    Filter {
        /// The filter.
        filter: String,
        /// The kernel's message.
        reason: String,
    },
    /// The kernel cannot add probes of this kind.
    #[error("this kernel cannot add events to {kind}: its tracefs has no {file}")]
    NoProbes {
        /// The missing file.
        file: &'static str,
        /// What the probes are for.
        kind: &'static str,
    },
    /// There is a probe of this name already.
    #[error(
        "the probe {event} exists already: it belongs to another recording, or a program was killed and left it. Give another name (NAME=FUNCTION), or remove it with: echo '-:{event}' >> {path}"
    )]
    ProbeExists {
        /// `system/name`.
        event: String,
        /// The file that lists the probes.
        path: String,
    },
    /// A probe cannot be added.
    #[error("the probe {probe} cannot be added: {reason}")]
    Probe {
        /// Its name.
        probe: String,
        /// The reason.
        reason: String,
    },
    /// The trace could not be written.
    #[error("error writing trace: {}", reason(.0))]
    Output(#[source] io::Error),
    /// The disk of the output is full. The trace is complete, but in another file.
    #[error("error writing to {}: {}; the trace is in {}", path.display(), reason(source), kept.display())]
    KeptElsewhere {
        /// The output.
        path: PathBuf,
        /// The file with the trace.
        kept: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The trace could not be read.
    #[error("error dumping trace: {}", reason(.0))]
    Input(#[source] io::Error),
    /// The guardian process, which restores the settings after a crash, could not be started.
    #[error("cannot start the guardian process: {}", reason(.0))]
    Guardian(#[source] io::Error),
    /// The old settings could not be saved for a later stop.
    #[error("cannot save the old settings in {}: {}", path.display(), reason(source))]
    State {
        /// The state file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Why a category cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CategoryError {
    /// There is no category of this name.
    #[error("error: unknown tracing category \"{0}\"")]
    Unknown(String),
    /// Its event files exist but are not writable.
    #[error("error: category \"{0}\" requires root privileges.")]
    NeedsRoot(String),
    /// The kernel does not have its required events.
    #[error("error: category \"{0}\" is not supported on this device.")]
    Unsupported(String),
}

impl Error {
    /// Names the file of an error that occurred while writing to it.
    pub(crate) fn in_output(self, path: Option<&Path>) -> Self {
        match (self, path) {
            (Self::Output(source), Some(path)) => Self::file("writing to", path)(source),
            (error, _) => error,
        }
    }

    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }
}

/// The system's message and error number, as atrace prints them: `No such file or directory (2)`.
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
