//! dmtracedump's successor.

use std::ffi::OsString;
use std::process::ExitCode;

/// Placeholder until the room is furnished.
pub fn main(_args: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::from(2)
}
