//! The kinds of output files.

use std::path::Path;

use anyhow::{Result, bail};

/// The kind of output file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputKind {
    /// A report with systrace's text embedded.
    Page,
    /// systrace's JSON.
    Json,
    /// The recording as it came: ftrace text, or a method trace.
    Text,
    /// The same, gzipped.
    Gzip,
    /// A trace.dat with the kernel's raw pages.
    Dat,
    /// The Perfetto trace as it came.
    Perfetto,
}

impl OutputKind {
    /// The kind of a file by its ending.
    ///
    /// # Errors
    /// If the ending is unknown.
    pub fn of(output: &Path) -> Result<Self> {
        let ending = output.extension().unwrap_or_default().to_string_lossy();
        Ok(match ending.to_ascii_lowercase().as_str() {
            "html" | "htm" => Self::Page,
            "json" => Self::Json,
            "gz" => Self::Gzip,
            "dat" => Self::Dat,
            "pftrace" | "perfetto-trace" => Self::Perfetto,
            "txt" | "ftrace" | "systrace" | "trace" => Self::Text,
            _ => bail!(
                "{}: unknown ending; use .html, .json, .txt, .gz, .dat or .pftrace",
                output.display()
            ),
        })
    }
}

/// Whether a file for `--config` has options of `capture`.
pub fn is_options_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}
