//! The `atrace` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom_tracefs::atrace::run(std::env::args_os())
}
