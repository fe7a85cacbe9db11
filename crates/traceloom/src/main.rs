//! The `traceloom` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom::cli::main(std::env::args_os())
}
