//! Reads the traces of commands that also take empty ones.

use std::path::PathBuf;

use anyhow::Result;
use traceloom_formats::ReadError;
use traceloom_trace::{Trace, TraceBuilder};

use crate::align::{AlignArgs, read_traces};
use crate::input::InputArgs;
use crate::print::message;

/// Reads files into one trace. A single empty file is a trace without rows, so that a script over many files does not
/// stop at it.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn read_files(files: &[PathBuf], align: &AlignArgs, open: &InputArgs) -> Result<Trace> {
    match read_traces(files, align, open) {
        Err(error) if files.len() == 1 && is_empty(&error) => {
            message!("traceloom: {}: the file is empty", files[0].display());
            Ok(TraceBuilder::new().finish())
        }
        read => read,
    }
}

/// Whether the error is that a file is empty.
fn is_empty(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| matches!(cause.downcast_ref(), Some(ReadError::Empty)))
}
