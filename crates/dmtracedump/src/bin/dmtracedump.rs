//! The program `dmtracedump`, for who needs nothing else of traceloom: `cargo xtask dist` links it
//! statically, so that a small trace is printed before a bigger program would have started.

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom_dmtracedump::main(std::env::args_os())
}
