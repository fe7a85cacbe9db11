//! The configuration of a recording, and warnings.

use std::path::PathBuf;

use crate::category::Category;
use crate::clock::SyncPrecision;
use crate::event_limits::EventLimits;
use crate::probes::Probe;
use crate::state_file::StateFile;

/// What to record, and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// The categories, from [`Catalog::choose`](crate::Catalog::choose).
    pub categories: Vec<Category>,
    /// Command lines of apps whose own sections are recorded. `*` matches any text.
    pub apps: Vec<String>,
    /// Size of each CPU's buffer, KB, at least 1.
    pub buffer_kb: u32,
    /// Whether a full buffer overwrites its oldest events. Otherwise it drops new ones.
    pub overwrite: bool,
    /// Limits of single events.
    pub limits: EventLimits,
    /// Events that are added to functions for this recording.
    pub probes: Vec<Probe>,
    /// How full a buffer is, in percent, when the kernel wakes the reader of its pages. `None` leaves it.
    pub watermark_percent: Option<u32>,
    /// Kernel functions to trace with the function graph tracer.
    pub functions: Vec<String>,
    /// Name of a trace instance to record in, instead of the shared ring buffer.
    pub instance: Option<String>,
    /// Whether marks of programs and of the clocks are recorded in an instance too.
    pub has_marks: bool,
    /// Only sets system properties, and records nothing in the kernel.
    pub only_user_space: bool,
    /// Precision of the clock markers.
    pub sync_precision: SyncPrecision,
    /// Folder for the state of recordings that outlive the process.
    pub state_folder: PathBuf,
    /// Whether to fail while another recording uses the shared ring buffer.
    pub exclusive: bool,
    /// Whether a guardian process restores the settings if this process dies.
    pub guarded: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            categories: Vec::new(),
            apps: Vec::new(),
            buffer_kb: 2048,
            overwrite: false,
            limits: EventLimits::default(),
            probes: Vec::new(),
            watermark_percent: None,
            functions: Vec::new(),
            instance: None,
            has_marks: true,
            only_user_space: false,
            sync_precision: SyncPrecision::Exact,
            state_folder: StateFile::default_folder(),
            exclusive: true,
            guarded: true,
        }
    }
}

/// A problem that does not prevent the recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Markers of programs only go to the shared ring buffer.
    #[error(
        "this kernel cannot copy user space marks into an instance (options/copy_trace_marker, Linux 6.16): only kernel events are recorded"
    )]
    NoMarksInInstance,
    /// Tags or apps were chosen on a machine without system properties.
    #[error(
        "this machine has no system properties (setprop is missing): tags and apps have no effect"
    )]
    NoProperties,
    /// An optional event could not be enabled.
    #[error("{0}")]
    Event(String),
    /// Another program has limited the events.
    #[error("another program limits the events, so some are not recorded: {0}")]
    Limited(String),
    /// A setting could not be restored.
    #[error("cannot restore {what}: {reason}")]
    NotRestored {
        /// The setting.
        what: String,
        /// The system's error.
        reason: String,
    },
}
