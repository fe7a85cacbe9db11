//! What to record.

use std::time::Duration;

/// The default categories, as far as the device supports them.
pub(super) const DEFAULT_CATEGORIES: &[&str] = &[
    "am",
    "binder_driver",
    "camera",
    "dalvik",
    "freq",
    "gfx",
    "hal",
    "idle",
    "input",
    "memory",
    "memreclaim",
    "res",
    "sched",
    "sync",
    "view",
    "webview",
    "wm",
    "workq",
];

/// What to record with atrace.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AtraceOptions {
    /// Categories. If empty, systrace's default categories.
    pub categories: Vec<String>,
    /// Size of each CPU's buffer, KB. The default is 8192 for webview with sched, and 4096 for sched.
    pub buffer_kb: Option<u32>,
    /// Apps whose own sections are recorded: process names separated by commas.
    pub apps: Option<String>,
    /// Kernel functions to trace, separated by commas.
    pub functions: Option<String>,
    /// Planned duration, s, which some versions of atrace use.
    pub seconds: Option<u32>,
    /// Whether to transfer the trace compressed.
    pub compress: bool,
    /// The program to run. The default is the device's `atrace`.
    pub program: Option<String>,
    /// How long the device keeps a recording for `--resume` after the connection was lost.
    pub keep: Duration,
    /// A folder on the device for temporary files. The default is `/data/local/tmp`.
    pub folder: Option<String>,
}

/// A category that a device supports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceCategory {
    /// Its name.
    pub name: String,
    /// Its description.
    pub title: String,
}
