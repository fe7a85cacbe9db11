//! What a recording is to be, and what it goes on without.

use std::path::PathBuf;

use crate::category::Category;
use crate::clock::SyncPrecision;
use crate::state;

/// What is to be recorded, and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// The categories, as [`Catalog::choose`] found them.
    pub categories: Vec<Category>,
    /// Command lines of apps that write marks of their own; `*` stands for any letters.
    pub apps: Vec<String>,
    /// Size of each CPU's buffer, KB; at least 1.
    pub buffer_kb: u32,
    /// A full buffer loses its oldest events; otherwise it takes no more.
    pub overwrite: bool,
    /// Kernel functions to trace with the function graph tracer.
    pub functions: Vec<String>,
    /// Records in a trace instance of this name instead of the global buffer.
    pub instance: Option<String>,
    /// Only properties, nothing in the kernel.
    pub only_user_space: bool,
    /// How the clock marks are written.
    pub sync_precision: SyncPrecision,
    /// Where the state of recordings is that outlive the program.
    pub state_folder: PathBuf,
    /// Refuses to begin while another recording has the global buffer. What a guardian puts back is waited for either way.
    pub alone: bool,
    /// Whether a guardian puts the settings back if this process dies.
    pub guarded: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            categories: Vec::new(),
            apps: Vec::new(),
            buffer_kb: 2048,
            overwrite: false,
            functions: Vec::new(),
            instance: None,
            only_user_space: false,
            sync_precision: SyncPrecision::Exact,
            state_folder: state::File::default_folder(),
            alone: true,
            guarded: true,
        }
    }
}

/// What a recording goes on without.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Marks of programs go to the global buffer alone.
    #[error(
        "this kernel cannot copy user space marks into an instance (options/copy_trace_marker, Linux 6.16): the recording has kernel events only"
    )]
    NoMarksInInstance,
    /// Tags and apps were asked for where nobody reads them.
    #[error("there is no property store here (setprop is missing): tags and apps have no effect")]
    NoProperties,
    /// An event that a category can do without refused to be switched on.
    #[error("{0}")]
    Event(String),
    /// A setting could not be put back.
    #[error("cannot put {what} back: {why}")]
    NotRestored {
        /// The setting.
        what: String,
        /// What the system said.
        why: String,
    },
}
