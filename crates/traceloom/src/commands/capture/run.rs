//! Chooses what `traceloom capture` records.

use std::process::ExitCode;

use anyhow::Result;
use traceloom_capture::agents::FileAgent;

use super::android::android;
use super::console::Console;
use super::linux::linux;
use super::options::{CaptureArgs, Target};
use super::record::record;
use super::wait::Wait;

/// Runs the command.
///
/// # Errors
/// If nothing could be recorded, or the result cannot be written.
pub fn run(args: &CaptureArgs, console: &mut Console) -> Result<ExitCode> {
    args.check()?;
    args.warn_of_extra();
    let wait = Wait::new();
    match (&args.from_file, args.target) {
        (Some(file), _) => {
            let file = FileAgent::new(file.clone());
            record(args, console, &wait, None, vec![Box::new(file)])
        }
        (None, Target::Android) => android(args, console, &wait),
        (None, Target::Linux) => linux(args, console, &wait),
    }
}
